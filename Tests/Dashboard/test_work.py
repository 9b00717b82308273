"""What saves clicks: keys that work everywhere, what is known and need not be typed, and what is found where it was left."""
import itertools
import json
import re

import pytest
from conftest import APP, SHOP, Desk, Site, section
from playwright.sync_api import expect

DOMAIN = "#/domains/example.com"


def add_route(page, path):
    page.get_by_role("button", name="Add a route").first.click()
    page.get_by_label("Path", exact=True).fill(path)
    page.get_by_role("button", name="Save edit").click()


def publish_button(page):
    return page.get_by_role("button", name="Publish", exact=True).last


# Keys


def test_a_slash_finds_the_search_of_the_page_or_else_everything(example):
    page = example.open("#/findings")
    page.get_by_role("heading", level=1).click()
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox")).to_be_focused()
    example.open("#/templates")
    page.keyboard.press("/")
    expect(page.get_by_role("dialog", name="Go to").get_by_role("combobox")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)


@pytest.mark.parametrize("typed, found, heading", [
    ("xample.co", "example.com", "example.com"), ("shop", "Example Shop", "Example Shop"),
    ("white", "white-label", "white-label"), ("webh", "Webhooks", "Settings"), ("bulk", "Bulk edit", "Bulk edit")])
def test_ctrl_k_goes_to_a_domain_an_app_a_template_or_a_page(example, site, typed, found, heading):
    site.call("PUT", f"/v1/apps/{SHOP}", {"name": "Example Shop"})
    site.apply_template(1)
    page = example.open("#/changes")
    page.keyboard.press("Control+k")
    page.keyboard.type(typed)
    expect(page.get_by_role("listbox", name="Go to").get_by_role("option", selected=True)).to_contain_text(found)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text(heading)
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_the_palette_begins_with_the_domain_of_just_this_name_and_keeps_the_chosen_one_in_view(example, site):
    for number in range(9):
        site.put(f"a{number}.example.com", "/a/*")
    page = example.open("#/changes")
    page.set_viewport_size({"width": 800, "height": 300})
    page.keyboard.press("Control+k")
    page.keyboard.type("example.com")
    chosen = page.get_by_role("listbox", name="Go to").get_by_role("option", selected=True)
    expect(chosen).to_contain_text("example.com")
    expect(chosen).not_to_contain_text("a0")
    for _ in range(5):
        page.keyboard.press("ArrowDown")
    expect(chosen).to_contain_text("a4")
    expect(chosen).to_be_in_viewport()


@pytest.mark.parametrize("system, key", [("Macintosh; Intel Mac OS X 10_15_7", "⌘K"), ("X11; Linux x86_64", "Ctrl+K")])
def test_keys_have_the_names_that_they_have_on_the_keyboard(open_desk, site, system, key):
    page = open_desk(user_agent=f"Mozilla/5.0 ({system}) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36").sign_in()
    expect(page.get_by_role("button", name="Go to")).to_have_text(key)


def test_the_palette_offers_a_limited_token_only_its_domains_and_no_faults_of_access(open_desk, site):
    site.apply_example()
    site.put("a.brand.example", "/a/*")
    desk = open_desk(bypass_csp=True)
    page = desk.sign_in(site.create_token("editor", "*.brand.example"))
    page.get_by_role("button", name="Go to").click()
    page.keyboard.type("example")
    found = page.get_by_role("listbox", name="Go to").get_by_role("option")
    expect(found).to_have_count(1)
    page.keyboard.press("ArrowDown")
    assert desk.access_faults() == []
    found.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("a.brand.example")


def test_ctrl_z_undoes_what_was_done_to_the_draft_and_then_what_was_published(example):
    page = example.open(DOMAIN)
    page.get_by_role("button", name="Delete /buy/*").click()
    expect(page.locator(".route")).to_have_count(2)
    page.keyboard.press("Control+z")
    expect(page.locator(".route")).to_have_count(3)
    add_route(page, "/gift/*")
    publish_button(page).click()
    expect(page.get_by_text("Published as revision 2")).to_be_visible()
    page.keyboard.press("Control+z")
    expect(page.get_by_role("dialog", name="Undo change")).to_be_visible()


