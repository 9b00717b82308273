"""Drafts: changes of protected domains that wait for a second person."""
import re
import urllib.parse

import pytest
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
    # What it would do is known before anybody is asked.
    expect(page.locator(".review .changes")).to_contain_text("Cache time: 1 hour → 1 minute")
    # Enter does what the button does.
    page.get_by_label("Reason").fill("Faster")
    page.get_by_label("Reason").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Draft 1")
    expect(page.locator(".changes").get_by_text("Cache time: 1 hour → 1 minute")).to_be_visible()
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


def test_the_deletion_of_a_protected_domain_can_be_asked_for(example, site):
    site.call("PATCH", "/v1/domains/example.com", {"protected": True})
    page = example.open(f"{DOMAIN}/settings")
    page.get_by_role("button", name="Delete domain").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("is protected, so a second person must approve the change")
    dialog.get_by_label("Reason").fill("Gone")
    dialog.get_by_role("button", name="Ask for approval").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Draft 1")
    assert site.call("GET", "/v1/drafts/1")["state"]["delete"] == ["example.com"]
    assert site.call("GET", "/v1/domains/example.com")["revision"] == 2


def asked(page, number, reason="Sale"):
    """Asks for approval in the dialog that says that it is needed."""
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("so a second person must approve the change. Ask for approval, and let")
    dialog.get_by_label("Reason").fill(reason)
    dialog.get_by_role("button", name="Ask for approval").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(f"Draft {number}")
    expect(page.get_by_text(reason, exact=True)).to_be_visible()


def test_every_change_of_a_protected_domain_can_be_asked_for_after_its_effects_were_shown(example, site):
    change = site.call("PATCH", "/v1/domains/example.com", {"cacheSeconds": 600})["change"]
    site.call("PATCH", "/v1/domains/example.com", {"protected": True})
    page = example.open(f"{DOMAIN}/history")
    page.get_by_role("button", name="Roll back to revision 1").click()
    expect(page.get_by_role("dialog").get_by_text("Cache time: 10 minutes → 1 hour")).to_be_visible()
    asked(page, 1)
    expect(page.locator(".changes").get_by_text("Cache time: 10 minutes → 1 hour")).to_be_visible()
    example.open(f"#/changes/{change}", f"Change {change}")
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("dialog").get_by_label("Leave domains that have changed since as they are").check()
    page.get_by_role("button", name="Close").last.click()
    example.open(f"{DOMAIN}/settings")
    page.locator("aasa-domain-documents input[type=file]").set_input_files(
        [{"name": "trust.txt", "mimeType": "text/plain", "buffer": b"member=a"}])
    asked(page, 2)
    example.open("#/bulk/route")
    page.get_by_label("Path", exact=True).fill("/sale/*")
    page.get_by_label("Or a list of domains").fill("example.com")
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_label("Leave domains that are refused as they are")).to_be_visible()
    asked(page, 3)
    assert site.call("GET", "/v1/domains/example.com")["revision"] == 3
    assert [one["domains"] for one in site.call("GET", "/v1/drafts")["items"]] == [["example.com"]] * 3


def test_files_of_protected_domains_are_asked_for_beside_those_that_are_published(example, site):
    site.call("PATCH", "/v1/domains/example.com", {"protected": True})
    page = example.open("#/bulk")
    example.settle()
    file = b'{"applinks": {"details": [{"appIDs": ["ABCDE12345.com.example.app"], "components": [{"/": "/*"}]}]}}'
    page.locator("input[type=file]").first.set_input_files([
        {"name": name, "mimeType": "application/json", "buffer": file} for name in ("example.com", "new.example")])
    expect(page.get_by_text("needs approval")).to_be_visible()
    page.get_by_role("button", name="Publish 2 files").click()
    expect(page.get_by_text("Published 1 of 2 files. Asked for the approval of 1.")).to_be_visible()
    page.get_by_role("link", name="Draft 1").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Draft 1")
    assert site.call("GET", "/v1/domains/example.com")["revision"] == 2
    assert site.call("GET", "/v1/domains/new.example")["revision"] == 1


