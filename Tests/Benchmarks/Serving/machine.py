"""The machine that measures: its processors, and its description for the tables."""

import datetime
import os
import platform
import re
import subprocess
from pathlib import Path

_PROCESSORS = sorted(os.sched_getaffinity(0))
SERVER_CORE = _PROCESSORS[0]
CLIENT_CORE = _PROCESSORS[-1]


def require_two_cores() -> None:
    if len(_PROCESSORS) < 2:
        raise SystemExit("Two processors are needed: one for the servers, one for the clients.")


def _output(*command: str) -> str:
    """What a program says of itself; some say it on stderr."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def _package_version(package: str) -> str:
    return _output("dpkg-query", "--show", "--showformat=${Version}", package)


def _processor() -> str:
    text = Path("/proc/cpuinfo").read_text()
    names = re.findall(r"^model name\s*: (.*)$", text, re.MULTILINE)
    return names[0] if names else platform.machine()


def _versions() -> dict[str, str]:
    swift = re.search(r"Swift version (\S+)", _output("swift", "--version"))
    packages = {
        "libmicrohttpd": "libmicrohttpd12", "nginx": "nginx", "Caddy": "caddy",
        "h2o": "h2o", "lighttpd": "lighttpd", "wrk": "wrk", "h2load": "nghttp2-client"}
    versions = {name: _package_version(package) for name, package in packages.items()}
    return versions | {"Swift": swift[1] if swift else "unknown"}


def description(disk: Path) -> str:
    """A sentence each about time, processor, system and versions."""
    system = platform.freedesktop_os_release().get("PRETTY_NAME", platform.system())
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    kind = _output("stat", "--file-system", "--format=%T", str(disk)).strip()
    virtual = " (virtual)" if "hypervisor" in Path("/proc/cpuinfo").read_text() else ""
    versions = ", ".join(f"{name} {version}" for name, version in _versions().items())
    return (
        f"Measured on {datetime.date.today().isoformat()}: {_processor()}{virtual}, "
        f"{os.cpu_count()} cores, {memory:.0f} GB, {system}, Linux {platform.release()}, "
        f"{kind} for the database. {versions}.")
