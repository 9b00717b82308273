"""The domains that are served: a database made by `aasa apply`, and the same files on disk."""

import hashlib
import json
import os
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from client import PATH

_APP = "ABCDE12345.com.example.app"
_COMMENT_CHARACTERS = 200
# Seconds; a hundred thousand domains on a busy machine took 400.
_LONGEST_APPLY = 1_200
# What counts in a path or a comment besides its own text.
_ROUTE_CHARACTERS = len('{"/":"","comment":""},')


@dataclass(frozen=True)
class Publication:
    """Documents of one size, each served for the same number of hosts."""

    name: str
    documents: int
    document_bytes: int
    hosts_per_document: int = 1
    equal: bool = False

    @property
    def hosts(self) -> list[str]:
        return [host for number in range(self.documents) for host in self.names(number)]

    @property
    def bodies(self) -> list[bytes]:
        """What each of the hosts is to be answered with."""
        return [
            document for number in range(self.documents)
            for document in [self.document(number)] * self.hosts_per_document]

    def names(self, number: int) -> list[str]:
        """The names that a document is served for; the first is the domain's."""
        first = f"d{number:06}.bench.example"
        return [first] + [f"n{extra:02}.{first}" for extra in range(1, self.hosts_per_document)]

    def document(self, number: int) -> bytes:
        """The file, byte for byte."""
        components = [
            {"/": route["path"], "comment": route["comment"]} for route in self._routes(number)]
        details = [{"appIDs": [_APP], "components": components}]
        document = {"applinks": {"details": details}}
        return json.dumps(document, separators=(",", ":")).encode()

    def state(self) -> dict[str, object]:
        """All of it, as `aasa apply` takes it."""
        domains = [
            {"domain": self.names(number)[0], "aliases": self.names(number)[1:],
             "entries": [{"apps": [_APP], "routes": self._routes(number)}]}
            for number in range(self.documents)]
        return {"apps": [{"app": _APP, "name": "Example"}], "domains": domains}

    def _routes(self, number: int) -> list[dict[str, str]]:
        """Routes with comments that make the document exactly as long as it has to be."""
        frame = len('{"applinks":{"details":[{"appIDs":[""],"components":[]}]}}') + len(_APP) - 1
        left = self.document_bytes - frame
        routes: list[dict[str, str]] = []
        while left > 0:
            path = f"/section/{0 if self.equal else number:06}/{len(routes):03}/*"
            own = len(path) + _ROUTE_CHARACTERS
            # The last comment takes what would be too little for a route of its own.
            longest = left - own
            comment = longest if longest < 2 * _COMMENT_CHARACTERS else _COMMENT_CHARACTERS
            routes.append({"path": path, "comment": "x" * comment})
            left -= own + comment
        return routes


class Published:
    """A publication on disk, made once by the program itself and kept in the build folder."""

    def __init__(self, publication: Publication, aasa: Path, folder: Path, schema: bytes) -> None:
        self.publication = publication
        name = publication.name.replace(" ", "")
        self._folder = folder / f"{name}-{_digest(publication, schema)}"
        self._aasa = aasa
        # What making it took now; nothing if it was kept.
        self.making_seconds = 0.0
        if not self._folder.exists():
            self._make()

    @property
    def sites(self) -> Path:
        """A folder for each host, with its file."""
        sites = self._folder / "sites"
        if not sites.exists():
            start = time.monotonic()
            making = self._folder / "sites.making"
            shutil.rmtree(making, ignore_errors=True)
            self._write_sites(making)
            making.rename(sites)
            self.making_seconds += time.monotonic() - start
        return sites

    @property
    def document(self) -> Path:
        """One of the files."""
        return self.sites / self.publication.hosts[0] / PATH[1:]

    @property
    def apply_seconds(self) -> float:
        """How long `aasa apply` took to publish all of it at once."""
        return float((self._folder / "apply-seconds").read_text())

    def copy_database(self, to: Path) -> None:
        """Makes a database that may be changed."""
        shutil.copy(self._folder / "aasa.db", to)

    def _make(self) -> None:
        print(f"Publishing {self.publication.documents} documents: {self.publication.name} …")
        making_start = time.monotonic()
        making = self._folder.with_suffix(".making")
        shutil.rmtree(making, ignore_errors=True)
        making.mkdir(parents=True)
        state = making / "state.json"
        state.write_text(json.dumps(self.publication.state()))
        start = time.monotonic()
        subprocess.run(
            [self._aasa, "apply", "--database", making / "aasa.db", state], check=True,
            stdout=subprocess.DEVNULL, timeout=_LONGEST_APPLY)
        apply_seconds = time.monotonic() - start
        (making / "apply-seconds").write_text(str(apply_seconds))
        state.unlink()
        making.rename(self._folder)
        self.making_seconds += time.monotonic() - making_start

    def _write_sites(self, sites: Path) -> None:
        """A file for each host; hosts of the same document have links to one file, so that no
        server has more different bytes to send than another."""
        for number in range(self.publication.documents):
            names = self.publication.names(number)
            files = [sites / name / PATH[1:] for name in names]
            for file in files:
                file.parent.mkdir(parents=True)
            files[0].write_bytes(self.publication.document(number))
            # One time for all, so that entity tags made of it are equally long.
            os.utime(files[0], (1_800_000_000, 1_800_000_000))
            for file in files[1:]:
                file.hardlink_to(files[0])


def _digest(publication: Publication, schema: bytes) -> str:
    return hashlib.sha256(repr(publication).encode() + schema).hexdigest()[:12]
