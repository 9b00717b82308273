"""Draws the pages for the documentation: `make screenshots` runs it."""
import pathlib
import tempfile

from conftest import APP, SHOP, Desk, Site
from playwright.sync_api import sync_playwright

SIZE = {"width": 1200, "height": 760}


def fill(site):
    """Domains of a small company."""
    site.apply_example()
    for app, name in [(SHOP, "Example Shop"), ("FGHIJ67890.com.example.travel", "Example Travel")]:
        site.call("PUT", f"/v1/apps/{app}", {"name": name})
    site.put(
        "example.com", {"path": "/help/website/*", "exclude": True, "comment": "stays on the web"},
        {"path": "/help/*", "query": {"articleNumber": "????"}}, {"path": "/buy/*"},
        aliases=["www.example.com"], webcredentials=[APP],
        expectations=[{"url": "https://example.com/buy/1", "app": APP, "resolution": "match"}])
    for number, name in enumerate(["account", "blog", "careers", "events", "gifts", "help", "music", "news", "pay", "store"]):
        app = [APP, SHOP][number % 2]
        site.put(
            f"{name}.example.com", {"path": "/internal/*", "exclude": True}, {"path": "/*"}, app=app,
            environment=["production", "staging"][number % 4 == 3], enabled=number != 4)
        for revision in range(number % 4):
            site.call("PATCH", f"/v1/domains/{name}.example.com?reason=Cache%20for%20{revision + 2}%20hours",
                      {"cacheSeconds": (revision + 2) * 3600}, **{"If-Match": "*"})


def main():
    target = pathlib.Path(__file__).parents[2] / "docs/images"
    target.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as directory, sync_playwright() as playwright:
        site = Site(pathlib.Path(directory))
        fill(site)
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        for scheme in ("light", "dark"):
            desk = Desk(browser, site, color_scheme=scheme, viewport=SIZE)
            desk.sign_in()
            for name, address in [
                ("domains", "#/domains"), ("domain", "#/domains/example.com"),
                ("try", "#/domains/example.com/try?url=https://example.com/help/website/faq"),
                ("history", "#/domains/pay.example.com/history"), ("findings", "#/findings"),
            ]:
                desk.open(address)
                desk.page.screenshot(path=target / f"{name}-{scheme}.png")
            desk.close()
        browser.close()
        site.stop()


if __name__ == "__main__":
    main()
