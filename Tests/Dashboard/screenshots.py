"""Draws the pages for the documentation: `make screenshots` runs it."""
import contextlib
import pathlib
import re
import tempfile
import time
import urllib.request

from conftest import APP, SHOP, Desk, Site, launch
from playwright.sync_api import expect, sync_playwright

SIZE = {"width": 1200, "height": 760}


def fill(site):
    """Domains of a small company."""
    site.apply_example()
    for app, name in [(SHOP, "Example Shop"), ("FGHIJ67890.com.example.travel", "Example Travel")]:
        site.call("PUT", f"/v1/apps/{app}", {"name": name})
    site.call("PATCH", "/v1/domains/example.com?reason=Protect%20the%20shop", {
        "aliases": ["www.example.com"],
        "expectations": [{"url": "https://example.com/buy/1", "app": APP, "resolution": "match"}],
    }, **{"If-Match": "*"})
    for number, name in enumerate(["account", "blog", "careers", "events", "gifts", "help", "music", "news", "pay", "store"]):
        app = [APP, SHOP][number % 2]
        site.put(
            f"{name}.example.com", {"path": "/internal/*", "exclude": True}, {"path": "/*"}, app=app,
            environment=["production", "staging"][number % 4 == 3], enabled=number != 4)
        if number % 3 and number != 4:
            fetch_as_apple(site, f"{name}.example.com")
        for revision in range(number % 4):
            site.call("PATCH", f"/v1/domains/{name}.example.com?reason=Cache%20for%20{revision + 2}%20hours",
                      {"cacheSeconds": (revision + 2) * 3600}, **{"If-Match": "*"})


def fetch_as_apple(site, domain):
    """Fetches Apple's file as Apple's CDN does."""
    public = re.search(r"Association files: +(http\S+)", site.log.read_text())[1]
    request = urllib.request.Request(
        public + "/.well-known/apple-app-site-association", headers={"Host": domain, "User-Agent": "AASA-Bot/1.0.0"})
    urllib.request.urlopen(request).close()


def draft(page):
    """Adds a route, and waits for its effects."""
    page.get_by_role("button", name="Add route").first.click()
    page.get_by_label("Path", exact=True).fill("/gift/*")
    page.get_by_role("button", name="Save to draft").click()
    page.get_by_role("button", name="Publish", exact=True).last.scroll_into_view_if_needed()
    expect(page.get_by_role("button", name="Publish", exact=True).last).to_be_enabled()
    page.evaluate("window.scrollTo(0, 0)")


def main():
    target = pathlib.Path(__file__).parents[2] / "docs/images"
    target.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as directory, sync_playwright() as playwright, \
            contextlib.ExitStack() as stack:
        site = Site(pathlib.Path(directory))
        stack.callback(site.stop)
        fill(site)
        while site.call("GET", "/v1/domains/blog.example.com/fetches")["fetchers"][0]["count"] == 0:
            time.sleep(0.1)
        browser = launch(playwright)
        draw(browser, site, target, {
            "domains": "#/domains", "domain": "#/domains/example.com",
            "try": "#/domains/example.com/try?url=https://example.com/help/website/faq",
            "history": "#/domains/events.example.com/history", "findings": "#/findings",
        })
        # Afterwards, because its domains would fill the list.
        site.apply_template(40)
        draw(browser, site, target, {"template": "#/templates/white-label"})
        browser.close()


def draw(browser, site, target, pages):
    for scheme in ("light", "dark"):
        desk = Desk(browser, site, color_scheme=scheme, viewport=SIZE, reduced_motion="reduce")
        desk.sign_in()
        for name, address in pages.items():
            desk.open(address)
            if name in ("domain", "template"):
                draft(desk.page)
            if name == "try":
                expect(desk.page.get_by_text("same", exact=True).first).to_be_visible()
            desk.page.mouse.move(0, 0)
            desk.page.screenshot(path=target / f"{name}-{scheme}.png")
        desk.close()


if __name__ == "__main__":
    main()
