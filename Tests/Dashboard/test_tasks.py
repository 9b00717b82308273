"""The main task of each page, from the first click to what the API holds afterwards."""
import json
import pathlib
import re
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request

import pytest
from conftest import APP, SHOP, Desk, Site, sign_out
from playwright.sync_api import expect

DOMAIN = "#/domains/example.com"
# What can be clicked and is below a message.
COVERED = """(() => {
  const box = document.querySelector(".messages").getBoundingClientRect();
  const isBelow = (other) => other.width > 0 && other.left < box.right && box.left < other.right
    && other.top < box.bottom && box.top < other.bottom;
  return [...document.querySelectorAll(":is(a, button, input, select, textarea):not(.messages *)")]
    .filter((one) => isBelow(one.getBoundingClientRect())).map((one) => one.outerHTML);
})()"""


def routes(site, domain="example.com"):
    return [route["path"] for entry in site.call("GET", f"/v1/domains/{domain}")["entries"] for route in entry["routes"]]


def publish(page, reason):
    panel = page.get_by_label(re.compile("^Reason")).last
    panel.fill(reason)
    page.get_by_role("button", name="Publish", exact=True).last.click()


def test_the_first_start_offers_the_example(desk, site):
    page = desk.sign_in()
    page.get_by_role("button", name=re.compile("example", re.I)).first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("example.com")
    assert routes(site) == ["/help/website/*", "/help/*", "/buy/*"]


