"""What belongs to many domains: changes with undo, labels, groups, digests, and suppressions by pattern."""
import re

import pytest
from conftest import APP
from playwright.sync_api import expect

DOMAIN = "#/domains/example.com"


def routes(site, domain="example.com"):
    return [route["path"] for entry in site.call("GET", f"/v1/domains/{domain}")["entries"] for route in entry["routes"]]


def add_route(page, path):
    page.get_by_role("button", name="Add a route").first.click()
    page.get_by_label("Path", exact=True).fill(path)
    page.get_by_role("button", name="Save edit").click()


def publish(page):
    page.get_by_role("button", name="Publish", exact=True).last.click()


# Changes


def test_what_was_published_can_be_undone_at_once_after_a_plan(example, site):
    page = example.open(DOMAIN)
    add_route(page, "/gift/*")
    publish(page)
    page.locator(".messages").get_by_role("link", name="Undo").click()
    dialog = page.get_by_role("dialog", name=re.compile("Undo change"))
    expect(dialog).to_contain_text("/gift/*")
    assert routes(site)[-1] == "/gift/*"
    dialog.get_by_label("Reason").fill("Too early")
    dialog.get_by_role("button", name="Undo", exact=True).click()
    expect(page.get_by_text(re.compile("Undid change 2 in 1 domain"))).to_be_visible()
    assert routes(site)[-1] == "/buy/*"
    expect(page.get_by_text("undone")).to_be_visible()
    # A reload asks nothing again.
    page.reload()
    expect(page.get_by_role("heading", name="Change 2")).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_undo_works_on_the_page_of_the_change_itself_and_again(example):
    page = example.open("#/changes/1", "Change 1")
    for _ in range(2):
        page.evaluate("location.hash = '#/changes/1?undo=true'")
        expect(page.get_by_role("dialog", name=re.compile("Undo change"))).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)


def test_changes_are_listed_with_author_reason_and_domains(example, site):
    site.put("other.example", "/a/*")
    site.call("PATCH", "/v1/domains/other.example?reason=Faster", {"cacheSeconds": 60})
    page = example.open("#/changes", "Changes")
    rows = page.locator("tbody tr")
    expect(rows).to_have_count(3)
    expect(rows.first).to_contain_text("Faster")
    expect(rows.first).to_contain_text("admin")
    expect(rows.first.get_by_role("link", name="other.example")).to_be_visible()
    page.get_by_label("Domain", exact=True).fill("example.com")
    page.get_by_role("button", name="Filter").click()
    expect(rows).to_have_count(1)
    page.get_by_role("link", name="#1").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Change 1")
    expect(page.get_by_role("link", name="example.com", exact=True)).to_be_visible()


def test_domains_that_changed_since_are_named_and_can_be_left_as_they_are(example, site):
    done = site.call("POST", "/v1/apply?reason=Two", {"domains": [
        {"domain": name, "entries": [{"apps": [APP], "routes": [{"path": "/a/*"}]}]}
        for name in ("one.example", "two.example")]})
    again = site.call("POST", "/v1/apply", {"domains": [
        {"domain": name, "cacheSeconds": 60} for name in ("one.example", "two.example")]})
    site.call("PATCH", "/v1/domains/two.example", {"cacheSeconds": 70})
    page = example.open(f"#/changes/{again['change']}")
    expect(page.get_by_role("listitem").filter(has_text="two.example").last).to_contain_text("changed since")
    page.get_by_role("button", name="Undo").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("alert")).to_contain_text("two.example (in change 4) changed since")
    expect(dialog.get_by_role("alert")).not_to_contain_text("skip=")
    dialog.get_by_label("Leave domains that have changed since as they are").check()
    expect(dialog).to_contain_text("1 domain stays as it is: two.example")
    dialog.get_by_role("button", name="Undo", exact=True).click()
    expect(page.get_by_text("in 1 domain.")).to_be_visible()
    seconds = [site.call("GET", f"/v1/domains/{name}")["cacheSeconds"] for name in ("one.example", "two.example")]
    assert seconds == [3600, 70] and done["change"] != again["change"]


