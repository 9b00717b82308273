"""Everybody can use every page: with a screen reader, at night, on a phone, with the keyboard, without rights."""
import re

import pytest
from pages import PAGES
from playwright.sync_api import expect

LIGHT = {"color_scheme": "light", "viewport": {"width": 1280, "height": 900}}
DARK = {"color_scheme": "dark", "viewport": {"width": 360, "height": 740}}


@pytest.mark.parametrize("settings", [LIGHT, DARK], ids=["light", "dark-phone"])
def test_axe_finds_nothing_on_any_page_and_none_scrolls_sideways(open_desk, site, settings):
    site.apply_example()
    site.apply_template()
    # The page's policy keeps out what axe-core adds to the page.
    desk = open_desk(bypass_csp=True, **settings)
    desk.page.goto("/")
    expect(desk.page.get_by_label("Token")).to_be_visible()
    faults = {"sign in": desk.access_faults()}
    desk.sign_in()
    for page in PAGES:
        desk.open("#" + page)
        faults[page] = desk.access_faults()
        if desk.page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"):
            faults[page].append("scrolls sideways")
        if len(desk.page.get_by_role("heading", level=1).all()) != 1:
            faults[page].append("has not one main heading")
    assert {page: found for page, found in faults.items() if found} == {}


CHANGES = re.compile(
    r"^(Add|New|Create|Publish|Delete|Remove|Suppress|Check now|Rename|Restore|Roll back|Revoke|Rotate|Edit|Save|Apply"
    r"|Move)\b")


def test_a_viewer_is_offered_nothing_that_would_fail(desk, site):
    site.apply_example()
    site.apply_template()
    desk.sign_in(site.create_token("viewer"))
    offered = {}
    for page in PAGES:
        desk.open("#" + page)
        names = [button.inner_text() for button in desk.page.get_by_role("button").all() if button.is_visible()]
        offered[page] = [name for name in names if CHANGES.search(name)]
        assert desk.page.get_by_text("Not allowed").count() == 0, page
    assert {page: found for page, found in offered.items() if found} == {}


def test_a_domain_out_of_reach_says_so_and_offers_no_second_try(desk, site):
    site.apply_example()
    desk.sign_in(site.create_token("editor", "*.brand.example"))
    page = desk.open("#/domains/example.com")
    expect(page.get_by_text("Not allowed.").first).to_be_visible()
    expect(page.get_by_role("button", name="Try again")).to_have_count(0)


def test_a_keyboard_is_enough_to_sign_in_and_to_open_a_domain(desk, site):
    site.apply_example()
    page = desk.page
    page.goto("/")
    expect(page.get_by_label("Token")).to_be_focused()
    page.keyboard.type(site.token)
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="example.com", exact=True)).to_be_visible()
    for _ in range(40):
        if page.evaluate("document.activeElement.type") == "search":
            break
        page.keyboard.press("Tab")
    page.keyboard.type("example")
    desk.settle()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("link", name="example.com", exact=True)).to_be_focused()
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox")).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("example.com")


def test_pages_of_nobody_and_of_nothing_say_so(desk, site):
    site.apply_example()
    desk.sign_in()
    desk.open("#/nowhere", "Page not found")
    desk.page.goto("/#/domains/absent.example")
    expect(desk.page.get_by_text("No domain has this name now")).to_be_visible()
    desk.page.goto("/#/domains/absent.example/history")
    expect(desk.page.get_by_role("alert").first).to_contain_text("absent.example")
    expect(desk.page.get_by_role("alert").first).to_contain_text("Request")


@pytest.mark.parametrize("address", [
    "/domains?state=x&environment=y&enabled=z", "/findings?state=x&severity=y&source=z&suppressed=no",
    "/domains/example.com/history?from=x&to=y", "/checks?status=x", "/settings/webhooks/hook?status=x"])
def test_an_address_with_unknown_values_shows_the_page_without_them(desk, site, address):
    site.apply_example()
    site.call("PUT", "/v1/webhooks/hook", {"url": "https://hooks.example.com/"})
    desk.sign_in()
    desk.open("#" + address)
    expect(desk.page.get_by_role("alert")).to_have_count(0)
