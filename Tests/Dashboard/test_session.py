"""Signing in and out, and what the browser is told about the page."""
import re
import urllib.error
import urllib.request

import pytest
from conftest import sign_out
from playwright.sync_api import expect


def test_a_person_signs_in_with_a_token_and_out_again(desk):
    page = desk.page
    page.goto("/")
    page.get_by_label("Token").fill("aasa_wrong")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_text("unknown, revoked or expired")).to_be_visible()
    expect(page.get_by_label("Token")).to_be_focused()
    desk.sign_in()
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.reload()
    sign_out(page)
    expect(page.get_by_label("Token")).to_be_visible()
    page.reload()
    expect(page.get_by_label("Token")).to_be_visible()


def test_a_script_of_the_page_cannot_read_the_session(desk):
    page = desk.sign_in()
    cookie, = desk.context.cookies()
    assert cookie["name"] == "aasa_session" and cookie["httpOnly"] and cookie["sameSite"] == "Strict"
    assert page.evaluate("document.cookie") == ""
    assert page.evaluate("JSON.stringify([localStorage, sessionStorage])") == "[{},{}]"


def test_a_session_ends_with_its_token_and_a_new_one_begins_where_it_ended(desk, site):
    site.apply_example()
    token = site.create_token("editor")
    desk.sign_in(token)
    desk.open("#/domains/example.com", "example.com")
    site.call("DELETE", "/v1/tokens/editor")
    desk.page.get_by_role("link", name="Domains").click()
    expect(desk.page.get_by_text("Your session has ended")).to_be_visible()
    desk.page.go_back()
    desk.page.get_by_label("Token").fill(site.token)
    desk.page.get_by_role("button", name="Sign in").click()
    expect(desk.page.get_by_role("heading", level=1)).to_contain_text("example.com")


def test_another_site_can_neither_frame_the_page_nor_use_its_session(desk, site):
    page = desk.sign_in()
    with urllib.request.urlopen(site.url) as response:
        policy = response.headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in policy and "unsafe" not in policy
    assert "require-trusted-types-for 'script'" in policy
    # Without the header field that only the page sends, the cookie changes nothing.
    cookie, = desk.context.cookies()
    request = urllib.request.Request(
        site.url + "/v1/apps/" + "ABCDE12345.com.example.app", method="PUT", data=b"{}",
        headers={"Cookie": f"aasa_session={cookie['value']}", "Content-Type": "application/json"})
    with pytest.raises(urllib.error.HTTPError) as refusal:
        urllib.request.urlopen(request)
    assert refusal.value.code == 403
    assert site.call("GET", "/v1/apps")["items"] == []
    # No text becomes markup, even where a script tries.
    assert page.evaluate("try { document.body.innerHTML = '<b>'; 'done' } catch (error) { error.name }") == "TypeError"
    desk.faults[:] = [fault for fault in desk.faults if not re.search("Trusted", fault)]


def test_the_page_works_while_the_server_is_away(desk, site):
    site.apply_example()
    desk.sign_in()
    desk.open("#/domains")
    desk.context.set_offline(True)
    desk.page.get_by_role("link", name="Findings").click()
    expect(desk.page.get_by_text("The server cannot be reached").first).to_be_visible()
    desk.context.set_offline(False)
    desk.page.get_by_role("button", name="Try again").first.click()
    expect(desk.page.get_by_text("The server cannot be reached")).to_have_count(0)