def test_expectations_of_a_protected_domain_become_edits_that_are_approved(example, site):
    site.call("PATCH", "/v1/domains/example.com", {"protected": True})
    page = example.open("#/try?url=https://example.com/buy/1%0Ahttps://example.com/help/website/a")
    page.get_by_role("button", name="Expect all 4 results").click()
    expect(page.get_by_text("The domain is protected, so what you expect of 4 results was added")).to_be_visible()
    page.get_by_role("link", name="Show them").click()
    page.get_by_role("button", name="Ask for approval").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Draft 1")
    assert len(site.call("GET", "/v1/drafts/1")["state"]["domains"][0]["expectations"]) == 4


def test_a_domain_says_that_it_is_protected_why_and_what_waits(example, site):
    site.call("PATCH", "/v1/domains/example.com", {"labels": ["shop"]})
    page = example.open(DOMAIN)
    head = page.locator(".domain-head")
    expect(head.get_by_text("Serving revision")).to_be_visible()
    expect(head.get_by_text("protected")).to_have_count(0)
    site.call("PUT", "/v1/protected-labels/shop")
    site.call("POST", "/v1/drafts", {"domains": [{"domain": "example.com", "cacheSeconds": 60}]})
    page.reload()
    expect(head.get_by_text("protected")).to_have_attribute("title", re.compile("because of the label “shop”"))
    head.get_by_role("link", name="Draft 1 of admin waits").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Draft 1")


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


def test_an_outdated_draft_still_says_in_words_what_was_asked_for(example, site):
    site.call("PATCH", "/v1/domains/example.com?draft=true", {"cacheSeconds": 61})
    site.call("PATCH", "/v1/domains/example.com", {"cacheSeconds": 62})
    page = example.open("#/drafts/1", "Draft 1")
    expect(page.get_by_role("heading", name="What was asked for")).to_be_visible()
    expect(page.get_by_text("Cache time: 62 seconds → 61 seconds").last).to_be_visible()


def test_a_declined_draft_says_in_words_what_was_asked_for_and_as_json_only_if_it_cannot_be_planned(example, site):
    site.call("PATCH", "/v1/domains/example.com?draft=true&reason=Faster", {"cacheSeconds": 61})
    editor = {"Authorization": f"Bearer {site.create_token('editor', name='boris')}"}
    site.call("POST", "/v1/drafts/1/decline?reason=Too+early", **editor)
    page = example.open("#/drafts/1", "Draft 1: Faster")
    expect(page.locator(".facts")).to_contain_text(re.compile(r"declined by boris, \d+ \w+ \d+, [\d:]+: Too early"))
    expect(page.locator(".changes")).to_contain_text("Cache time: 1 hour → 61 seconds")
    expect(page.locator("pre")).to_have_count(0)
    page.route("**/v1/apply?*", lambda route: route.fulfill(status=503, json={"detail": "Busy."}))
    page.reload()
    expect(page.locator("pre")).to_contain_text('"cacheSeconds": 61')
    page.unroute("**/v1/apply?*")
    page.get_by_role("alert").get_by_role("button", name="Try again").click()
    expect(page.locator("pre")).to_have_count(0)


def two_people(site, open_desk):
    """The desk of Boris, who may approve what the admin asks for."""
    desk = open_desk()
    desk.sign_in(site.create_token("editor", name="boris"))
    return desk


def several(site, *names, reason="Autumn", **other):
    """A draft that adds a route to domains."""
    for name in names:
        site.put(name, "/a/*", **other)
    domains = [{"domain": name, "entries": [{"apps": ["ABCDE12345.com.example.app"],
                                             "routes": [{"path": "/autumn/*"}, {"path": "/a/*"}]}]} for name in names]
    return domains, lambda: site.call("POST", f"/v1/drafts?reason={reason}", {"domains": domains})["id"]


