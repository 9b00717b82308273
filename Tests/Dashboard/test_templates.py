"""Many domains as one: templates, their domains as a table or a file, and domains that use one."""
import json
import re
import urllib.error

import pytest
from conftest import APP, section
from playwright.sync_api import expect

RULES = "#/templates/white-label"
TABLE = RULES + "/domains"
CITY = "#/domains/city1.example"


@pytest.fixture
def cities(desk, site):
    """A desk where an administrator has signed in, with a template and three domains."""
    site.apply_template()
    desk.sign_in()
    return desk


def paths(site, domain):
    """The patterns that a domain serves."""
    file = site.call("GET", f"/v1/domains/{domain}/file")
    return [route["/"] for one in file["applinks"]["details"] for route in one["components"]]


def template(site):
    return site.call("GET", "/v1/templates/white-label")


def values(site, domain):
    return site.call("GET", f"/v1/domains/{domain}")["parameters"]


def add_route(page, path):
    page.get_by_role("button", name="Add a route").first.click()
    page.get_by_label("Path", exact=True).fill(path)
    page.get_by_role("button", name="Save edit").click()


def publish_button(page):
    return page.get_by_role("button", name="Publish", exact=True).last


def confirm(page, name="Publish"):
    page.get_by_role("dialog").get_by_role("button", name=name, exact=True).click()


def drop(page, text, name="customers.csv"):
    content = text if isinstance(text, bytes) else text.encode()
    page.locator("input[type=file]").set_input_files({"name": name, "mimeType": "text/csv", "buffer": content})


# The rules of a template


def test_an_edit_of_a_template_shows_each_effect_once_with_its_domains_before_it_is_published(cities, site):
    site.call("PATCH", "/v1/domains/city3.example", {"parameters": {"app": "ABCDE12345.city3", "shop": "gift"}})
    page = cities.open(RULES, "white-label")
    add_route(page, "/gift/*")
    expect(page.locator(".route", has_text="/gift/*")).to_contain_text("new")
    expect(page.locator(".route", has_text="/{shop}/*")).not_to_contain_text("new")
    review = page.locator(".review")
    expect(review).to_contain_text("Publishes 3 of 3 domains.")
    effects = review.locator(".changes > li")
    expect(effects).to_have_count(2)
    expect(effects.first).to_contain_text('2 domains: route "/gift/*" added')
    expect(effects.first).to_contain_text("city1.example, city2.example")
    expect(effects.last).to_contain_text("1 domain: ")
    expect(effects.last).to_contain_text("city3.example")
    assert paths(site, "city1.example") == ["/shop/*"]
    page.get_by_label("Reason").fill("Gifts everywhere")
    publish_button(page).click()
    expect(page.get_by_text("Published revision 2 with 3 domains.")).to_be_visible()
    assert paths(site, "city1.example") == ["/shop/*", "/gift/*"]
    assert site.call("GET", "/v1/templates/white-label/revisions")["items"][0]["reason"] == "Gifts everywhere"
    # What was not edited went back as it came.
    assert template(site)["cacheSeconds"] == 600 and template(site)["parameters"][1]["default"] == "shop"


