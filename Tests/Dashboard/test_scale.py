"""A hundred thousand domains are as easy to use as thirty."""
import gzip
import pathlib

import pytest
from conftest import Desk, Site, multiply
from playwright.sync_api import expect


@pytest.fixture
def large(tmp_path, chromium):
    site = Site(tmp_path, prepare=lambda database: multiply(database, 100_000))
    yield Desk(chromium, site)
    site.stop()


def test_a_hundred_thousand_domains_are_searched_and_paged_without_keeping_them(large):
    asked = []
    large.page.on("request", lambda request: asked.append(request.url))
    page = large.sign_in()
    expect(page.get_by_text("100,001").first).to_be_visible()
    large.settle()
    # To count them would take as long as to look at each.
    assert not [url for url in asked if "collected" in url]
    rows = page.locator("tbody tr")
    assert 1 < rows.count() <= 200
    first = rows.first.inner_text()
    page.get_by_role("button", name="Next page").click()
    expect(rows.first).not_to_have_text(first)
    assert 1 < rows.count() <= 200
    address = page.url
    page.get_by_role("searchbox").fill("d054321")
    expect(page.get_by_role("link", name="d054321.example", exact=True)).to_be_visible()
    expect(rows).to_have_count(1)
    page.goto(address)
    expect(rows.first).not_to_have_text(first)
    expect(page.get_by_role("link", name="d054321.example", exact=True)).to_have_count(0)
    large.close()


def test_the_dashboard_stays_small():
    web = pathlib.Path(__file__).parents[2] / "Sources/Dashboard/Web"
    files = [file.read_bytes() for file in web.rglob("*") if file.is_file()]
    assert sum(len(gzip.compress(content)) for content in files) < 200 * 1000
