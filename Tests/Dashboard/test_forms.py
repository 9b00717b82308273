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
    expect(path).to_have_accessible_description(re.compile('"other.example" is neither this domain nor one of its aliases.'))
    path.fill("https://example.com/gift")
    page.get_by_role("button", name="Save edit").click()
    expect(paths_of(page).last).to_have_text("/gift")


def test_a_url_with_a_query_is_refused_where_an_entry_can_only_have_paths(desk, site):
    site.put("example.com", "/buy/*", format="legacy")
    desk.sign_in()
    page = desk.open(DOMAIN)
    type_route(page, "https://example.com/gift?a=1")
    path = page.get_by_label("Path", exact=True)
    expect(path).to_have_value("https://example.com/gift?a=1")
    expect(path).to_have_accessible_description(
        re.compile("This entry can only have paths. Remove the query and the fragment."))
    path.fill("https://example.com/gift")
    page.get_by_role("button", name="Save edit").click()
    expect(paths_of(page).last).to_have_text("/gift")


def test_more_conditions_stay_open_while_somebody_works_in_them(example):
    page = example.open(DOMAIN)
    page.get_by_role("button", name="Add a route").first.click()
    page.get_by_text("More conditions").click()
    fragment = page.get_by_label("Fragment")
    fragment.fill("top")
    page.get_by_label("Query", exact=True).select_option("whole")
    fragment.fill("")
    page.get_by_label("Query", exact=True).select_option("none")
    expect(fragment).to_be_visible()


def test_a_route_is_added_before_one_that_takes_every_path(desk, site):
    site.put("example.com", "/buy/*", "/*")
    desk.sign_in()
    page = desk.open(DOMAIN)
    type_route(page, "/logout/*", exclude=True)
    expect(paths_of(page)).to_have_text(["/buy/*", "/logout/*", "/*"])
    type_route(page, "*")
    expect(paths_of(page)).to_have_text(["/buy/*", "/logout/*", "/*", "*"])
    # Also if several at the end take every path.
    type_route(page, "/last/*")
    expect(paths_of(page)).to_have_text(["/buy/*", "/logout/*", "/last/*", "/*", "*"])


# Settings


def test_the_settings_of_a_domain_say_which_label_protects_it(desk, site):
    site.put("example.com", "/buy/*", labels=["live"])
    site.call("PUT", "/v1/protected-labels/live")
    desk.sign_in()
    page = desk.open(DOMAIN + "/settings")
    expect(page.locator(".settings-group").first).to_contain_text("Required by the label “live”")
    page.get_by_role("button", name="Edit settings").click()
    box = page.get_by_label("A second person approves changes")
    expect(box).to_be_checked()
    # The keyboard reaches it, and changes nothing.
    box.focus()
    page.keyboard.press("Space")
    expect(box).to_have_attribute("aria-disabled", "true")
    expect(box).to_be_checked()
    expect(box).to_have_accessible_description("Required by the label “live” (Settings, Protection).")
    assert desk.access_faults() == []
    page.get_by_label("Labels").fill("other")
    expect(box).not_to_have_attribute("aria-disabled", "true")
    expect(box).not_to_be_checked()
    box.check()
    expect(box).to_be_checked()


# Going elsewhere


def test_a_dialog_of_the_frame_closes_when_the_browser_goes_back(example):
    example.open("#/apps", "Apps")
    page = example.open("#/changes", "Changes")
    for key in ("Control+k", "?"):
        page.keyboard.press(key)
        expect(page.get_by_role("dialog")).to_be_visible()
        page.go_back()
        expect(page.get_by_role("heading", level=1)).to_have_text("Apps")
        expect(page.get_by_role("dialog")).to_have_count(0)
        page.go_forward()
        expect(page.get_by_role("heading", level=1)).to_have_text("Changes")


# The palette


@pytest.mark.parametrize("typed, found, seen", [
    ("add a d", "Add a domain", "dialog"), ("add a t", "Add a template", "dialog"),
    ("sign", "Sign out", "Sign in to aasa"), ("theme", "Appearance: Dark", None),
    ("draft", "Draft 1", "Draft 1"), ("spring sale", "Draft 1", "Draft 1"), ("#1", "Draft 1", "Draft 1"),
    ("live", "Label live", "Domains"), ("staging", "staging", "Domains"), ("edited", "example.com", "example.com")])