def test_a_template_is_made_from_nothing(example, site):
    page = example.open("#/templates")
    expect(page.get_by_text("No templates yet")).to_be_visible()
    page.get_by_role("button", name="Add a template").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill("Not a name")
    page.keyboard.press("Enter")
    expect(dialog.get_by_label("Name")).to_have_attribute("aria-invalid", "true")
    dialog.get_by_label("Name").fill("brand")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("brand")
    page.get_by_role("button", name="Add a parameter").click()
    page.get_by_label("Name", exact=True).fill("app")
    page.get_by_label("Type").select_option("app")
    # What the type means stands below it, and a default can be typed as soon as there is one.
    expect(page.get_by_label("Type")).to_have_accessible_description("An app identifier.")
    expect(page.get_by_text("Default", exact=True)).to_be_visible()
    expect(page.get_by_label("Default", exact=True)).to_be_disabled()
    page.get_by_label("Value", exact=True).select_option("has a default")
    expect(page.get_by_label("Default", exact=True)).to_be_enabled()
    page.get_by_label("Value", exact=True).select_option("required")
    page.get_by_role("button", name="Add an entry").click()
    page.get_by_label("Add an app").fill("{app}")
    page.keyboard.press("Enter")
    add_route(page, "/buy/*")
    page.get_by_role("button", name="Edit settings").click()
    page.get_by_role("button", name="Set: Cache time").click()
    page.get_by_label("Cache time", exact=True).fill("60")
    page.get_by_role("button", name="Add an expectation").click()
    dialog.get_by_label("URL").fill("https://{domain}/buy/1")
    dialog.get_by_label("App", exact=True).fill("{app}")
    confirm(page, "Add")
    expect(publish_button(page)).to_be_enabled()
    publish_button(page).click()
    expect(page.get_by_text("Published revision 2 with 0 domains.")).to_be_visible()
    made = site.call("GET", "/v1/templates/brand")
    assert made["parameters"] == [{"name": "app", "type": "app"}]
    assert made["entries"] == [{"apps": ["{app}"], "routes": [{"path": "/buy/*"}]}]
    assert made["cacheSeconds"] == 60
    assert made["expectations"] == [{"url": "https://{domain}/buy/1", "app": "{app}", "resolution": "match"}]
    page.get_by_role("button", name="Delete template").click()
    confirm(page, "Delete template")
    expect(page.get_by_text("No templates yet")).to_be_visible()


def test_a_parameter_with_another_name_keeps_the_values_of_the_domains(cities, site):
    site.call("PATCH", "/v1/domains/city2.example", {"parameters": {"app": "ABCDE12345.city2", "shop": "boutique"}})
    page = cities.open(RULES)
    page.get_by_label("Name", exact=True).last.fill("store")
    page.get_by_label("Name", exact=True).last.blur()
    expect(page.locator(".route")).to_contain_text("/{store}/*")
    # What it touches stands beside the button.
    expect(page.locator(".review-foot")).to_contain_text("Ready to publish to 1 domain: no link is known to change; 1 note.")
    publish_button(page).click()
    expect(page.get_by_text("Published revision 2")).to_be_visible()
    assert values(site, "city2.example") == {"app": "ABCDE12345.city2", "store": "boutique"}
    assert paths(site, "city2.example") == ["/boutique/*"] and paths(site, "city1.example") == ["/shop/*"]


def test_a_parameter_does_not_get_the_name_of_another_one(cities):
    page = cities.open(RULES)
    name = page.get_by_label("Name", exact=True).last
    name.fill("app")
    name.blur()
    expect(page.locator(".messages")).to_contain_text("This name is taken")
    expect(name).to_have_value("shop")
    name.fill("store")
    name.blur()
    expect(page.locator(".route")).to_contain_text("/{store}/*")
    expect(page.locator(".entry")).to_contain_text("{app}")


def test_parameters_are_added_and_deleted_and_faults_stand_beside_them(cities, site):
    page = cities.open(RULES)
    page.get_by_role("button", name="Add a parameter").click()
    expect(page.get_by_label("Name", exact=True).last).to_have_accessible_description(re.compile("Nothing in the template"))
    expect(publish_button(page)).to_be_disabled()
    page.get_by_role("button", name="Delete the parameter value3").click()
    page.get_by_label("Default", exact=True).last.fill("market")
    page.get_by_label("Default", exact=True).last.blur()
    expect(page.locator(".review-foot")).to_contain_text("Ready to publish to 3 domains: links stop opening the app")
    publish_button(page).click()
    expect(page.get_by_text("Published revision 2")).to_be_visible()
    assert paths(site, "city1.example") == ["/market/*"]


def test_domains_that_are_refused_are_named_and_can_be_left_as_they_are(cities, site):
    site.call("PUT", "/v1/domains/city2.example/expectations", {"expectations": [
        {"url": "https://city2.example/shop/1", "app": "ABCDE12345.city2", "resolution": "match"}]})
    page = cities.open(RULES)
    page.get_by_role("button", name="Delete /{shop}/*").click()
    page.get_by_role("button", name="Delete the parameter shop").click()
    add_route(page, "/other/*")
    review = page.locator(".review")
    expect(review.get_by_role("alert")).to_contain_text("city2.example")
    expect(publish_button(page)).to_be_disabled()
    review.get_by_label("Leave 1 domain as it is").check()
    publish_button(page).click()
    expect(page.get_by_text("Published revision 2 with 2 domains.")).to_be_visible()
    assert paths(site, "city1.example") == ["/other/*"] and paths(site, "city2.example") == ["/shop/*"]


