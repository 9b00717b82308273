"""Drafts: changes of protected domains that wait for a second person."""
import re

from playwright.sync_api import expect

DOMAIN = "#/domains/example.com"


def test_a_protected_domain_is_published_by_two_people(example, site, open_desk):
    site.call("PATCH", "/v1/domains/example.com", {"protected": True})
    page = example.open(f"{DOMAIN}/settings")
    page.get_by_role("button", name="Edit settings").click()
    expect(page.get_by_label("A second person approves changes")).to_be_checked()
    page.get_by_label("Cache time").fill("60")
    # What is missing is said once, as a warning, and asking takes the place of publishing.
    state = page.locator(".review-foot > [role=status]")
    expect(state).to_have_class("box warning")
    expect(state).to_contain_text("is protected, so a second person must approve the change. Ask for approval, and let")
    expect(page.locator(".review [role=alert]")).to_have_count(0)
    expect(page.get_by_role("button", name="Publish", exact=True)).to_have_count(0)
    page.get_by_label("Reason").fill("Faster")
    page.get_by_role("button", name="Ask for approval").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Draft 1")
    expect(page.get_by_text("Cache time: 1 hour → 1 minute")).to_be_visible()
    expect(page.get_by_role("button", name="Approve")).to_have_count(0)
    assert site.call("GET", "/v1/domains/example.com")["cacheSeconds"] == 3600

    desk = open_desk()
    desk.sign_in(site.create_token("editor"))
    other = desk.open("#/drafts", "Approvals")
    expect(other.locator("tbody tr")).to_contain_text("Faster")
    other.get_by_role("link", name="#1").click()
    other.get_by_role("button", name="Comment").click()
    dialog = other.get_by_role("dialog")
    dialog.get_by_label("Comment").fill("Why 60?")
    dialog.get_by_role("button", name="Comment", exact=True).click()
    expect(other.get_by_text("Why 60?")).to_be_visible()
    assert desk.access_faults() == []
    other.get_by_role("button", name="Approve").click()
    dialog.get_by_role("button", name="Approve", exact=True).click()
    expect(other.get_by_text("Approved and published draft 1.")).to_be_visible()
    expect(other.get_by_text("approved", exact=True)).to_be_visible()
    assert site.call("GET", "/v1/domains/example.com")["cacheSeconds"] == 60
    revision = site.call("GET", "/v1/domains/example.com/revisions")["items"][0]
    assert (revision["author"], revision["reason"]) == ("admin", "Faster (draft 1, approved by editor)")
    example.open(DOMAIN)
    expect(page.get_by_role("button", name="Ask for approval")).to_have_count(0)


def test_a_draft_is_declined_with_a_reason_or_withdrawn(example, site, open_desk):
    for seconds in (60, 70):
        site.call("POST", "/v1/drafts", {"domains": [{"domain": "example.com", "cacheSeconds": seconds}]})
    desk = open_desk()
    desk.sign_in(site.create_token("editor"))
    other = desk.open("#/drafts/1", "Draft 1")
    other.get_by_role("button", name="Decline").click()
    other.get_by_role("dialog").get_by_label("Reason").fill("Too early")
    other.get_by_role("dialog").get_by_role("button", name="Decline", exact=True).click()
    expect(other.get_by_text("Too early")).to_be_visible()
    expect(other.get_by_role("button", name="Approve")).to_have_count(0)
    page = example.open("#/drafts/2", "Draft 2")
    page.get_by_role("button", name=re.compile("Withdraw")).click()
    page.get_by_role("dialog").get_by_label("Reason").fill("Wrong season")
    page.get_by_role("dialog").get_by_role("button", name="Withdraw", exact=True).click()
    expect(page.get_by_text("Wrong season")).to_be_visible()
    expect(page.get_by_text("withdrawn")).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("Withdraw"))).to_have_count(0)
    assert [one["status"] for one in site.call("GET", "/v1/drafts")["items"]] == ["withdrawn", "declined"]


def test_what_others_have_changed_since_is_told(example, site):
    site.call("POST", "/v1/drafts", {"domains": [{"domain": "example.com", "cacheSeconds": 60}]})
    site.call("PATCH", "/v1/domains/example.com", {"cacheSeconds": 70})
    page = example.open("#/drafts/1", "Draft 1")
    expect(page.get_by_role("alert")).to_contain_text("others have changed")