def test_the_first_start_adopts_what_a_domain_serves(tmp_path, monkeypatch, chromium):
    program = pathlib.Path(__file__).parents[1] / "StandIns/standins.py"
    outside = subprocess.Popen(
        [sys.executable, "-B", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    ready = json.loads(outside.stdout.readline())
    monkeypatch.setenv("AASA_ALLOW_PRIVATE_ADDRESSES", "127.0.0.0/8")
    monkeypatch.setenv("AASA_CHECK_PLACES", f"*:127.0.0.1:{ready['site']}")
    monkeypatch.setenv("AASA_CHECK_AUTHORITIES", ready["authorities"])
    file = {"applinks": {"details": [{"appIDs": [APP], "components": [{"/": "/live/*"}]}]}}
    path = "/.well-known/apple-app-site-association"
    behavior = json.dumps({"paths": {path: {"body": json.dumps(file)}}}).encode()
    urllib.request.urlopen(urllib.request.Request(
        f"http://127.0.0.1:{ready['control']}/sites/live.example", data=behavior, method="PUT")).close()
    site = Site(tmp_path)
    desk = Desk(chromium, site)
    page = desk.sign_in()
    page.get_by_label("Domains", exact=True).fill("live.example gone.example")
    page.get_by_role("button", name="Fetch their files").click()
    expect(page.get_by_text("gone.example serves no association file.")).to_be_visible()
    page.get_by_role("button", name="Publish 1 file").click()
    expect(page.get_by_text("No domains yet")).to_have_count(0)
    page.get_by_role("button", name="Show all domains").click()
    expect(page.get_by_role("link", name="live.example", exact=True)).to_be_visible()
    assert site.call("GET", "/v1/domains/live.example/file") == file
    desk.close()
    site.stop()
    outside.stdin.close()
    outside.wait()


def test_a_domain_is_found_by_its_alias_and_by_a_filter_that_the_address_remembers(example, site):
    site.put("other.example", "/a/*", aliases=["shop.other.example"], enabled=False)
    page = example.open("#/domains")
    page.get_by_role("searchbox").fill("shop.other")
    expect(page.locator("tbody tr")).to_have_count(1)
    page.get_by_role("searchbox").fill("")
    page.get_by_role("button", name="Disabled").click()
    expect(page.locator("tbody tr")).to_have_count(1)
    page.reload()
    expect(page.locator("tbody tr")).to_have_count(1)
    page.get_by_role("link", name="other.example", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("other.example")
    page.go_back()
    expect(page.get_by_role("button", name="Disabled")).to_have_attribute("aria-pressed", "true")


def test_a_route_is_added_as_a_draft_that_shows_its_effect_before_it_is_published(example, site):
    page = example.open(DOMAIN)
    page.get_by_role("button", name="Add a route").first.click()
    page.get_by_label("Path", exact=True).fill("/gift/*")
    page.get_by_role("button", name="Save edit").click()
    expect(page.locator(".route", has_text="/gift/*")).to_contain_text("new")
    assert routes(site) == ["/help/website/*", "/help/*", "/buy/*"]
    page.reload()
    expect(page.get_by_text("Saved in this browser")).to_be_visible()
    publish(page, "Gifts for everybody")
    expect(page.get_by_text("Published as revision 2")).to_be_visible()
    assert routes(site)[-1] == "/gift/*"
    revision = site.call("GET", "/v1/domains/example.com/revisions")["items"][0]
    assert revision["reason"] == "Gifts for everybody" and revision["author"] == "admin"


def test_routes_are_reordered_with_the_keyboard_alone(example, site):
    page = example.open(DOMAIN)
    up = page.get_by_role("button", name=re.compile("^Move up: .*buy"))
    up.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("is now route 2 of 3")).to_be_attached()
    page.keyboard.press("Enter")
    expect(page.get_by_text("is now route 1 of 3")).to_be_attached()
    publish(page, "Buying first")
    expect(page.get_by_text("Published as revision 2")).to_be_visible()
    assert routes(site) == ["/buy/*", "/help/website/*", "/help/*"]


def test_routes_are_reordered_by_dragging(example, site):
    page = example.open(DOMAIN)
    page.locator(".route .handle").last.drag_to(page.locator(".route").first, target_position={"x": 80, "y": 3})
    expect(page.locator(".route .path").first).to_have_text("/buy/*")
    publish(page, "Dragged")
    expect(page.get_by_text("Published as revision 2")).to_be_visible()
    assert routes(site) == ["/buy/*", "/help/website/*", "/help/*"]


def test_entries_are_reordered_by_dragging_and_by_keyboard(example, site):
    entries = [{"apps": [app], "routes": [{"path": path}]} for app, path in [(APP, "/a"), (SHOP, "/b"), (APP, "/c")]]
    site.call("PUT", "/v1/domains/entries.example", {"entries": entries}, **{"If-None-Match": "*"})
    page = example.open("#/domains/entries.example")
    page.set_viewport_size({"width": 1280, "height": 1400})
    paths = page.locator(".route .path")
    handles, entry = page.locator("h3 .handle"), page.locator(".entry")
    handles.last.drag_to(entry.first, target_position={"x": 80, "y": 3})
    expect(paths).to_have_text(["/c", "/a", "/b"])
    expect(page.get_by_role("button", name="Publish", exact=True)).to_be_enabled()
    # Over a route of an entry, too; and a route does not go between entries.
    handles.first.drag_to(page.locator(".route").last)
    expect(paths).to_have_text(["/a", "/b", "/c"])
    page.locator(".route .handle").first.drag_to(entry.last.get_by_role("heading", name="Entry 3"))
    expect(paths).to_have_text(["/a", "/b", "/c"])
    page.get_by_role("button", name="Edit apps, Entry 2").focus()
    page.keyboard.press("Alt+ArrowUp")
    expect(paths).to_have_text(["/b", "/a", "/c"])
    publish(page, "Sorted")
    expect(page.get_by_text("Published as revision 2")).to_be_visible()
    assert routes(site, "entries.example") == ["/b", "/a", "/c"]


def test_a_moved_route_is_marked_and_shows_every_link_that_it_changes(example, site):
    site.put("order.example", {"path": "/help", "exclude": True}, {"path": "/new", "exclude": True}, "/*")
    page = example.open("#/domains/order.example")
    up = page.get_by_role("button", name="Move up: /*", exact=True)
    up.click()
    up.click()
    # One line for each link: what it did, and what it will do.
    expect(page.locator("aasa-draft-review .changes li > div")).to_have_text([
        f"order.example/{path} stays in the browser → opens the app iOS Example" for path in ("new", "help")])
    expect(page.locator(".route").first).to_contain_text("moved")
    expect(page.get_by_text("moved", exact=True)).to_have_count(1)
    page.get_by_role("link", name="Domains").click()
    row = page.get_by_role("row", name=re.compile("order.example"))
    expect(row.get_by_text("edited", exact=True)).to_be_visible()


def test_domains_are_found_by_a_unicode_name_and_by_a_url(example, site):
    site.put("xn--mnchen-3ya.example", "/*")
    page = example.open("#/domains")
    for searched, found in [("münch", "münchen.example"), ("https://example.com/buy/1?ref=mail", "example.com")]:
        page.get_by_role("searchbox").fill(searched)
        expect(page.locator("tbody tr")).to_have_count(1)
        expect(page.locator("tbody tr")).to_contain_text(found)


def test_an_app_whose_identifier_is_odd_is_refused_or_warned_of_before_a_domain_is_added(example, site):
    page = example.open("#/domains")
    page.get_by_role("button", name="Add a domain").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Domain", exact=True).fill("odd.example")
    dialog.get_by_label("App (optional)").fill("shop")
    dialog.get_by_role("button", name="Preview").click()
    expect(dialog.get_by_label("App (optional)")).to_have_accessible_description(re.compile("has no dot"))
    expect(dialog.get_by_label("App (optional)")).to_be_focused()
    dialog.get_by_label("App (optional)").fill("com.shop")
    dialog.get_by_role("button", name="Preview").click()
    expect(dialog.get_by_text("The prefix of com.shop is not ten capital letters and digits")).to_be_visible()


def test_a_change_that_breaks_an_expectation_is_shown_and_not_published(example, site):
    expected = [{"url": "https://example.com/buy/1", "app": APP, "resolution": "match"}]
    site.call("PATCH", "/v1/domains/example.com", {"expectations": expected}, **{"If-Match": "*"})
    page = example.open(DOMAIN)
    page.get_by_role("button", name=re.compile("^Delete .*buy")).click()
    expect(page.get_by_text("Expectations that would break")).to_be_visible()
    expect(page.get_by_text("example.com/buy/1").first).to_be_visible()
    expect(page.get_by_role("button", name="Publish", exact=True)).to_be_disabled()
    assert "/buy/*" in routes(site)


def test_a_lost_update_shows_both_sides_and_keeps_the_draft(example, site):
    page = example.open(DOMAIN)
    page.get_by_role("button", name=re.compile("^Delete .*buy")).click()
    expect(page.get_by_role("button", name="Publish", exact=True).last).to_be_enabled()
    entry = site.call("GET", "/v1/domains/example.com")["entries"][0]["id"]
    site.call("POST", f"/v1/domains/example.com/entries/{entry}/routes?reason=Theirs", {"path": "/theirs/*"})
    publish(page, "Mine")
    expect(page.get_by_text("Others published while you worked")).to_be_visible()
    expect(page.get_by_text("Revision 2 by admin: Theirs")).to_be_visible()
    expect(page.get_by_text("/theirs/").first).to_be_visible()
    page.reload()
    page.get_by_role("button", name="Put my edits on top of revision 2").click()
    publish(page, "Both")
    expect(page.get_by_text("Published as revision 3")).to_be_visible()
    assert routes(site) == ["/help/website/*", "/help/*", "/theirs/*"]


def test_a_reordered_draft_does_not_hide_a_route_that_others_added(example, site):
    page = example.open(DOMAIN)
    page.get_by_role("button", name=re.compile("^Move up: .*buy")).click()
    expect(page.get_by_role("button", name="Publish", exact=True).last).to_be_enabled()
    entry = site.call("GET", "/v1/domains/example.com")["entries"][0]["id"]
    site.call("POST", f"/v1/domains/example.com/entries/{entry}/routes",
              {"path": "/buy/web/*", "exclude": True, "position": 2})
    page.reload()
    expect(page.get_by_text("Both sides changed these")).to_be_visible()
    expect(page.get_by_text("the order").first).to_be_visible()


def test_a_link_is_tried_and_becomes_an_expectation(example, site):
    page = example.open("#/try")
    page.get_by_label("Links").fill("https://example.com/help/website/faq\nexample.com/buy/1")
    page.get_by_role("button", name="Try", exact=True).click()
    expect(page.get_by_text("stays in the browser").first).to_be_visible()
    expect(page.get_by_text(re.compile("opens the app", re.I)).first).to_be_visible()
    expect(page.get_by_text("https:// was added")).to_be_visible()
    example.settle()
    page.get_by_role("button", name=re.compile("^Expect “stays in the browser”.*" + re.escape(APP))).click()
    expect(page.locator(".message")).to_be_visible()
    kept = site.call("GET", "/v1/domains/example.com/expectations")["expectations"]
    assert [(one["url"], one["resolution"]) for one in kept] == [("https://example.com/help/website/faq", "blocked")]


@pytest.mark.parametrize("path, verdict", [
    ("buy/1", "Opens Example on iOS and Android"), ("help/website/faq", "Stays in the browser"),
    ("other", "Opens no app"), ("shop", "Opens Example on iOS, no app on Android")])
def test_a_link_is_answered_with_the_app_that_it_opens_before_anything_else(example, site, path, verdict):
    site.put("shop.example", "/shop", {"path": "/help/*", "exclude": True})
    site.call("PATCH", "/v1/domains/shop.example", {"entries": [
        {"apps": [APP], "routes": [{"path": "/shop"}]}, {"apps": [], "androidApps": ["com.example.app"], "routes": [
            {"path": "/other"}]}]})
    host = "shop.example" if path == "shop" else "example.com"
    page = example.open(f"#/try?url=https://{host}/{path}")
    head = page.locator("main h2").first
    expect(head).to_have_text(f"{verdict} https://{host}/{path}")
    # What explains it stands below, and is smaller.
    sizes = page.locator("main :is(.verdict, .mono, .badge, td p)").evaluate_all(
        "(all) => all.map((one) => parseFloat(getComputedStyle(one).fontSize))")
    assert sizes[0] == max(sizes) and max(sizes[1:]) < sizes[0]


def test_what_is_no_link_is_told_and_a_disabled_domain_offers_no_expectation(example, site):
    site.put("off.example", "/*", enabled=False)
    page = example.open("#/try")
    page.get_by_label("Links").fill("not a url\nhttps://off.example/a")
    page.get_by_role("button", name="Try", exact=True).click()
    expect(page.get_by_text("Left out 1 line that is not a link: “not a url”.")).to_be_visible()
    expect(page.get_by_text("1 link tried")).to_be_visible()
    example.settle()
    expect(page.get_by_role("button", name=re.compile("^Expect"))).to_have_count(0)


def test_a_link_is_tried_on_a_draft_with_the_route_that_decides(example, site):
    page = example.open(DOMAIN)
    page.get_by_role("button", name=re.compile("^Delete .*buy")).click()
    expect(page.get_by_role("button", name="Publish", exact=True).last).to_be_enabled()
    page = example.open(DOMAIN + "/try?url=https://example.com/buy/1")
    draft = page.locator("td[data-title='Your edits']").first
    expect(draft).to_contain_text("no route matches")
    expect(draft).to_contain_text("The closest is")


def test_a_revision_is_compared_and_rolled_back_with_a_preview(example, site):
    site.call("PATCH", "/v1/domains/example.com", {"entries": [
        {"apps": [APP], "androidApps": ["com.example.app"], "routes": [{"path": "/gift/*"}, {"path": "/buy/*"}]}]},
        **{"If-Match": "*"})
    page = example.open(DOMAIN + "/history")
    expect(page.get_by_text("/gift/").first).to_be_visible()
    heading = page.locator("#compared")
    expect(heading).to_have_text("Revision 1 → 2")
    # What machines read is behind what changed.
    expect(page.get_by_label("From")).to_be_hidden()
    page.get_by_text("Files, and other revisions to compare").click()
    expect(page.get_by_label("From")).to_have_value("1")
    expect(page.get_by_role("link", name=re.compile("^Apple \\d+ bytes"))).to_be_visible()
    page.get_by_role("link", name="Revision 1: Applied a state").click()
    expect(heading).to_have_text("Revision 1")
    expect(heading).to_be_focused()
    page.get_by_role("button", name=re.compile("Roll back")).first.click()
    page.get_by_label(re.compile("^Reason")).last.fill("It was better")
    page.get_by_role("dialog").get_by_role("button", name=re.compile("Roll back")).click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert routes(site) == ["/help/website/*", "/help/*", "/buy/*"]
    assert site.call("GET", "/v1/domains/example.com/revisions")["items"][0]["reason"] == "It was better"


def test_names_between_backticks_are_shown_as_code_and_a_lone_backtick_stays(example, site):
    site.call("PUT", "/v1/domains/old.example/file", {
        "applinks": {"details": [{"appIDs": [APP], "paths": ["/a`b/*"]}]}})
    site.call("POST", "/v1/domains/old.example/convert", {}, **{"If-Match": "*"})
    page = example.open("#/domains/old.example/history")
    change = page.locator(".changes li", has_text="now in components")
    expect(change.locator("code", has_text="components")).to_be_visible()
    expect(change).to_contain_text('a`b')


def test_the_worst_findings_come_first_whatever_else_the_address_says(example, site):
    file = {"applinks": {"details": [{"appIDs": [APP], "components": [{"/": "/$(nowhere)"}]}]}}
    site.call("PUT", "/v1/domains/z.example/file?accept=undefined-variable,opens-nothing", file)
    page = example.open("#/findings?state=x")
    codes = page.locator(".found-code")
    expect(codes.first).to_have_attribute("open", "")
    expect(codes.first).to_contain_text("error")
    expect(codes.first.get_by_role("listitem")).to_contain_text("z.example")
    example.open("#/findings?domain=z.example")
    expect(page.get_by_role("heading", level=2).first).to_have_text(re.compile("^error A variable has no definition"))


def test_findings_of_all_domains_are_listed_by_code_with_each_text_once(example, site):
    for name in ("one.example", "two.example"):
        site.put(name, {"path": "/a/*", "comment": "Everybody can read this"})
    page = example.open("#/findings")
    codes = page.locator(".found-code")
    code = codes.filter(has_text="www-sibling-missing")
    counts = site.call("GET", "/v1/findings?suppressed=false&severity=note")["counts"]
    expect(code.locator("summary")).to_have_text(
        f"note Links with www stay in the browser www-sibling-missing · {counts['www-sibling-missing']} findings")
    code.locator("summary").press("Enter")
    expect(code).to_have_attribute("open", "")
    # One at a time; the address says which, so that going back closes it.
    expect(page.locator(".found-code[open]")).to_have_count(1)
    expect(code.get_by_text("published for …, and not also for www.…")).to_have_count(1)
    expect(code.get_by_role("link", name="one.example")).to_have_attribute("href", "#/domains/one.example")
    expect(code.get_by_role("link", name="two.example")).to_be_visible()
    page.reload()
    expect(code).to_have_attribute("open", "")
    code.locator("summary").click()
    expect(page.locator(".found-code[open]")).to_have_count(0)
    page.go_back()
    expect(code).to_have_attribute("open", "")


def test_what_differs_between_findings_stands_beside_each_domain_and_what_they_share_stands_once(example, site):
    site.put("one.example", "/*")
    site.put("two.example", "/*", app=SHOP)
    page = example.open("#/findings?code=takes-sign-in-pages&severity=note")
    code = page.locator(".found-code[open]")
    expect(code.get_by_text("the app … may open")).to_have_count(1)
    expect(code.get_by_role("listitem")).to_have_text([
        re.compile(f"one.example · {APP} · Open route 1 of entry 1"),
        re.compile(f"two.example · {SHOP} · Open route 1 of entry 1")])
    # Of one domain, the text says it.
    example.open("#/findings?domain=two.example")
    sheet = page.locator(".found-code", has=page.get_by_role("heading", name="The app may open during a sign-in"))
    expect(sheet.get_by_text(f"the app {SHOP} may open")).to_be_visible()


def test_a_finding_leads_to_its_route_which_is_marked(example, site):
    site.put("long.example", *[f"/{number}/*" for number in range(60)], {"path": "/sale/*", "comment": "Until May"})
    page = example.open("#/findings?domain=long.example")
    page.get_by_role("link", name="Open route 61 of entry 1").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("long.example")
    marked = page.locator(".route[aria-current]")
    expect(marked).to_have_count(1)
    expect(marked).to_contain_text("/sale/*")
    expect(marked).to_be_focused()
    expect(marked).to_be_in_viewport()
    # A draft may have moved it.
    page.get_by_role("button", name="Delete /0/*", exact=True).click()
    expect(marked).to_contain_text("/sale/*")
    example.settle()
    assert example.access_faults() == []


@pytest.mark.parametrize("button, kind", [("^Delete .*faq|^Delete .*website", "ok"), ("^Delete .*buy", "error"),
                                          ("^Delete entry", "warning")])
def test_the_state_of_a_draft_looks_as_what_there_is_to_do(example, site, button, kind):
    if kind == "error":
        site.call("PUT", "/v1/domains/example.com/expectations", {"expectations": [
            {"url": "https://example.com/buy/1", "app": APP, "resolution": "match"}]}, **{"If-Match": "*"})
    page = example.open(DOMAIN)
    page.get_by_role("button", name=re.compile(button)).first.click()
    expect(page.locator(".review-foot > [role=status]")).to_have_class(f"box {kind}")
    # The head of the domain says on all tabs that there is a draft.
    example.open(DOMAIN + "/history")
    expect(page.locator(".domain-head").get_by_text("edited", exact=True)).to_be_visible()


def test_a_finding_is_suppressed_with_a_reason(example, site):
    page = example.open("#/findings")
    before = site.call("GET", "/v1/findings?suppressed=false")["total"]
    page.get_by_role("button", name=re.compile("^Suppress")).first.click()
    page.get_by_role("dialog").get_by_label("Reason").fill("We know")
    page.get_by_role("dialog").get_by_role("button", name=re.compile("^Suppress")).click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert site.call("GET", "/v1/findings?suppressed=false")["total"] < before


def test_suppressed_findings_do_not_count_on_the_page_of_their_domain(example, site):
    site.put("one.example", "/*")
    page = example.open("#/domains/one.example")
    expect(page.get_by_text("Findings: 1 note")).to_be_visible()
    site.call("POST", "/v1/domains/one.example/suppressions", {
        "code": "www-sibling-missing", "document": "apple-app-site-association", "pointer": "",
        "reason": "No such links", "owner": "admin", "until": "2099-01-01T00:00:00Z"})
    page.reload()
    expect(page.get_by_text("Findings: none")).to_be_visible()


def test_an_app_is_added_and_renamed_in_all_domains_after_a_plan(example, site):
    page = example.open("#/apps")
    page.get_by_role("button", name="Add an Apple app").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("App identifier").fill("com.example.shop")
    dialog.get_by_role("button", name="Add", exact=True).click()
    expect(dialog.get_by_label("App identifier")).to_have_attribute("aria-invalid", "true")
    dialog.get_by_label("App identifier").fill(SHOP)
    dialog.get_by_label("Name").fill("Shop")
    dialog.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_text(SHOP).first).to_be_visible()
    example.open(f"#/apps/apple/{APP}")
    page.get_by_label("New app identifier").fill("ABCDE12345.com.example.renamed")
    page.get_by_role("button", name="Preview").click()
    expect(dialog.get_by_text("example.com").first).to_be_visible()
    assert site.call("GET", "/v1/domains/example.com")["entries"][0]["apps"] == [APP]
    dialog.get_by_label("Reason").fill("New name")
    dialog.get_by_role("button", name="Change the identifier").click()
    expect(dialog).to_have_count(0)
    assert site.call("GET", "/v1/domains/example.com")["entries"][0]["apps"] == ["ABCDE12345.com.example.renamed"]


def test_a_route_is_added_to_many_domains_after_a_preview(example, site):
    for number in range(3):
        site.put(f"d{number}.example", "/a/*")
    site.call("PUT", "/v1/domains/passwords.example", {"webcredentials": [APP]}, **{"If-None-Match": "*"})
    page = example.open("#/bulk/route")
    page.get_by_label("App", exact=True).fill(APP)
    page.get_by_label("Path", exact=True).fill("/sale/*")
    expect(page.get_by_text("5 domains.")).to_be_visible()
    page.get_by_role("button", name="Preview").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("It has no entry of its own with")).to_be_visible()
    dialog.get_by_label("Leave domains that are refused as they are").check()
    expect(dialog.get_by_text("4 domains change.")).to_be_visible()
    expect(dialog.get_by_text("d2.example").first).to_be_visible()
    dialog.get_by_text("1 domain is refused, and left out").click()
    expect(dialog.get_by_role("link", name="passwords.example")).to_be_visible()
    assert routes(site, "d2.example") == ["/a/*"]
    dialog.get_by_label("Reason").fill("Sale")
    dialog.get_by_role("button", name="Publish").click()
    expect(page.get_by_text("4 changed")).to_be_visible()
    assert all(routes(site, f"d{number}.example") == ["/a/*", "/sale/*"] for number in range(3))