def test_a_broken_expectation_of_a_template_is_said_once_with_what_it_expects(cities, site):
    rules = template(site)
    rules["expectations"] = [{"url": "https://{domain}/{shop}/1", "app": "{app}", "resolution": "match"}]
    site.call("PUT", "/v1/templates/white-label", rules)
    page = cities.open(RULES)
    page.get_by_role("button", name="Edit /{shop}/*").click()
    page.get_by_label("Path", exact=True).fill("/x/{shop}/*")
    page.get_by_role("button", name="Save edit").click()
    review = page.locator(".review")
    expect(review.get_by_role("alert").get_by_role("listitem")).to_have_count(1)
    expect(review.get_by_role("alert")).to_contain_text(
        "Breaks the template’s expectation https://{domain}/{shop}/1 for {app}: opens the app → no route matches.")
    expect(review.get_by_role("alert")).to_contain_text("3 domains: city1.example, city2.example, city3.example")
    # Leaving out the domains that are refused would leave none.
    expect(review.get_by_role("checkbox")).to_have_count(0)
    expect(page.locator(".review-foot [role=status]")).to_have_text("Your edits cannot be published yet.")
    expect(publish_button(page)).to_be_disabled()


def test_findings_of_a_template_are_shown_once_with_their_domains(cities):
    page = cities.open(RULES)
    page.get_by_role("button", name="Add a route").click()
    page.get_by_label("Path", exact=True).fill("/{shop}/x")
    page.get_by_label("Comment").fill("Only for us")
    page.get_by_role("button", name="Save edit").click()
    found = page.locator(".review .findings > li")
    expect(found.filter(has_text="comment")).to_have_count(1)
    expect(found.filter(has_text="comment")).to_contain_text("city1.example, city2.example")


def test_others_edits_of_a_template_are_kept_beside_a_draft(cities, site):
    page = cities.open(RULES)
    add_route(page, "/mine/*")
    expect(page.locator(".review")).to_contain_text("Ready to publish to 3 domains: links change")
    theirs = template(site)
    theirs["entries"][0]["routes"].insert(0, {"path": "/theirs/*"})
    site.call("PUT", "/v1/templates/white-label?reason=Theirs", theirs)
    publish_button(page).click()
    expect(page.get_by_text("Others published while you worked")).to_be_visible()
    expect(page.get_by_text("Revision 2 by admin: Theirs")).to_be_visible()
    page.get_by_role("button", name="Put my edits on top of revision 2").click()
    publish_button(page).click()
    expect(page.get_by_text("Published revision 3")).to_be_visible()
    assert "/mine/*" in paths(site, "city1.example")


def test_a_template_is_rolled_back_after_its_effects_were_shown(cities, site):
    new = template(site)
    new["entries"][0]["routes"].append({"path": "/new/*"})
    site.call("PUT", "/v1/templates/white-label", new)
    page = cities.open(RULES + "/history")
    page.get_by_role("button", name="Revision 1: Saved template").click()
    expect(page.get_by_role("dialog")).to_contain_text('"/{shop}/*"')
    page.get_by_role("button", name="Close").click()
    page.get_by_role("button", name="Roll back to revision 1").click()
    expect(page.get_by_role("dialog")).to_contain_text("Publishes 3 of 3 domains.")
    expect(page.get_by_role("dialog")).to_contain_text("/new/*")
    confirm(page, "Roll back")
    expect(page.get_by_text("It is published as revision 3.")).to_be_visible()
    assert paths(site, "city1.example") == ["/shop/*"]


def test_a_person_who_may_edit_only_some_domains_reads_templates(desk, site):
    site.apply_template()
    desk.sign_in(site.create_token("editor", "city1.example"))
    page = desk.open(RULES)
    expect(page.locator(".route")).to_contain_text("/{shop}/*")
    expect(page.get_by_role("button", name="Add a route")).to_have_count(0)
    desk.open(TABLE)
    expect(page.locator("tbody tr")).to_have_count(1)
    page.get_by_label("shop of city1.example").fill("mine")
    page.get_by_role("button", name="Review and publish").click()
    confirm(page)
    expect(page.get_by_text("Done: 1 changed.")).to_be_visible()
    assert paths(site, "city1.example") == ["/mine/*"]


