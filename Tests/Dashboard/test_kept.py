"""Nothing gets lost: what people typed, what others changed, where the focus was."""
import hashlib
import json
import re

import pytest
from conftest import APP, SHOP, account, sign_out
from playwright.sync_api import expect

DOMAIN = "#/domains/example.com"
PRINT = hashlib.sha256(b"another certificate").digest().hex(":").upper()
FILE = json.dumps({"applinks": {"details": [{"appIDs": [APP], "components": [{"/": "/dropped/*"}]}]}}).encode()


def add_route(page, path):
    page.get_by_role("button", name="Add a route").first.click()
    page.get_by_label("Path", exact=True).fill(path)
    page.get_by_role("button", name="Save edit").click()


def publish_button(page):
    return page.get_by_role("button", name="Publish", exact=True).last


def test_a_browser_that_refuses_to_store_anything_still_shows_and_publishes_drafts(example):
    page = example.open("#/domains")
    page.add_init_script("""Object.defineProperty(window, "localStorage", {
        get() { throw new DOMException("denied", "SecurityError"); } })""")
    page.reload()
    page.get_by_role("link", name="example.com", exact=True).click()
    add_route(page, "/new/*")
    publish_button(page).click()
    expect(page.get_by_text("Published as revision 2.")).to_be_visible()
    expect(page.locator(".review")).to_have_count(0)


def test_saving_an_apps_name_keeps_the_fingerprint_that_somebody_added(example, site):
    page = example.open("#/apps/android/com.example.app")
    path = "/v1/android-apps/com.example.app"
    app = site.call("GET", path)
    added = {"sha256": PRINT, "label": "upload"}
    site.call("PUT", path, {"name": "Example", "fingerprints": [*app["fingerprints"], added]})
    page.get_by_label("Name", exact=True).fill("Renamed")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    now = site.call("GET", path)
    assert now["name"] == "Renamed" and [one["sha256"] for one in now["fingerprints"]][-1] == PRINT


def test_what_is_typed_as_the_name_of_an_app_stays_when_its_fingerprints_change(example, site):
    page = example.open("#/apps/android/com.example.app")
    name = page.get_by_label("Name", exact=True)
    name.fill("Renamed")
    page.get_by_label("SHA-256 fingerprint").fill(PRINT)
    page.locator("form", has=page.get_by_label("SHA-256 fingerprint")).get_by_role("button", name="Preview").click()
    page.get_by_role("dialog").get_by_role("button", name="Add a fingerprint", exact=True).click()
    expect(page.locator(".prints").get_by_text(PRINT)).to_be_visible()
    expect(name).to_have_value("Renamed")
    with page.expect_response(lambda response: response.request.method == "PUT"):
        page.get_by_role("button", name="Save", exact=True).click()
    assert site.call("GET", "/v1/android-apps/com.example.app")["name"] == "Renamed"


def test_a_state_that_is_typed_stays_while_a_person_looks_at_other_pages(example):
    page = example.open("#/bulk/apply")
    page.get_by_label("State (JSON)").fill('{"domains": []}')
    page.get_by_role("link", name="Edit routes").click()
    page.get_by_role("link", name="Apply a state file").click()
    expect(page.get_by_label("State (JSON)")).to_have_value('{"domains": []}')


def test_what_a_state_may_delete_or_undo_is_chosen_for_each_state(example, site):
    page = example.open("#/bulk/apply")
    boxes = page.locator("aasa-bulk-apply").get_by_role("checkbox")

    def check():
        for number in range(2):
            boxes.nth(number).check()

    def drop(domain):
        state = {"domains": [{"domain": domain, "entries": []}]}
        page.locator("input[type=file]").set_input_files(
            {"name": "state.json", "mimeType": "application/json", "buffer": json.dumps(state).encode()})
        expect(page.get_by_label("State (JSON)")).to_have_value(re.compile(domain))
        for number in range(2):
            expect(boxes.nth(number)).not_to_be_checked()

    check()
    drop("one.example")
    check()
    page.get_by_role("link", name="Edit routes").click()
    page.get_by_role("link", name="Apply a state file").click()
    expect(page.get_by_label("State (JSON)")).to_have_value(re.compile("one.example"))
    expect(boxes.first).not_to_be_checked()
    check()
    page.get_by_role("button", name="Preview").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("checkbox").check()
    dialog.get_by_role("button", name="Accept and preview again").click()
    dialog.get_by_role("button", name="Apply", exact=True).click()
    expect(dialog).to_have_count(0)
    for number in range(2):
        expect(boxes.nth(number)).not_to_be_checked()
    assert [one["domain"] for one in site.call("GET", "/v1/domains")["items"]] == ["one.example"]