def test_who_approves_has_seen_every_change_without_a_click_and_equal_ones_once(site, open_desk):
    domains, ask = several(site, "one.example", "two.example", "three.example")
    domains[2]["cacheSeconds"] = 60
    ask()
    desk = two_people(site, open_desk)
    page = desk.open("#/drafts/1", "Draft 1: Autumn")
    page.get_by_role("button", name="Approve").click()
    for place in (page.locator("main section").last, page.get_by_role("dialog")):
        rows = place.locator(".plan > li")
        expect(rows).to_have_count(2)
        alike = rows.filter(has_text="one.example")
        expect(alike).to_contain_text("two.example")
        expect(alike.get_by_text('route "/autumn/*" added').last).to_be_visible()
        expect(alike.get_by_text("/autumn", exact=True).first).to_be_visible()
        expect(rows.filter(has_text="three.example").get_by_text("Cache time: 1 hour → 1 minute").last).to_be_visible()
    page.get_by_role("dialog").get_by_role("button", name="Approve", exact=True).click()
    expect(page.get_by_text("Approved and published draft 1.")).to_be_visible()
    # What it did, and the change, which leads back.
    expect(page.get_by_role("heading", name="What changed")).to_be_visible()
    expect(page.locator(".plan > li")).to_have_count(2)
    expect(page.locator(".facts")).to_contain_text(re.compile(r"approved by boris, \d+ \w+ \d+, "))
    assert desk.access_faults() == []
    page.locator(".facts").get_by_role("link", name="Change").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile(r"^Change \d+: Autumn$"))
    expect(page.locator(".facts")).to_contain_text("approved by boris")
    page.get_by_role("link", name="Draft 1").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Draft 1")
    desk.open("#/changes", "Changes")
    expect(page.locator("tbody tr").first).to_contain_text("Autumn · Draft 1, approved by boris")


def test_the_whole_name_of_who_approved_is_shown(example, site):
    site.call("PATCH", "/v1/domains/example.com?draft=true&reason=Faster", {"cacheSeconds": 61})
    boris = {"Authorization": f"Bearer {site.create_token('editor', name='boris (web)')}"}
    site.call("POST", "/v1/drafts/1/approve", **boris)
    page = example.open("#/changes", "Changes")
    expect(page.locator("tbody tr").first).to_contain_text("Faster · Draft 1, approved by boris (web)")


def test_a_record_leads_to_the_draft_that_it_was(example, site):
    site.call("PATCH", "/v1/domains/example.com?draft=true&reason=Faster", {"cacheSeconds": 61})
    anna = {"Authorization": f"Bearer {site.create_token('editor', name='anna')}"}
    site.call("POST", "/v1/drafts/1/approve", **anna)
    page = example.open("#/settings/audit")
    one = page.locator(".audit li").filter(has_text="approved by anna").first
    expect(one).to_contain_text("Faster")
    expect(one).not_to_contain_text("(draft")
    one.get_by_role("link", name="Draft 1").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Draft 1: Faster")


@pytest.mark.parametrize("address, place", [
    (f"{DOMAIN}/history", ".history-list li"), ("#/settings/audit", ".audit li"), ("#/changes", "tbody tr")])
def test_a_reason_that_says_that_somebody_approved_is_only_a_reason(example, site, address, place):
    reason = "Faster (draft 6, approved by boris)"
    site.call("PATCH", f"/v1/domains/example.com?reason={urllib.parse.quote(reason)}", {"cacheSeconds": 61})
    page = example.open(address)
    one = page.locator(place).filter(has_text=reason).first
    expect(one).to_be_visible()
    expect(one.get_by_role("link", name="Draft 6", exact=True)).to_have_count(0)


def test_many_different_changes_are_folded_with_the_first_ones_on_the_line(example, site):
    names = [f"d{number}.example" for number in range(6)]
    for name in names:
        site.put(name, "/a/*")
    site.call("POST", "/v1/drafts", {"domains": [
        {"domain": name, "cacheSeconds": 60 * (index + 1)} for index, name in enumerate(names)]})
    page = example.open("#/drafts/1")
    row = page.locator(".plan > li").filter(has_text="d1.example")
    expect(row.locator("summary .brief")).to_have_text("Cache time: 1 hour → 2 minutes")
    expect(row.locator("summary .brief")).to_be_visible()
    expect(row.locator(".changes")).to_be_hidden()


