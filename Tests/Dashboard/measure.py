"""Measures the dashboard with 100,000 domains in Chromium: `make bench-dashboard` runs it with a release build.

Prints medians in milliseconds. A long task is work of the page that takes more than 50 ms, in which it cannot answer a
key.
"""
import contextlib
import gzip
import pathlib
import statistics
import tempfile
import time

from conftest import Desk, Site, launch, multiply
from playwright.sync_api import expect, sync_playwright

WEB = pathlib.Path(__file__).parents[2] / "Sources/Dashboard/Web"
WATCH = """
  window.longTasks = [];
  new PerformanceObserver((list) => window.longTasks.push(...list.getEntries().map((task) => task.duration)))
    .observe({ type: "longtask", buffered: true });
"""


def timed(act):
    start = time.monotonic()
    act()
    return (time.monotonic() - start) * 1000


def main():
    files = [file for file in WEB.rglob("*") if file.is_file()]
    lines = sum(len(file.read_text().splitlines()) for file in files)
    compressed = sum(len(gzip.compress(file.read_bytes())) for file in files)
    print(f"{len(files)} files, {lines} lines, {compressed / 1024:.0f} KB compressed")
    with tempfile.TemporaryDirectory() as directory, sync_playwright() as playwright, \
            contextlib.ExitStack() as stack:
        site = Site(pathlib.Path(directory), prepare=lambda database: multiply(database, 100_000))
        stack.callback(site.stop)
        browser = launch(playwright)
        paints = []
        for _ in range(10):
            desk = Desk(browser, site)
            desk.page.goto("/")
            expect(desk.page.get_by_label("Token")).to_be_visible()
            paints.append(desk.page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime"))
            desk.close()
        print(f"first paint, nothing cached: {statistics.median(paints):.0f} ms (longest {max(paints):.0f})")
        desk = Desk(browser, site)
        desk.page.add_init_script(WATCH)
        page = desk.sign_in()
        rows = page.locator("tbody tr")
        expect(rows.first).to_be_visible()
        paged, searched = [], []
        for number in range(10):
            before = rows.first.inner_text()
            paged.append(timed(lambda: (
                page.get_by_role("button", name="Next page").click(), expect(rows.first).not_to_have_text(before))))
        for number in range(10):
            name = f"d0{number}4321"
            searched.append(timed(lambda: (
                page.get_by_role("searchbox").fill(name), expect(rows).to_have_count(1),
                expect(rows).to_contain_text(name))))
        tasks = page.evaluate("window.longTasks")
        print(f"next page: {statistics.median(paged):.0f} ms; search: {statistics.median(searched):.0f} ms")
        print(f"long tasks: {len(tasks)}" + (f", the longest {max(tasks):.0f} ms" if tasks else ""))
        desk.close()


if __name__ == "__main__":
    main()
