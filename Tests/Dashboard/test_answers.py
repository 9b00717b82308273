"""What the page says is right and leads on: about links, apps, files, faults and the world outside."""
import json
import re
import time

import pytest
from conftest import APP, SHOP
from playwright.sync_api import expect
from screenshots import fetch_as_apple

DOMAIN = "#/domains/example.com"


def test_domains_are_filtered_by_app_and_by_finding(example, site):
    site.put("shop.example", "/a/*", app=SHOP)
    page = example.open("#/domains")
    filters = page.get_by_role("search")
    rows = page.locator("tbody tr")
    expect(rows).to_have_count(2)
    filters.get_by_role("combobox", name="App").select_option(label=SHOP)
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("shop.example")
    page.reload()
    expect(filters.get_by_role("combobox", name="App")).to_have_value(f"app {SHOP}")
    expect(rows).to_have_count(1)
    page.get_by_role("button", name="Clear filters").click()
    expect(rows).to_have_count(2)
    filters.get_by_role("combobox", name="Finding").select_option("public-comment")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("example.com")


def test_a_host_with_umlauts_and_a_link_in_a_sentence_are_tried_as_devices_do(example, site):
    site.put("xn--mnchen-3ya.example", "/a/*")
    page = example.open("#/try")
    page.get_by_label("Links").fill("https://münchen.example/a/1\nSee https://example.com/buy/1, or (https://example.com/buy/2).")
    page.get_by_role("button", name="Try", exact=True).click()
    expect(page.get_by_text("3 links tried: 3 open an app.")).to_be_visible()
    for url in ("https://xn--mnchen-3ya.example/a/1", "https://example.com/buy/1", "https://example.com/buy/2"):
        expect(page.get_by_role("heading", name=url)).to_be_visible()
    example.open("#/domains/xn--mnchen-3ya.example")
    expect(page.locator(".domain-head")).to_contain_text("münchen.example")


def test_what_a_device_prints_is_explained_as_text(example):
    page = example.open("#/try")
    page.get_by_text("Ask the device").click()
    box = page.get_by_label("What the device prints")
    page.get_by_role("button", name="Explain").click()
    expect(page.get_by_text("Paste a text first.")).to_be_visible()
    entry = f"Service: applinks\nApp ID: {APP}\nDomain: %s\nUser Approval: unspecified\nSite/Fmwk Approval: %s\n"
    entry += "Next Check: 2026-01-28 17:02:31 +0000\nError: Error Domain=X <b>Code=1</b>\n"
    box.fill(entry % ("example.com", "approved") + entry % ("www.example.net", "denied")
             + entry % ("example.com", "<img src=x onerror=document.title='hit'>"))
    page.get_by_role("button", name="Explain").click()
    expect(page.get_by_text("swcutil-show: 2 rows, 1 host not published here.")).to_be_visible()
    results = page.locator("aasa-explain .try-result")
    expect(results).to_have_count(2)
    expect(results.first).to_contain_text("fine-here")
    expect(results.first).to_contain_text("On the device: approved, user unspecified, asks again")
    expect(results.first).to_contain_text("Error Domain=X <b>Code=1</b>")
    expect(results.last).to_contain_text("<img src=x")
    assert page.locator("aasa-explain img").count() == 0
    box.fill("What now?")
    page.get_by_role("button", name="Explain").click()
    expect(page.get_by_text("The text has none of the known forms.")).to_be_visible()
    assert "hit" not in page.title()


def test_a_limited_token_gets_the_answers_for_its_own_links(open_desk, site):
    site.apply_example()
    site.put("a.brand.example", "/a/*")
    desk = open_desk()
    desk.sign_in(site.create_token("editor", "*.brand.example"))
    page = desk.open("#/try?url=https://example.com/buy/1%0Ahttps://a.brand.example/a/1")
    expect(page.get_by_text("2 links tried: 1 opens an app, 1 without a matching route.")).to_be_visible()
    expect(page.get_by_text("None of the domains that you may see is published for the host")).to_be_visible()
    refused = []
    page.on("response", lambda answer: answer.status == 403 and refused.append(answer.url))
    desk.open("#/domains/a.brand.example", "a.brand.example")
    assert refused == []


