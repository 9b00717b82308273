"""Everybody can use every page: with a screen reader, at night, on a phone, with the keyboard, without rights."""
import re

import pytest
from conftest import Desk, Site, sign_out
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


def offered(desk):
    """The buttons that change something, by page."""
    found = {}
    for page in PAGES:
        desk.open("#" + page)
        # In one step: what has loaded meanwhile may add and remove buttons.
        names = desk.page.get_by_role("button").filter(visible=True).all_inner_texts()
        found[page] = [name for name in names if CHANGES.search(name)]
        assert desk.page.get_by_text("Not allowed").count() == 0, page
    return {page: names for page, names in found.items() if names}


def test_a_viewer_is_offered_nothing_that_would_fail(desk, site):
    site.apply_example()
    site.apply_template()
    desk.sign_in(site.create_token("viewer"))
    assert offered(desk) == {}


@pytest.fixture
def open_brand(tmp_path, chromium):
    """The desk of a user who edits a brand, with what limits it, and reads everything through a group."""
    desks = []

    def open_brand(**limits):
        site = Site(
            tmp_path, "--admin-user-header", "X-Forwarded-User", "--admin-groups-header", "X-Forwarded-Groups",
            "--trusted-proxies", "127.0.0.1", "--admin-hosts", "127.0.0.1")
        site.apply_example()
        site.apply_template()
        site.put("shop.brand.example", "/a/*", labels=["brand"])
        site.call("PUT", "/v1/users/anna@example.com", {"role": "editor", **limits})
        site.call("PUT", "/v1/groups/everybody", {"role": "viewer"})
        desks.append(Desk(chromium, site, extra_http_headers={
            "X-Forwarded-User": "anna@example.com", "X-Forwarded-Groups": "everybody"}))
        return desks[-1]

    yield open_brand
    for desk in desks:
        desk.close()
        desk.site.stop()


def test_who_edits_one_brand_and_reads_everything_is_offered_only_what_the_brand_allows(open_brand):
    desk = open_brand(domains=["*.brand.example"])
    assert offered(desk) == {
        "/domains": ["Add a domain"], "/templates/white-label/domains": ["Add a row"],
        # Any domain that is typed, and the one of the brand.
        "/checks": ["Check now", "Check now"],
    }
    page = desk.open("#/settings/about")
    expect(page.locator(".facts li")).to_have_text(["editor: *.brand.example", "viewer: all"])
    desk.open("#/domains/shop.brand.example/settings")
    page.get_by_role("button", name="Edit settings").click()
    expect(page.get_by_label("Labels")).to_have_value("brand")
    desk.open("#/domains")
    page.get_by_role("button", name="Add a domain").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Domain", exact=True).fill("other.example")
    dialog.get_by_role("button", name="Preview").click()
    expect(dialog).to_contain_text("You may add only *.brand.example.")


def test_who_edits_the_domains_with_a_label_is_offered_nothing_for_others(open_brand):
    desk = open_brand(labels=["brand"])
    page = desk.open("#/domains")
    expect(page.get_by_role("button", name="Add a domain")).to_have_count(0)
    desk.open("#/domains/example.com", "example.com")
    expect(page.get_by_role("button", name="Add a route")).to_have_count(0)
    desk.open("#/domains/shop.brand.example", "shop.brand.example")
    expect(page.get_by_role("button", name="Add a route").first).to_be_visible()


def test_drafts_that_somebody_else_must_approve_are_not_counted_as_theirs(open_brand):
    desk = open_brand(domains=["*.brand.example"])
    desk.site.call("PATCH", "/v1/domains/example.com?draft=true", {"cacheSeconds": 60})
    page = desk.open("#/drafts/1", "Draft 1")
    expect(page.locator(".changes")).to_contain_text("Cache time: 1 hour → 1 minute")
    expect(page.get_by_role("button", name="Approve")).to_have_count(0)
    expect(page.locator("nav .badge")).to_have_count(0)
    desk.site.call("PUT", "/v1/templates/other?draft=true", {"parameters": [], "entries": []})
    desk.open("#/drafts/2", "Draft 2")
    expect(page.get_by_text("templates: 1 new")).to_be_visible()
    expect(page.get_by_role("button", name="Approve")).to_have_count(0)
    desk.site.call("PATCH", "/v1/domains/shop.brand.example?draft=true", {"cacheSeconds": 60})
    desk.open("#/drafts/3", "Draft 3")
    expect(page.get_by_role("button", name="Approve")).to_be_visible()
    expect(page.locator("nav .badge").first).to_contain_text("1")


def test_the_limits_of_a_token_end_with_its_session(desk, site):
    """Members of a session are left out without a limit, so the one before must not lend its own."""
    site.apply_example()
    limited = site.call("POST", "/v1/tokens", {"name": "brand", "role": "editor", "labels": ["brand"]})["token"]
    page = desk.sign_in(limited)
    expect(page.get_by_role("button", name="Add a domain")).to_have_count(0)
    sign_out(page)
    desk.page.get_by_label("Token").fill(site.token)
    desk.page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("button", name="Add a domain")).to_be_visible()


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