def test_routes_of_domains_with_a_label_are_moved_and_replaced_whatever_their_apps(example, site):
    for number, app in enumerate([APP, SHOP]):
        site.put(f"d{number}.example", "/a/*", "/b/*", app=app)
        site.call("PATCH", f"/v1/domains/d{number}.example", {"labels": ["brand-a"]})
    page = example.open("#/bulk/route")
    page.get_by_label("Path", exact=True).fill("/b/*")
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_text("Choose domains that exist")).to_be_visible()
    page.get_by_label("Label", exact=True).fill("brand-a")
    page.get_by_label("Label", exact=True).press("Tab")
    expect(page.get_by_text("2 domains.")).to_be_visible()
    dialog = page.get_by_role("dialog")
    for action, field, value, place, after in [
            ("Move a route", "Path of that route", "/a/*", "before a route", ["/b/*", "/a/*"]),
            ("Replace a route", "New path", "/c/*", None, ["/c/*", "/a/*"])]:
        page.get_by_label("Edit", exact=True).select_option(action)
        if place:
            page.get_by_label("Place").select_option(place)
        page.get_by_label(field).fill(value)
        page.get_by_role("button", name="Preview").click()
        expect(dialog.get_by_text("2 domains change.")).to_be_visible()
        dialog.get_by_label(re.compile("Publish anyway")).or_(dialog.get_by_label("Reason")).first.wait_for()
        dialog.get_by_role("button", name="Publish").click()
        expect(dialog).to_have_count(0)
        expect(page.get_by_text("2 changed")).to_be_visible()
        assert all(routes(site, f"d{number}.example") == after for number in range(2))