def test_a_viewer_sees_what_a_file_would_change_and_cannot_publish_it(open_desk, site):
    site.apply_example()
    desk = open_desk()
    desk.sign_in(site.create_token("viewer"))
    page = desk.open("#/bulk")
    file = {"applinks": {"details": [{"appIDs": [APP], "components": [{"/": "/other/*"}]}]}}
    page.locator("input[type=file]").first.set_input_files(
        {"name": "example.com.json", "mimeType": "application/json", "buffer": json.dumps(file).encode()})
    expect(page.get_by_text("links change")).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("^Publish"))).to_have_count(0)
    page.get_by_role("button", name="Details of example.com.json").click()
    expect(page.get_by_role("dialog")).to_contain_text("/buy/")


def test_findings_that_cannot_be_read_are_not_no_findings(example):
    page = example.page
    problem = json.dumps({"status": 500, "code": "internal-error", "detail": "Broken on purpose.", "requestId": "r1"})
    page.route("**/v1/findings?*", lambda route: route.fulfill(
        status=500, content_type="application/problem+json", body=problem))
    example.open(DOMAIN, "example.com")
    expect(page.get_by_role("alert")).to_contain_text("Broken on purpose.")
    expect(page.get_by_role("alert")).to_contain_text("r1")
    page.unroute("**/v1/findings?*")
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("alert")).to_have_count(0)


def test_an_app_is_added_by_its_name_and_an_unknown_one_has_a_way_to_be_added(example, site):
    site.call("PUT", f"/v1/apps/{SHOP}", {"name": "Example Shop"})
    page = example.open(DOMAIN)
    page.get_by_role("button", name="Edit apps").click()
    page.get_by_label("Add an app", exact=True).first.fill("Example Shop")
    page.keyboard.press("Enter")
    expect(page.locator(".app-list", has_text=SHOP).first).to_be_visible()
    page.get_by_label("Add an Android app", exact=True).first.fill("com.example.unknown")
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Add an Android app").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Apps")


def test_errors_that_can_be_accepted_are_sentences_not_codes(example, site):
    page = example.open("#/bulk/apply")
    page.get_by_label("State (JSON)").fill(json.dumps({"domains": [
        {"domain": "wrong.example", "entries": [{"apps": [APP], "routes": [{"path": "/$(nothing)"}]}]}]}))
    page.get_by_role("button", name="Preview").click()
    dialog = page.get_by_role("dialog")
    accepted = dialog.get_by_label("Publish anyway: No variable is named \"nothing\", so the route never matches.")
    expect(accepted).to_be_visible()
    expect(dialog.get_by_role("alert")).to_have_count(0)
    accepted.check()
    dialog.get_by_role("button", name="Accept and preview again").click()
    dialog.get_by_role("button", name="Apply").click()
    expect(dialog).to_have_count(0)
    expect(page.get_by_text("1 new")).to_be_visible()
    assert site.call("GET", "/v1/domains/wrong.example")["revision"] == 1


def test_an_app_that_a_limited_token_added_is_a_question_with_its_name(example, site):
    fingerprint = ":".join(f"{(number * number * 11 + number * 37 + 60) % 256:02X}" for number in range(32))
    package = "com.example.added"
    limited = site.create_token("editor", "*.team.example")
    site.put("brand.example", "/buy/*")
    site.call("POST", "/v1/apply", {
        "androidApps": [{"package": package, "fingerprints": [{"sha256": fingerprint, "label": "play-signing"}]}],
        "domains": [{"domain": "www.team.example", "androidCredentials": [package]}]}, Authorization=f"Bearer {limited}")
    page = example.open(f"#/apps/android/{package}")
    expect(page.get_by_text("editor, limited to *.team.example")).to_be_visible()
    page = example.open("#/domains/brand.example")
    page.get_by_role("button", name="Edit apps").click()
    page.get_by_label("Add an Android app", exact=True).first.fill(package)
    page.keyboard.press("Enter")
    question = page.get_by_label("Publish anyway: \"editor\", which is limited to other domains")
    expect(page.locator(".review")).to_contain_text(fingerprint)
    publish = page.get_by_role("button", name="Publish", exact=True).last
    expect(publish).to_be_disabled()
    question.check()
    publish.click()
    expect(page.get_by_text("Published as revision 2")).to_be_visible()
    assert "addedBy" not in site.call("GET", f"/v1/android-apps/{package}")


def test_a_failing_check_is_said_on_every_page_of_the_domain(example):
    page = example.open(DOMAIN + "/checks")
    page.get_by_role("button", name="Check now").click()
    expect(page.get_by_role("button", name="Check now")).to_be_enabled()
    for section in ("", "/history", "/checks", "/try?url=https://example.com/buy/1"):
        example.open(DOMAIN + section)
        expect(page.get_by_role("link", name="Checks failing")).to_be_visible()
    expect(page.get_by_text("The last check from outside failed, so phones may not get this file.")).to_be_visible()