def test_a_viewer_sees_changes_and_cannot_undo_them(desk, site):
    site.apply_example()
    desk.sign_in(site.create_token("viewer"))
    page = desk.open("#/changes/1?undo=true", "Change 1")
    expect(page.get_by_role("button", name="Undo")).to_have_count(0)
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_a_change_of_many_domains_says_what_it_did_and_equal_things_once(example, site):
    names = [f"d{number}.example" for number in range(4)]
    for name in names:
        site.put(name, "/a/*", app=f"ABCDE12345.com.example.{name[:2]}")
    domains = [{"domain": name, "entries": [{"apps": [f"ABCDE12345.com.example.{name[:2]}"],
                                             "routes": [{"path": "/autumn/*"}, {"path": "/a/*"}]}]} for name in names]
    domains[3]["cacheSeconds"] = 60
    change = site.call("POST", "/v1/apply?reason=Autumn", {"domains": domains})["change"]
    page = example.open(f"#/changes/{change}", f"Change {change}: Autumn")
    rows = page.locator(".plan > li")
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text("d0.example, d1.example, d2.example")
    expect(rows.first.get_by_text('route "/autumn/*" added').last).to_be_visible()
    expect(rows.last.get_by_text("Cache time: 1 hour → 1 minute").last).to_be_visible()
    # Each leads to its revisions.
    rows.first.get_by_role("listitem").filter(has_text="d1.example").get_by_role("link", name="Revision 1 → 2").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("d1.example")


def test_a_large_change_is_compared_step_by_step(example, site):
    names = [f"d{number}.example" for number in range(25)]
    for seconds in (60, 120):
        change = site.call("POST", "/v1/apply", {"domains": [{"domain": name, "cacheSeconds": seconds} for name in names]})["change"]
    page = example.page
    compared = []
    page.on("request", lambda request: "/diff" in request.url and compared.append(request.url))
    example.open(f"#/changes/{change}")
    expect(page.locator(".plan > li")).to_contain_text("and 17 more")
    assert len(compared) == 20
    page.get_by_text("5 more domains, not compared yet").click()
    page.get_by_role("button", name="Compare 5 more domains").click()
    expect(page.locator(".plan > li")).to_contain_text("and 22 more")
    assert len(compared) == 25


def test_a_comparison_that_failed_can_be_tried_again(example, site):
    change = site.call("PATCH", "/v1/domains/example.com", {"cacheSeconds": 60})["change"]
    page = example.page
    page.route("**/diff?*", lambda route: route.abort())
    example.open(f"#/changes/{change}")
    expect(page.locator(".plan")).to_contain_text("The server cannot be reached.")
    page.unroute("**/diff?*")
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(".plan")).to_contain_text("Cache time: 1 hour → 1 minute")
    expect(page.get_by_role("button", name="Try again")).to_have_count(0)


def test_the_change_that_renamed_an_app_has_its_templates(example, site):
    site.call("PUT", "/v1/templates/brand", {
        "parameters": [], "entries": [{"apps": [APP], "routes": [{"path": "/a/*"}]}]})
    change = site.call("POST", f"/v1/apps/{APP}/rename", {"to": "ABCDE12345.com.example.phone"})["change"]
    page = example.open(f"#/changes/{change}", f"Change {change}")
    about = page.locator("aasa-changes-one dl")
    expect(about).to_contain_text("brand, Revision 1 → 2")
    about.get_by_role("link", name="brand").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("brand")


# Where a domain is managed


def test_a_domain_says_where_it_is_managed_also_after_an_edit(example, site):
    site.call("PATCH", "/v1/domains/example.com", {"managedBy": "git: links-repo"})
    page = example.open(DOMAIN)
    expect(page.get_by_text("Managed elsewhere: git: links-repo.")).to_be_visible()
    add_route(page, "/gift/*")
    publish(page)
    message = page.locator(".messages")
    expect(message).to_contain_text("Published as revision 3")
    expect(message).to_contain_text("Managed elsewhere: git: links-repo. The next apply from there may undo")


def test_the_edit_of_a_template_says_which_of_its_domains_are_managed_elsewhere(desk, site):
    site.apply_template()
    for number in (1, 2):
        site.call("PATCH", f"/v1/domains/city{number}.example", {"managedBy": "git: links-repo"})
    desk.sign_in()
    page = desk.open("#/templates/white-label", "white-label")
    add_route(page, "/gift/*")
    managed = page.locator(".review .box", has_text="Managed elsewhere: git: links-repo. The next apply from there may undo")
    expect(managed).to_contain_text("city1.example, city2.example")
    publish(page)
    expect(page.locator(".messages")).to_contain_text("Managed elsewhere: git: links-repo.")