def test_a_token_is_created_shown_once_and_revoked(example, site):
    page = example.open("#/settings")
    page.get_by_role("button", name=re.compile("^(Add|Create)")).first.click()
    page.get_by_label("Name", exact=True).last.fill("pipeline")
    page.get_by_role("button", name=re.compile("^(Add|Create)")).last.click()
    secret = page.get_by_text(re.compile("^aasa_")).first
    expect(secret).to_be_visible()
    for _ in range(3):
        page.keyboard.press("Escape")
    expect(secret).to_be_visible()
    page.get_by_role("button", name="Copy").click()
    page.get_by_role("button", name="I have copied it").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.locator(".message")).to_be_visible()
    assert page.evaluate(COVERED) == []
    assert "pipeline" in [token["name"] for token in site.call("GET", "/v1/tokens")["items"]]
    page.reload()
    expect(page.get_by_text("pipeline").first).to_be_visible()
    expect(page.get_by_text(re.compile("^aasa_"))).to_have_count(0)


def test_a_token_is_rotated_and_the_new_one_shown_once(example, site):
    old = site.create_token("viewer", name="pipeline")
    page = example.open("#/settings/tokens")
    expect(page.get_by_role("button", name="Revoke the token “admin”")).to_be_visible()
    expect(page.get_by_role("button", name="Rotate the token “admin”")).to_have_count(0)
    page.get_by_role("button", name="Rotate the token “pipeline”").click()
    page.get_by_role("dialog").get_by_role("button", name="Rotate").click()
    secret = page.get_by_role("dialog", name="Token “pipeline”").get_by_text(re.compile("^aasa_"))
    expect(secret).to_be_visible()
    site.token, admin = secret.inner_text(), site.token
    assert site.call("GET", "/v1/session")["name"] == "pipeline"
    site.token = old
    with pytest.raises(urllib.error.HTTPError, match="401"):
        site.call("GET", "/v1/session")
    site.token = admin


