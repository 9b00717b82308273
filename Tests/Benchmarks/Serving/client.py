"""A plain HTTP/1.1 client that sees every byte, to verify what wrk only counts."""

import re
import socket
import ssl
from dataclasses import dataclass

PATH = "/.well-known/apple-app-site-association"


@dataclass(frozen=True)
class Answer:
    status: int
    head: bytes
    body: bytes

    @property
    def size(self) -> int:
        return len(self.head) + len(self.body)

    def field(self, name: str) -> str | None:
        pattern = rf"^{re.escape(name)}:[ \t]*(.*?)[ \t]*\r$".encode()
        found = re.search(pattern, self.head, re.MULTILINE | re.IGNORECASE)
        return found[1].decode() if found else None


class Connection:
    """A kept-alive connection to a port of this machine."""

    def __init__(
        self, port: int, tls: ssl.SSLContext | None = None, session: ssl.SSLSession | None = None
    ) -> None:
        plain = socket.create_connection(("127.0.0.1", port), timeout=30)
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.tls = tls.wrap_socket(plain, session=session) if tls else None
        self._socket = self.tls or plain
        self._received = b""

    def __enter__(self) -> "Connection":
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def fetch(self, line: str) -> Answer:
        """Asks for a file. The line is a host and further fields, with tabs between."""
        return self.call("GET", PATH, "Host: " + line.replace("\t", "\r\n"))

    def call(self, method: str, target: str, fields: str, body: bytes = b"") -> Answer:
        self.send(method, target, fields, body)
        return self.receive()

    def send(self, method: str, target: str, fields: str, body: bytes = b"") -> None:
        length = f"Content-Length: {len(body)}\r\n" if body else ""
        head = f"{method} {target} HTTP/1.1\r\n{fields}\r\n{length}\r\n"
        self._socket.sendall(head.encode() + body)

    def receive(self) -> Answer:
        while b"\r\n\r\n" not in self._received:
            self._receive_more()
        head, _, rest = self._received.partition(b"\r\n\r\n")
        head += b"\r\n\r\n"
        answer = Answer(int(head.split(b" ", 2)[1]), head, b"")
        length = 0 if answer.status == 304 else int(answer.field("Content-Length") or 0)
        while len(rest) < length:
            self._received = b""
            self._receive_more()
            rest += self._received
        self._received = rest[length:]
        return Answer(answer.status, head, rest[:length])

    def has_answer(self) -> bool:
        """Whether bytes of an answer have come."""
        self._socket.setblocking(False)
        try:
            return bool(self._received) or bool(self._socket.recv(1, socket.MSG_PEEK))
        except BlockingIOError:
            return False
        finally:
            self._socket.settimeout(30)

    def _receive_more(self) -> None:
        piece = self._socket.recv(1 << 18)
        if not piece:
            raise ConnectionError("The server closed the connection before its answer ended.")
        self._received += piece