def test_who_approves_a_draft_sees_which_domains_are_managed_elsewhere(desk, site):
    site.apply_template()
    site.call("PATCH", "/v1/domains/city1.example", {"managedBy": "git: links-repo"})
    editor = site.create_token("editor")
    site.call("PATCH", "/v1/domains/city1.example?draft=true", {"cacheSeconds": 60})
    desk.sign_in(editor)
    page = desk.open("#/drafts/1", "Draft 1")
    managed = page.locator(".box", has_text="Managed elsewhere: git: links-repo. The next apply from there may undo")
    expect(managed).to_contain_text("city1.example")
    page.get_by_role("button", name="Approve").click()
    expect(page.get_by_role("dialog").locator(".box", has_text="Managed elsewhere")).to_be_visible()


# Labels


def test_labels_are_set_with_a_domain_and_filter_the_list(example, site):
    site.put("other.example", "/a/*", labels=["brand-b"])
    page = example.open(DOMAIN + "/settings")
    page.get_by_role("button", name="Edit settings").click()
    page.get_by_label("Labels").fill("brand-a\nnorth")
    publish(page)
    expect(page.get_by_text("Published as revision 2")).to_be_visible()
    assert site.call("GET", "/v1/domains/example.com")["labels"] == ["brand-a", "north"]
    example.open("#/domains")
    rows = page.locator("tbody tr")
    expect(rows).to_have_count(2)
    rows.filter(has_text="example.com").get_by_role("button", name="brand-a").click()
    expect(rows).to_have_count(1)
    filter = page.get_by_role("group", name="Filters").get_by_label("Label")
    expect(filter).to_have_value("brand-a")
    page.reload()
    expect(rows).to_have_count(1)
    filter.select_option("brand-b")
    expect(rows).to_contain_text(["other.example"])
    filter.select_option("Any label")
    expect(rows).to_have_count(2)


def test_labels_are_suggested_where_one_is_typed(example, site):
    site.put("other.example", "/a/*", labels=["brand-b"])
    page = example.open("#/bulk/route")
    expect(page.locator("#labels option")).to_have_attribute("value", "brand-b")
    example.open("#/settings/protection")
    page.get_by_role("button", name="Protect a label").click()
    expect(page.get_by_role("dialog").locator("#labels option")).to_have_attribute("value", "brand-b")


def test_a_template_is_a_chip_and_a_filter_of_the_list(example, site):
    site.apply_template()
    page = example.open("#/domains")
    rows = page.locator("tbody tr")
    expect(rows).to_have_count(4)
    rows.filter(has_text="city1.example").get_by_role("button", name="white-label").click()
    expect(rows).to_have_count(3)
    page.get_by_role("group", name="Filters").get_by_role("button", name="Template white-label").click()
    expect(rows).to_have_count(4)


def test_a_token_is_limited_to_labels_and_then_changes_none(example, site, open_desk):
    site.put("other.example", "/a/*", labels=["brand-b"])
    page = example.open("#/settings/tokens")
    page.get_by_role("button", name="Create a token").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill("brand")
    dialog.get_by_label("Role").select_option("editor")
    dialog.get_by_label("Labels").fill("brand-b")
    dialog.get_by_role("button", name="Create a token").click()
    token = page.get_by_role("dialog", name="Token “brand”").locator("code").inner_text()
    assert [one.get("labels") for one in site.call("GET", "/v1/tokens")["items"]] == [None, ["brand-b"]]
    desk = open_desk()
    other = desk.sign_in(token)
    expect(other.locator("tbody tr")).to_have_count(1)
    expect(other.get_by_role("button", name="Add a domain")).to_have_count(0)
    desk.open("#/domains/other.example/settings")
    other.get_by_role("button", name="Edit settings").click()
    expect(other.get_by_label("Cache time")).to_be_visible()
    expect(other.get_by_label("Labels")).to_have_count(0)


# Groups and digests