def test_a_token_that_publishes_only_some_documents_says_which(example, site):
    site.call("POST", "/v1/tokens", {"name": "security", "role": "editor", "documents": ["security.txt"]})
    page = example.open("#/settings")
    expect(page.get_by_role("row").filter(has_text="security")).to_contain_text("only security.txt")


def test_an_invalid_value_marks_its_field_which_gets_the_focus(example, site):
    page = example.open("#/settings/webhooks")
    page.get_by_role("button", name="Add a webhook").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill("hook")
    dialog.get_by_label("URL").fill("ftp://hooks.example.com/")
    dialog.get_by_label("Domains").fill("not a.*.domain")
    dialog.get_by_role("button", name="Save").click()
    for label, said in [("URL", "must begin with https://"), ("Domains", "not the whole first label")]:
        expect(dialog.get_by_label(label)).to_have_attribute("aria-invalid", "true")
        expect(dialog.get_by_label(label)).to_have_accessible_description(re.compile(re.escape(said)))
        expect(dialog.get_by_label(label)).not_to_have_accessible_description(re.compile("alias"))
    expect(dialog.get_by_label("URL")).to_be_focused()
    expect(dialog.get_by_text("The body has")).to_have_count(0)
    dialog.get_by_label("URL").fill("https://hooks.example.com/")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.get_by_label("URL")).not_to_have_attribute("aria-invalid", "true")
    expect(dialog.get_by_label("Domains")).to_be_focused()
    dialog.get_by_label("Domains").fill("example.com")
    dialog.get_by_role("button", name="Save").click()
    expect(page.get_by_text(re.compile("^whsec_"))).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="I have copied it").click()
    expect(page.get_by_role("link", name="hook", exact=True)).to_be_visible()


