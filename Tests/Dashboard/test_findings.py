"""Findings: what they are called, which are shown, and where they lead."""
import pathlib
import re

from conftest import APP
from test_android import FINGERPRINT, LINKS
from playwright.sync_api import expect

DOCS = pathlib.Path(__file__).parents[2] / "docs/findings.md"


def publish_faults(site):
    """A domain with one error, one warning and some notes."""
    site.call("PUT", "/v1/domains/z.example/file?accept=undefined-variable,opens-nothing", {
        "applinks": {"details": [{"appIDs": [APP], "components": [
            {"/": "/$(nowhere)"}, {"/": "/item/{id}"}, {"/": "/a/*", "exclude": True},
            {"/": "/b/*", "exclude": True}]}]}})


def test_each_finding_has_a_title_in_words(example):
    codes = re.findall(r"^\| `([a-z0-9-]+)`", DOCS.read_text(), re.MULTILINE)
    assert len(codes) > 150
    titles = example.page.evaluate("import(new URL('words.js', document.querySelector('script').src))"
                                   ".then(({ words }) => words.findings.titles)")
    assert [code for code in codes if code not in titles] == []
    assert [code for code in titles if code not in codes] == []
    assert [title for title in titles.values() if len(title) > 50] == []


def test_only_errors_are_shown_to_whoever_follows_their_number(example, site):
    publish_faults(site)
    page = example.open("#/domains")
    page.locator(".trouble").get_by_role("link", name="1 error in a file").click()
    expect(page.get_by_label("Severity")).to_have_value("error")
    expect(page.locator("main [role=status]").get_by_text("1 finding", exact=True)).to_be_visible()
    codes = page.locator(".found-code")
    expect(codes).to_have_count(1)
    expect(codes).to_contain_text("undefined-variable")
    # What is open is another question.
    codes.locator("summary").click()
    expect(page.locator(".found-code[open]")).to_have_count(0)
    expect(codes).to_have_count(1)
    page.get_by_label("Severity").select_option("warning")
    expect(codes.first).to_contain_text("route-parameter")
    expect(codes.first).to_have_attribute("open", "")
    page.get_by_label("Severity").select_option("")
    expect(page.locator(".found-code", has_text="undefined-variable")).to_be_visible()


def test_the_findings_of_one_domain_are_said_with_its_own_urls(example, site):
    site.call("PUT", "/v1/domains/z.example", {"entries": [{"apps": [APP], "androidApps": ["com.example.app"], "routes": [
        {"path": "/*/buy"}, {"path": "/item/{id}"}]}]}, **{"If-None-Match": "*"})
    page = example.open("#/findings?domain=z.example&source=lint")
    found = page.locator(".found-code", has_text="android-differs")
    expect(found).to_contain_text('Apple\'s systems open "https://z.example/item/{id}", by the route "/item/{id}".')
    expect(found).to_contain_text('by the route "/*/buy"')
    for placeholder in ("{domain}", "{app}", "…", "(match)"):
        expect(page.locator("main")).not_to_contain_text(placeholder)


def test_the_findings_of_several_domains_are_said_once_with_paths(example, site):
    for name in ("one.example", "two.example"):
        site.put(name, "/b/*", {"path": "/a/*", "exclude": True})
    page = example.open("#/findings?code=unneeded-exclusion")
    found = page.locator(".found-code[open] .found-text").filter(has_text="one.example")
    expect(found).to_contain_text("that it excludes (such as /a)")
    expect(found.get_by_role("listitem")).to_have_count(2)


def test_findings_of_android_lead_to_the_route_that_they_are_about(example, site):
    site.call("PUT", "/v1/domains/z.example", {"entries": [
        {"apps": [APP], "androidApps": ["com.example.app"], "routes": [{"path": "/help/*"}, {"path": "/*/buy"}]}]},
        **{"If-None-Match": "*"})
    page = example.open("#/findings?domain=z.example")
    older = page.locator(".found-code", has_text="older-android-opens-all")
    expect(older.get_by_role("listitem")).to_contain_text("z.example · Android")
    page.get_by_role("link", name="Open route /*/buy").click()
    marked = page.locator(".route[aria-current]")
    expect(marked).to_contain_text("/*/buy")
    expect(marked).to_be_focused()
    # The answer for a link names the path, and not which of the rules that a route becomes it is.
    example.open("#/try?url=https://z.example/help/x")
    expect(page.get_by_text('The first matching Android rule is for the path "/help/*".')).to_be_visible()