@pytest.fixture
def site6_is_elsewhere(monkeypatch):
    """Checks find site6.example at an address that they refuse, and no other site at all."""
    monkeypatch.setenv("AASA_CHECK_PLACES", "site6.example:127.0.0.1")


def test_domains_whose_checks_fail_for_the_same_cause_are_together(site6_is_elsewhere, example, site):
    names = [f"site{number}.example" for number in range(7)]
    for name in names:
        site.put(name, "/a/*")
    site.call("POST", "/v1/check", {"domains": names})
    page = example.open("#/checks")
    causes = page.locator("main details")
    expect(causes).to_have_count(2)
    # The message is that of one of them, and the others are behind it.
    expect(causes.nth(0).locator("summary")).to_have_text(re.compile(r"failing\s*The name has no address · 6 domains, since "))
    expect(page.get_by_role("link", name="site3.example")).to_be_hidden()
    causes.nth(0).locator("summary").click()
    expect(page.get_by_role("link", name="site3.example")).to_be_visible()
    # Few need no click.
    expect(causes.nth(1).locator("summary")).to_contain_text("1 domain, since")
    expect(page.get_by_role("link", name="site6.example")).to_be_visible()


def test_checks_can_be_filtered_to_domains_never_checked(example, site):
    site.put("new.example", "/a/*")
    site.put("off.example", "/a/*", enabled=False)
    page = example.open("#/checks")
    # Nothing was checked yet, and what is not served never is.
    expect(page.get_by_role("button", name="Not checked 2")).to_have_attribute("aria-pressed", "true")
    links = page.locator("tbody").get_by_role("link")
    expect(links).to_have_text(["example.com", "new.example"])
    page.get_by_role("button", name="Check new.example now").click()
    expect(page.get_by_role("heading", name="Check of new.example")).to_be_visible()
    expect(links).to_have_text(["example.com"])
    page.get_by_role("button", name="Failing 1").click()
    expect(links).to_have_text(["new.example"])


@pytest.mark.parametrize("address, number", [("#/domains?q=site", 18), ("#/checks", 19)])
def test_the_domains_of_a_list_are_checked_with_one_press(site6_is_elsewhere, example, site, address, number):
    for one in range(18):
        site.put(f"site{one}.example", "/a/*")
    site.put("site-off.example", "/a/*", enabled=False)
    page = example.open(address)
    sent = []
    page.on("request", lambda request: request.url.endswith("/v1/check") and sent.append(len(request.post_data_json["domains"])))
    page.get_by_role("button", name="Check 19 domains now").click()
    expect(page.get_by_text(f"Checked {number} domains: {number} failing")).to_be_visible()
    assert sent == [16, number - 16]
    assert site.call("GET", "/v1/checks")["total"] == number
    assert "site-off.example" not in [one["domain"] for one in site.call("GET", "/v1/checks")["items"]]


def test_a_list_that_its_own_checks_shorten_is_checked_to_its_end(site6_is_elsewhere, example, site):
    for number in range(16):
        site.put(f"site{number}.example", "/a/*")
    page = example.open("#/checks?status=unchecked")
    page.get_by_role("button", name="Check 17 domains now").click()
    expect(page.get_by_text("Checked 17 domains: 17 failing.")).to_be_visible()
    assert site.call("GET", "/v1/checks")["total"] == 17
    # The list is as the checks have left it.
    expect(page.locator("tbody tr")).to_have_count(0)


