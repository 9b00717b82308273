"""All that one run measures."""

from dataclasses import dataclass

from calls import Calls
from edit_times import EditTimes
from edits import Round
from scale import Size
from throughput import Row


@dataclass(frozen=True)
class Findings:
    """In the order in which it is measured. Times of edits are by the number of domains."""

    calls: list[Calls]
    rows: list[Row]
    https: list[Row]
    sizes: list[Size]
    speed: Row
    edit_times: dict[str, list[EditTimes]]
    rounds: list[Round]