@pytest.mark.parametrize("address, place", [("#/bulk/apply", "aasa-bulk-apply"), (f"{DOMAIN}/settings", "aasa-domain-documents")])
def test_files_are_not_left_out_without_a_word_where_one_is_taken(example, address, place):
    page = example.open(address)
    page.locator(f"{place} aasa-drop").evaluate('''(area) => {
      const dataTransfer = new DataTransfer();
      for (const name of ["a.json", "b.json"]) dataTransfer.items.add(new File(["{}"], name));
      area.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
    }''')
    expect(page.get_by_text("Nothing was taken: these are 2 files.")).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_what_is_typed_in_one_go_is_undone_at_once(example):
    page = example.open(DOMAIN + "/settings")
    page.get_by_role("button", name="Edit settings").click()
    field = page.get_by_label("Managed by")
    field.press_sequentially("git: links")
    page.get_by_label("Labels").press_sequentially("brand-a")
    expect(page.get_by_role("heading", name="Your edits")).to_be_visible()
    page.locator(".review").get_by_role("button", name="Undo").click()
    expect(page.get_by_label("Labels")).to_have_value("")
    expect(field).to_have_value("git: links")
    page.locator(".review").get_by_role("button", name="Undo").click()
    expect(field).to_have_value("")


def test_a_draft_published_in_another_tab_is_published_in_this_one_too(example):
    page = example.open(DOMAIN)
    other = example.context.new_page()
    other.goto("/" + DOMAIN)
    add_route(page, "/tab/*")
    expect(publish_button(page)).to_be_enabled()
    expect(other.get_by_text("Saved in this browser")).to_be_visible()
    publish_button(other).click()
    expect(other.get_by_text("Published as revision 2")).to_be_visible()
    expect(page.get_by_text("Serving revision 2, published")).to_be_visible()
    expect(page.locator(".route", has_text="/tab/*")).to_be_visible()
    expect(page.get_by_text("Saved in this browser")).to_have_count(0)


def test_the_reason_of_a_draft_survives_a_reload(example, site):
    page = example.open(DOMAIN)
    add_route(page, "/gift/*")
    page.get_by_label("Reason").fill("Because of gifts")
    page.reload()
    expect(page.get_by_label("Reason")).to_have_value("Because of gifts")
    publish_button(page).click()
    expect(page.get_by_text("Published as revision 2")).to_be_visible()
    assert site.call("GET", "/v1/domains/example.com/revisions")["items"][0]["reason"] == "Because of gifts"
    add_route(page, "/more/*")
    expect(page.get_by_label("Reason")).to_have_value("")


def test_an_expectation_made_beside_a_draft_neither_stops_it_nor_is_stopped_by_it(example, site):
    page = example.open(DOMAIN)
    add_route(page, "/gift/*")
    example.open("#/try?url=https://example.com/gift/1%0Ahttps://example.com/buy/1")
    page.get_by_role("button", name=f"Expect “opens the app” of https://example.com/buy/1 for {APP}").click()
    expect(page.get_by_text("Added an expectation: a change that breaks https://example.com/buy/1")).to_be_visible()
    page.get_by_role("button", name=f"Expect “opens the app” of https://example.com/gift/1 for {APP}").click()
    expect(page.get_by_text("Added an expectation for https://example.com/gift/1 to your edits.")).to_be_visible()
    example.open(DOMAIN)
    expect(page.get_by_text("Others published while you worked")).to_have_count(0)
    publish_button(page).click()
    expect(page.get_by_text("Published as revision 3")).to_be_visible()
    kept = site.call("GET", "/v1/domains/example.com/expectations")["expectations"]
    assert [one["url"] for one in kept] == ["https://example.com/buy/1", "https://example.com/gift/1"]


