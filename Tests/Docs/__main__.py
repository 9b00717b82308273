"""Runs the console blocks of documents, and compares what they print with what the document shows.

    python3 -B Tests/Docs check AASA PAGE...        # needs root or user namespaces, for ports of its own
    python3 -B Tests/Docs check-in SHELL PAGE...    # in another machine, whose shell a command reads from stdin
    python3 -B Tests/Docs commands PAGE HEADING     # prints the commands below a heading

Lines that begin with "$ " are run, in one shell and one empty directory per page; those that begin with "# "
need root and are run only in another machine. PAGE#HEADING are the blocks below one heading. "…" in a document stands
for any text, and a line of its own for any lines; a command with "…" in it is not run. A command whose output is not
shown must succeed. Comments in a page before a block:

    <!-- docs: skip -->            do not run the block
    <!-- docs: background -->      run it in a second terminal, and go on when the server answers
    <!-- docs: start COMMAND -->   the same with a command that readers do not see
    <!-- docs: run COMMAND -->     run a command that readers do not see
"""
import io
import os
import re
import shlex
import signal
import subprocess
import sys
import tarfile
import tempfile

from page import read_page

VARYING = [
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "TIME"),
    (r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT", "DATE"),
    (r"\b\d{8}T\d{6}Z", "TIME"),
    (r"aasa_[0-9A-Za-z_-]{43}", "TOKEN"),
    (r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", "ID"),
]


def plain(text):
    """A text without what differs in each run."""
    for pattern, word in VARYING:
        text = re.sub(pattern, word, text)
    return "\n".join(line.rstrip() for line in text.strip().split("\n"))


def agrees(shown, printed):
    pattern = "".join(
        r"(?:.*\n)*?" if line.strip() == "…" else ".*?".join(map(re.escape, line.split("…"))) + r"\n"
        for line in plain(shown).split("\n"))
    return re.fullmatch(pattern, plain(printed) + "\n") is not None


def read_steps(name, root=False):
    name, _, heading = name.partition("#")
    return [step for step in read_page(name, heading or None, root) if step.kind != "skip"]


def script(steps, directory):
    """One shell for all of a page's commands, which keeps variables, functions and the directory."""
    # On a terminal, curl shows no progress beside what it prints.
    lines = ["cd home", 'curl() { command curl --no-progress-meter "$@"; }']
    for number, step in enumerate(steps):
        path = f"{directory}/{number}"
        if step.kind == "background":
            lines.append(f'( . {path} ) > {path}.out 2>&1 < /dev/null &')
            lines.append("for _ in $(seq 1200); do curl -fs http://127.0.0.1:8081/readyz > /dev/null && break; "
                         "sleep 0.1; done")
        else:
            lines.append(f". {path} > {path}.out 2>&1 < /dev/null; echo $? > {path}.status")
    return "\n".join(lines)


def write_steps(steps, directory):
    for number, step in enumerate(steps):
        with open(os.path.join(directory, str(number)), "w") as file:
            file.write(step.command + "\n")


def check(program, name):
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    steps = read_steps(name)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as directory:
        for part in ("home", "bin"):
            os.mkdir(os.path.join(directory, part))
        for part in ("Config", "Tests"):
            os.symlink(os.path.join(root, part), os.path.join(directory, "home", part))
        os.symlink(os.path.abspath(program), os.path.join(directory, "bin", "aasa"))
        write_steps(steps, directory)
        environment = {key: value for key, value in os.environ.items() if not key.startswith("AASA_")}
        environment["PATH"] = os.path.join(directory, "bin") + ":" + environment["PATH"]
        private = ["unshare", "--net"] + ([] if os.geteuid() == 0 else ["--map-root-user"])
        lines = ["ip link set lo up", script(steps, directory), "trap '' TERM; kill 0; wait"]
        shell = subprocess.Popen(
            private + ["bash", "-c", "\n".join(lines)], cwd=directory, env=environment, start_new_session=True,
            stderr=subprocess.DEVNULL)
        try:
            shell.wait(timeout=1800)
        except subprocess.TimeoutExpired:
            print(f"{name}: not finished after 1800 s")
            os.killpg(shell.pid, signal.SIGKILL)
        return compare(name, steps, directory)


def check_in(command, name):
    """The commands go to the other machine as an archive, and what they printed comes back as one."""
    steps = read_steps(name, root=True)
    there = "/tmp/docs"
    with tempfile.TemporaryDirectory() as directory:
        write_steps(steps, directory)
        sent = io.BytesIO()
        with tarfile.open(fileobj=sent, mode="w") as archive:
            archive.add(directory, ".")
        begin = f"rm -rf {there}; mkdir -p {there}/home; chmod 755 {there}/home; tar -C {there} -xf -"
        subprocess.run(command + [begin], input=sent.getvalue(), check=True)
        subprocess.run(command + [f"cd {there}\n{script(steps, there)}"], stdin=subprocess.DEVNULL, timeout=1800)
        came = subprocess.run(command + [f"tar -C {there} -cf - ."], check=True, capture_output=True).stdout
        with tarfile.open(fileobj=io.BytesIO(came)) as archive:
            archive.extractall(directory, [entry for entry in archive if entry.name.endswith((".out", ".status"))])
        return compare(name, steps, directory)


def compare(name, steps, directory):
    """Prints where the commands did something else than a page shows."""
    faults = 0
    for number, step in enumerate(steps):
        path = os.path.join(directory, str(number))
        printed = open(path + ".out").read() if os.path.exists(path + ".out") else "(not run)"
        if step.kind == "background":
            continue
        status = open(path + ".status").read().strip() if os.path.exists(path + ".status") else "none"
        if step.shown.strip() and agrees(step.shown, printed):
            continue
        if not step.shown.strip() and status == "0":
            continue
        faults += 1
        shown = step.shown or "(nothing; exit status 0)\n"
        print(f"{name}:{step.line}: $ {step.command}\n--- shown\n{shown}--- printed, exit status {status}\n{printed}")
    visible = sum(step.kind == "run" for step in steps)
    print(f"{name}: {visible} commands, {faults} differ")
    return visible, faults


def main(arguments):
    if arguments[0] == "commands":
        steps = read_page(arguments[1], below=arguments[2], root=True)
        print("\n".join(step.command for step in steps if step.kind == "run"))
        return 0
    if arguments[0] == "check-in":
        results = [check_in(shlex.split(arguments[1]), name) for name in arguments[2:]]
    else:
        results = [check(arguments[1], name) for name in arguments[2:]]
    faults = sum(result[1] for result in results)
    print(f"{sum(result[0] for result in results) - faults} passed, {faults} failed")
    return 1 if faults else 0


sys.exit(main(sys.argv[1:]))
