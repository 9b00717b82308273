"""A domain that moved in with the files of both platforms."""
import json
import re

import pytest
from conftest import APP
from playwright.sync_api import expect

PACKAGE = "com.example.shop"
LINKS = "delegate_permission/common.handle_all_urls"
CREDENTIALS = "delegate_permission/common.get_login_creds"
FINGERPRINT = ":".join(f"{(number * number * 11 + number * 37 + 60) % 256:02X}" for number in range(32))
APPLE = {"applinks": {"details": [{"appIDs": [APP], "components": [
    {"/": "/buy/private/*", "exclude": True}, {"/": "/buy/*"}]}]}}
# What these routes are for Android, which compares slashes at the end.
RULES = [{"/": "/buy/private/*", "exclude": True}, {"/": "/buy/private", "exclude": True}, {"/": "/buy/*"}, {"/": "/buy"}]
USE = re.compile("^Use these routes for Android, too")


def statement(*relations, rules=None, package=PACKAGE):
    extensions = {"relation_extensions": {LINKS: {"dynamic_app_link_components": rules}}} if rules else {}
    return {"relation": list(relations), **extensions, "target": {
        "namespace": "android_app", "package_name": package, "sha256_cert_fingerprints": [FINGERPRINT]}}


def move_in(site, *statements, query=""):
    site.call("PUT", "/v1/domains/moved.example/file", APPLE)
    return site.call("PUT", f"/v1/domains/moved.example/documents/assetlinks.json{query}", list(statements))


def stored_app(site):
    return next((one for one in site.call("GET", "/v1/android-apps")["items"] if one["package"] == PACKAGE), None)


def resolutions(site, url):
    found = site.call("POST", "/v1/domains/moved.example/match", {"urls": [url]})["results"]
    return {one["platform"]: one["resolution"] for one in found}


def test_the_routes_become_androids_too_after_a_preview_and_with_the_app(example, site):
    move_in(site, statement(LINKS, CREDENTIALS))
    secret = "https://moved.example/buy/private/1"
    assert resolutions(site, secret) == {"ios": "blocked", "android": "match"}
    page = example.open("#/domains/moved.example")
    entry = page.get_by_label("Entry 1", exact=True)
    expect(entry).to_contain_text("Kept as it was adopted")
    expect(entry).to_contain_text(PACKAGE)
    expect(page.get_by_text("No Android app")).to_have_count(0)
    page.get_by_role("button", name=USE).click()
    review = page.locator(".review")
    expect(review).to_contain_text("Links that behave differently")
    expect(review).to_contain_text("moved.example/")
    expect(review).to_contain_text(f"{PACKAGE}: Created with 1 fingerprint. ")
    # So far, nothing is published.
    assert resolutions(site, secret)["android"] == "match"
    assert stored_app(site) is None
    page.get_by_role("button", name="Publish", exact=True).last.click()
    expect(page.get_by_text("Published as revision 3")).to_be_visible()
    expect(page.get_by_role("button", name=USE)).to_have_count(0)
    assert resolutions(site, secret) == {"ios": "blocked", "android": "blocked"}
    domain = site.call("GET", "/v1/domains/moved.example")
    assert domain["entries"][0]["androidApps"] == [PACKAGE] and "assetlinksExtra" not in domain
    assert domain["androidCredentials"] == [PACKAGE]
    served = site.call("GET", "/v1/domains/moved.example/documents/assetlinks.json")
    assert served[0]["relation_extensions"][LINKS]["dynamic_app_link_components"] == RULES
    assert [one["sha256"] for one in stored_app(site)["fingerprints"]] == [FINGERPRINT]


def test_an_app_in_an_entry_of_its_own_gets_the_routes_too(example, site):
    move_in(site, statement(LINKS), query="?androidApps=create")
    page = example.open("#/domains/moved.example")
    expect(page.get_by_label("Entry 1", exact=True)).to_contain_text("In another entry without routes")
    page.get_by_role("button", name=USE).click()
    expect(page.get_by_label("Entry 2", exact=True)).to_have_count(0)
    expect(page.locator(".review")).to_contain_text("Links that behave differently")
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(page.get_by_label("Entry 2", exact=True)).to_be_visible()
    page.get_by_role("button", name=USE).click()
    expect(page.locator(".review")).to_contain_text("Links that behave differently")
    page.get_by_role("button", name="Publish", exact=True).last.click()
    expect(page.get_by_text("Published as revision 3")).to_be_visible()
    domain = site.call("GET", "/v1/domains/moved.example")
    assert [one["androidApps"] for one in domain["entries"]] == [[PACKAGE]]
    assert domain.get("dynamicAppLinks", True) is True


def test_relations_that_rows_do_not_know_stay_in_a_kept_statement(example, site):
    other = "delegate_permission/common.use_as_origin"
    move_in(site, statement(LINKS, other, rules=[{"/": "/buy/*"}]), {"include": "https://example.org/more.json"})
    page = example.open("#/domains/moved.example")
    page.get_by_role("button", name=USE).click()
    expect(page.locator(".review")).to_contain_text("Created with 1 fingerprint")
    page.get_by_role("button", name="Publish", exact=True).last.click()
    expect(page.get_by_text("Published as revision 3")).to_be_visible()
    kept = site.call("GET", "/v1/domains/moved.example")["assetlinksExtra"]
    assert kept == [statement(other), {"include": "https://example.org/more.json"}]


