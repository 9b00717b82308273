"""What aasa's store has of a domain: the truth that answers are compared with."""

import json
import sqlite3

from client import Connection
from servers import Admin, Server

_DOMAIN = "FROM domain_name AS name JOIN domain ON domain.id = name.domain_id"
_REVISION = f"SELECT domain.revision {_DOMAIN} WHERE name.name = ?"
_DOCUMENT = (
    f"SELECT document.content {_DOMAIN} JOIN document ON document.domain_id = domain.id "
    "AND document.revision = domain.revision AND document.kind = 'apple-app-site-association' WHERE name.name = ?")
_PATH = (
    f"SELECT route.path {_DOMAIN} JOIN entry ON entry.domain_id = domain.id "
    "JOIN route ON route.entry_id = entry.id WHERE name.name = ? "
    "ORDER BY entry.position, route.position LIMIT 1")


class Follower:
    """Reads the database beside the server."""

    def __init__(self, admin: Admin) -> None:
        self._connection = sqlite3.connect(
            f"file:{admin.database}?mode=ro", uri=True, isolation_level=None)

    def __enter__(self) -> "Follower":
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def revision(self, host: str) -> int:
        """The number of the revision that is committed."""
        return int(self._connection.execute(_REVISION, [host]).fetchone()[0])

    def document(self, host: str) -> bytes:
        """The document of this revision."""
        return bytes(self._connection.execute(_DOCUMENT, [host]).fetchone()[0])

    def path(self, host: str) -> str:
        """The path of the first route."""
        return str(self._connection.execute(_PATH, [host]).fetchone()[0])


def check_served(server: Server, admin: Admin, host: str) -> None:
    """A domain that is not edited any more is served as the store has it."""
    with Follower(admin) as follower, Connection(server.port) as reader:
        served = reader.fetch(host).body
        details = json.loads(served)["applinks"]["details"]
        path = details[0]["components"][0]["/"]
        if served != follower.document(host) or path != follower.path(host):
            raise RuntimeError(
                f"{host} is served with the path {path}, and the store has {follower.path(host)}.")


def route_path(admin: Admin, host: str) -> str:
    """The path of a domain's first route in the API."""
    with Connection(admin.port) as connection:
        domain = json.loads(connection.call("GET", f"/v1/domains/{host}", admin.fields).body)
    entry = domain["entries"][0]
    return f"/v1/domains/{host}/entries/{entry['id']}/routes/{entry['routes'][0]['id']}"