def test_a_check_that_fails_says_why_and_what_to_do(example, site):
    page = example.open(DOMAIN + "/checks")
    page.get_by_role("button", name="Check now").click()
    expect(page.get_by_text(re.compile("(could not|couldn't|cannot|not be)", re.I)).first).to_be_visible()
    expect(page.get_by_role("button", name="Check now")).to_be_enabled()


def test_files_are_dropped_and_published(example, site):
    page = example.open("#/bulk")
    example.settle()
    file = {"applinks": {"details": [{"appIDs": [APP], "components": [{"/": "/dropped/*"}]}]}}
    page.locator("input[type=file]").first.set_input_files(
        {"name": "dropped.example.json", "mimeType": "application/json", "buffer": json.dumps(file).encode()})
    page.get_by_label("Domain", exact=False).first.fill("dropped.example")
    page.get_by_role("button", name=re.compile("^(Publish|Import)")).last.click()
    expect(page.get_by_text(re.compile("revision 1", re.I)).first).to_be_visible()
    assert routes(site, "dropped.example") == ["/dropped/*"]


def test_files_go_on_being_published_after_the_page_is_left(example, site):
    page = example.open("#/bulk")
    file = {"applinks": {"details": [{"appIDs": [APP], "components": [{"/": "/dropped/*"}]}]}}
    # The second name has a top-level domain with digits.
    page.locator("input[type=file]").first.set_input_files([
        {"name": f"{name}.json", "mimeType": "application/json", "buffer": json.dumps(file).encode()}
        for name in ["first.example", "xn--e1afmkfd.xn--p1ai"]])
    publish = page.get_by_role("button", name=re.compile("^Publish 2"))
    expect(publish).to_be_enabled()
    held = []
    page.route(lambda url: "/documents/" in url and "dryRun" not in url,
               lambda route: route.continue_() if held else held.append(route))
    with page.expect_request(lambda request: request.method == "PUT"):
        publish.click()
    page.goto("/#/domains")
    expect(page.get_by_role("heading", level=1)).to_have_text("Domains")
    page.goto("/#/bulk")
    expect(publish.or_(page.get_by_role("button", name=re.compile("^Publish 1")))).to_be_disabled()
    page.goto("/#/domains")
    expect(page.get_by_role("heading", level=1)).to_have_text("Domains")
    held[0].continue_()
    expect(page.locator(".messages")).to_contain_text("Published 2 of 2 files")
    assert routes(site, "first.example") == routes(site, "xn--e1afmkfd.xn--p1ai") == ["/dropped/*"]