@pytest.mark.parametrize("query, isKept", [("", True), ("?androidApps=create", False)])
def test_the_list_and_the_page_of_a_domain_say_the_same_of_its_android_app(example, site, query, isKept):
    move_in(site, statement(LINKS, rules=RULES), query=query)
    site.put("apple.example", "/a/*")
    page = example.open("#/domains")
    row = page.get_by_role("row").filter(has_text="moved.example")
    expect(row).to_contain_text("published")
    expect(row.get_by_text("kept as adopted")).to_have_count(1 if isKept else 0)
    expect(page.get_by_role("row").filter(has_text="apple.example").get_by_text("kept as adopted")).to_have_count(0)
    example.open("#/domains/moved.example", "moved.example")
    entry = page.get_by_label("Entry 1", exact=True)
    expect(entry).to_contain_text(PACKAGE)
    expect(entry.get_by_text("Kept as it was adopted")).to_have_count(1 if isKept else 0)
    expect(page.get_by_text("No Android app")).to_have_count(0)
    example.open("#/domains/apple.example", "apple.example")
    expect(page.get_by_text("No Android app")).to_be_visible()


def test_a_viewer_sees_what_is_kept_and_no_button(open_desk, site):
    move_in(site, statement(LINKS))
    desk = open_desk()
    desk.sign_in(site.create_token("viewer"))
    page = desk.open("#/domains/moved.example", "moved.example")
    expect(page.get_by_text("Kept as it was adopted")).to_be_visible()
    expect(page.get_by_role("button", name=USE)).to_have_count(0)


def test_dropped_files_offer_to_create_the_android_apps(example, site):
    page = example.open("#/bulk")
    files = {"assetlinks.json": [statement(LINKS, rules=RULES)], "apple-app-site-association": APPLE}
    page.locator("input[type=file]").first.set_input_files([
        {"name": f"moved.example.{name}", "mimeType": "application/json", "buffer": json.dumps(file).encode()}
        for name, file in files.items()])
    for field in page.get_by_label("Domain", exact=True).all()[-2:]:
        expect(field).to_have_value("moved.example")
    box = page.get_by_label(f"Create the Android apps with their fingerprints: {PACKAGE}")
    box.check()
    example.settle()
    page.get_by_role("button", name="Publish 2 files").click()
    expect(page.get_by_text("Published 2 of 2 files.")).to_be_visible()
    domain = site.call("GET", "/v1/domains/moved.example")
    assert [one["androidApps"] for one in domain["entries"]] == [[PACKAGE]]
    assert site.call("GET", "/v1/domains/moved.example/documents/assetlinks.json") == files["assetlinks.json"]


def test_a_dropped_file_of_apps_is_taken_for_a_state(example):
    page = example.open("#/bulk")
    apps = {"apps": [], "androidApps": []}
    page.locator("input[type=file]").first.set_input_files(
        {"name": "apps.json", "mimeType": "application/json", "buffer": json.dumps(apps).encode()})
    row = page.get_by_role("listitem").filter(has_text="apps.json")
    expect(row.get_by_role("link", name="Apply a state file")).to_be_visible()


def test_kept_apps_are_shown_although_no_entry_has_an_apple_app(example, site):
    site.call("PUT", "/v1/domains/moved.example/documents/assetlinks.json", [statement(LINKS)])
    page = example.open("#/domains/moved.example", "moved.example")
    expect(page.get_by_text("No routes yet")).to_be_visible()
    expect(page.get_by_label("Kept as it was adopted, without routes here:")).to_contain_text(PACKAGE)


def test_the_page_says_that_the_change_is_for_all_android_apps_of_the_domain(example, site):
    move_in(site, statement(LINKS))
    page = example.open("#/domains/moved.example", "moved.example")
    page.get_by_role("button", name=USE).click()
    expect(page.get_by_text("All Android apps of the domain follow their routes now")).to_have_count(1)


def test_a_new_fingerprint_names_the_domains_whose_own_statements_do_not_get_it(example, site):
    other = FINGERPRINT.replace("3C", "3D", 1)
    site.call("PUT", f"/v1/android-apps/{PACKAGE}", {"fingerprints": [{"sha256": other, "label": "upload"}]})
    move_in(site, statement(LINKS))
    page = example.open(f"#/apps/android/{PACKAGE}")
    page.get_by_label("SHA-256 fingerprint").fill(other.replace("3D", "3E", 1))
    page.locator("form", has=page.get_by_label("SHA-256 fingerprint")).get_by_role("button", name="Preview").click()
    expect(page.get_by_role("dialog")).to_contain_text(
        "Statements of their own, with other fingerprints, are kept by moved.example.")


def test_somebody_says_whose_the_key_of_an_adopted_file_is(example, site):
    move_in(site, statement(LINKS), query="?androidApps=create")
    page = example.open(f"#/apps/android/{PACKAGE}")
    prints = page.locator(".prints li")
    expect(prints).to_contain_text("not known whose")
    prints.get_by_role("button", name="It is: Google Play").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("No file changes, so nothing is published.")
    dialog.get_by_role("button", name="Say whose key it is").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    expect(prints.get_by_role("button", name="It is")).to_have_count(0)
    assert [one["label"] for one in stored_app(site)["fingerprints"]] == ["play-signing"]