def test_what_was_published_can_be_undone_from_another_page(example):
    page = example.open(DOMAIN)
    add_route(page, "/gift/*")
    publish_button(page).click()
    expect(page.get_by_text("Published as revision 2")).to_be_visible()
    example.open("#/apps", "Apps")
    page.keyboard.press("Control+k")
    page.get_by_role("combobox").fill("undo")
    page.get_by_role("option", name="Undo what you have published last").click()
    expect(page.get_by_role("dialog", name="Undo change")).to_be_visible()


def test_edits_can_be_undone_after_coming_back_to_their_page(example):
    page = example.open(DOMAIN)
    page.get_by_role("button", name="Delete /buy/*").click()
    expect(page.locator(".route")).to_have_count(2)
    example.open("#/apps", "Apps")
    example.open(DOMAIN)
    page.locator(".review").get_by_role("button", name="Undo").click()
    expect(page.locator(".route")).to_have_count(3)


# What need not be typed


def test_a_pasted_url_becomes_the_path_the_query_and_the_fragment_of_a_route(example, site):
    page = example.open(DOMAIN)
    page.get_by_role("button", name="Add a route").first.click()
    page.get_by_label("Path", exact=True).fill("https://example.com/sale/shoes?size=42#top ")
    for key in ("Control+a", "Control+x", "Control+v"):
        page.keyboard.press(key)
    expect(page.get_by_label("Path", exact=True)).to_have_value("/sale/shoes")
    page.get_by_role("button", name="Save edit").click()
    publish_button(page).click()
    expect(page.get_by_text("Published as revision 2")).to_be_visible()
    route = site.call("GET", "/v1/domains/example.com")["entries"][0]["routes"][-1]
    assert (route["path"], route["query"], route["fragment"]) == ("/sale/shoes", "size=42", "top")


