"""Runs the console blocks of documents, and compares what they print with what the document shows.

    python3 -B Tests/Docs check AASA PAGE...        # needs root or user namespaces, for ports of its own
    python3 -B Tests/Docs commands PAGE HEADING     # prints the commands below a heading

Lines that begin with "$ " are run, in one shell and one empty directory per page; those that begin with "# "
need root and are not. "…" in a document stands for any text, and a line of its own for any lines; a command with
"…" in it is not run. A command whose output is not shown must succeed. Comments in a page before a block:

    <!-- docs: skip -->            do not run the block
    <!-- docs: background -->      run it in a second terminal, and go on when the server answers
    <!-- docs: start COMMAND -->   the same with a command that readers do not see
    <!-- docs: run COMMAND -->     run a command that readers do not see
"""
import os
import re
import signal
import subprocess
import sys
import tempfile

from page import read_page

VARYING = [
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "TIME"),
    (r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT", "DATE"),
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


def script(steps, directory):
    """One shell for all of a page's commands, which keeps variables, functions and the directory."""
    # On a terminal, curl shows no progress beside what it prints.
    lines = ["cd home", 'curl() { command curl --no-progress-meter "$@"; }']
    for number, step in enumerate(steps):
        path = os.path.join(directory, str(number))
        with open(path, "w") as file:
            file.write(step.command + "\n")
        if step.kind == "background":
            lines.append(f'( . {path} ) > {path}.out 2>&1 < /dev/null &')
            lines.append("for _ in $(seq 100); do curl -fs http://127.0.0.1:8081/readyz > /dev/null && break; "
                         "sleep 0.1; done")
        else:
            lines.append(f". {path} > {path}.out 2>&1 < /dev/null; echo $? > {path}.status")
    lines.append("trap '' TERM; kill 0; wait")
    return "\n".join(lines)


def check(program, name):
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    steps = [step for step in read_page(name) if step.kind != "skip"]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as directory:
        for part in ("home", "bin"):
            os.mkdir(os.path.join(directory, part))
        for part in ("Config", "Tests"):
            os.symlink(os.path.join(root, part), os.path.join(directory, "home", part))
        os.symlink(os.path.abspath(program), os.path.join(directory, "bin", "aasa"))
        environment = {key: value for key, value in os.environ.items() if not key.startswith("AASA_")}
        environment["PATH"] = os.path.join(directory, "bin") + ":" + environment["PATH"]
        private = ["unshare", "--net"] + ([] if os.geteuid() == 0 else ["--map-root-user"])
        shell = subprocess.Popen(
            private + ["bash", "-c", "ip link set lo up\n" + script(steps, directory)], cwd=directory,
            env=environment, start_new_session=True, stderr=subprocess.DEVNULL)
        try:
            shell.wait(timeout=300)
        except subprocess.TimeoutExpired:
            print(f"{name}: not finished after 300 s")
            os.killpg(shell.pid, signal.SIGKILL)
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
    results = [check(arguments[1], name) for name in arguments[2:]]
    faults = sum(result[1] for result in results)
    print(f"{sum(result[0] for result in results) - faults} passed, {faults} failed")
    return 1 if faults else 0


sys.exit(main(sys.argv[1:]))