def test_dropped_files_stay_while_a_person_looks_at_other_pages_and_a_state_goes_where_it_belongs(example):
    page = example.open("#/bulk")
    state = json.dumps({"domains": []}).encode()
    page.locator("input[type=file]").first.set_input_files([
        {"name": "dropped.example.json", "mimeType": "application/json", "buffer": FILE},
        {"name": "state.json", "mimeType": "application/json", "buffer": state}])
    expect(page.get_by_text("new domain", exact=True)).to_be_visible()
    page.get_by_role("link", name="Domains").click()
    page.get_by_role("link", name="Bulk edit").click()
    expect(page.get_by_text("new domain", exact=True)).to_be_visible()
    page.get_by_role("listitem").filter(has_text="state.json").get_by_role("link", name="Apply a state file").click()
    expect(page.get_by_label("State (JSON)")).to_have_value(state.decode())


def drop(page, name):
    page.locator("input[type=file]").first.set_input_files(
        {"name": f"{name}.json", "mimeType": "application/json", "buffer": FILE})


def test_another_person_in_the_same_tab_does_not_get_dropped_files(example, site):
    page = example.open("#/bulk")
    drop(page, "dropped.example")
    expect(page.get_by_text("new domain", exact=True)).to_be_visible()
    sign_out(page)
    page.get_by_label("Token").fill(site.create_token("editor"))
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Bulk edit", level=1)).to_be_visible()
    example.settle()
    expect(page.get_by_text("dropped.example")).to_have_count(0)


def test_a_dropped_file_does_not_replace_a_domain_that_somebody_has_added_since(example, site):
    page = example.open("#/bulk")
    drop(page, "dropped.example")
    expect(page.get_by_text("new domain", exact=True)).to_be_visible()
    site.put("dropped.example", "/theirs/*")
    page.get_by_role("button", name=re.compile("^Publish 1")).click()
    row = page.get_by_role("listitem").filter(has_text="dropped.example")
    expect(row).to_contain_text("already exists")
    assert site.call("GET", "/v1/domains/dropped.example")["revision"] == 1
    row.get_by_role("button", name="Try again").click()
    page.get_by_role("button", name=re.compile("^Publish 1")).click()
    expect(row).to_contain_text("revision 2")


def test_a_file_whose_preview_was_left_is_looked_at_again(example):
    page = example.open("#/bulk")
    held = []
    page.route(lambda url: "/documents/" in url, lambda route: route.continue_() if held else held.append(route))
    with page.expect_request(lambda request: request.method == "PUT"):
        drop(page, "dropped.example")
    page.get_by_role("link", name="Domains").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Domains")
    page.get_by_role("link", name="Bulk edit").click()
    expect(page.get_by_text("new domain", exact=True)).to_be_visible()


def test_the_focus_stays_near_what_has_gone(example, site):
    site.put("many.example", "/a/*", "/b/*", "/c/*")
    page = example.open("#/domains/many.example")

    def press(button, goes=True):
        button.focus()
        page.keyboard.press("Enter")
        if goes:
            expect(button).to_have_count(0)
        expect(page.locator(":focus")).to_have_count(1)

    press(page.get_by_role("button", name="Delete /b/*"))
    expect(page.locator(":focus")).to_have_attribute("aria-label", re.compile(re.escape("/c/*")))
    press(page.get_by_role("button", name="Delete /c/*"))
    press(page.get_by_role("button", name="Delete /a/*"))
    press(page.get_by_role("button", name="Delete entry 1"))
    press(page.get_by_role("button", name="Discard edits"), goes=False)
    press(page.get_by_role("dialog").get_by_role("button", name="Discard edits"))
    site.create_token("viewer")
    example.open("#/settings/tokens")
    press(page.get_by_role("button", name="Revoke the token “viewer”"), goes=False)
    press(page.get_by_role("dialog").get_by_role("button", name="Revoke"))
    expect(page.get_by_text("Removed “viewer”.")).to_be_visible()
    expect(page.get_by_role("row", name="viewer")).to_have_count(0)
    expect(page.locator(":focus")).to_have_count(1)


def test_a_new_token_takes_the_focus_and_its_message_stands_above_the_dialog(example):
    page = example.open("#/settings/tokens")
    page.get_by_role("button", name="Create a token").click()
    page.get_by_label("Name", exact=True).fill("pipeline")
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="Token “pipeline”")
    expect(dialog.get_by_role("button", name="Copy")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".messages:popover-open")).to_contain_text("Copied.")


