"""Forms and dialogs: what is typed or pasted is understood, or the person reads why not."""
import re

import pytest
from conftest import section
from playwright.sync_api import expect

DOMAIN = "#/domains/example.com"


def type_route(page, path, exclude=False):
    page.get_by_role("button", name="Add a route").first.click()
    if exclude:
        page.get_by_label("Stays in the browser").check()
    page.get_by_label("Path", exact=True).fill(path)
    page.get_by_role("button", name="Save edit").click()


def paths_of(page):
    return page.locator(".route .path")


# Adding a domain


def test_a_domain_needs_no_app_even_where_several_apps_have_no_name(example, site):
    site.put("one.example", "/a/*", app="ABCDE12345.one")
    site.put("two.example", "/a/*", app="ABCDE12345.two")
    page = example.open("#/domains")
    page.get_by_role("button", name="Add a domain").click()
    name = page.get_by_label("Domain", exact=True)
    name.fill("example.com")
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("link", name="Open example.com")).to_be_visible()
    name.fill("new.example")
    page.get_by_role("button", name="Preview").click()
    page.get_by_role("button", name="Publish", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("new.example")


# Routes


@pytest.mark.parametrize("pasted, path, query, fragment", [
    (" https://example.com/a ", "/a", None, None),
    (" /gift ", "/gift", None, None),
    ("https://example.com", "/", None, None),
    ("https://example.com?a=1", "/", "a=1", None),
    ("example.com/gift/x", "/gift/x", None, None),
    ("m.go.example.com/gift", "/gift", None, None),
    ("/gift/x?a=1&b=2#top", "/gift/x", "a=1&b=2", "top"),
    # A question mark of a pattern is one character.
    ("/gift/???/*", "/gift/???/*", None, None),
])
def test_what_is_pasted_as_the_path_of_a_route_is_divided_between_its_conditions(
        desk, site, pasted, path, query, fragment):
    site.put("example.com", "/buy/*", aliases=["*.go.example.com"])
    desk.sign_in()
    page = desk.open(DOMAIN)
    type_route(page, pasted)
    expect(paths_of(page)).to_have_count(2)
    page.get_by_role("button", name="Publish", exact=True).last.click()
    expect(page.get_by_text("Published as revision 2")).to_be_visible()
    route = site.call("GET", "/v1/domains/example.com")["entries"][0]["routes"][-1]
    assert (route["path"], route.get("query"), route.get("fragment")) == (path, query, fragment)


def test_a_url_of_another_host_is_no_route_of_the_domain(example):
    page = example.open(DOMAIN)
    type_route(page, "https://other.example/gift")
    path = page.get_by_label("Path", exact=True)
    expect(path).to_have_accessible_description(re.compile("The host other.example is not of this domain."))
    path.fill("https://example.com/gift")
    page.get_by_role("button", name="Save edit").click()
    expect(paths_of(page).last).to_have_text("/gift")


def test_a_route_is_added_before_one_that_takes_every_path(desk, site):
    site.put("example.com", "/buy/*", "/*")
    desk.sign_in()
    page = desk.open(DOMAIN)
    type_route(page, "/logout/*", exclude=True)
    expect(paths_of(page)).to_have_text(["/buy/*", "/logout/*", "/*"])
    type_route(page, "*")
    expect(paths_of(page)).to_have_text(["/buy/*", "/logout/*", "/*", "*"])


# Settings


def test_the_settings_of_a_domain_say_which_label_protects_it(desk, site):
    site.put("example.com", "/buy/*", labels=["live"])
    site.call("PUT", "/v1/protected-labels/live")
    desk.sign_in()
    page = desk.open(DOMAIN + "/settings")
    expect(page.locator(".settings-group").first).to_contain_text("Already so by the label “live”")
    page.get_by_role("button", name="Edit settings").click()
    box = page.get_by_label("A second person approves changes")
    expect(box).to_be_checked()
    expect(box).to_be_disabled()
    expect(box).to_have_accessible_description("Already so by the label “live”. An admin decides under Settings, Protection.")
    page.get_by_label("Labels").fill("other")
    expect(box).not_to_be_checked()
    expect(box).to_be_enabled()


# Going elsewhere


def test_a_dialog_of_the_frame_closes_when_the_browser_goes_back(example):
    example.open("#/apps", "Apps")
    page = example.open("#/changes", "Changes")
    for key in ("Control+k", "?"):
        page.keyboard.press(key)
        expect(page.get_by_role("dialog")).to_be_visible()
        page.go_back()
        expect(page.get_by_role("dialog")).to_have_count(0)
        page.go_forward()