def test_a_domain_says_what_it_serves_and_what_apple_has(example, site):
    site.put("served.example", "/a/*")
    page = example.open("#/domains/served.example")
    head = page.locator(".domain-head")
    expect(head).to_have_text(re.compile("Serving revision 1, published .*Apple’s copy: not fetched"))
    fetch_as_apple(site, "served.example")
    while site.call("GET", "/v1/domains/served.example/fetches")["fetchers"][0]["count"] == 0:
        time.sleep(0.1)
    page.reload()
    expect(head).to_contain_text("Apple’s copy: current")
    site.put("served.example", "/a/*", "/b/*")
    page.reload()
    expect(head).to_have_text(re.compile("Serving revision 2, published .*Apple’s copy: 1 behind"))
    # The list, the checks and a tried link say it in the same words.
    example.open("#/domains")
    expect(page.get_by_role("row").filter(has_text="served.example")).to_contain_text("1 behind")
    page.get_by_role("link", name="not current at Apple").click()
    expect(page.get_by_role("button", name="Not current at Apple")).to_have_attribute("aria-pressed", "true")
    example.open("#/try?url=https://served.example/b/1")
    expect(page.get_by_text(re.compile("Apple’s copy is revision 1, 1 behind, fetched"))).to_be_visible()
    expect(page.get_by_role("columnheader", name="Apple’s copy")).to_be_visible()
    # Apple's devices get the older file until then.
    verdict = example.open("#/try?url=https://served.example/b/1").locator(".verdict")
    expect(verdict).to_have_text("Opens Example on iOS; iOS only once Apple’s copy is revision 2")
    verdict = example.open("#/try?url=https://served.example/a/1").locator(".verdict")
    expect(verdict).to_have_text("Opens Example on iOS")


def test_a_deleted_domain_says_so_on_all_its_pages(example, site):
    site.put("gone.example", "/a/*")
    site.call("DELETE", "/v1/domains/gone.example?accept=opens-nothing", **{"If-Match": "*"})
    for section in ("", "/history", "/checks"):
        page = example.open("#/domains/gone.example" + section)
        expect(page.locator(".domain-head").get_by_text("deleted", exact=True)).to_be_visible()


def test_a_route_with_an_error_and_a_link_that_an_app_loses_are_marked_as_bad(example):
    page = example.open(DOMAIN)
    page.get_by_role("button", name="Delete /buy/*").click()
    effect = page.locator("aasa-draft-review .changes")
    expect(effect.locator(".badge.error", has_text="no route matches").first).to_be_visible()
    page.get_by_role("button", name="Add a route").first.click()
    page.get_by_label("Path", exact=True).fill("/$(nothing)")
    page.get_by_role("button", name="Save edit").click()
    expect(page.locator(".route.wrong", has_text="/$(nothing)")).to_be_visible()


@pytest.mark.parametrize("address", ["#/domains?constructor=1", "#/domains/example.com/constructor"])
def test_an_address_cannot_blank_the_page(example, address):
    page = example.page
    page.goto("/" + address)
    expect(page.get_by_role("heading", level=1)).to_be_visible()


def test_a_pasted_link_is_taken_for_its_domain(example, site):
    page = example.open("#/domains")
    page.get_by_role("button", name="Add a domain").click()
    page.get_by_label("Domain", exact=True).fill("https://www.acme.example/shop?x=1")
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("heading", name="Publish www.acme.example?")).to_be_visible()
    page.get_by_role("button", name="Publish", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("www.acme.example")
    assert site.call("GET", "/v1/domains/www.acme.example")["revision"] == 1


def test_old_answers_do_not_stand_under_new_questions(example, site):
    site.call("POST", "/v1/domains/example.com/suppressions", {
        "code": "public-comment", "document": "apple-app-site-association", "pointer": "", "reason": "Meant",
        "owner": "web team", "until": "2036-01-01T00:00:00Z"})
    page = example.open("#/findings?domain=example.com")
    expect(page.get_by_role("button", name="End suppression of public-comment of example.com")).to_be_visible()
    page.get_by_label("Domain", exact=True).fill("absent.example")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert").first).to_contain_text("absent.example")
    expect(page.get_by_role("button", name="End suppression")).to_have_count(0)
    example.open("#/domains")
    page.route("**/v1/domains?*", lambda route: None)
    page.get_by_role("button", name="Deleted").click()
    expect(page.get_by_role("button", name="Deleted")).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("columnheader", name="Revision")).to_be_visible()
    expect(page.get_by_role("button", name="Restore")).to_have_count(0)


@pytest.mark.parametrize("address, button, label", [
    ("#/settings/users", "Add a user", "Name"), ("#/settings/webhooks", "Add a webhook", "Name"),
    ("#/apps/android", "Add an Android app", "Package name")])
def test_a_name_that_is_missing_is_asked_for_at_its_field(example, address, button, label):
    page = example.open(address)
    page.get_by_role("button", name=button).click()
    page.keyboard.press("Enter")
    field = page.get_by_role("dialog").get_by_label(label, exact=True)
    expect(field).to_have_accessible_description(re.compile("Enter a value."))
    expect(field).to_be_focused()