def test_the_settings_of_a_domain_are_a_draft_like_its_routes(example, site):
    page = example.open(DOMAIN + "/settings")
    page.get_by_role("button", name="Edit settings").click()
    page.get_by_label("Variables").fill("lang: en, de\nodd: a\\, b")
    page.get_by_label("Upper and lower case").select_option("false")
    page.get_by_label("Cache time").fill("99999999")
    expect(page.get_by_label("Cache time")).to_have_attribute("aria-invalid", "true")
    page.get_by_label("Cache time").fill("600")
    page.get_by_label("Reason").fill("Languages")
    publish_button(page).click()
    expect(page.get_by_text("Published as revision 2")).to_be_visible()
    now = site.call("GET", "/v1/domains/example.com")
    assert now["substitutionVariables"] == {"lang": ["en", "de"], "odd": ["a, b"]}
    assert now["defaults"] == {"caseSensitive": False} and now["cacheSeconds"] == 600
    page.reload()
    expect(page.get_by_text("odd: a\\, b")).to_be_visible()


def test_every_event_of_webhooks_can_be_chosen(example, site):
    page = example.open("#/settings/webhooks")
    page.get_by_role("button", name="Add a webhook").click()
    events = site.call("GET", "/openapi.json")["components"]["schemas"]["WebhookEvent"]["enum"]
    expect(page.get_by_role("group", name="Events").get_by_role("checkbox")).to_have_count(len(events))


def test_a_webhook_for_slack_has_its_format_and_a_secret_can_be_replaced(example, site):
    page = example.open("#/settings/webhooks")
    page.get_by_role("button", name="Add a webhook").click()
    page.get_by_label("Name", exact=True).fill("alerts")
    page.get_by_label("URL").fill("https://hooks.slack.com/services/x")
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="alerts", exact=True)).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert site.call("GET", "/v1/webhooks/alerts")["format"] == "slack"
    site.call("PUT", "/v1/webhooks/hook", {"url": "https://hooks.example.com/"})
    example.open("#/settings/webhooks/hook")
    page.get_by_role("button", name="Edit the webhook").click()
    page.get_by_label("Replace the signing secret").check()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text(re.compile("^whsec_[A-Za-z0-9+/]{43}=$"))).to_be_visible()


def test_another_tab_that_signs_out_ends_this_one_when_it_is_shown_again(example):
    page = example.open("#/settings/tokens")
    other = example.context.new_page()
    other.goto("/")
    sign_out(other)
    expect(other.get_by_label("Token")).to_be_visible()
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(page.get_by_text("this browser keeps the edits of admin")).to_be_visible()
    expect(page.get_by_role("table")).to_have_count(0)


def test_a_route_is_added_to_the_domains_of_a_list_that_can_get_it(example, site):
    site.put("a.example", "/a/*", app=SHOP)
    page = example.open("#/bulk/route")
    page.get_by_label("App", exact=True).fill(APP)
    page.get_by_label("Or a list of domains").fill("example.com absent.example a.example")
    page.get_by_label("Path", exact=True).fill("/sale/*")
    page.get_by_role("button", name="Preview").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text('The domain "absent.example" does not exist.')).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_label("Or a list of domains").fill("example.com a.example")
    page.get_by_role("button", name="Preview").click()
    dialog.get_by_label("Leave domains that are refused as they are").check()
    expect(dialog.get_by_text("1 domain changes.")).to_be_visible()
    expect(dialog.get_by_text("1 domain is refused, and left out")).to_be_visible()


def test_a_roll_back_that_others_overtake_shows_its_effects_again_first(example, site):
    site.call("PATCH", "/v1/domains/example.com", {"cacheSeconds": 600}, **{"If-Match": "*"})
    page = example.open(DOMAIN + "/history")
    page.get_by_role("button", name="Roll back to revision 1").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("Cache time: 10 minutes → 1 hour")).to_be_visible()
    site.call("PATCH", "/v1/domains/example.com", {"cacheSeconds": 777}, **{"If-Match": "*"})
    dialog.get_by_role("button", name="Roll back").click()
    expect(dialog.get_by_text("Others have published meanwhile.")).to_be_visible()
    expect(dialog.get_by_role("button", name="Roll back")).to_have_count(0)
    dialog.get_by_role("button", name="Try again").click()
    expect(dialog.get_by_text("Cache time: 777 seconds → 1 hour")).to_be_visible()
    dialog.get_by_role("button", name="Roll back").click()
    expect(page.get_by_text("It is published as revision 4.")).to_be_visible()


