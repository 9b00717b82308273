"""Documents that are published as bytes, on the page of their domain."""
from playwright.sync_api import expect

FILE = {"name": "trust.txt", "mimeType": "text/html", "buffer": b"member=a"}


def documents(site):
    return {one["kind"]: one for one in site.call("GET", "/v1/domains/example.com/documents")["documents"]}


def test_a_dropped_file_is_published_replaced_and_removed_after_a_preview(example, site):
    page = example.open("#/domains/example.com/settings")
    place = page.locator("aasa-domain-documents")
    expect(place).to_contain_text("None.")
    for content, size in ((b"member=a", "8"), (b"member=abc", "10")):
        place.locator("input[type=file]").set_input_files([{**FILE, "buffer": content}])
        dialog = page.get_by_role("dialog")
        expect(dialog).to_contain_text("Publish trust.txt?")
        expect(dialog).to_contain_text("trust.txt")
        dialog.get_by_role("button", name="Publish", exact=True).click()
        expect(dialog).to_have_count(0)
        expect(place).to_contain_text(f"{size} bytes")
        expect(place).to_contain_text(documents(site)["trust.txt"]["sha256"][:16])
        # The usual type of the name, whatever the browser takes the file for.
        expect(place).to_contain_text("text/plain")
    assert documents(site)["trust.txt"]["bytes"] == 10
    place.get_by_label("Name").fill("gpc.json")
    place.locator("input[type=file]").set_input_files([{**FILE, "buffer": b"{}"}])
    dialog.get_by_role("button", name="Publish", exact=True).click()
    expect(dialog).to_have_count(0)
    expect(place).to_contain_text("application/json")
    place.get_by_role("button", name="Remove trust.txt?").click()
    dialog.get_by_role("button", name="Remove", exact=True).click()
    expect(dialog).to_have_count(0)
    expect(place.get_by_text("trust.txt", exact=True)).to_have_count(0)
    assert "gpc.json" in documents(site) and "trust.txt" not in documents(site)


def test_a_document_that_is_refused_says_why_and_changes_nothing(example, site):
    page = example.open("#/domains/example.com/settings")
    page.locator("aasa-domain-documents input[type=file]").set_input_files([{**FILE, "name": "gpc.json"}])
    expect(page.get_by_role("dialog")).to_contain_text("gpc.json is not JSON")
    assert "gpc.json" not in documents(site)


def test_what_is_limited_to_a_document_replaces_that_and_reads_the_rest(desk, site):
    site.apply_example()
    site.call("PATCH", "/v1/domains/example.com", {"documents": {"gpc.json": {"text": "{}"}}})
    token = site.call("POST", "/v1/tokens", {"name": "payments", "role": "editor", "documents": ["trust.txt"]})["token"]
    desk.sign_in(token)
    page = desk.open("#/domains/example.com/settings")
    expect(page.get_by_role("button", name="Delete domain")).to_have_count(0)
    place = page.locator("aasa-domain-documents")
    expect(place).to_contain_text("gpc.json")
    expect(place.get_by_role("button", name="Remove gpc.json?")).to_have_count(0)
    place.locator("input[type=file]").set_input_files([{**FILE, "name": "download"}])
    page.get_by_role("dialog").get_by_role("button", name="Publish", exact=True).click()
    expect(place.get_by_role("button", name="Remove trust.txt?")).to_be_visible()
    assert documents(site)["trust.txt"]["bytes"] == 8
    assert desk.access_faults() == []
