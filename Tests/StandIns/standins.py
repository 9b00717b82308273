#!/usr/bin/env python3
"""Stands in for the world outside on loopback: sites with TLS, Apple's CDN, Google's service and a proxy.

Prints one line of JSON with its ports and the file of its certificate authority, and ends when its stdin
closes. What it does is set on the control port, a plain HTTP server that takes JSON:

  PUT    /sites/HOST     what a site does; see `Site`. HOST `*` is for every other host.
  DELETE /sites/HOST
  PUT    /cdn/DOMAIN     what Apple's CDN does for a domain; see `CDN.answer`
  DELETE /cdn/DOMAIN     the copy is dropped
  PUT    /google/DOMAIN  what Google's service answers; see `google`
  PUT    /certificates/HOST  a certificate is made now, and not in the first handshake
  GET    /requests/HOST  the User-Agents of the requests to a site

To try it by hand:

  python3 Tests/StandIns/standins.py
  aasa check --resolve '*:127.0.0.1:PORT' --allow-private 127.0.0.0/8 --ca FILE example.com
"""

import base64
import gzip
import http.client
import http.server
import itertools
import json
import os
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

WELL_KNOWN = "/.well-known/apple-app-site-association"


class Authority:
    """Makes certificates, each once: when a site is set, or else when it is first needed."""

    CONFIGURATION = """
[ca]
default_ca = own
[own]
dir = .
database = index.txt
new_certs_dir = .
rand_serial = yes
default_md = sha256
policy = any
copy_extensions = none
unique_subject = no
[any]
commonName = optional
"""

    def __init__(self):
        self.directory = tempfile.TemporaryDirectory(prefix="standins-")
        self.lock = threading.Lock()
        self.numbers = itertools.count()
        self.contexts = {}
        self.locks = {}
        self.write("ca.conf", self.CONFIGURATION)
        self.write("index.txt", "")
        self.openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", "key.pem")
        self.openssl("req", "-new", "-key", "key.pem", "-subj", "/CN=site", "-out", "site.csr")
        for name in ["public", "private"]:
            self.openssl(
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-days", "3650", "-subj", f"/O=Stand-in/CN={name} root", "-keyout", f"{name}.key",
                "-out", f"{name}.pem", "-addext", "basicConstraints=critical,CA:TRUE")
        self.openssl(
            "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-subj", "/O=Stand-in/CN=intermediate", "-keyout", "intermediate.key",
            "-out", "intermediate.csr")
        self.sign("intermediate.csr", "public", "intermediate.pem",
                  "basicConstraints=critical,CA:TRUE", "-days", "3650")

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)

    def path(self, name):
        return os.path.join(self.directory.name, name)

    def openssl(self, *arguments):
        subprocess.run(["openssl", *arguments], cwd=self.directory.name, check=True,
                       stdin=subprocess.DEVNULL, capture_output=True)

    def sign(self, request, issuer, output, extensions, *period):
        self.write(output + ".ext", extensions)
        self.openssl(
            "x509", "-req", "-in", request, "-CA", f"{issuer}.pem", "-CAkey", f"{issuer}.key",
            "-extfile", output + ".ext", "-out", output, *period)

    def context(self, host, kind):
        """A TLS context with a certificate: `good`, `expired`, `not-yet-valid`, `wrong-name`,
        `incomplete-chain`, `private-root`, `self-signed`, or a number of days. Names below one domain share theirs,
        since each takes a process of openssl."""
        parent = host.partition(".")[2]
        domain = parent if "." in parent else host
        # Nobody waits for the certificate of another site.
        with self.lock:
            lock = self.locks.setdefault((domain, kind), threading.Lock())
        with lock:
            if (domain, kind) not in self.contexts:
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                context.load_cert_chain(self.chain(domain, kind), self.path("key.pem"))
                self.contexts[domain, kind] = context
            return self.contexts[domain, kind]

    def chain(self, domain, kind):
        name = f"{next(self.numbers)}.crt"
        names = "subjectAltName=DNS:" + (
            "other.invalid" if kind == "wrong-name" else f"{domain},DNS:*.{domain}")
        aia = "\nauthorityInfoAccess=caIssuers;URI:http://authority.invalid/intermediate.crt"
        if kind == "self-signed":
            self.openssl("req", "-x509", "-key", "key.pem", "-days", "90", "-subj", "/CN=site",
                         "-addext", names, "-out", name)
        elif kind == "private-root":
            self.sign("site.csr", "private", name, names, "-days", "90")
        elif kind == "incomplete-chain":
            self.sign("site.csr", "intermediate", name, names + aia, "-days", "90")
        elif kind == "not-yet-valid":
            self.write(name + ".ext", names)
            # It keeps a list of what it signs.
            with self.lock:
                self.openssl(
                    "ca", "-batch", "-config", "ca.conf", "-in", "site.csr", "-cert", "public.pem",
                    "-keyfile", "public.key", "-startdate", "20900101000000Z", "-enddate",
                    "20910101000000Z", "-extfile", name + ".ext", "-out", name, "-notext")
        else:
            days = {"expired": -1}.get(kind, 90) if isinstance(kind, str) else kind
            self.sign("site.csr", "intermediate", name, names + aia, "-days", str(days))
            with open(self.path(name)) as own, open(self.path("intermediate.pem")) as issuer:
                chain = own.read() + issuer.read()
            self.write(name, chain)
        return self.path(name)


