"""A real server with a database of its own for each test, and Chromium."""
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import time
import urllib.error
import urllib.request

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect, sync_playwright

AASA = os.environ.get("AASA", ".build/debug/aasa")
APP = "ABCDE12345.com.example.app"
SHOP = "FGHIJ67890.com.example.shop"
STATE = pathlib.Path(__file__).parents[2] / "Config/example/state.json"

# Pages wait for the server, which is a debug build on a machine that may be busy.
expect.set_options(timeout=60_000)


class Site:
    """A server, and its API with the rights of an administrator."""

    def __init__(self, directory, *flags, prepare=None):
        self.database = directory / "aasa.db"
        self.token = self.create_token("admin")
        if prepare:
            prepare(self.database)
        self.log = directory / "log"
        self.process = subprocess.Popen(
            [AASA, "serve", "--database", self.database, "--public-address", "127.0.0.1:0",
             "--admin-address", "127.0.0.1:0", *flags],
            stderr=self.log.open("w"))
        while not (found := re.search(r"Admin API: +(http\S+)/v1", self.log.read_text())):
            assert self.process.poll() is None, self.log.read_text()
            time.sleep(0.02)
        self.url = found[1]

    def create_token(self, role, *domains, name=None, publishes_protected=False):
        limits = [flag for domain in domains for flag in ("--domain", domain)]
        limits += ["--publishes-protected"] if publishes_protected else []
        command = [AASA, "token", "create", "--database", self.database, "--name", name or role, "--role", role, *limits]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def call(self, method, path, body=None, **fields):
        """The JSON that the API answers; an `HTTPError` for a refusal."""
        request = urllib.request.Request(
            self.url + path, method=method, data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self.token}", "Content-Type": "application/json", **fields})
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return json.loads(response.read() or b"null")
        except urllib.error.HTTPError as refusal:
            refusal.add_note(refusal.read().decode())
            raise

    def put(self, domain, *paths, app=APP, **members):
        """Publishes a domain with routes, in place of what it has."""
        routes = [path if isinstance(path, dict) else {"path": path} for path in paths]
        entries = [{"apps": [app], "routes": routes}] if routes else []
        condition = {"If-None-Match": "*"}
        try:
            self.call("GET", f"/v1/domains/{domain}")
            condition = {"If-Match": "*"}
        except urllib.error.HTTPError:
            pass
        return self.call("PUT", f"/v1/domains/{domain}", {"entries": entries, **members}, **condition)

    def apply_example(self):
        return self.call("POST", "/v1/apply", json.loads(STATE.read_text()))

    def apply_template(self, count=3):
        """A template with the domains of some cities."""
        self.call("PUT", "/v1/templates/white-label", {
            "parameters": [{"name": "app", "type": "app"}, {"name": "shop", "type": "path", "default": "shop"}],
            "cacheSeconds": 600, "entries": [{"apps": ["{app}"], "routes": [{"path": "/{shop}/*"}]}],
        })
        return self.call("POST", "/v1/apply", {"domains": [
            {"domain": f"city{number}.example", "template": "white-label", "parameters": {"app": f"ABCDE12345.city{number}"}}
            for number in range(1, count + 1)]})

    def stop(self):
        self.process.terminate()
        self.process.wait()


@pytest.fixture
def site(tmp_path):
    site = Site(tmp_path)
    yield site
    site.stop()


def launch(playwright, program="/usr/bin/chromium-headless-shell"):
    # Containers run as root, which has no sandbox, and have little shared memory.
    return playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-dev-shm-usage"])


@pytest.fixture(scope="session")
def chromium():
    program = shutil.which("chromium-headless-shell")
    if program is None:
        if os.environ.get("CI"):
            pytest.fail("Chromium is not installed: apt install chromium-headless-shell")
        pytest.skip("Chromium is not installed: apt install chromium-headless-shell")
    with sync_playwright() as playwright:
        browser = launch(playwright, program)
        yield browser
        browser.close()


