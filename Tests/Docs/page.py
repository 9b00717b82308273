"""Reads the console blocks of a Markdown page."""
import re
import subprocess
from dataclasses import dataclass


@dataclass
class Step:
    """A command, and what the page shows that it prints."""
    line: int
    command: str
    shown: str
    kind: str  # run, hidden, background or skip


def is_complete(command):
    """Whether a shell would not wait for another line."""
    if command.endswith(("\\", "|", "&&", "||")):
        return False
    result = subprocess.run(["bash", "-n"], input=command + "\n", capture_output=True, text=True)
    return "unexpected EOF" not in result.stderr and "unexpected end of file" not in result.stderr \
        and "here-document" not in result.stderr


def read_block(lines, number, kind, root):
    steps = []
    prompts = ("$ ", "# ") if root else ("$ ",)
    skips = False
    for offset, line in enumerate(lines):
        waiting = steps and not steps[-1].shown and not skips and not is_complete(steps[-1].command)
        if waiting:
            steps[-1].command += "\n" + line
        elif line.startswith(prompts):
            skips = False
            steps.append(Step(number + offset, line[2:], "", kind))
        elif line.startswith("# "):
            skips = True
        elif steps and not skips:
            steps[-1].shown += line + "\n"
    for step in steps:
        if "…" in step.command:
            step.kind = "skip"
    return steps


def read_page(name, below=None, root=False):
    """The steps of a page, or only those between a heading and the next one."""
    steps, block, start, heading, kind = [], None, 0, None, "run"
    for number, line in enumerate(open(name).read().split("\n"), 1):
        # A block of a list is indented.
        if block is not None:
            line = line[indent:]
            if line.startswith("```"):
                if below in (None, heading):
                    steps += read_block(block, start, kind, root)
                block, kind = None, "run"
            else:
                block.append(line)
        elif line.lstrip().startswith("```console"):
            block, start, indent = [], number + 1, len(line) - len(line.lstrip())
        elif line.lstrip().startswith("```"):
            block, start, kind, indent = [], number + 1, "skip", len(line) - len(line.lstrip())
        elif found := re.fullmatch(r" *<!-- docs: (skip|background|(run|start) (.*)) -->", line):
            if found[2] and below not in (None, heading):
                continue
            if found[2]:
                hidden = "hidden" if found[2] == "run" else "background"
                steps.append(Step(number, found[3], "", hidden))
            else:
                kind = found[1]
        elif line.startswith("#"):
            heading = line.lstrip("#").strip()
    return steps