def test_a_group_gets_a_role_and_limits_and_is_removed(example, site):
    page = example.open("#/settings/groups")
    page.get_by_role("button", name="Add a group").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill("marketing")
    dialog.get_by_label("Role").select_option("editor")
    dialog.get_by_label("Domains").fill("*.brand.example")
    dialog.get_by_label("Labels").fill("brand-a")
    dialog.get_by_role("button", name="Add a group").click()
    expect(page.get_by_text("Saved “marketing”.")).to_be_visible()
    row = page.get_by_role("row", name="marketing")
    expect(row).to_contain_text("editor")
    expect(row).to_contain_text("*.brand.example; of these, domains with the label brand-a")
    group = site.call("GET", "/v1/groups")["items"][0]
    assert (group["role"], group["domains"], group["labels"]) == ("editor", ["*.brand.example"], ["brand-a"])
    page.get_by_role("button", name="Edit the group “marketing”").click()
    dialog.get_by_label("Role").select_option("viewer")
    dialog.get_by_role("button", name="Save").click()
    expect(row).to_contain_text("viewer")
    page.get_by_role("button", name="Remove the group “marketing”").click()
    dialog.get_by_role("button", name="Remove", exact=True).click()
    expect(page.get_by_text("No groups yet")).to_be_visible()
    assert site.call("GET", "/v1/groups")["items"] == []


def test_a_webhook_collects_events_for_a_while(example, site):
    site.call("PUT", "/v1/webhooks/hook", {"url": "https://hooks.example.com/", "digestSeconds": 120})
    page = example.page
    digest = {"id": 1, "event": "digest", "at": "2027-01-15T08:00:00Z", "status": "delivered", "attempts": 1, "answer": 204}
    page.route("**/v1/webhooks/hook/deliveries?*", lambda route: route.fulfill(json={"items": [digest], "next": None}))
    example.open("#/settings/webhooks/hook")
    expect(page.locator("tbody th")).to_have_text("Digest")
    page.get_by_role("button", name="Edit the webhook").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_label("Collect events").locator("option:checked")).to_have_text("for 2 minutes")
    dialog.get_by_label("Collect events").select_option(label="for 1 hour")
    dialog.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved “hook”.")).to_be_visible()
    assert site.call("GET", "/v1/webhooks/hook")["digestSeconds"] == 3600
    page.get_by_role("button", name="Edit the webhook").click()
    dialog.get_by_label("Collect events").select_option(label="send each at once")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_have_count(0)
    assert site.call("GET", "/v1/webhooks/hook").get("digestSeconds") is None


# Suppressions by pattern


@pytest.mark.parametrize("choice, where", [
    ("all with the label brand-a, also later", {"label": "brand-a"}),
    ("all of *.brand.example, also later", {"domain": "*.brand.example"})])
def test_a_finding_is_suppressed_for_all_domains_that_are_alike(example, site, choice, where):
    comment = {"path": "/a/*", "comment": "Everybody can read this"}
    for name in ("one.brand.example", "two.brand.example"):
        site.put(name, comment, labels=["brand-a"])
    page = example.open("#/findings?code=public-comment&severity=note")
    found = page.locator(".found-code li")
    expect(found.filter(has_text="brand.example")).to_have_count(2)
    page.get_by_role("button", name="Suppress public-comment of one.brand.example").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("In which domains").select_option(label=choice)
    dialog.get_by_label("Reason").fill("We want that")
    dialog.get_by_role("button", name="Suppress", exact=True).click()
    expect(page.get_by_text("Suppressed 2 findings")).to_be_visible()
    expect(found.filter(has_text="brand.example")).to_have_count(0)
    made = site.call("GET", "/v1/suppressions")["items"]
    assert [{key: one[key] for key in where} for one in made] == [where]
    # It can be ended, which says that it is one of several domains.
    example.open("#/findings?domain=two.brand.example&suppressed=true&severity=all")
    page.get_by_role("button", name="End suppression of public-comment of two.brand.example").first.click()
    expect(dialog).to_contain_text(f"Suppressed for several domains: {list(where.values())[0]}.")
    dialog.get_by_role("button", name="End suppression").click()
    expect(page.get_by_text("The suppression has ended.")).to_be_visible()
    assert site.call("GET", "/v1/suppressions")["items"] == []