class Desk:
    """A person at a browser."""

    def __init__(self, chromium, site, **settings):
        self.site = site
        # A browser with a window lets a page copy after a click without a question.
        self.context = chromium.new_context(
            base_url=site.url, locale="en-GB", timezone_id="UTC", permissions=["clipboard-write"], **settings)
        self.context.set_default_timeout(60_000)
        self.page = self.context.new_page()
        # What a page must never do, whatever else the test looks at.
        self.faults = []
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("console", self._hear)
        self.page.on("request", self._see)

    def _hear(self, message):
        if "violates" in message.text or "Trusted" in message.text or message.type == "warning":
            self.faults.append(message.text)

    def _see(self, request):
        if not request.url.startswith(self.site.url):
            self.faults.append(f"asked for {request.url}")

    def sign_in(self, token=None, at="/"):
        self.page.goto(at)
        self.page.get_by_label("Token").fill(token or self.site.token)
        self.page.get_by_role("button", name="Sign in").click()
        expect(account(self.page)).to_be_visible()
        return self.page

    def open(self, fragment, heading=None):
        """Opens a page by its address, and waits until it has loaded."""
        self.page.goto("/" + fragment)
        expect(self.page.get_by_role("heading", level=1)).to_be_visible()
        if heading:
            expect(self.page.get_by_role("heading", level=1)).to_contain_text(heading)
        self.settle()
        return self.page

    def settle(self):
        self.page.wait_for_load_state("networkidle")
        expect(self.page.locator(".loading")).to_have_count(0)

    def access_faults(self):
        """What axe-core finds on the page."""
        rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
        report = Axe().run(self.page, options={"runOnly": rules}).response
        return [f"{found['id']}: {node['target']} {node['failureSummary']}"
                for found in report["violations"] for node in found["nodes"]]

    def close(self):
        self.context.close()
        assert self.faults == []


@pytest.fixture
def desk(chromium, site):
    desk = Desk(chromium, site)
    yield desk
    desk.close()


@pytest.fixture
def example(desk, site):
    """A desk where an administrator has signed in, with the example's domain."""
    site.apply_example()
    desk.sign_in()
    return desk


@pytest.fixture
def open_desk(chromium, site):
    """Further desks, with settings of their own."""
    desks = []

    def open_desk(**settings):
        desks.append(Desk(chromium, site, **settings))
        return desks[-1]

    yield open_desk
    for desk in desks:
        desk.close()


def account(page):
    """The button of the person's menu."""
    return page.locator("header .person")


def sign_out(page):
    account(page).click()
    page.get_by_role("button", name="Sign out").click()


def section(page, name):
    """Opens another section of the domain whose page is open."""
    page.get_by_role("navigation", name="Domain").get_by_role("link", name=name).click()


def multiply(database, count):
    """Adds many copies of the example's domain to a new database, past the API, which would take minutes."""
    subprocess.run([AASA, "apply", "--database", database, STATE], check=True, capture_output=True)
    with sqlite3.connect(database) as connection:
        tables = {
            "domain": ("id", {}), "entry": ("id", {"domain_id": 0}),
            "entry_app": (None, {"entry_id": 0}), "route": ("id", {"entry_id": 0}),
            "revision": ("id", {"domain_id": 0}), "document": ("id", {"domain_id": 0}),
        }
        numbers = f"WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count})"
        # Each copy has the numbers of the rows that it copies, moved by as many thousands.
        for table, (key, references) in tables.items():
            names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
            moved = {name for name in names if name == key or name in references}
            columns = ", ".join(f"{name} + i * 1000" if name in moved else name for name in names)
            connection.execute(f"INSERT INTO {table} {numbers} SELECT {columns} FROM n, {table}")
        connection.execute(
            f"INSERT INTO domain_name {numbers} SELECT printf('d%06d.example', i), domain_id + i * 1000, 0 FROM n, "
            "(SELECT domain_id FROM domain_name WHERE position = 0 LIMIT 1)")
    connection.close()
