"""Sends mutated requests to both listeners of a running server, and looks at what comes back.

After each thousand requests, a valid one must get its right answer. At the end, the server must have
the connections, descriptors and memory that it had after the first ones. Ends with 1, and says how to
repeat it, if anything is wrong.
"""

import argparse
import os
import random
import re
import socket
import struct
import sys
import time
from multiprocessing import Process, Queue

FILE = "/.well-known/apple-app-site-association"
# How long an answer may take. Only a server that hangs comes near.
PATIENCE = 20


def valid_requests(token):
    """Requests that are answered as they stand, for the public listener and for the API."""
    public = [
        f"GET {FILE} HTTP/1.1\r\nHost: example.com\r\nUser-Agent: AASA-Bot/1.0.0\r\n\r\n",
        f"GET {FILE} HTTP/1.1\r\nHost: example.com\r\nAccept: */*\r\nIf-None-Match: *\r\n\r\n",
        f"HEAD /apple-app-site-association?a=1&b=%20 HTTP/1.1\r\nHost: other.example:80\r\n\r\n",
        f"GET http://example.com{FILE} HTTP/1.1\r\nHost: example.com\r\n"
        "X-Forwarded-Host: a.example\r\nForwarded: host=b.example\r\n\r\n",
        f"GET {FILE} HTTP/1.0\r\nHost: example.com\r\nConnection: keep-alive\r\n"
        "If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT\r\nCookie: a=b; c=d\r\n\r\n",
        f"POST {FILE} HTTP/1.1\r\nHost: example.com\r\nContent-Length: 5\r\n\r\nhello",
        f"PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nab",
    ]
    key = f"Authorization: Bearer {token}\r\n"
    admin = [
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET /readyz HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n\r\n",
        f"GET /v1/domains?limit=2&q=a HTTP/1.1\r\nHost: localhost\r\n{key}\r\n",
        f"HEAD /v1/domains/example.com HTTP/1.1\r\nHost: localhost\r\n{key}\r\n",
        f"POST /v1/validate HTTP/1.1\r\nHost: localhost\r\n{key}"
        "Content-Type: application/json\r\nContent-Length: 15\r\n\r\n{\"applinks\":{}}",
        f"POST /v1/validate HTTP/1.1\r\nHost: localhost\r\n{key}"
        "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        "5\r\n{\"app\r\na;x=y\r\nlinks\":{}}\r\n0\r\nTrailer: t\r\n\r\n",
        f"PUT /v1/domains/a.example?dryRun=true HTTP/1.1\r\nHost: localhost\r\n{key}"
        "Content-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n{}",
        "POST /v1/domains HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\nabcd",
    ]
    return [[text.encode() for text in texts] for texts in (public, admin)]


BITS = [
    b"\r", b"\n", b"\r\n", b"\r\n\r\n", b"\0", b" ", b"\t", b":", b": ", b"\x7f", b"\xff", b"%", b"%00",
    b"%2F", b"?", b"&", b"#", b"*", b",", b";", b"\"", b"/", b"//", b"..", b"0", b"-1", b"+1", b"0x1",
    b"1e9", b"99999999999999999999", b"18446744073709551615", b"4294967296", b"HTTP/1.1", b"HTTP/1.0",
    b"HTTP/2.0", b"GET ", b"GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n", b"chunked", b"gzip, chunked",
    b"close", b"keep-alive", b"upgrade", b"100-continue", b"\r\n ", b"\r\n\t", b"\r\n:", b"\xc3\xa9",
    b"0\r\n\r\n", b"ffffffffffffffff\r\n", b"10000000000000000\r\n",
]
LINES = [
    b"Content-Length: 5", b"Content-Length: 0", b"Content-Length : 5", b"Content-Length\t: 5",
    b"Content-Length:\r\n 5", b"content-length: 5", b"Content-Length: 5, 5", b"Content-Length: x",
    b"Content-Length:", b"Content-Length: 9000000", b"Content-Length: 99999999999999999999",
    b"Transfer-Encoding: chunked", b"Transfer-Encoding : chunked", b"Transfer-Encoding:\r\n chunked",
    b"Transfer-Encoding: identity", b"Transfer-Encoding: gzip, chunked", b"Host: a", b"Host:", b"Host: [::1]",
    b"Host: \xff", b"X: y\rContent-Length: 5", b": Content-Length: 5", b":", b" X: folded", b"X", b"\0X: y",
    b"X\0: y", b"X: \0y", b"X: y\nContent-Length: 5", b"Expect: 100-continue", b"Connection: close",
    b"Connection: Upgrade, HTTP2-Settings", b"Upgrade: h2c", b"Cookie: " + b"a=b; " * 60,
    b"Cookie: \"", b"TE: trailers", b"Range: bytes=0-1", b"If-Match: \"a\"", b"If-None-Match: W/\"",
    b"If-Modified-Since: Sun, 31 Feb 2094 08:49:37 GMT", b"Forwarded: host=\"a", b"X-Forwarded-Host: a, b",
    b"X: " + b"a" * 3000, b"X: " + b"a" * 17000, b"\r\n".join([b"a: b"] * 150), b"\r\n".join([b"a: b"] * 300),
    b"Authorization: Basic YTpi", b"X-Request-Id: \x01",
]
TARGETS = [
    b"*", b"/", b"", b"//", b"http://", b"http://a", b"https://[::1]/", b"/%", b"/%00", b"/\0", b"/ x", b"/\tx",
    b"/" + b"a" * 5000, b"/" + b"a" * 17000, b"/?" + b"a=1&" * 500, b"/v1/../healthz", b"/\xff", b"example.com:443",
]
METHODS = [b"", b"G", b"get", b"CONNECT", b"TRACE", b"OPTIONS", b"PRI", b"G\x01T", b"G\tT", b" GET", b"A" * 5000]


def mutated(random, request):
    """A request with one to four changes."""
    head, _, body = request.partition(b"\r\n\r\n")
    lines = head.split(b"\r\n")
    for _ in range(random.choice((1, 1, 1, 2, 2, 3, 4))):
        kind = random.randrange(12)
        place = random.randrange(1, len(lines) + 1)
        if kind < 3:
            lines.insert(place, random.choice(LINES))
        elif kind == 3:
            lines[0] = random.choice(METHODS) + b" " + lines[0].partition(b" ")[2]
        elif kind == 4:
            words = lines[0].split(b" ")
            lines[0] = b" ".join([words[0], random.choice(TARGETS), words[-1]])
        elif kind == 5:
            lines[0] = lines[0].replace(b" ", random.choice((b"  ", b"\t", b" \t", b"")), random.randrange(1, 3))
        elif kind == 6 and len(lines) > 2:
            del lines[random.randrange(1, len(lines))]
        elif kind == 7:
            lines.insert(place, random.choice(lines))
        elif kind == 8:
            body = body[: random.randrange(len(body) + 1)] + random.choice(BITS) + body
        elif kind == 9:
            body += bytes(random.randrange(256) for _ in range(random.randrange(40)))
        else:
            whole = bytearray(b"\r\n".join(lines))
            at = random.randrange(len(whole) + 1)
            if kind == 10:
                whole[at:at] = random.choice(BITS)
            else:
                end = min(len(whole), at + random.choice((1, 1, 2, 8)))
                whole[at:end] = bytes(random.randrange(256) for _ in range(end - at))
            lines = bytes(whole).split(b"\r\n")
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


HEAD = re.compile(rb"HTTP/1\.1 (\d\d\d) [^\r\n\0]*\r\n((?:[!-9;-~]+: [^\r\n\0]*\r\n)*)\r\n")


def answers(data):
    """The statuses of the answers that these bytes are; None if they are anything else."""
    statuses = []
    while data:
        head = HEAD.match(data)
        if not head:
            return None
        status, fields, data = int(head[1]), head[2].lower(), data[head.end():]
        statuses.append(status)
        lengths = re.findall(rb"(?m)^content-length: (\d+)\r", fields)
        chunked = b"transfer-encoding: chunked\r" in fields
        if len(lengths) + chunked > 1:
            return None
        if status < 200 or status in (204, 304):
            continue
        body, rest = b"", data
        if chunked:
            while True:
                size, found, rest = rest.partition(b"\r\n")
                if not found:
                    return None
                count = int(size, 16)
                rest = rest[count + 2:]
                if count == 0:
                    break
        else:
            rest = data[int(lengths[0]) if lengths else len(data):]
        # An answer to HEAD has no body: the next one follows at once.
        if not data.startswith(b"HTTP/1.1 "):
            data = rest
    return statuses


class Finding(Exception):
    pass


def connect(port):
    return socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)


