# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Bar charts as SVG, one for each group of tasks. Parquet is the line at 1.0X."""

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

COLOURS: Final[Mapping[str, str]] = {
    "lance": "#1f5f8b",
    "parquet-zstd": "#767c85",
    "lance-spark": "#6b4f7d",
    "pylance": "#3d6b4f",
    "floor": "#a84a1a",
}
"""Colors of systems, as in the other pictures of the documentation."""


class Bars(NamedTuple):
    """A task: its title, and the ratio to Parquet by system."""

    title: str
    ratios: Mapping[str, float]


def draw(title: str, rows: Sequence[Bars], names: Mapping[str, str]) -> str:
    """Returns the chart.

    Args:
        title: Title of the group.
        rows: Bars from top to bottom.
        names: Titles of the systems.
    """
    systems = [system for system in COLOURS if any(system in row.ratios for row in rows)]
    height = _TOP + sum(len(row.ratios) * _BAR + _GAP for row in rows) + 8
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}"'
            f' width="{_WIDTH}" role="img" aria-labelledby="title desc">',
            f'  <title id="title">{escape(title)}</title>',
            '  <desc id="desc">Median times of tasks as bars, Parquet being 1.0X.</desc>',
            "  <style>",
            *(f"    .{system} {{ fill: {COLOURS[system]}; }}" for system in systems),
            "    .free { fill: #767c85; }",
            "    .line { stroke: #767c85; stroke-width: 1.5; stroke-dasharray: 4 3; }",
            '    text { font-family: system-ui, "Segoe UI", "DejaVu Sans", Arial, sans-serif; }',
            "  </style>",
            *_legend(systems, names),
            f'  <line class="line" x1="{_LEFT + _ONE}" y1="38" x2="{_LEFT + _ONE}"'
            f' y2="{height - 8}"/>',
            _text(_LEFT + _ONE, 34, "Parquet 1.0X", "middle", 12),
            *_rows(rows),
            "</svg>",
            "",
        ]
    )


def _legend(systems: Sequence[str], names: Mapping[str, str]) -> Iterable[str]:
    x = 10
    for system in systems:
        yield f'  <rect class="{system}" x="{x}" y="4" width="12" height="12"/>'
        yield _text(x + 17, 14, names[system], "start", 12)
        x += 32 + 7 * len(names[system])


def _rows(rows: Sequence[Bars]) -> Iterable[str]:
    y = _TOP
    for row in rows:
        middle = y + len(row.ratios) * _BAR / 2 + 4
        yield _text(_LEFT - 8, middle, row.title, "end", 13)
        for system in COLOURS:
            if system not in row.ratios:
                continue
            ratio = row.ratios[system]
            length = max(1.0, min(ratio * _ONE, _LONGEST))
            yield (
                f'  <rect class="{system}" x="{_LEFT}" y="{y}" width="{length:.1f}"'
                f' height="{_BAR - 2}"/>'
            )
            number = f"{ratio:.2f}" if ratio >= 0.005 else "< 0.01"
            yield _text(_LEFT + _number_at(length), y + 9, number, "start", 10)
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
