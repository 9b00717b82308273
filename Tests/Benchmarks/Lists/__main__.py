"""Measures the first page of each list of a million domains, on SQLite and on PostgreSQL side by side, and on the way how
long a start, a backup, a restore and a copy take.

    python3 -B Tests/Benchmarks/Lists PROGRAM [--domains 1000000] [--revisions 1] [--sqlite]

Ten thousand domains are applied, and then multiplied in SQL. Needs a machine that does nothing else.
"""

import argparse
import http.client
import json
import multiprocessing
import os
import re
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent))

from postgresql import PostgreSQL  # noqa: E402

APP = "ABCDE12345.com.example.app"
PUBLIC, ADMIN = 19390, 19391
BASE = 10_000
# The columns that number rows or refer to them, and how many rows a domain has.
NUMBERS = {
    "domain": {"id": 1}, "domain_name": {"domain_id": 1}, "entry": {"id": 1, "domain_id": 1}, "entry_app": {"entry_id": 1},
    "route": {"id": 5, "entry_id": 1}, "revision": {"id": 1, "domain_id": 1}, "document": {"id": 1, "domain_id": 1},
    "check_schedule": {"domain_id": 1}, "finding": {"domain_id": 1}, "domain_label": {"domain_id": 1}}
FILTERS = [
    "", "q=d0777", "q=example", "q=nowhere", "collected=false", "collected=true", "check=failing", "check=ok",
    "check=unchecked", f"app={APP}", "environment=production", "environment=staging", "enabled=false", "kind=assetlinks.json",
    "finding=near-size-limit", "label=brand-a", "deleted=true", "host=d00001-1.example"]


