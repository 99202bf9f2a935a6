# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Bar charts as SVG, one for each group of tasks. The compared side is the line at 1.0X."""

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Final, NamedTuple

_WIDTH: Final = 760
_LEFT: Final = 250
"""Start of the bars."""
_ONE: Final = 300
"""Length of 1.0X."""
_LONGEST: Final = 420
"""Maximum length. Longer bars are cut; the number next to them is the ratio."""
_BAR: Final = 12
_GAP: Final = 14
_TOP: Final = 54
_NUMBER: Final = 30
"""Approximate width of the number next to a bar."""
_LETTER: Final = 7
"""Approximate width of a letter of a title."""

COLORS: Final[Mapping[str, str]] = {
    "lance": "#1f5f8b",
    "parquet-zstd": "#767c85",
    "lance-spark": "#6b4f7d",
    "pylance": "#3d6b4f",
    "floor": "#a84a1a",
}
"""Colors of systems, as in the other pictures of the documentation."""


class Bars(NamedTuple):
    """A task: its title, and the ratio by system, or by compared side."""

    title: str
    ratios: Mapping[str, float]


def draw(
    title: str,
    rows: Sequence[Bars],
    names: Mapping[str, str],
    colors: Mapping[str, str] = COLORS,
    *,
    line: str = "Parquet",
    heading: str = "",
) -> str:
    """Returns the chart.

    Args:
        title: Title of the group.
        rows: Bars from top to bottom.
        names: Titles of the systems.
        colors: Colors by system, in the order of the bars of a task.
        line: Title of the side with the ratio 1.
        heading: Text before the legend.
    """
    systems = [system for system in colors if any(system in row.ratios for row in rows)]
    classes = {system: re.sub(r"[^a-z0-9-]+", "-", system.lower()) for system in systems}
    left = max([_LEFT, *(16 + _LETTER * len(row.title) for row in rows)])
    width = _WIDTH + left - _LEFT
    height = _TOP + sum(len(row.ratios) * _BAR + _GAP for row in rows) + 8
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
            f' width="{width}" role="img" aria-labelledby="title desc">',
            f'  <title id="title">{escape(title)}</title>',
            f'  <desc id="desc">Median times of tasks as bars, {escape(line)} being 1.0X.</desc>',
            "  <style>",
            *(f"    .{classes[system]} {{ fill: {colors[system]}; }}" for system in systems),
            "    .free { fill: #767c85; }",
            "    .line { stroke: #767c85; stroke-width: 1.5; stroke-dasharray: 4 3; }",
            '    text { font-family: system-ui, "Segoe UI", "DejaVu Sans", Arial, sans-serif; }',
            "  </style>",
            *_legend(classes, names, heading),
            f'  <line class="line" x1="{left + _ONE}" y1="38" x2="{left + _ONE}"'
            f' y2="{height - 8}"/>',
            _text(left + _ONE, 34, f"{line} 1.0X", "middle", 12),
            *_rows(rows, classes, left),
            "</svg>",
            "",
        ]
    )


def _legend(classes: Mapping[str, str], names: Mapping[str, str], heading: str) -> Iterable[str]:
    x = 10
    if heading:
        yield _text(x, 14, heading, "start", 12)
        x += 20 + _LETTER * len(heading)
    for system, its in classes.items():
        yield f'  <rect class="{its}" x="{x}" y="4" width="12" height="12"/>'
        yield _text(x + 17, 14, names[system], "start", 12)
        x += 32 + _LETTER * len(names[system])


def _rows(rows: Sequence[Bars], classes: Mapping[str, str], left: int) -> Iterable[str]:
    y = _TOP
    for row in rows:
        middle = y + len(row.ratios) * _BAR / 2 + 4
        yield _text(left - 8, middle, row.title, "end", 13)
        for system, its in classes.items():
            if system not in row.ratios:
                continue
            ratio = row.ratios[system]
            length = max(1.0, min(ratio * _ONE, _LONGEST))
            yield (
                f'  <rect class="{its}" x="{left}" y="{y}" width="{length:.1f}"'
                f' height="{_BAR - 2}"/>'
            )
            number = f"{ratio:.2f}" if ratio >= 0.005 else "< 0.01"
            yield _text(left + _number_at(length), y + 9, number, "start", 10)
            y += _BAR
        y += _GAP


def _number_at(length: float) -> float:
    """Returns the start of the number of a bar: after the line at 1.0X if they would overlap."""
    at = length + 5
    return max(at, _ONE + 5) if at + _NUMBER >= _ONE else at


def _text(x: float, y: float, text: str, anchor: str, size: int) -> str:
    return (
        f'  <text class="free" x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}">'
        f"{escape(text)}</text>"
    )