class World:
    def __init__(self):
        self.lock = threading.Lock()
        self.sites = {}
        self.cdn = {}
        self.copies = {}
        self.google = {}
        self.agents = {}
        self.barriers = {}

    def barrier(self, parties):
        with self.lock:
            return self.barriers.setdefault(parties, threading.Barrier(parties))

    def site(self, host):
        with self.lock:
            return self.sites.get(host) or self.sites.get("*") or {}


authority = Authority()
world = World()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 60

    def log_message(self, *arguments):
        pass

    def send_json(self, status, value, fields=()):
        body = json.dumps(value).encode()
        self.send(status, [("Content-Type", "application/json"), *fields], body)

    def send(self, status, fields, body):
        self.send_response_only(status)
        for name, value in fields:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Site(Handler):
    """A site. What it does:

    certificate  see `Authority.context`; default `good`
    hang         accepts connections and says nothing
    upstream     a port on loopback that answers what `paths` does not have
    agents       answers by a part of the User-Agent, before those by path
    paths        answers by path: status, fields, body or base64, gzip, delay (seconds), together (how many
                 requests must wait for the answer until it is given), hang, close (cut the body short),
                 stall (say nothing after half of the body), padding (bytes of header), raw (all of the answer),
                 turns (a list of answers, which requests of a check get by turns, and all others the first one;
                 `null` passes the request on)
    """

    def do_GET(self):
        host = (self.headers.get("Host") or "").split(":")[0]
        site = world.site(host)
        agent = self.headers.get("User-Agent") or ""
        path = self.path.split("?")[0]
        with world.lock:
            world.agents.setdefault(host, []).append(agent)
        answer = next((a for part, a in site.get("agents", {}).items() if part in agent), None)
        answer = answer or site.get("paths", {}).get(path)
        if answer and "turns" in answer:
            turn = 0
            if "X-Aasa-Check" in self.headers:
                with world.lock:
                    turn = site["turn", path] = site.get(("turn", path), -1) + 1
            answer = answer["turns"][turn % len(answer["turns"])]
        if answer is None and "upstream" in site:
            return self.pass_on(host, site["upstream"])
        self.answer(answer or {"status": 404, "body": "not found"})

    do_HEAD = do_GET

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.do_GET()

    def pass_on(self, host, port):
        upstream = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        fields = {name: value for name, value in self.headers.items() if name.lower() != "connection"}
        upstream.request("GET", self.path, headers={**fields, "Host": host})
        response = upstream.getresponse()
        body = response.read()
        kept = [(name, value) for name, value in response.getheaders()
                if name.lower() not in ("content-length", "connection", "date")]
        self.send(response.status, kept, body)
        upstream.close()

    def answer(self, answer):
        if answer.get("hang"):
            time.sleep(30)
            self.close_connection = True
            return
        time.sleep(answer.get("delay", 0))
        if "together" in answer:
            try:
                world.barrier(answer["together"]).wait(30)
            except threading.BrokenBarrierError:
                answer = {"status": 500, "body": "nobody else asked"}
        if "raw" in answer:
            self.wfile.write(answer["raw"].encode())
            self.close_connection = True
            return
        body = answer.get("body", "")
        body = base64.b64decode(answer["base64"]) if "base64" in answer else body.encode()
        fields = list(answer.get("fields", {"Content-Type": "application/json"}).items())
        if answer.get("gzip"):
            body = gzip.compress(body)
            fields.append(("Content-Encoding", "gzip"))
        for number in range(answer.get("padding", 0) // 1000):
            fields.append((f"X-Padding-{number}", "x" * 980))
        if answer.get("close") or answer.get("stall"):
            self.send_response_only(answer.get("status", 200))
            self.send_header("Content-Length", str(len(body) + 10))
            self.end_headers()
            self.wfile.write(body)
            self.wfile.flush()
            time.sleep(30 if answer.get("stall") else 0)
            self.close_connection = True
            return
        self.send(answer.get("status", 200), fields, body)


class TLSServer(http.server.ThreadingHTTPServer):
    """Chooses certificates by the name that the client wants."""
    request_queue_size = 1024
    daemon_threads = True

    def finish_request(self, request, address):
        context = authority.context("default.invalid", "good")

        def choose(connection, name, _):
            host = name or "default.invalid"
            site = world.site(host)
            if site.get("hang"):
                time.sleep(30)
            connection.context = authority.context(host, site.get("certificate", "good"))

        own = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        own.load_cert_chain(authority.chain_of_default, authority.path("key.pem"))
        own.sni_callback = choose
        try:
            request.settimeout(60)
            with own.wrap_socket(request, server_side=True) as connection:
                super().finish_request(connection, address)
        except (OSError, ssl.SSLError):
            pass

    def handle_error(self, request, address):
        pass


class CDN(Handler):
    """Apple's CDN: fetches a domain's file as Apple's bot, and keeps it."""

    def do_GET(self):
        domain = self.path.rsplit("/", 1)[-1]
        with world.lock:
            wanted = dict(world.cdn.get(domain, {}))
        if wanted.get("unreachable"):
            self.close_connection = True
            return
        self.answer(domain, wanted)

    def answer(self, domain, wanted):
        """What is set for a domain: `unreachable`, `maxAge`, `age` (of the copy, in seconds), `status`, and
        `reason` with `details`, which it fails with instead of fetching."""
        with world.lock:
            copy = world.copies.get(domain)
        if copy is None or time.time() - copy["at"] >= copy["maxAge"]:
            copy = self.fetch(domain, wanted)
            with world.lock:
                world.copies[domain] = copy
        if "age" in wanted:
            copy = {**copy, "at": time.time() - wanted["age"]}
        fields = copy["fields"] + [
            ("Cache-Control", f"max-age={wanted.get('maxAge', copy['maxAge'])},public"),
            ("Age", str(int(time.time() - copy["at"])))]
        self.send(wanted.get("status", copy["status"]), fields, copy["body"])

    def fetch(self, domain, wanted):
        url = f"https://{domain}{WELL_KNOWN}"
        copy = {"at": time.time(), "maxAge": wanted.get("maxAge", 3600)}
        reason, details, body = wanted.get("reason"), wanted.get("details"), b""
        if reason is None and "status" not in wanted:
            reason, details, body = fetched(domain, WELL_KNOWN, "AASA-Bot/1.0.0")
        if reason is None:
            fields = [("Content-Type", "application/json"), ("Apple-From", wanted.get("from", url)),
                      ("Apple-Origin-Format", "json")]
            return {**copy, "status": 200, "fields": fields, "body": body}
        fields = [("Content-Type", "text/plain; charset=utf-8"), ("Apple-Failure-Reason", reason),
                  ("Apple-Failure-Details", details or "{}"), ("Apple-From", url),
                  ("Apple-Try-Direct", "false")]
        return {**copy, "status": 404, "fields": fields, "body": b"Not Found\n"}


def fetched(domain, path, agent):
    """Fetches from a site: the reason of a failure with its details, or None, and the body."""
    context = ssl.create_default_context(cafile=authority.path("public.pem"))
    try:
        site = http.client.HTTPSConnection("127.0.0.1", ports["site"], timeout=5, context=context)
        site.sock = context.wrap_socket(site._create_connection(("127.0.0.1", ports["site"]), 5),
                                        server_hostname=domain)
        site.request("GET", path, headers={"Host": domain, "User-Agent": agent})
        response = site.getresponse()
        body = response.read()
    except TimeoutError:
        return "SWCERR00301 Timeout", '{"cause":"Connection timed out"}', b""
    except (OSError, http.client.HTTPException) as error:
        return "SWCERR00302 Network error", json.dumps({"cause": str(error)}), b""
    finally:
        site.close()
    if response.status != 200:
        status = f"{response.status} {http.client.responses.get(response.status, '')}"
        return f"SWCERR00101 Bad HTTP Response: {status}", json.dumps({"status": status}), b""
    try:
        json.loads(body)
    except ValueError as error:
        return "SWCERR00401 Bad JSON content", json.dumps({"cause": str(error)}), b""
    return None, None, body


class Google(Handler):
    """Google's Digital Asset Links service. What is set for a domain: `unreachable`, `status`, `linked`,
    `errors` (codes) and `debug` (the `debugString`)."""

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        query = {name: values[0] for name, values in urllib.parse.parse_qs(url.query).items()}
        domain = urllib.parse.urlsplit(query.get("source.web.site", "")).hostname or ""
        wanted = world.google.get(domain, {})
        if wanted.get("unreachable") or url.path != "/v1/assetlinks:check":
            self.close_connection = True
            return
        if "status" in wanted:
            return self.send_json(wanted["status"], {"error": {"status": "RESOURCE_EXHAUSTED"}})
        if "linked" in wanted:
            is_linked, errors = wanted["linked"], wanted.get("errors", [])
        else:
            reason, _, body = fetched(domain, "/.well-known/assetlinks.json", "GoogleAssociationService")
            errors = [] if reason is None else ["ERROR_CODE_FETCH_ERROR"]
            is_linked = reason is None and self.links(json.loads(body), query)
        # Members that are false or empty are left out (the JSON form of protocol buffers).
        answer = {"maxAge": "599.5s", "debugString": wanted.get("debug", "stand-in\n")}
        if is_linked:
            answer["linked"] = True
        if errors:
            answer["errorCode"] = errors
        self.send_json(200, answer)

    @staticmethod
    def links(statements, query):
        package = query.get("target.androidApp.packageName")
        fingerprint = query.get("target.androidApp.certificate.sha256Fingerprint")
        return any(
            query.get("relation") in statement.get("relation", [])
            and statement.get("target", {}).get("package_name") == package
            and fingerprint in statement["target"].get("sha256_cert_fingerprints", [])
            for statement in statements)


class Proxy(Handler):
    """An HTTP proxy. It notes each target among the agents of `proxy`."""

    def do_CONNECT(self):
        with world.lock:
            world.agents.setdefault("proxy", []).append(self.path)
        host, port = self.path.rsplit(":", 1)
        with socket.create_connection((host, int(port)), 5) as site:
            self.send_response_only(200)
            self.send_header("X-Proxy", "1")
            self.end_headers()
            back = threading.Thread(target=self.copy, args=(site, self.connection), daemon=True)
            back.start()
            self.copy(self.connection, site)
            back.join()
        self.close_connection = True

    @staticmethod
    def copy(source, target):
        try:
            while part := source.recv(65536):
                target.sendall(part)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass


class Control(Handler):
    def do_PUT(self):
        length = int(self.headers.get("Content-Length") or 0)
        self.change(json.loads(self.rfile.read(length)))

    def do_DELETE(self):
        self.change(None)

    def change(self, value):
        _, table, name = self.path.split("/", 2)
        name = urllib.parse.unquote(name)
        # Not in the handshake, whose time counts as the site's.
        if table == "certificates" or table == "sites" and value and name != "*":
            authority.context(name, value.get("certificate", "good"))
        if table == "certificates":
            return self.send_json(200, {})
        with world.lock:
            if table == "cdn" and value is None:
                world.copies.pop(name, None)
            {"sites": world.sites, "cdn": world.cdn, "google": world.google}[table][name] = value or {}
        self.send_json(200, {})

    def do_GET(self):
        with world.lock:
            agents = list(world.agents.get(self.path.rsplit("/", 1)[-1], []))
        self.send_json(200, {"agents": agents})


class PlainServer(http.server.ThreadingHTTPServer):
    request_queue_size = 1024
    daemon_threads = True

    def handle_error(self, request, address):
        pass


authority.chain_of_default = authority.chain("default.invalid", "good")
servers = {
    "site": TLSServer(("127.0.0.1", 0), Site), "cdn": PlainServer(("127.0.0.1", 0), CDN),
    "google": PlainServer(("127.0.0.1", 0), Google), "control": PlainServer(("127.0.0.1", 0), Control),
    "proxy": PlainServer(("127.0.0.1", 0), Proxy),
}
ports = {name: server.server_address[1] for name, server in servers.items()}
for server in servers.values():
    threading.Thread(target=server.serve_forever, daemon=True).start()
print(json.dumps({**ports, "authorities": authority.path("public.pem")}), flush=True)
sys.stdin.read()