def test_a_domain_is_added_with_an_android_app(example, site):
    page = example.open("#/domains")
    page.get_by_role("button", name="Add a domain").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Domain", exact=True).fill("new.example")
    dialog.get_by_label("Android (optional)").fill("com.example.unknown")
    dialog.get_by_role("button", name="Preview").click()
    expect(dialog.get_by_label("Android (optional)")).to_have_attribute("aria-invalid", "true")
    dialog.get_by_label("Android (optional)").fill("com.example.app")
    dialog.get_by_role("button", name="Preview").click()
    page.get_by_role("button", name="Publish", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("new.example")
    entry, = site.call("GET", "/v1/domains/new.example")["entries"]
    assert entry["androidApps"] == ["com.example.app"] and entry["routes"][0]["path"] == "/*"


def test_an_app_of_a_new_domain_can_be_given_by_its_name(example, site):
    page = example.open("#/domains")
    page.get_by_role("button", name="Add a domain").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Domain", exact=True).fill("new.example")
    dialog.get_by_label("App (optional)").fill("Example")
    dialog.get_by_role("button", name="Preview").click()
    page.get_by_role("button", name="Publish", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("new.example")
    assert site.call("GET", "/v1/domains/new.example")["entries"][0]["apps"] == ["ABCDE12345.com.example.app"]


def test_a_domain_that_exists_is_opened_instead_of_added(example):
    page = example.open("#/domains")
    page.get_by_role("button", name="Add a domain").click()
    page.get_by_label("Domain", exact=True).fill("example.com")
    page.get_by_role("button", name="Preview").click()
    page.get_by_role("link", name="Open example.com").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("example.com")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_all_results_of_a_list_of_links_are_expected_at_once(example, site):
    page = example.open("#/try?url=https://example.com/buy/1%0Ahttps://example.com/help/website/a")
    page.get_by_role("button", name="Expect all 4 results").click()
    expect(page.get_by_text("Added an expectation: a change that breaks 4 results")).to_be_visible()
    expect(page.get_by_text("expected", exact=True)).to_have_count(4)
    expect(page.get_by_role("button", name="Expect")).to_have_count(0)
    kept = site.call("GET", "/v1/domains/example.com/expectations")["expectations"]
    assert {(one["url"], one["resolution"]) for one in kept} == {
        ("https://example.com/buy/1", "match"), ("https://example.com/help/website/a", "blocked")}


def test_what_both_sides_added_is_added_once_and_clashes_with_nothing(example, site):
    page = example.open(DOMAIN)
    add_route(page, "/gift/*")
    add_route(page, "/mine/*")
    expect(publish_button(page)).to_be_enabled()
    entry = site.call("GET", "/v1/domains/example.com")["entries"][0]["id"]
    site.call("POST", f"/v1/domains/example.com/entries/{entry}/routes", {"path": "/gift/*"})
    page.reload()
    expect(page.get_by_text("Nothing clashes")).to_be_visible()
    page.get_by_role("button", name="Put my edits on top of revision 2").click()
    expect(page.locator(".route", has_text="/gift/*")).not_to_contain_text("new")
    expect(page.locator(".route", has_text="/mine/*")).to_contain_text("new")
    publish_button(page).click()
    expect(page.get_by_text("Published as revision 3")).to_be_visible()
    paths = [one["path"] for one in site.call("GET", "/v1/domains/example.com")["entries"][0]["routes"]]
    assert paths[-2:] == ["/gift/*", "/mine/*"] and paths.count("/gift/*") == 1


# What is shown


def test_columns_that_say_nothing_are_left_out_until_a_person_chooses_and_stay_as_chosen(example, site):
    page = example.open("#/domains")
    heads = page.get_by_role("columnheader")
    expect(heads).to_have_text(["Domain", "Revision", "Findings", "Android"])
    site.put("staging.example", "/a/*", environment="staging")
    page.reload()
    expect(page.get_by_role("columnheader", name="Environment")).to_be_visible()
    # A cell has a word for what is usual: nobody has to know what a dash stands for.
    expect(page.get_by_role("row").filter(has_text="example.com")).to_contain_text("production")
    expect(page.get_by_role("row").filter(has_text="staging.example")).to_contain_text("no file")
    page.get_by_text("Columns", exact=True).click()
    page.get_by_label("Certificate").check()
    page.get_by_label("Apple’s copy").check()
    expect(page.get_by_role("row").filter(has_text="example.com")).to_contain_text("not fetched")
    page.get_by_label("Apple’s copy").uncheck()
    page.get_by_label("Findings").uncheck()
    # The list closes with Escape, and when the person goes on.
    page.keyboard.press("Escape")
    expect(page.get_by_label("Findings")).to_be_hidden()
    page.get_by_text("Columns", exact=True).click()
    page.get_by_role("searchbox").click()
    expect(page.get_by_label("Findings")).to_be_hidden()
    page.reload()
    expect(heads).to_have_text(["Domain", "Environment", "Revision", "Android", "Certificate"])
    # What is chosen for a few domains hides nothing that others have.
    page.get_by_role("searchbox").fill("example.com")
    expect(heads).to_have_text(["Domain", "Revision", "Android", "Certificate"])
    page.get_by_text("Columns", exact=True).click()
    page.get_by_label("Certificate").uncheck()
    page.get_by_role("searchbox").fill("")
    expect(heads).to_have_text(["Domain", "Environment", "Revision", "Android"])


def test_domains_are_sorted_by_name_and_by_their_last_change_across_pages(example, site):
    def changed(domain):
        return site.call("GET", f"/v1/domains/{domain}")["updatedAt"]

    # Times are whole seconds, and those of one second are sorted by name.
    site.put("d00.example", "/0/*")
    for number in itertools.takewhile(lambda _: changed("d00.example") == changed("example.com"), itertools.count(1)):
        site.put("d00.example", f"/{number}/*")
    for number in range(1, 60):
        site.put(f"d{number:02}.example", "/a/*")
    page = example.open("#/domains")
    rows = page.locator("tbody tr")
    page.get_by_role("columnheader", name="Domain").get_by_role("button").click()
    expect(rows.first).to_contain_text("example.com")
    expect(page.get_by_role("columnheader", name="Domain")).to_have_attribute("aria-sort", "descending")
    page.get_by_role("button", name="Next page").click()
    expect(rows.last).to_contain_text("d00.example")
    page.get_by_role("columnheader", name="Revision").get_by_role("button").click()
    expect(rows.first).to_contain_text("example.com")
    expect(page.get_by_role("columnheader", name="Revision")).to_have_attribute("aria-sort", "ascending")
    # The list stays sorted for the person.
    example.open("#/apps", "Apps")
    example.open("#/domains")
    expect(page.get_by_role("columnheader", name="Revision")).to_have_attribute("aria-sort", "ascending")
    expect(rows.first).to_contain_text("example.com")


def test_trouble_is_summed_up_above_the_list_and_leads_to_it(example, site):
    site.put("off.example", "/a/*", enabled=False)
    site.put("failing.example", "/a/*")
    site.call("POST", "/v1/check", {"domains": ["failing.example"]})
    site.call("POST", "/v1/drafts", {"domains": [{"domain": "off.example", "cacheSeconds": 60}]})
    page = example.open("#/domains")
    trouble = page.locator(".trouble")
    expect(trouble).to_have_text("1 check fails · 2 not current at Apple · 1 of your drafts waits")
    rows = page.locator("tbody tr")
    for link, domains in (("1 check fails", ["failing.example"]),
                          ("2 not current at Apple", ["example.com", "failing.example"])):
        trouble.get_by_role("link", name=link).click()
        expect(rows.get_by_role("link")).to_have_text(domains)
    trouble.get_by_role("link", name="1 of your drafts waits").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Approvals")


def test_without_trouble_nothing_is_summed_up(example, site):
    site.call("PATCH", "/v1/domains/example.com?accept=opens-nothing", {"enabled": False})
    page = example.open("#/domains")
    expect(page.locator("tbody tr")).to_have_count(1)
    expect(page.locator(".trouble")).to_have_count(0)


def test_what_can_be_done_with_a_route_appears_with_the_pointer_and_with_the_focus(example):
    page = example.open(DOMAIN)
    button = page.get_by_role("button", name="Delete /buy/*")
    expect(button).to_have_css("opacity", "0")
    page.locator(".route", has_text="/buy/*").hover()
    expect(button).to_have_css("opacity", "1")
    page.mouse.move(0, 0)
    expect(button).to_have_css("opacity", "0")
    button.focus()
    expect(button).to_have_css("opacity", "1")


def test_a_draft_is_in_one_place_with_its_effects_by_route(example):
    page = example.open(DOMAIN)
    add_route(page, "/gift/*")
    review = page.locator(".review")
    expect(review.get_by_role("status")).to_have_text("Ready to publish: 1 change, affecting links.")
    # What Android makes of a route is part of it.
    change = review.locator(".changes > li")
    expect(change).to_have_count(1)
    expect(change).to_have_text(re.compile(r'route "/gift/\*" added.*iOS Example.*Android Example', re.DOTALL))
    expect(review).to_contain_text("Saved in this browser")
    review.get_by_role("button", name="Undo").click()
    expect(review).to_have_count(0)


def test_the_history_says_in_words_what_was_done(example, site):
    site.put("one.example", "/a/*")
    site.put("one.example", "/a/*", cacheSeconds=5400)
    site.call("PATCH", "/v1/domains/one.example?reason=put%20it%20right", {"strict": True}, **{"If-Match": "*"})
    page = example.open("#/domains/one.example/history?from=1&to=3")
    revisions = page.locator(".history-list li")
    expect(revisions.nth(2)).to_contain_text("Created")
    expect(revisions.nth(1)).to_contain_text("Saved domain")
    # What a person wrote stays as it is.
    expect(revisions.nth(0)).to_contain_text("put it right")
    expect(page.locator(".changes li")).to_have_text([
        "Cache time: 1 hour → 90 minutes", "Refuse apps of another environment: no → yes"])
    example.open("#/domains")
    expect(page.get_by_role("row").filter(has_text="one.example")).to_contain_text("3 · just now")
    expect(page.get_by_role("button", name="Production", exact=True)).to_be_visible()


def test_the_routes_of_a_domain_are_one_page_and_its_settings_another_with_one_draft(example, site):
    page = example.open(DOMAIN)
    expect(page.get_by_role("button", name="Disable")).to_have_count(0)
    add_route(page, "/gift/*")
    section(page, "Settings")
    expect(page.get_by_role("heading", name="Stop serving")).to_be_visible()
    page.get_by_role("button", name="Edit settings").click()
    for group in ("Names and ownership", "How files are published", "People without the app"):
        expect(page.get_by_role("heading", name=group)).to_be_visible()
    page.get_by_label("Cache time").fill("60")
    publish_button(page).click()
    expect(page.get_by_text("Published as revision 2")).to_be_visible()
    domain = site.call("GET", "/v1/domains/example.com")
    assert domain["cacheSeconds"] == 60 and domain["entries"][0]["routes"][-1]["path"] == "/gift/*"


def test_a_message_replaces_the_one_before_and_stays_behind_on_its_page(example, site):
    page = example.open(DOMAIN)
    for number in (2, 3):
        add_route(page, f"/{number}/*")
        publish_button(page).click()
        expect(page.locator(".message")).to_have_text(re.compile(f"Published as revision {number}"))
    page.clock.install()
    page.clock.run_for(2000)
    page.get_by_role("link", name="Findings").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Findings")
    expect(page.locator(".message")).to_have_count(0)


def test_files_that_need_a_decision_are_listed_first(example):
    page = example.open("#/bulk")
    file = json.dumps({"applinks": {"details": [{"appIDs": [APP], "components": [{"/": "/other/*"}]}]}}).encode()
    page.locator("input[type=file]").first.set_input_files([
        {"name": "a.example.json", "mimeType": "application/json", "buffer": file},
        {"name": "b.example.json", "mimeType": "application/json", "buffer": b'{"applinks": '}])
    expect(page.get_by_role("heading", name="1 file needs a decision")).to_be_visible()
    expect(page.get_by_role("heading", name="1 file to publish")).to_be_visible()
    expect(page.locator(".rows .file").first).to_contain_text("b.example.json")


def test_a_webhook_that_was_turned_off_says_so_without_a_reload(example, site):
    hook = {"url": "https://hooks.example.com/"}
    site.call("PUT", "/v1/webhooks/hook", hook)
    page = example.page
    page.clock.install()
    example.open("#/settings/webhooks/hook")
    expect(page.locator(".facts")).to_contain_text("on")
    site.call("PUT", "/v1/webhooks/hook", {**hook, "enabled": False})
    page.clock.run_for(6000)
    expect(page.locator(".facts").get_by_text("off", exact=True)).to_be_visible()


def test_the_audit_log_is_asked_for_the_days_of_the_person(example):
    page = example.open("#/settings/audit")
    page.get_by_label("From", exact=True).fill("2026-11-01")
    page.get_by_label("To", exact=True).fill("2026-11-02")
    with page.expect_request(re.compile("/v1/audit")) as asked:
        page.get_by_role("button", name="Filter", exact=True).click()
    for part in ("since=2026-11-01T00%3A00%3A00", "until=2026-11-02T23%3A59%3A59"):
        assert part in asked.value.url
    page.get_by_role("button", name="Clear the filters").click()
    expect(page.get_by_label("From", exact=True)).to_have_value("")


def test_somebody_whom_only_the_proxy_knows_reads_their_name_and_whom_to_ask(tmp_path, chromium):
    site = Site(tmp_path, "--admin-user-header", "X-Forwarded-User", "--trusted-proxies", "127.0.0.1",
                "--admin-hosts", "127.0.0.1")
    site.call("PUT", "/v1/users/anna@example.com", {"role": "admin"})
    desk = Desk(chromium, site, extra_http_headers={"X-Forwarded-User": "otto@example.com"})
    desk.page.goto("/")
    expect(desk.page.get_by_text("You are signed in as otto@example.com")).to_be_visible()
    expect(desk.page.get_by_text("Ask an admin of this server to add you: anna@example.com.")).to_be_visible()
    site.call("PUT", "/v1/users/otto@example.com", {"role": "viewer"})
    desk.page.get_by_role("button", name="Try again").click()
    expect(desk.page.get_by_role("heading", level=1)).to_have_text("Domains")
    desk.close()
    site.stop()