def test_findings_from_before_are_folded_and_new_ones_are_shown(example, site):
    site.put("one.example", {"path": "/a/*", "comment": "old"})
    site.call("PATCH", "/v1/domains/one.example?draft=true", {"cacheSeconds": 60})
    page = example.open("#/drafts/1")
    expect(page.get_by_text("2 notes as before")).to_be_visible()
    expect(page.get_by_text("Anybody can read the comments")).to_be_hidden()
    site.call("DELETE", "/v1/drafts/1")
    site.call("PATCH", "/v1/domains/one.example?draft=true", {"entries": [{"apps": ["ABCDE12345.com.example.app"], "routes": [
        {"path": "/new/*", "comment": "new"}, {"path": "/a/*", "comment": "old"}]}]})
    example.open("#/drafts/2")
    expect(page.get_by_text("1 note as before")).to_be_visible()
    expect(page.get_by_text("Anybody can read the comments").first).to_be_visible()
    # Of two of the same kind, the new one is shown.
    site.call("DELETE", "/v1/drafts/2")
    site.put("one.example", "/:old/*")
    site.call("PATCH", "/v1/domains/one.example?draft=true", {"entries": [{"apps": ["ABCDE12345.com.example.app"], "routes": [
        {"path": "/:new/*"}, {"path": "/:old/*"}]}]})
    example.open("#/drafts/3")
    shown = page.locator(".plan-effects > .findings")
    expect(shown).to_contain_text(":new")
    expect(shown).not_to_contain_text(":old")


def many_with_a_finding(site, seconds):
    """Drafts a change of many domains that have had a finding before."""
    names = [f"d{number}.example" for number in range(25)]
    entries = [{"apps": ["ABCDE12345.com.example.app"], "routes": [{"path": "/:id/*"}]}]
    site.call("POST", "/v1/apply", {"domains": [{"domain": name, "entries": entries} for name in names]})
    site.call("POST", "/v1/drafts", {"domains": [
        {"domain": name, "cacheSeconds": seconds(index)} for index, name in enumerate(names)]})


def test_what_was_found_before_is_not_new_in_any_of_many_domains(example, site):
    many_with_a_finding(site, lambda index: 60)
    page = example.open("#/drafts/1")
    rows = page.locator(".plan > li")
    expect(rows).to_have_count(1)
    expect(rows.get_by_text("as before")).to_be_visible()
    expect(rows.locator(".findings:visible")).to_have_count(0)
    # The others of the row have nothing new either.
    expect(page.get_by_role("button", name="more domains")).to_have_count(0)


def test_more_domains_are_asked_for_earlier_findings_on_request(example, site):
    many_with_a_finding(site, lambda index: 60 + index)
    page = example.open("#/drafts/1")
    expect(page.locator(".plan > li")).to_have_count(25)
    found = page.locator(".plan > li summary").filter(has_text="1 warning")
    expect(found).to_have_count(5)
    page.get_by_role("button", name="Compare 5 more domains").click()
    expect(found).to_have_count(0)
    expect(page.get_by_role("button", name="more domains")).to_have_count(0)


def test_changes_that_differ_only_after_their_shortened_text_are_rows_of_their_own(example, site):
    domains = []
    for name in ("one.example", "two.example"):
        site.put(name, "/a/*")
        domains.append({"domain": name, "entries": [{"apps": ["ABCDE12345.com.example.app"], "routes": [
            {"path": "/a/*", "comment": "x" * 300 + name[:1]}]}]})
    site.call("POST", "/v1/drafts", {"domains": domains})
    page = example.open("#/drafts/1")
    expect(page.locator(".plan > li")).to_have_count(2)


def test_a_draft_of_apps_and_templates_says_what_happens_to_them(example, site, open_desk):
    site.call("POST", "/v1/drafts", {
        "apps": [{"app": "ABCDE12345.com.example.new"}], "androidApps": [{
            "package": "com.example.fresh", "fingerprints": [{"sha256": ":".join(["AB"] * 32), "label": "upload"}]}],
        "templates": [{"template": "plain", "entries": []}]})
    desk = two_people(site, open_desk)
    page = desk.open("#/drafts/1")
    expect(page.get_by_text("Apps: 2 new; Templates: 1 new")).to_be_visible()
    page.get_by_role("button", name="Approve").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("Apps: 2 new; Templates: 1 new")).to_be_visible()
    dialog.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Decline").click()
    dialog.get_by_label("Reason").fill("Later")
    dialog.get_by_role("button", name="Decline", exact=True).click()
    expect(page.get_by_role("heading", name="What was asked for")).to_be_visible()
    expect(page.get_by_text("Apps: 2 new; Templates: 1 new")).to_be_visible()
    expect(page.get_by_text("Nothing would change.")).to_have_count(0)


