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
    """Domains of a small company: most are fine, one has an error, one a warning, one an old file at Apple's CDN."""
    site.apply_example()
    for app, name in [(SHOP, "Example Shop"), ("FGHIJ67890.com.example.travel", "Example Travel")]:
        site.call("PUT", f"/v1/apps/{app}", {"name": name})
    token = site.call("POST", "/v1/tokens", {"name": "Anna Berg", "role": "admin"})
    site.token = token["token"]
    site.call("PATCH", "/v1/domains/example.com?reason=Protect%20the%20shop", {
        "aliases": ["www.example.com"],
        "expectations": [{"url": "https://example.com/buy/1", "app": APP, "resolution": "match"}],
    }, **{"If-Match": "*"})
    for number, name in enumerate(["account", "blog", "events", "gifts", "help", "music", "news", "pay", "store"]):
        domain = f"{name}.example.com"
        site.put(
            domain, {"path": "/internal/*", "exclude": True}, {"path": "/*"}, app=[APP, SHOP][number % 2],
            environment="staging" if name == "events" else "production", enabled=name != "gifts",
            labels=["shop"] if name in ("gifts", "pay", "store") else [])
        if name in ("blog", "events", "help", "news", "store"):
            fetch_as_apple(site, domain)
        for hours in range(2, 2 + number % 4):
            site.call("PATCH", f"/v1/domains/{domain}?reason=Keep%20files%20for%20{hours}%20hours",
                      {"cacheSeconds": hours * 3600}, **{"If-Match": "*"})
    # Apple's CDN fetched the revision before.
    site.put("store.example.com", "/*", {"path": "/checkout/*", "exclude": True}, labels=["shop"])
    site.call("PUT", "/v1/domains/careers.example.com/file?accept=undefined-variable,opens-nothing", {"applinks": {
        "details": [{"appIDs": [APP], "components": [{"/": "/$(country)/jobs/*"}]}]}})


def fetch_as_apple(site, domain):
    """Fetches Apple's file as Apple's CDN does."""
    public = re.search(r"Association files: +(http\S+)", site.log.read_text())[1]
    request = urllib.request.Request(
        public + "/.well-known/apple-app-site-association", headers={"Host": domain, "User-Agent": "AASA-Bot/1.0.0"})
    urllib.request.urlopen(request).close()


def draft(page):
    """Adds a route, and waits for its effects."""
    page.get_by_role("button", name="Add a route").first.click()
    page.get_by_label("Path", exact=True).fill("/gift/*")
    page.get_by_role("button", name="Save edit").click()
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
        while site.call("GET", "/v1/domains/store.example.com/fetches")["fetchers"][0]["count"] == 0:
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
        # Inter looks the same everywhere; without it, pictures have the system's font.
        desk.page.add_init_script("document.addEventListener('DOMContentLoaded', () => "
                                  "document.documentElement.style.setProperty('--sans', 'Inter, system-ui'))")
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
