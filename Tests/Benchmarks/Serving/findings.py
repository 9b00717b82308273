"""All that one run measures."""

from dataclasses import dataclass

from calls import Calls
from edits import Round
from scale import EditTimes, Size
from throughput import Row


@dataclass(frozen=True)
class Findings:
    """The rows are in the order in which they are measured."""

    rows: list[Row]
    calls: list[Calls]
    sizes: list[Size]
    speed: Row
    edit_times: list[EditTimes]
    rounds: list[Round]