def test_apps_have_their_names_in_drafts_and_in_the_history(example, site):
    site.call("PUT", "/v1/apps/ABCDE12345.com.example.app", {"name": "Example Shop"})
    _, ask = several(site, "one.example")
    ask()
    page = example.open("#/drafts/1")
    name = page.locator(".changes").get_by_text("Example Shop").first
    expect(name).to_have_attribute("title", "ABCDE12345.com.example.app")
    site.put("one.example", "/autumn/*", "/a/*")
    example.open("#/domains/one.example/history")
    expect(page.locator(".history-diff").get_by_text("Example Shop").first).to_be_visible()


def test_what_waits_for_me_has_one_number_and_my_own_is_told_apart(site, open_desk):
    site.put("one.example", "/a/*")
    boris = site.create_token("editor", name="boris")
    for seconds in (60, 61, 62):
        token = boris if seconds == 62 else site.token
        site.call("PATCH", "/v1/domains/one.example?draft=true", {"cacheSeconds": seconds}, Authorization=f"Bearer {token}")
    desk = open_desk()
    desk.sign_in(boris)
    page = desk.open("#/domains")
    expect(page.locator(".trouble")).to_contain_text("2 drafts wait for your approval · 1 of your drafts waits")
    expect(page.get_by_role("link", name="Changes 2 drafts wait for your approval")).to_be_visible()
    desk.open("#/drafts")
    rows = page.locator("tbody tr")
    expect(rows).to_have_count(3)
    expect(rows.filter(has_text="yours")).to_have_count(1)


def test_approvals_show_what_waits_and_all_of_them_on_request(example, site):
    site.put("one.example", "/a/*")
    for seconds in (60, 61):
        site.call("PATCH", "/v1/domains/one.example?draft=true", {"cacheSeconds": seconds})
    site.call("DELETE", "/v1/drafts/2")
    page = example.open("#/drafts", "Approvals")
    rows = page.locator("tbody tr")
    expect(rows).to_have_count(1)
    expect(rows.locator(".badge.warning")).to_have_text("waits")
    page.get_by_role("button", name="All").click()
    expect(rows).to_have_count(2)
    expect(rows).to_contain_text(["withdrawn", "waits"])
    page.reload()
    expect(rows).to_have_count(2)


def test_who_has_the_right_protects_a_label_ends_that_and_gives_the_right(site, open_desk):
    site.apply_example()
    desk = open_desk()
    desk.sign_in(site.create_token("admin", name="release", publishes_protected=True))
    page = desk.open("#/settings/protection")
    expect(page.get_by_text("No protected labels")).to_be_visible()
    page.get_by_role("button", name="Protect a label").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Label").fill("production")
    dialog.get_by_role("button", name="Protect a label").click()
    expect(page.get_by_role("link", name="production")).to_be_visible()
    assert site.call("GET", "/v1/protected-labels") == {"labels": ["production"]}
    page.get_by_role("button", name="End the protection of the label “production”").click()
    dialog.get_by_role("button", name="End the protection").click()
    expect(page.get_by_text("No protected labels")).to_be_visible()
    page.get_by_role("link", name="Tokens").click()
    page.get_by_role("button", name="Create a token").click()
    dialog.get_by_label("Name").fill("pipeline")
    dialog.get_by_label("Publishes without the approval of a second person").check()
    dialog.get_by_role("button", name="Create a token").click()
    page.get_by_role("button", name="I have copied it").click()
    row = page.get_by_role("row").filter(has_text="pipeline")
    expect(row.get_by_text("publishes without approval")).to_be_visible()
    expect(page.get_by_text("publishes without approval")).to_have_count(2)


def test_an_admin_without_the_right_is_told_who_can_end_a_protection(example, site):
    site.call("PUT", "/v1/protected-labels/production")
    page = example.open("#/settings/protection")
    page.get_by_role("button", name="End the protection of the label “production”").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="End the protection").click()
    expect(dialog.get_by_role("alert")).to_contain_text("Only an admin who publishes protected domains")