def test_a_token_name_that_is_taken_is_said_at_its_field(example):
    page = example.open("#/settings/tokens")
    page.get_by_role("button", name="Create a token").click()
    page.get_by_label("Name", exact=True).fill("admin")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Name", exact=True)).to_have_accessible_description(re.compile("This name is taken."))


def test_a_folder_with_other_files_shows_those_that_can_be_published(example):
    page = example.open("#/bulk")
    file = json.dumps({"applinks": {"details": [{"appIDs": [APP], "components": [{"/": "/other/*"}]}]}}).encode()
    others = {".DS_Store": b"\0\0\0\1Bud1", "README.md": b"# Files", "LICENSE": b"MIT", "package.json": b'{"name": "site"}',
              "logo.png": b"\x89PNG", "index.html": b"<html>"}
    files = {"a.example.json": file, "b.example": file, "copy.txt": file, "broken.example.json": b'{"applinks": ',
             "gone.example": b"<!doctype html><title>Not Found</title>", **others}
    page.locator("input[type=file]").first.set_input_files(
        [{"name": name, "mimeType": "application/octet-stream", "buffer": bytes} for name, bytes in files.items()])
    expect(page.get_by_text("2 of 5 files can be published.")).to_be_attached()
    expect(page.get_by_text("Skipped 6 other files: .DS_Store, README.md, LICENSE, package.json, logo.png …")).to_be_visible()
    expect(page.get_by_role("list", name="Files").get_by_role("listitem")).to_have_count(5)


def test_a_refused_change_says_what_to_do_here_and_where_in_words(example, site):
    """Neither parameters of the API nor pointers."""
    routes = [{"path": "/help/faq/*", "exclude": True}, {"path": "/help/*"}, {"path": "/buy/*"}]
    site.call("PATCH", "/v1/domains/example.com", {
        "entries": [{"apps": [APP], "androidApps": ["com.example.app"], "routes": routes}],
        "expectations": [{"url": "https://example.com/help/faq/1", "app": APP, "resolution": "blocked"}],
    }, **{"If-Match": "*"})
    page = example.open(DOMAIN + "/history")
    page.get_by_role("button", name=re.compile("Roll back")).first.click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text('Not published: 1 expectation of "example.com" would break.')).to_be_visible()
    expect(dialog).to_contain_text("The closest is route 2 of entry 1")
    for words in ("That did not work", "/applinks/", "?accept"):
        expect(dialog).not_to_contain_text(words)
    broken = {"applinks": {"details": [{"appIDs": [APP], "components": [{"/": "/$(nothing)"}]}]}}
    page = example.open("#/bulk")
    page.locator("input[type=file]").first.set_input_files(
        {"name": "c.example.json", "mimeType": "application/json", "buffer": json.dumps(broken).encode()})
    page.get_by_role("button", name="Details of c.example.json").click()
    expect(dialog).to_contain_text("Choose “Accept these errors” to publish anyway")
    for words in ("That did not work", "/applinks/", "?accept"):
        expect(dialog).not_to_contain_text(words)


def test_a_file_of_links_is_dropped_or_chosen_again_and_again(example):
    page = example.open("#/try")
    links = "https://example.com/buy/1\nhttps://example.com/elsewhere\n"
    for _ in range(2):
        page.locator("input[type=file]").set_input_files(
            {"name": "links.txt", "mimeType": "text/plain", "buffer": links.encode()})
        expect(page.get_by_text("2 links tried: 1 opens an app, 1 without a matching route.")).to_be_visible()
        page.get_by_label("Links").fill("")
    data = page.evaluate_handle("""text => {
        const data = new DataTransfer();
        data.items.add(new File([text], "more.txt", { type: "text/plain" }));
        return data;
    }""", "https://example.com/buy/2\n")
    page.get_by_label("Links").dispatch_event("dragover", {"dataTransfer": data})
    page.get_by_label("Links").dispatch_event("drop", {"dataTransfer": data})
    expect(page.get_by_label("Links")).to_have_value("https://example.com/buy/2")
    expect(page.locator(".verdict")).to_have_count(1)
    expect(page.locator(".verdict")).to_contain_text("Opens Example on iOS")


def test_a_deleted_domain_says_when_it_was_deleted(example, site):
    site.put("gone.example", "/a/*")
    site.call("DELETE", "/v1/domains/gone.example?accept=opens-nothing", **{"If-Match": "*"})
    head = example.open("#/domains/gone.example/history").locator(".domain-head")
    expect(head).to_contain_text("revision 1, deleted just now")