def multiply(database: str, count: int, revisions: int) -> None:
    """Of a hundred domains, Apple has not fetched one; of two hundred, one fails; of twenty, one is disabled."""
    db = sqlite3.connect(database)
    db.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -500000;"
                     "CREATE TEMP TABLE copy (k INTEGER PRIMARY KEY);")
    db.executemany("INSERT INTO copy VALUES (?)", [(k,) for k in range(1, count // BASE)])
    places = ", ".join("?" * len(NUMBERS))
    indexes = db.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL "
                         f"AND tbl_name IN ({places})", list(NUMBERS)).fetchall()
    for name, _ in indexes:
        db.execute(f"DROP INDEX {name}")
    for table, numbers in NUMBERS.items():
        columns = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
        values = [f"t.{column} + k * {BASE * numbers[column]}" if column in numbers
                  else f"replace(t.{column}, '-0.', '-' || k || '.')" if (table, column) == ("domain_name", "name")
                  else f"t.{column}" for column in columns]
        db.execute(f"INSERT INTO {table} ({', '.join(columns)}) SELECT {', '.join(values)} "
                   f"FROM copy CROSS JOIN (SELECT * FROM {table}) AS t ORDER BY 1")
    for _, sql in indexes:
        db.execute(sql)
    db.execute("CREATE TEMP TABLE again (k INTEGER PRIMARY KEY)")
    db.executemany("INSERT INTO again VALUES (?)", [(k,) for k in range(2, revisions + 1)])
    for table, number in ("revision", "number"), ("document", "revision"):
        columns = [row[1] for row in db.execute(f"PRAGMA table_info({table})") if row[1] not in ("id", number)]
        names = ", ".join(columns)
        db.execute(f"INSERT INTO {table} ({number}, {names}) SELECT k, {names} FROM {table}, again WHERE {number} = 1")
    db.execute("UPDATE domain SET revision = ?", (revisions,))
    db.executescript(f"""
        INSERT INTO domain_check (id, domain_id, first_at, last_at, count, status, codes)
          SELECT id, id, 1, 2, 1, CASE WHEN id % 200 = 7 THEN 'failing' ELSE 'ok' END, '[]' FROM domain;
        UPDATE check_schedule SET check_id = domain_id, checked_at = 2, failures = domain_id % 200 = 7;
        INSERT INTO "fetch" SELECT id, 1, 'apple-app-site-association', 'apple-cdn', 1, 1, 1 FROM domain WHERE id % 100 <> 9;
        UPDATE domain SET is_enabled = 0 WHERE id % 20 = 3;
        UPDATE sqlite_sequence SET seq = seq * {count // BASE} WHERE name IN ('domain', 'entry', 'route');
        PRAGMA journal_mode = WAL;""")
    db.close()


def run(work: str, program: str, *words: str) -> None:
    start = time.monotonic()
    process = subprocess.Popen([program, *words], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - start
    if status:
        raise RuntimeError(f"aasa {' '.join(words)}: status {status}")
    print(f"| {work} | {seconds:.1f} s, {usage.ru_utime + usage.ru_stime:.1f} s of processor time, "
          f"{usage.ru_maxrss / 1024:.0f} MB |", flush=True)


def lists(program: str, database: str) -> None:
    start = time.monotonic()
    with tempfile.TemporaryFile() as log:
        server = subprocess.Popen(
            [program, "serve", "--database", database, "--public-address", f"127.0.0.1:{PUBLIC}",
             "--admin-address", f"127.0.0.1:{ADMIN}"], stderr=log, stdout=log)
        try:
            admin = http.client.HTTPConnection("127.0.0.1", ADMIN, timeout=600)
            while server.poll() is None:
                try:
                    admin.request("GET", "/readyz")
                    admin.getresponse().read()
                    break
                except OSError:
                    admin.close()
                    time.sleep(0.005)
            status = Path(f"/proc/{server.pid}/status").read_text()
            memory = int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 1024
            print(f"| start | {time.monotonic() - start:.2f} s, {memory:.0f} MB at most |", flush=True)
            token = subprocess.run(
                [program, "token", "create", "--database", database, "--name", f"bench-{time.time_ns()}", "--role", "viewer"],
                check=True, capture_output=True, text=True).stdout.strip()
            for filter in FILTERS:
                times = []
                for _ in range(5):
                    start = time.monotonic()
                    admin.request("GET", f"/v1/domains?limit=100&{filter}", headers={"Authorization": f"Bearer {token}"})
                    page = json.loads(admin.getresponse().read())
                    times.append((time.monotonic() - start) * 1000)
                estimate = "about " if page.get("totalIsEstimate") else ""
                print(f"| {filter or 'all'} | {statistics.median(times):.0f} ms, {estimate}{page['total']:,} |", flush=True)
        finally:
            server.terminate()
            server.wait()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--domains", type=int, default=1_000_000)
    parser.add_argument("--revisions", type=int, default=1, help="of each domain")
    parser.add_argument("--sqlite", action="store_true", help="only on SQLite")
    words = parser.parse_args()
    program = os.path.abspath(words.program)
    with tempfile.TemporaryDirectory(prefix="aasa-lists.") as folder:
        database, state = f"{folder}/aasa.db", f"{folder}/state.json"
        Path(state).write_text(json.dumps({
            "apps": [{"app": APP, "name": "Example"}],
            "domains": [{"domain": f"d{number:05d}-0.example", "labels": ["brand-a"] if number % 10 == 0 else [], "entries": [
                {"apps": [APP], "routes": [{"path": f"/{number}/{route}/*"} for route in range(5)]}]}
                for number in range(BASE)]}))
        subprocess.run([program, "apply", "--database", database, state], check=True, stdout=subprocess.DEVNULL)
        # In a process of its own: what this one had at most counts as that of the commands that it starts.
        process = multiprocessing.Process(target=multiply, args=(database, words.domains, words.revisions))
        process.start()
        process.join()
        if process.exitcode:
            raise RuntimeError("cannot multiply the domains")
        print(f"| SQLite, {words.domains:,} domains of {words.revisions} revisions, {os.path.getsize(database) / 1e6:,.0f} MB | |\n|---|---|", flush=True)
        lists(program, database)
        run("backup", program, "backup", "--database", database, f"{folder}/backup.db")
        run("restore to a new file", program, "restore", "--database", f"{folder}/new.db", f"{folder}/backup.db")
        os.remove(f"{folder}/new.db")
        os.remove(f"{folder}/backup.db")
        start = time.monotonic()
        subprocess.run(["sqlite3", database, f".backup {folder}/plain.db"], check=True)
        print(f"| .backup of sqlite3 | {time.monotonic() - start:.1f} s |", flush=True)
        os.remove(f"{folder}/plain.db")
        if words.sqlite:
            return
        postgresql = PostgreSQL()
        try:
            uri = postgresql.create("lists")
            print("| PostgreSQL | |\n|---|---|", flush=True)
            run("copy from SQLite", program, "copy", "--from", database, "--to", uri)
            subprocess.run([f"{postgresql.programs}/psql", uri, "-qc", "VACUUM ANALYZE"], check=True, stderr=subprocess.DEVNULL)
            lists(program, uri)
        finally:
            postgresql.end()


main()