def read_to_end(connection, sent=b""):
    data = b""
    try:
        while piece := connection.recv(65536):
            data += piece
    except ConnectionResetError:
        return data, False
    except TimeoutError:
        raise Finding(f"after {sent!r}, the connection was not closed; received: {data!r}") from None
    return data, True


def trial(random, port, templates):
    """One connection. Returns the number of requests."""
    count = random.choice((1, 1, 1, 1, 2, 3))
    requests = [random.choice(templates) for _ in range(count)]
    changed = random.randrange(count)
    requests[changed] = mutated(random, requests[changed])
    data = b"".join(requests)
    connection = connect(port)
    ending = random.choice(("half", "half", "half", "half", "reset", "close", "cut"))
    if ending == "cut":
        data = data[: random.randrange(len(data))]
    pieces = [data]
    if random.random() < 0.3:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        cuts = sorted(random.randrange(len(data) + 1) for _ in range(random.choice((1, 2, 3, 20))))
        pieces = [data[a:b] for a, b in zip([0] + cuts, cuts + [len(data)])]
    is_whole = True
    try:
        for piece in pieces:
            connection.sendall(piece)
    except (BrokenPipeError, ConnectionResetError):
        is_whole = False
    if ending == "reset":
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    elif ending != "close":
        try:
            connection.shutdown(socket.SHUT_WR)
        except OSError:
            is_whole = False
        received, is_ended = read_to_end(connection, pieces)
        if is_whole and is_ended:
            statuses = answers(received)
            if statuses is None:
                raise Finding(f"{pieces!r} to {port} is not answered by answers: {received!r}")
            for status in statuses:
                if status >= 500 and status not in (501, 503, 505):
                    raise Finding(f"{pieces!r} to {port} is answered {status}")
    connection.close()
    return count