# The table of its domains


def test_cells_are_edited_rows_added_and_domains_detached_as_one_change(cities, site):
    before = site.call("GET", "/v1/domains/city3.example/file")
    page = cities.open(TABLE)
    page.get_by_label("shop of city1.example").fill("boutique")
    page.get_by_label("Add a domain").fill("New.example")
    page.get_by_role("button", name="Add a row").click()
    page.get_by_label("app of new.example").fill(APP)
    page.get_by_role("button", name="Detach city3.example").click()
    expect(page.get_by_text("3 rows changed. Not published yet.")).to_be_visible()
    # What is typed stays while the person looks elsewhere.
    page.get_by_role("link", name="Rules").click()
    page.get_by_label("Template", exact=True).get_by_role("link", name="Domains").click()
    expect(page.get_by_label("shop of city1.example")).to_have_value("boutique")
    assert paths(site, "city1.example") == ["/shop/*"]
    page.get_by_role("button", name="Review and publish").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("1 new, 2 changed")
    dialog.get_by_label("Reason").fill("Cities")
    confirm(page)
    expect(page.get_by_text("Done: 1 new, 2 changed.")).to_be_visible()
    assert paths(site, "city1.example") == ["/boutique/*"] and paths(site, "new.example") == ["/shop/*"]
    assert site.call("GET", "/v1/domains/city3.example/file") == before
    assert "template" not in site.call("GET", "/v1/domains/city3.example")
    change = site.call("GET", "/v1/changes")["items"][0]
    assert change["domainCount"] == 3 and change["reason"] == "Cities"
    expect(page.locator("tbody tr")).to_have_count(3)


def test_a_wrong_value_is_marked_in_its_cell(cities):
    page = cities.open(TABLE)
    page.get_by_label("app of city2.example").fill("not an app")
    page.get_by_label("shop of city1.example").fill("a*")
    page.get_by_role("button", name="Review and publish").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("alert")).to_contain_text("app of city2.example: ")
    expect(dialog.get_by_role("alert")).to_contain_text("shop of city1.example: ")
    page.keyboard.press("Escape")
    cell = page.get_by_label("shop of city1.example")
    expect(cell).to_have_attribute("aria-invalid", "true")
    expect(cell).to_have_accessible_description(re.compile("literal text"))
    page.get_by_role("button", name="Undo the changes of city1.example").click()
    expect(page.get_by_label("shop of city1.example")).to_have_value("")


def test_a_table_undoes_what_others_published_meanwhile_only_after_it_was_shown(cities, site):
    page = cities.open(TABLE)
    page.get_by_label("shop of city1.example").fill("mine")
    # Another person's table.
    site.call("POST", "/v1/apply", {"domains": [
        {"domain": "city1.example", "parameters": {"app": "ABCDE12345.city1", "shop": "theirs"}}]})
    page.get_by_role("button", name="Review and publish").click()
    alert = page.get_by_role("dialog").get_by_role("alert")
    expect(alert).to_contain_text("Others have changed city1.example meanwhile.")
    page.keyboard.press("Escape")
    expect(page.get_by_label("shop of city1.example")).to_have_value("mine")
    assert paths(site, "city1.example") == ["/theirs/*"]
    page.get_by_role("button", name="Review and publish").click()
    expect(page.get_by_role("dialog")).to_contain_text("/theirs/*")
    confirm(page)
    expect(page.get_by_text("Done: 1 changed.")).to_be_visible()
    assert paths(site, "city1.example") == ["/mine/*"]


def test_a_table_says_whose_edits_a_file_would_undo(cities, site):
    site.call("PATCH", "/v1/domains/city1.example?reason=By%20hand", {
        "parameters": {"app": "ABCDE12345.city1", "shop": "theirs"}})
    page = cities.open(TABLE)
    dialog = page.get_by_role("dialog")
    drop(page, "domain,app\ncity1.example,ABCDE12345.city1\n")
    # A value without a column stays.
    expect(dialog).to_contain_text("1 unchanged")
    page.keyboard.press("Escape")
    drop(page, "domain,app,shop\ncity1.example,ABCDE12345.city1,\n")
    expect(dialog.get_by_role("alert")).to_contain_text("city1.example: admin has published revision 2 since.")
    dialog.get_by_label("Undo what others have changed").check()
    confirm(page)
    expect(page.get_by_text("Done: 1 changed.")).to_be_visible()
    assert paths(site, "city1.example") == ["/shop/*"]


