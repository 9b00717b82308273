"""What surrounds all pages: the menu, the person, and what waits for them."""
import re

from conftest import account
from playwright.sync_api import expect

PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}


def test_the_account_menu_has_appearance_shortcuts_and_sign_out(open_desk, site):
    site.apply_example()
    desk = open_desk(color_scheme="light")
    page = desk.sign_in(site.create_token("editor"))
    account(page).click()
    menu = page.get_by_role("group", name="Account")
    expect(menu).to_have_text(re.compile("^editor editor.*Sign out$"))
    background = "getComputedStyle(document.documentElement).backgroundColor"
    light = page.evaluate(background)
    menu.get_by_label("Appearance").select_option("Dark")
    dark = page.evaluate(background)
    assert dark != light
    # The browser keeps it, also for the page that asks for the token.
    page.reload()
    expect(account(page)).to_be_visible()
    assert page.evaluate(background) == dark
    page.keyboard.press("Escape")
    account(page).click()
    menu.get_by_label("Appearance").select_option("Same as the system")
    assert page.evaluate(background) == light
    menu.get_by_role("button", name="Keyboard shortcuts").click()
    expect(menu).to_be_hidden()
    dialog = page.get_by_role("dialog", name="Keyboard shortcuts")
    expect(dialog).to_contain_text("Ctrl+K")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    page.keyboard.press("?")
    expect(dialog).to_be_visible()


def test_on_a_phone_the_header_is_one_row_and_the_page_name_opens_the_menu(open_desk, site):
    site.apply_example()
    desk = open_desk(bypass_csp=True, **PHONE)
    page = desk.sign_in()
    desk.open("#/checks", "Checks")
    header = page.locator("header.top")
    assert header.bounding_box()["height"] < 72
    menu = page.get_by_role("navigation", name="Main menu")
    expect(menu).to_be_hidden()
    header.get_by_role("button", name="Checks").click()
    expect(menu.get_by_role("link")).to_have_count(8)
    assert desk.access_faults() == []
    page.keyboard.press("Escape")
    expect(menu).to_be_hidden()
    header.get_by_role("button", name="Checks").click()
    menu.get_by_role("link", name="Apps").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Apps")
    expect(menu).to_be_hidden()
    expect(header.get_by_role("button", name="Apps")).to_be_visible()


def test_changes_says_how_many_drafts_wait_for_the_approval_of_the_person(example, site, open_desk):
    for seconds in (60, 70):
        site.call("POST", "/v1/drafts", {"domains": [{"domain": "example.com", "cacheSeconds": seconds}]})
    # Nobody approves their own.
    page = example.open("#/domains")
    menu = page.get_by_role("navigation", name="Main menu")
    expect(menu.get_by_role("link", name="Changes")).to_have_text("Changes")
    viewer = open_desk()
    expect(viewer.sign_in(site.create_token("viewer")).get_by_role("link", name="Changes")).to_have_text("Changes")
    page = open_desk().sign_in(site.create_token("editor"))
    menu = page.get_by_role("navigation", name="Main menu")
    menu.get_by_role("link", name="Changes 2 drafts wait for your approval").click()
    page.get_by_role("link", name="Approvals 2").click()
    page.get_by_role("link", name="#2").click()
    page.get_by_role("button", name="Decline").click()
    page.get_by_role("dialog").get_by_label("Reason").fill("Too early")
    page.get_by_role("dialog").get_by_role("button", name="Decline", exact=True).click()
    expect(menu.get_by_role("link", name="Changes 1 draft waits for your approval")).to_be_visible()


def test_on_a_phone_filters_are_behind_a_button_that_counts_them(open_desk, site):
    site.apply_example()
    site.put("staging.example", "/a/*", environment="staging")
    desk = open_desk(bypass_csp=True, **PHONE)
    desk.sign_in()
    page = desk.open("#/domains", "Domains")
    chip = page.get_by_role("button", name="Staging")
    expect(chip).to_be_hidden()
    page.get_by_role("button", name="Filters").click()
    chip.click()
    expect(page.locator("tbody tr")).to_have_count(1)
    assert desk.access_faults() == []
    page.get_by_role("button", name="Close").click()
    expect(chip).to_be_hidden()
    expect(page.get_by_role("button", name="Filters 1")).to_be_visible()
    # On a larger screen, there is no button.
    page.set_viewport_size({"width": 1280, "height": 800})
    expect(chip).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("^Filters"))).to_have_count(0)


def test_on_a_phone_the_review_is_a_bar_at_the_bottom_that_opens(open_desk, site):
    site.apply_example()
    desk = open_desk(bypass_csp=True, **PHONE)
    desk.sign_in()
    page = desk.open("#/domains/example.com", "example.com")
    page.get_by_role("button", name="Delete /buy/*").click()
    bar = page.locator(".review")
    expect(bar.get_by_role("button", name="Review")).to_be_in_viewport()
    box = bar.bounding_box()
    assert box["height"] < 80 and round(box["y"] + box["height"]) == 740
    expect(bar.get_by_label("Reason")).to_be_hidden()
    bar.get_by_role("button", name="Review").click()
    expect(bar).to_contain_text('route "/buy/*" removed')
    assert desk.access_faults() == []
    # Publish can be reached however low the screen is.
    page.set_viewport_size({"width": 740, "height": 360})
    publish = bar.get_by_role("button", name="Publish", exact=True)
    publish.scroll_into_view_if_needed()
    expect(publish).to_be_in_viewport(ratio=1)
    page.set_viewport_size(PHONE["viewport"])
    bar.get_by_role("button", name="Close").click()
    expect(bar.get_by_label("Reason")).to_be_hidden()
    bar.get_by_role("button", name="Review").click()
    publish.click()
    expect(page.get_by_text("Published as revision 2")).to_be_visible()
    expect(bar).to_have_count(0)