def check(ports):
    """A valid request to each listener has its right answer."""
    for port, path, marker in ((ports[0], FILE, b'"applinks"'), (ports[1], "/healthz", b"")):
        connection = connect(port)
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n".encode())
        received, is_ended = read_to_end(connection)
        connection.close()
        if not is_ended or answers(received) not in ([200], [204]) or marker not in received:
            raise Finding(f"a valid request for {path} was answered with {received!r}")


def work(arguments, ports, worker, seeds, results):
    templates = valid_requests(arguments.token)
    done = 0
    for seed in seeds:
        chosen = random.Random(f"{arguments.seed}/{seed}")
        try:
            sent = 0
            while sent < 1000:
                state = chosen.getstate()
                side = chosen.randrange(2)
                sent += trial(chosen, ports[side], templates[side])
            check(ports)
        except (Finding, OSError) as finding:
            results.put((worker, done, f"--seed {arguments.seed}, thousand {seed}: {finding!r}"))
            return
        done += sent
    results.put((worker, done, None))


def run(arguments, ports, thousands):
    results = Queue()
    count = arguments.processes
    for worker in range(count):
        Process(target=work, args=(arguments, ports, worker, thousands[worker::count], results), daemon=True).start()
    ended = [results.get() for _ in range(count)]
    return sum(done for _, done, _ in ended), [finding for _, _, finding in ended if finding]


def usage(process):
    """Resident kilobytes, descriptors."""
    with open(f"/proc/{process}/status") as status:
        memory = re.search(r"VmRSS:\s+(\d+)", status.read())
    if memory is None:
        sys.exit("The server has ended.")
    return int(memory[1]), len(os.listdir(f"/proc/{process}/fd"))


def settled(process):
    """The usage after the connections have ended."""
    time.sleep(3)
    return usage(process)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--public", type=int, required=True)
    parser.add_argument("--admin", type=int, required=True)
    parser.add_argument("--process", type=int, required=True, help="the server, for its memory")
    parser.add_argument("--token", default="")
    parser.add_argument("--requests", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2)
    arguments = parser.parse_args()
    ports = arguments.public, arguments.admin
    thousands = list(range(max(2, arguments.requests // 1000)))
    first = max(1, len(thousands) // 20)
    start = time.monotonic()
    sent, findings = run(arguments, ports, thousands[:first])
    before = settled(arguments.process)
    if not findings:
        more, findings = run(arguments, ports, thousands[first:])
        sent += more
    for finding in findings:
        print(finding, file=sys.stderr)
    after = settled(arguments.process)
    print(f"{sent} requests in {time.monotonic() - start:.0f} s; memory {before[0]} -> {after[0]} KB, "
          f"descriptors {before[1]} -> {after[1]}")
    if after[1] > before[1] + 4 or after[0] > before[0] + 32_768:
        sys.exit("The server needs more memory or descriptors than before.")
    sys.exit(1 if findings else 0)


if __name__ == "__main__":
    main()
