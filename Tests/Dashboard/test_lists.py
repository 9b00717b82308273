"""Lists: the way through their pages, their searches, and what they show at first."""
import re
import sqlite3

from conftest import APP, SHOP
from playwright.sync_api import expect


def test_pages_of_a_list_are_turned_forward_and_back_and_say_where_they_are(desk, site):
    site.apply_template(120)
    desk.sign_in()
    page = desk.open("#/domains")
    pages = page.get_by_role("navigation", name="Pages of the list")
    buttons = pages.get_by_role("button")
    expect(pages).to_contain_text("1–50 of 120")
    expect(buttons).to_have_text(["Next page"])
    first = page.locator("tbody tr").first.text_content()
    pages.get_by_role("button", name="Next page").click()
    expect(pages).to_contain_text("51–100 of 120")
    expect(buttons).to_have_text(["Previous page", "Next page"])
    pages.get_by_role("button", name="Next page").click()
    expect(pages).to_contain_text("101–120 of 120")
    expect(buttons).to_have_text(["First page", "Previous page"])
    # The way back is there after a reload, too.
    page.reload()
    pages.get_by_role("button", name="Previous page").click()
    expect(pages).to_contain_text("51–100 of 120")
    pages.get_by_role("button", name="Previous page").click()
    expect(pages).to_contain_text("1–50 of 120")
    expect(page.locator("tbody tr").first).to_have_text(first)
    page.go_back()
    expect(pages).to_contain_text("51–100 of 120")
    # A link to a page does not know those before it.
    address = page.url.split("/#")[1]
    desk.open("#/apps", "Apps")
    desk.open("#" + address)
    expect(buttons).to_have_text(["First page", "Next page"])


def test_a_page_is_turned_once_however_often_the_button_is_pressed_until_it_is_there(desk, site):
    site.apply_template(120)
    desk.sign_in()
    page = desk.open("#/domains")
    pages = page.get_by_role("navigation", name="Pages of the list")
    following = pages.get_by_role("button", name="Next page")
    expect(pages).to_contain_text("1–50 of 120")
    held = []
    page.route("**/v1/domains?*cursor=*", lambda route: held.append(route))
    # The page says that it loads before the request is on its way.
    with page.expect_request("**/v1/domains?*cursor=*"):
        following.click()
    expect(pages).not_to_contain_text("of 120")
    expect(following).to_be_disabled()
    following.dispatch_event("click")
    held[0].continue_()
    expect(pages).to_contain_text("51–100 of 120")
    expect(page.locator("tbody tr")).to_have_count(50)


def test_apps_are_found_by_name_and_identifier_and_those_without_a_name_say_so(example, site):
    site.put("one.example", "/a/*", app=SHOP)
    page = example.open("#/apps")
    rows = page.locator("tbody tr")
    expect(rows).to_have_count(2)
    unnamed = rows.filter(has_text="no name")
    expect(unnamed.get_by_role("link", name=SHOP)).to_have_attribute("href", re.compile("com.example.shop"))
    page.get_by_role("searchbox").fill("EXAMPLE.SHOP")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text(SHOP)
    page.get_by_role("searchbox").fill("Example")
    expect(rows).to_have_count(2)
    page.get_by_role("searchbox").fill("nothing")
    expect(page.get_by_role("heading", name="No app matches")).to_be_visible()
    page.get_by_role("searchbox").fill("")
    expect(rows.filter(has_text=APP)).to_have_count(1)


def test_a_search_for_apps_says_that_none_matches_only_after_it_has_searched_all(example, site):
    page = example.open("#/apps")
    waiting = []
    page.route("**/v1/apps?*q=nothing*", lambda route: waiting.append(route))
    with page.expect_request("**/v1/apps?*q=nothing*"):
        page.get_by_role("searchbox").fill("nothing")
    expect(page.get_by_role("heading", name="No app matches")).to_have_count(0)
    waiting[0].continue_()
    expect(page.get_by_role("heading", name="No app matches")).to_be_visible()