def test_five_hundred_domains_are_filtered_not_all_drawn(desk, site):
    site.apply_template(500)
    desk.sign_in()
    page = desk.open(TABLE)
    expect(page.get_by_text("100 of 500 domains shown.")).to_be_visible()
    expect(page.locator("tbody tr")).to_have_count(100)
    page.get_by_label("Filter").fill("city499")
    expect(page.locator("tbody tr")).to_have_count(1)


# A file of its domains


def test_a_dropped_file_makes_the_domains_what_it_says_after_its_plan(cities, site):
    page = cities.open(TABLE)
    drop(page, "\ufeffdomain,shop,app\r\ncity1.example, \"boutique\" ,ABCDE12345.city1\r\n\r\n"
         f"city4.example, ,{APP}\r\ncity2.example,,ABCDE12345.city2\r\n")
    dialog = page.get_by_role("dialog", name="What customers.csv changes")
    expect(dialog).to_contain_text("1 new, 1 changed, 1 unchanged")
    dialog.get_by_label("Delete 1 domain of this template that the file does not list").check()
    # Its links open an app now.
    dialog.get_by_label(re.compile("Publish anyway")).check()
    dialog.get_by_role("button", name="Accept and preview again").click()
    expect(dialog).to_contain_text("1 new, 1 changed, 1 deleted, 1 unchanged")
    confirm(page)
    expect(page.get_by_text("Done: 1 new, 1 changed, 1 deleted")).to_be_visible()
    assert paths(site, "city1.example") == ["/boutique/*"] and paths(site, "city4.example") == ["/shop/*"]
    with pytest.raises(urllib.error.HTTPError):
        site.call("GET", "/v1/domains/city3.example")
    assert site.call("GET", "/v1/changes")["items"][0]["domainCount"] == 3


@pytest.mark.parametrize("text, faults", [
    ("", ["The file is empty."]),
    ("name,app,app,color\na,b,c,d\n", [
        "Line 1, column “name”: The first column must be domain.", "Line 1, column “app”: This column is there twice.",
        "Line 1, column “color”: The template has no such parameter. It has: app, shop."]),
    ("domain,app\na.example\nb.example,x,y\na.example,x\n\na.example,y\n", [
        "Line 2: This row has 1 cell, and the first line 2.", "Line 3: This row has 3 cells",
        "Line 6, column “domain”: a.example is on line 4, too."]),
    ('domain,app\n"a.example,x\n', ["Line 2: A quote is in the wrong place."]),
    ('domain,app\na.example,"x" y\n', ["Line 2: A quote is in the wrong place."]),
    (b"domain,app\nm\xfcller.example,x\n", ["The file is not UTF-8."]),
])
def test_what_is_wrong_with_a_file_is_said_with_lines_and_columns(cities, site, text, faults):
    page = cities.open(TABLE)
    drop(page, text)
    box = page.get_by_role("alert")
    expect(box).to_contain_text("Nothing was changed. customers.csv has faults:")
    for fault in faults:
        expect(box).to_contain_text(fault)
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_wrong_values_of_a_file_are_said_with_lines_and_columns_too(cities, site):
    page = cities.open(TABLE)
    drop(page, 'domain,app,shop\n"city1.example","not an app",\n\nnot a domain,ABCDE12345.x,\ncity2.example,,a*\n')
    alert = page.get_by_role("dialog").get_by_role("alert")
    expect(alert).to_contain_text("Line 2, column “app”: ")
    expect(alert).to_contain_text("Line 4, column “domain”: ")
    expect(alert).to_contain_text("Line 5, column “shop”: ")
    assert site.call("GET", "/v1/domains?template=white-label")["total"] == 3


# Domains that use a template


