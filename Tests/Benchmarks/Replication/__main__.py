"""Measures how soon an edit on one server is served by the others, and how long a server takes to start.

    python3 -B Tests/Benchmarks/Replication PROGRAM [--quick]

Runs a PostgreSQL of its own, three servers, and pgbouncer if it is installed. Needs a machine that does nothing else.
"""
import http.client
import json
import os
import queue
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.append(os.path.join(os.path.dirname(__file__), ".."))

from postgresql import PostgreSQL  # noqa: E402

PROGRAM = os.path.abspath(sys.argv[1])
QUICK = "--quick" in sys.argv
SERVERS, DOMAINS, RATE, SECONDS = 3, 100, 50, 10 if QUICK else 30
LOADED = 10_000 if QUICK else 100_000
FILE = "/.well-known/apple-app-site-association"


def entry(path):
    return {"entries": [{"apps": ["ABCDE12345.com.example.app"], "routes": [{"path": path}]}]}


def percentile(values, part):
    return sorted(values)[min(len(values) - 1, int(len(values) * part))]


class Server:
    def __init__(self, database, number):
        self.public, self.admin = 19180 + number, 19280 + number
        self.log = tempfile.NamedTemporaryFile("r", prefix="aasa-", suffix=".log")
        self.start = time.monotonic()
        self.process = subprocess.Popen(
            [PROGRAM, "serve", "--database", database, "--public-address", f"127.0.0.1:{self.public}",
             "--admin-address", f"127.0.0.1:{self.admin}"], stderr=open(self.log.name, "w"))
        while self.get("nobody.example") is None:
            time.sleep(0.005)
        self.seconds = time.monotonic() - self.start

    def get(self, host):
        try:
            connection = http.client.HTTPConnection("127.0.0.1", self.public)
            connection.request("GET", FILE, headers={"Host": host})
            return connection.getresponse().read()
        except OSError:
            return None

    def megabytes(self):
        status = open(f"/proc/{self.process.pid}/status").read()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()


def propagation(database, title):
    servers = [Server(database, number) for number in range(SERVERS)]
    token = subprocess.run([PROGRAM, "token", "create", "--database", database, "--name", "bench", "--role", "admin"],
                           check=True, capture_output=True, text=True).stdout.strip()
    fields = {"Authorization": "Bearer " + token, "Content-Type": "application/json"}

    def put(connection, domain, number, condition):
        connection.request("PUT", f"/v1/domains/d{domain}.example", json.dumps(entry(f"/n{number}/")),
                           fields | condition)
        answer = connection.getresponse()
        answer.read()
        return answer.status

    connection = http.client.HTTPConnection("127.0.0.1", servers[0].admin)
    for domain in range(DOMAINS):
        assert put(connection, domain, 0, {}) == 201
    delays, latencies, refused = [], [], []
    work, watched = queue.Queue(), [queue.Queue() for _ in servers]

    def edit():
        connections = [http.client.HTTPConnection("127.0.0.1", server.admin) for server in servers]
        while (item := work.get()) is not None:
            number, server = item
            begin = time.monotonic()
            status = put(connections[server], number % DOMAINS, number, {"If-Match": "*"})
            end = time.monotonic()
            latencies.append(end - begin)
            if status != 200:
                refused.append(status)
                continue
            for other in range(SERVERS):
                if other != server:
                    watched[other].put((number, end))

    def watch(server):
        connection = http.client.HTTPConnection("127.0.0.1", servers[server].public)
        while (item := watched[server].get()) is not None:
            number, acknowledged = item
            while True:
                connection.request("GET", FILE, headers={"Host": f"d{number % DOMAINS}.example"})
                found = re.search(rb"/n(\d+)/", connection.getresponse().read())
                if found and int(found[1]) >= number:
                    break
                time.sleep(0.002)
            delays.append(time.monotonic() - acknowledged)

    editors = [threading.Thread(target=edit) for _ in range(8)]
    watchers = [threading.Thread(target=watch, args=(server,)) for server in range(SERVERS)]
    for thread in editors + watchers:
        thread.start()
    begin = time.monotonic()
    for number in range(1, RATE * SECONDS + 1):
        time.sleep(max(0, begin + number / RATE - time.monotonic()))
        work.put((number, number * 7919 % SERVERS))
    for _ in editors:
        work.put(None)
    for thread in editors:
        thread.join()
    rate = RATE * SECONDS / (time.monotonic() - begin)
    for line in watched:
        line.put(None)
    for thread in watchers:
        thread.join()
    for server in servers:
        server.end()
    milliseconds = lambda values, part: f"{1000 * percentile(values, part):.0f} ms"
    print(f"{title}: {SERVERS} servers, {rate:.0f} edits a second for {SECONDS} s, {len(refused)} refused")
    print(f"  an edit takes           p50 {milliseconds(latencies, 0.5)}, p99 {milliseconds(latencies, 0.99)}")
    print(f"  until the others serve  p50 {milliseconds(delays, 0.5)}, p99 {milliseconds(delays, 0.99)}, "
          f"longest {1000 * max(delays):.0f} ms", flush=True)


def loading(database):
    with tempfile.TemporaryDirectory() as folder:
        for start in range(0, LOADED, 10_000):
            name = f"{folder}/state.json"
            with open(name, "w") as file:
                json.dump({"domains": [
                    {"domain": f"d{number}.example",
                     "entries": [{"apps": ["ABCDE12345.com.example.app"],
                                  "routes": [{"path": f"/{number}/{route}/*"} for route in range(20)]}]}
                    for number in range(start, start + 10_000)]}, file)
            subprocess.run([PROGRAM, "apply", "--database", folder + "/aasa.db", name], check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        begin = time.monotonic()
        subprocess.run([PROGRAM, "copy", "--from", folder + "/aasa.db", "--to", database], check=True)
        print(f"aasa copy of {LOADED} domains to PostgreSQL: {time.monotonic() - begin:.1f} s", flush=True)
        size = len(server_file(database))
        for round in range(3):
            for title, location in (("PostgreSQL", database), ("SQLite", folder + "/aasa.db")):
                server = Server(location, 0)
                print(f"  {title}: {LOADED} files of {size} bytes are served {server.seconds:.2f} s after the start, "
                      f"from {server.megabytes():.0f} MB", flush=True)
                server.end()


def server_file(database):
    server = Server(database, 0)
    try:
        return server.get("d7.example")
    finally:
        server.end()


postgresql = PostgreSQL()
try:
    propagation(postgresql.create("direct"), "directly")
    postgresql.create("pooled")
    pooled = postgresql.pooled("pooled")
    if pooled:
        propagation(pooled, "through pgbouncer")
    loading(postgresql.create("many"))
finally:
    postgresql.end()