def test_a_file_that_is_not_json_says_so(example):
    page = example.open("#/bulk")
    page.locator("input[type=file]").first.set_input_files(
        {"name": "bad.example.json", "mimeType": "application/json", "buffer": b"<html>"})
    expect(page.get_by_text(re.compile("not JSON", re.I)).first).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("^Publish"))).to_have_count(0)


def test_what_is_typed_stays_while_other_rows_change(example):
    page = example.open("#/bulk")
    file = json.dumps({"applinks": {"details": [{"appIDs": [APP], "components": [{"/": "/a/*"}]}]}}).encode()
    page.locator("input[type=file]").first.set_input_files(
        [{"name": name, "mimeType": "application/json", "buffer": file} for name in ("one", "two")])
    page.get_by_label("Domain").nth(0).fill("one.example")
    second = page.get_by_label("Domain").nth(1)
    second.press_sequentially("two.example", delay=60)
    example.settle()
    expect(second).to_have_value("two.example")


def test_expectations_are_listed_and_removed_one_by_one(example, site):
    kept = [{"url": f"https://example.com/buy/{number}", "app": APP, "resolution": "match"} for number in (1, 2)]
    site.call("PATCH", "/v1/domains/example.com", {"expectations": kept}, **{"If-Match": "*"})
    page = example.open(DOMAIN + "/settings")
    page.get_by_role("button", name="Remove the expectation for https://example.com/buy/1").click()
    publish(page, "One is enough")
    expect(page.get_by_text("Published as revision 3")).to_be_visible()
    left = site.call("GET", "/v1/domains/example.com/expectations")["expectations"]
    assert [one["url"] for one in left] == ["https://example.com/buy/2"]


def test_a_draft_stays_with_the_person_who_made_it(example, site):
    page = example.open(DOMAIN)
    page.get_by_role("button", name=re.compile("^Delete .*buy")).click()
    expect(page.get_by_text("Saved in this browser")).to_be_visible()
    sign_out(page)
    page.get_by_label("Token").fill(site.create_token("editor"))
    page.get_by_role("button", name="Sign in").click()
    example.open(DOMAIN, "example.com")
    expect(page.get_by_text("/buy/").first).to_be_visible()
    expect(page.get_by_text("Saved in this browser")).to_have_count(0)