def test_a_domain_shows_what_comes_from_its_template_and_edits_what_is_its_own(cities, site):
    page = cities.open(CITY)
    entry = page.get_by_label("Entry 1", exact=True)
    expect(entry.get_by_role("link", name="from white-label")).to_have_attribute("href", RULES)
    expect(entry.get_by_role("button")).to_have_count(0)
    page.get_by_role("button", name="Add an entry").click()
    page.get_by_label("Add an app").fill(APP)
    page.keyboard.press("Enter")
    add_route(page, "/own/*")
    expect(page.get_by_label("Entry 2", exact=True).get_by_role("link", name="from white-label")).to_be_visible()
    section(page, "Settings")
    page.get_by_role("button", name="Edit settings").click()
    expect(page.get_by_label("Cache time", exact=True)).to_have_count(0)
    page.get_by_role("button", name="Set here: Cache time").click()
    expect(page.get_by_label("Cache time", exact=True)).to_have_value("600")
    page.get_by_label("Cache time", exact=True).fill("60")
    section(page, "Routes")
    page.get_by_label("shop", exact=True).fill("market")
    page.get_by_label("shop", exact=True).blur()
    publish_button(page).click()
    expect(page.get_by_text("Published as revision 2")).to_be_visible()
    expect(page.get_by_label("Entry 2", exact=True)).to_contain_text("/market/*")
    assert paths(site, "city1.example") == ["/own/*", "/market/*"]
    own = site.call("GET", "/v1/domains/city1.example")
    assert own["cacheSeconds"] == 60 and "webcredentials" not in own
    section(page, "Settings")
    page.get_by_role("button", name="Edit settings").click()
    page.get_by_role("button", name="Take from the template: Cache time").click()
    publish_button(page).click()
    expect(page.get_by_text("Published as revision 3")).to_be_visible()
    assert "cacheSeconds" not in site.call("GET", "/v1/domains/city1.example")
    assert site.call("GET", "/v1/domains/city1.example?resolved=true")["cacheSeconds"] == 600


def test_a_wrong_value_of_a_domain_stands_beside_its_field(cities):
    page = cities.open(CITY)
    page.get_by_label("app", exact=True).fill("nothing")
    page.get_by_label("app", exact=True).blur()
    expect(page.get_by_label("app", exact=True)).to_have_attribute("aria-invalid", "true")
    expect(publish_button(page)).to_be_disabled()


def test_a_domain_is_detached_with_the_same_files(cities, site):
    before = site.call("GET", "/v1/domains/city1.example/file")
    page = cities.open(CITY)
    page.get_by_role("button", name="Detach from the template").click()
    confirm(page, "Detach from the template")
    expect(page.get_by_text("Detached city1.example.")).to_be_visible()
    expect(page.get_by_label("Entry 1", exact=True).get_by_role("button", name="Delete entry 1")).to_be_visible()
    expect(page.get_by_text("from white-label")).to_have_count(0)
    assert site.call("GET", "/v1/domains/city1.example/file") == before


def test_a_domain_chooses_a_template_and_keeps_what_is_its_own(cities, site):
    site.put("other.example", "/own/*", aliases=["www.other.example"])
    page = cities.open("#/domains/other.example")
    page.get_by_role("button", name="Use a template").click()
    page.get_by_role("dialog").get_by_label("Template").select_option("white-label")
    confirm(page, "Use template")
    page.get_by_label("app", exact=True).fill(APP)
    page.get_by_label("app", exact=True).blur()
    expect(page.locator(".review")).to_contain_text("/shop/*")
    assert paths(site, "other.example") == ["/own/*"]
    publish_button(page).click()
    expect(page.get_by_text("Published as revision 2")).to_be_visible()
    expect(page.get_by_label("Entry 2", exact=True)).to_contain_text("/shop/*")
    assert paths(site, "other.example") == ["/own/*", "/shop/*"]
    domain = site.call("GET", "/v1/domains/other.example?resolved=true")
    assert domain["cacheSeconds"] == 600 and domain["aliases"] == ["www.other.example"]


def test_hostile_values_stay_values(cities, site):
    page = cities.open(TABLE)
    text = "\"><img/src=x/onerror=alert(1)>{domain}=cmd|'/C'!A0"
    drop(page, "domain,app,shop\n" + f'city1.example,ABCDE12345.city1,"{text.replace(chr(34), chr(34) * 2)}"\n')
    confirm(page)
    expect(page.get_by_text("Done: 1 changed.")).to_be_visible()
    expect(page.get_by_label("shop of city1.example")).to_have_value(text)
    assert values(site, "city1.example")["shop"] == text
    assert page.locator("main img").count() == 0
