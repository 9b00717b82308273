#!/usr/bin/env python3
"""Copies the database and its WAL at random moments while a server takes edits, and opens each copy.

A copy of two files takes time, so the server is stopped meanwhile (SIGSTOP): no other process writes, and
the copy is what a server that is killed at that moment leaves behind. The shared memory (-shm) is not
copied; SQLite builds it again, as after a crash. A copy without a stop would be torn between the two files,
and say nothing about the server: `aasa backup` is for that.

usage: copies.py AASA [COPIES]
"""
import http.client, json, os, random, re, shutil, signal, sqlite3, subprocess, sys, tempfile
import threading, time

AASA, COPIES = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 200
APP = "ABCDE12345.com.example.app"


class Editor(threading.Thread):
    """Publishes a domain with one route again and again. The route's path is the number of the edit."""

    def __init__(self, port, token, name):
        super().__init__(daemon=True)
        self.port, self.token, self.name = port, token, name
        self.sent = self.acknowledged = 0
        self.failure = None
        self.is_over = False

    def run(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        while not self.is_over:
            self.sent += 1
            details = [{"appIDs": [APP], "components": [{"/": f"/{self.sent}"}]}]
            connection.request(
                "PUT", f"/v1/domains/{self.name}/file",
                json.dumps({"applinks": {"details": details}}),
                {"Authorization": f"Bearer {self.token}"})
            answer = connection.getresponse()
            body = answer.read()
            if answer.status not in (200, 201):
                self.failure = f"{answer.status}: {body!r}"
                return
            self.acknowledged = self.sent


def start(directory):
    """The server, the port of its API, and its token."""
    server = subprocess.Popen(
        [AASA, "serve", "--database", f"{directory}/aasa.db", "--public-address", "127.0.0.1:0",
         "--admin-address", "127.0.0.1:0"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    port = token = None
    while not (port and token):
        line = server.stderr.readline()
        if not line:
            sys.exit("the server has not started")
        port = port or (re.match(r"Admin API:.*?:(\d+)", line) or [None, None])[1]
        token = token or (re.match(r"First admin token.* (aasa_\S+)", line) or [None, None])[1]
    threading.Thread(target=server.stderr.read, daemon=True).start()
    return server, int(port), token


def stop(server):
    """Stops the server, and returns when all its threads have stopped."""
    os.kill(server.pid, signal.SIGSTOP)
    tasks = f"/proc/{server.pid}/task"
    while any(open(f"{tasks}/{task}/stat").read().rsplit(")", 1)[1].split()[0] != "T"
              for task in os.listdir(tasks)):
        time.sleep(0.0005)


def faults(copy, expected):
    """What is wrong with a copy, of which each domain must have at least the acknowledged edit."""
    with sqlite3.connect(copy) as database:
        found = [row[0] for row in database.execute("PRAGMA integrity_check") if row[0] != "ok"]
        found += [f"foreign key: {row}" for row in database.execute("PRAGMA foreign_key_check")]
        for name, (acknowledged, sent) in expected.items():
            row = database.execute(
                "SELECT document FROM domain JOIN revision ON domain_id = domain.id AND number = revision"
                " JOIN domain_name USING (domain_id) WHERE name = ?", [name]).fetchone()
            text = row and json.loads(row[0])["applinks"]["details"][0]["components"][0]["/"]
            number = int(text[1:]) if text else 0
            if not acknowledged <= number <= sent:
                found.append(f"{name}: edit {number}, acknowledged {acknowledged}, sent {sent}")
    database.close()
    checked = subprocess.run([AASA, "backup", "--database", copy, copy + ".saved"],
                             capture_output=True, text=True)
    return found + ([checked.stderr] if checked.returncode else [])


def main():
    with tempfile.TemporaryDirectory() as directory:
        server, port, token = start(directory)
        try:
            editors = [Editor(port, token, f"d{number}.example") for number in range(4)]
            for editor in editors:
                editor.start()
            broken = 0
            for number in range(COPIES):
                time.sleep(random.uniform(0, 0.1))
                acknowledged = {editor.name: editor.acknowledged for editor in editors}
                stop(server)
                copy = f"{directory}/copy-{number}"
                os.mkdir(copy)
                for name in ("aasa.db", "aasa.db-wal"):
                    if os.path.exists(f"{directory}/{name}"):
                        shutil.copy(f"{directory}/{name}", copy)
                expected = {e.name: (acknowledged[e.name], e.sent) for e in editors}
                os.kill(server.pid, signal.SIGCONT)
                for fault in faults(f"{copy}/aasa.db", expected):
                    broken += 1
                    print(f"copy {number}: {fault}")
                shutil.rmtree(copy)
            for editor in editors:
                editor.is_over = True
                editor.join()
            failures = [editor.failure for editor in editors if editor.failure]
            print(f"{COPIES} copies during {sum(e.acknowledged for e in editors)} edits:"
                  f" {broken} faults, {len(failures)} failed edits {failures}")
            return 1 if broken or failures else 0
        finally:
            os.kill(server.pid, signal.SIGCONT)
            server.kill()
            server.wait()


sys.exit(main())