def test_what_is_typed_in_a_dialog_is_lost_only_at_the_second_escape(example):
    page = example.open("#/apps")
    add = page.get_by_role("button", name="Add an Apple app")
    for presses in [1, 2]:
        add.click()
        expect(page.get_by_label("App identifier")).to_be_focused()
        if presses == 2:
            page.keyboard.type("ABCDE")
            page.keyboard.press("Escape")
            expect(page.get_by_text("Press Escape again")).to_be_visible()
            expect(page.get_by_label("App identifier")).to_have_value("ABCDE")
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
        expect(add).to_be_focused()


def test_a_form_that_is_left_sends_nothing_more(example, site):
    page = example.open("#/apps")
    held, sent = [], []
    page.route(re.compile(r"dryRun=true"), lambda route: held.append(route))
    page.on("request", lambda request: request.method == "PUT" and sent.append(request.url))
    page.get_by_role("button", name="Add an Apple app").click()
    page.get_by_label("App identifier").fill(SHOP)
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog").get_by_role("button", name="Cancel")).to_be_disabled()
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    for one in held:
        one.continue_()
    page.unroute(re.compile(r"dryRun=true"))
    example.settle()
    assert len(sent) == 1 and SHOP not in [app["app"] for app in site.call("GET", "/v1/apps")["items"]]


def test_publishing_and_moving_with_the_keyboard_keeps_place_and_focus(example, site):
    site.put("long.example", *[f"/{number}/*" for number in range(120)])
    page = example.open("#/domains/long.example")
    page.get_by_role("button", name="Edit /60/*", exact=True).focus()
    for _ in range(15):
        page.keyboard.press("Alt+ArrowUp")
    expect(page.get_by_text("/60/* is now route 46 of 120.")).to_be_attached()
    expect(page.get_by_role("button", name="Edit /60/*", exact=True)).to_be_focused()
    expect(page.get_by_role("button", name="Edit /60/*", exact=True)).to_be_in_viewport()
    expect(publish_button(page)).to_be_enabled()
    publish_button(page).focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Published as revision 2")).to_be_visible()
    expect(page.locator(":focus")).to_have_count(1)


def test_a_dialog_begins_at_its_heading_and_enter_does_not_close_it(example):
    page = example.open("#/settings/tokens")
    page.get_by_role("button", name="Revoke the token “admin”").click()
    expect(page.get_by_role("dialog").get_by_role("heading")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()


def test_a_draft_that_the_browser_has_no_room_for_survives_what_others_publish(example, site):
    page = example.page
    page.add_init_script("Storage.prototype.setItem = () => { throw new Error('full'); }")
    page.reload()
    example.open(DOMAIN)
    add_route(page, "/gift/*")
    expect(page.get_by_text("This browser cannot keep your edits.")).to_be_visible()
    expect(publish_button(page)).to_be_enabled()
    site.call("PATCH", "/v1/domains/example.com", {"cacheSeconds": 600}, **{"If-Match": "*"})
    publish_button(page).click()
    page.get_by_role("button", name="Put my edits on top of revision 2").click()
    publish_button(page).click()
    expect(page.get_by_text("Published as revision 3")).to_be_visible()
    domain = site.call("GET", "/v1/domains/example.com")
    assert domain["cacheSeconds"] == 600 and domain["entries"][0]["routes"][-1]["path"] == "/gift/*"


def test_results_are_there_again_after_going_back(example):
    page = example.open("#/try?url=https://example.com/buy/1")
    expect(page.get_by_text("1 link tried: 1 opens an app.")).to_be_visible()
    page.get_by_role("link", name="Try a link").click()
    expect(page.get_by_text("Which app opens a link?")).to_be_visible()
    page.go_back()
    expect(page.get_by_text("1 link tried: 1 opens an app.")).to_be_visible()


def test_another_person_in_the_same_browser_does_not_get_an_open_draft(example, site):
    page = example.open(DOMAIN)
    add_route(page, "/gift/*")
    expect(publish_button(page)).to_be_enabled()
    other = example.context.new_page()
    other.goto("/")
    sign_out(other)
    other.get_by_label("Token").fill(site.create_token("editor"))
    other.get_by_role("button", name="Sign in").click()
    expect(account(other)).to_have_text(re.compile("editor"))
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(account(page)).to_have_text(re.compile("editor"))
    expect(page.get_by_text("Saved in this browser")).to_have_count(0)
    expect(page.locator(".route", has_text="/gift/*")).to_have_count(0)