def test_ctrl_k_finds_what_can_be_done_what_waits_labels_and_own_edits(example, site, typed, found, seen):
    site.put("off.example", "/a/*", labels=["live"])
    site.call("PUT", "/v1/protected-labels/live")
    site.call("POST", "/v1/drafts?reason=Spring%20sale", {"domains": [{"domain": "off.example", "cacheSeconds": 60}]})
    page = example.open(DOMAIN)
    type_route(page, "/gift/*")
    expect(page.get_by_role("heading", name="Your edits")).to_be_visible()
    page.keyboard.press("Control+k")
    page.keyboard.type(typed)
    option = page.get_by_role("option").filter(has_text=found).last
    expect(option).to_be_visible()
    option.click()
    if seen is None:
        expect(page.locator("html")).to_have_attribute("style", re.compile("color-scheme: dark"))
    elif seen == "dialog":
        expect(page.get_by_role("dialog", name=found)).to_be_visible()
        assert page.url.endswith("s")
    else:
        expect(page.get_by_role("heading", level=1)).to_contain_text(seen)


# What would be published


def test_the_preview_of_a_new_domain_says_what_opens_which_apps(example, site):
    site.call("POST", "/v1/suppressions", {
        "domain": "*.example", "code": "takes-sign-in-pages", "pointer": "", "reason": "We know", "owner": "admin",
        "until": "2099-01-01T00:00:00Z"})
    page = example.open("#/domains")
    page.get_by_role("button", name="Add a domain").click()
    page.get_by_label("Domain", exact=True).fill("new.example")
    page.get_by_label("App (optional)").fill("Example")
    page.get_by_label("Android (optional)").fill("com.example.app")
    page.get_by_role("button", name="Preview").click()
    plan = page.get_by_role("dialog", name="Publish new.example?")
    expect(plan).to_contain_text("/* opens Example (iOS) and Example (Android). Environment: production.")
    # Notes are there for whoever wants them, and none that somebody has decided on.
    expect(plan.get_by_text("Android 14 and earlier ignore the routes")).to_be_hidden()
    plan.locator("summary").click()
    expect(plan.get_by_text("Android 14 and earlier ignore the routes")).to_be_visible()
    expect(plan).not_to_contain_text("takes-sign-in-pages")
    expect(plan).not_to_contain_text("bytes")


def test_the_names_of_apps_may_come_after_somebody_has_typed_one(example):
    page = example.page
    held, passing = [], []
    page.route("**/v1/apps?*", lambda route: route.continue_() if passing else held.append(route))
    with page.expect_request("**/v1/apps?*"):
        page.reload()
    page.get_by_role("button", name="Add a domain").click()
    page.get_by_label("Domain", exact=True).fill("new.example")
    page.get_by_label("App (optional)").fill("Example")
    expect(page.locator("#new-apps option")).to_have_count(0)
    passing.append(True)
    for one in held:
        one.continue_()
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("dialog", name="Publish new.example?")).to_contain_text("/* opens Example (iOS)")


# Domains that need a way back


def test_edits_are_found_from_the_list_of_domains_on_whatever_page_of_it_they_are(example, site):
    page = example.open(DOMAIN)
    type_route(page, "/gift/*")
    expect(page.get_by_role("heading", name="Your edits")).to_be_visible()
    page = example.open("#/domains?environment=staging")
    expect(page.locator(".edits")).to_have_text("Your unpublished edits: example.com")
    assert example.access_faults() == []
    page.locator(".edits").get_by_role("link").click()
    expect(page.locator(".route", has_text="/gift/*")).to_be_visible()


@pytest.mark.parametrize("where", ["", "/history"])
def test_a_deleted_domain_is_restored_on_its_own_page(example, site, where):
    site.put("old.example", "/a/*")
    site.call("DELETE", "/v1/domains/old.example?accept=opens-nothing&reason=Not%20used", **{"If-Match": "*"})
    page = example.open("#/domains/old.example" + where)
    box = page.locator("main .box")
    expect(box).to_contain_text(re.compile(r"This domain was deleted .* by admin: Not used"))
    expect(page.get_by_text("No domain has this name now")).to_have_count(0)
    example.settle()
    assert example.access_faults() == []
    box.get_by_role("button", name="Restore").click()
    page.get_by_role("dialog").get_by_role("button", name="Restore").click()
    expect(page.get_by_text("Restored old.example.")).to_be_visible()
    expect(box).to_have_count(0)
    expect(page.locator(".route" if where == "" else ".history-list li").first).to_be_visible()
    assert site.call("GET", "/v1/domains/old.example")["enabled"]