def test_a_rule_of_android_is_named_with_its_app(example, site):
    rules = [{"/": "*"}, {"/": "/a/*"}]
    file = [{"relation": [LINKS], "relation_extensions": {LINKS: {"dynamic_app_link_components": rules}}, "target": {
        "namespace": "android_app", "package_name": "com.example.kept", "sha256_cert_fingerprints": [FINGERPRINT]}}]
    site.call("PUT", "/v1/domains/z.example/documents/assetlinks.json", file)
    page = example.open("#/findings?domain=z.example")
    found = page.locator(".found-code", has_text="rule-shadowed")
    expect(found).to_contain_text("rule 1 of com.example.kept decides every URL")
    expect(found.get_by_role("listitem")).to_contain_text("rule 2 of com.example.kept")
    # What the finding says does not wait for the name.
    held = []
    page.route("**/documents/assetlinks.json", lambda route: held.append(route))
    page.goto("/#/findings?code=rule-shadowed")
    with page.expect_request("**/documents/assetlinks.json"):
        page.reload()
    expect(page.locator(".found-code[open]").get_by_role("listitem")).to_contain_text(re.compile("rule 2(?! of)"))
    for one in held:
        one.continue_()
    expect(page.locator(".found-code[open]").get_by_role("listitem")).to_contain_text("rule 2 of com.example.kept")
    example.open("#/domains/z.example")
    page.locator("summary", has_text="Findings").click()
    expect(page.locator(".findings")).to_contain_text("rule 1 of com.example.kept decides every URL")


def test_a_domain_with_many_findings_says_how_many_are_not_shown(example, site):
    # Of each code, a file has at most 100.
    routes = [f"/{number}/{{id}}" for number in range(101)]
    site.put("z.example", *routes, *routes, *[{"path": f"/none/{number}", "exclude": True} for number in range(101)])
    found = site.call("GET", "/v1/findings?domain=z.example&source=lint&limit=1&severity=note")
    code = found["items"][0]["code"]
    site.call("POST", "/v1/domains/z.example/suppressions", {
        "code": code, "pointer": "", "reason": "We know", "owner": "web team", "until": "2099-01-01T00:00:00Z"})
    total = site.call("GET", "/v1/findings?domain=z.example&source=lint&limit=1")["total"]
    page = example.open("#/domains/z.example")
    expect(page.get_by_text("Only the first 200 findings are shown here.")).to_be_visible()
    page.get_by_role("link", name=f"See all {total}").click()
    expect(page.get_by_text(re.compile(rf"^{total} findings, \d+ of them suppressed$"))).to_be_visible()


# Suppressions


def test_suppressions_of_several_domains_are_listed_and_can_be_ended(example, site):
    for where in ({"domain": "*.brand.example"}, {"label": "brand-a"}):
        site.call("POST", "/v1/suppressions", {
            **where, "code": "public-comment", "pointer": "", "reason": "We know", "owner": "web team",
            "until": "2099-01-01T00:00:00Z"})
    page = example.open("#/findings")
    rows = page.get_by_role("table", name="Suppressions for several domains").get_by_role("row")
    expect(rows).to_have_count(3)
    expect(rows.nth(1)).to_contain_text(re.compile("public-comment.*web team", re.DOTALL))
    expect(rows.filter(has_text="Label brand-a")).to_have_count(1)
    assert example.access_faults() == []
    rows.filter(has_text="*.brand.example").get_by_role("button", name="End suppression").click()
    page.get_by_role("dialog").get_by_role("button", name="End suppression").click()
    expect(rows).to_have_count(2)
    assert [one["label"] for one in site.call("GET", "/v1/suppressions")["items"]] == ["brand-a"]