def test_the_apps_that_are_found_have_pages(example, site):
    site.call("POST", "/v1/apply", {"apps": [{"app": f"ABCDE12345.com.many.a{number}"} for number in range(103)]})
    page = example.open("#/apps?q=many")
    expect(page.locator("tbody tr")).to_have_count(100)
    page.get_by_role("button", name="Next page").click()
    expect(page.locator("tbody tr")).to_have_count(3)
    # Another search begins at its first page.
    page.get_by_role("searchbox").fill("many.a1")
    expect(page.locator("tbody tr")).to_have_count(14)


def test_apps_beyond_the_first_thousand_are_found_with_ctrl_k(example, site):
    site.call("POST", "/v1/apply", {"apps": [{"app": f"ABCDE12345.com.many.a{number}"} for number in range(1001)]})
    page = example.open("#/domains")
    page.keyboard.press("Control+k")
    page.keyboard.type("many.a999")
    page.get_by_role("option", name="ABCDE12345.com.many.a999").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("ABCDE12345.com.many.a999")


def test_labels_beyond_the_first_thousand_are_found_with_ctrl_k(example, site):
    labels = [f"label{number:04}" for number in range(1020)]
    site.call("POST", "/v1/apply", {"domains": [
        {"domain": f"site{first}.example", "labels": labels[first:first + 20]} for first in range(0, len(labels), 20)]})
    page = example.open("#/changes")
    page.keyboard.press("Control+k")
    page.keyboard.type("label1019")
    page.get_by_role("option", name="Label label1019").click()
    expect(page.locator("tbody tr")).to_have_count(1)
    expect(page.get_by_role("link", name="site1000.example", exact=True)).to_be_visible()


def test_a_page_of_a_list_that_has_nothing_leads_on(open_desk, site):
    site.put("own.example", "/a/*")
    # So many domains of others are looked at for one page.
    with sqlite3.connect(site.database) as connection:
        connection.execute(
            "INSERT INTO recorded_change (at, author, action, reason, domain_count, apps) "
            "VALUES (1, 'other', 'edit', '', 30000, '[]')")
    connection.close()
    desk = open_desk()
    desk.sign_in(site.create_token("editor", "own.example"))
    page = desk.open("#/changes")
    expect(page.get_by_text("Nothing on this page. Continue to the next one.")).to_be_visible()
    page.get_by_role("button", name="Next page").click()
    expect(page.locator("tbody tr")).to_contain_text("own.example")


def test_domains_that_were_never_checked_are_shown_first_where_none_was(example):
    page = example.open("#/checks")
    expect(page.get_by_role("button", name="Not checked 1")).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("button", name="Check example.com now")).to_be_visible()
    expect(page.get_by_text("start the server with --check-interval 6h")).to_be_visible()


def test_the_audit_log_leads_to_what_it_names_and_says_times_in_words(example, site):
    site.apply_template(2)
    site.call("PUT", "/v1/protected-labels/live")
    site.call("POST", "/v1/drafts", {"domains": [{"domain": "example.com", "cacheSeconds": 60}]})
    site.call("PATCH", "/v1/domains/example.com", {"cacheSeconds": 7200}, **{"If-Match": "*"})
    page = example.open("#/settings/audit")
    for name, address in (("draft 1", "#/drafts/1"), ("label live", "#/domains?label=live"),
                          ("white-label", "#/templates/white-label")):
        expect(page.locator(".audit").get_by_role("link", name=name, exact=True)).to_have_attribute("href", address)
    expect(page.locator(".audit")).to_contain_text("Cache time: 1 hour → 2 hours")


def test_the_menu_is_in_the_bar_as_long_as_it_fits(example, site):
    site.token = site.create_token("editor", name="other")
    site.call("POST", "/v1/drafts", {"domains": [{"domain": "example.com", "cacheSeconds": 60}]})
    page = example.open("#/domains")
    menu = page.get_by_role("navigation", name="Main menu")
    opener = page.locator(".menu-button")
    for width, is_inline in ((1024, True), (870, True), (850, False), (360, False)):
        page.set_viewport_size({"width": width, "height": 700})
        expect(menu).to_be_visible(visible=is_inline)
        expect(opener).to_be_visible(visible=not is_inline)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), width
    # The number belongs to Changes, not to the page that the button names.
    expect(opener.locator(".dot")).to_be_visible()
    expect(opener.locator(".badge")).to_have_count(0)
    opener.click()
    expect(menu.get_by_role("link", name="Changes")).to_contain_text("1")
