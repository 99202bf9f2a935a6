# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Report of the demo."""

from dataclasses import dataclass, field

from pyspark_lance.display import grid


@dataclass(frozen=True)
class TableLoad:
    """A table written by Spark."""

    name: str
    rows: int
    parquet_bytes: int
    lance_bytes: int
    seconds: float


@dataclass(frozen=True)
class QueryRun:
    """A query: the best of several runs on each side."""

    name: str
    rows: int
    parquet_seconds: float
    lance_seconds: float


@dataclass(frozen=True)
class Check:
    """A comparison of two values."""

    name: str
    passed: bool
    detail: str


@dataclass
class Report:
    """Collects the results of the demo."""

    scale_factor: float
    loads: list[TableLoad] = field(default_factory=list)
    queries: list[QueryRun] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        """Whether there were checks, and all of them passed."""
        return bool(self.checks) and all(check.passed for check in self.checks)

    def check(self, name: str, expected: object, found: object, detail: str = "") -> None:
        """Records whether two values are equal. Prints both if they differ."""
        passed = expected == found
        self.checks.append(
            Check(name, passed, detail if passed else f"expected {expected}, found {found}")
        )

    def render(self) -> str:
        """Returns the summary: sizes and load times, query times, checks, and verdict."""
        return "\n\n".join(
            [
                f"TPC-H at scale factor {self.scale_factor:g}",
                self._tables(),
                self._queries(),
                self._checks(),
                self._verdict(),
            ]
        )

    def _tables(self) -> str:
        total = TableLoad(
            "total",
            sum(t.rows for t in self.loads),
            sum(t.parquet_bytes for t in self.loads),
            sum(t.lance_bytes for t in self.loads),
            sum(t.seconds for t in self.loads),
        )
        return grid(
            ("table", "rows", "Parquet", "Lance", "Lance/Parquet", "written in"),
            [
                (
                    t.name,
                    f"{t.rows:,}",
                    megabytes(t.parquet_bytes),
                    megabytes(t.lance_bytes),
                    f"{t.lance_bytes / t.parquet_bytes:.2f}",
                    f"{t.seconds:.2f} s",
                )
                for t in (*self.loads, total)
            ],
            left=1,
        )

    def _queries(self) -> str:
        return grid(
            ("query", "rows", "Parquet", "Lance", "Parquet/Lance"),
            [
                (
                    q.name,
                    str(q.rows),
                    f"{q.parquet_seconds:.2f} s",
                    f"{q.lance_seconds:.2f} s",
                    f"{q.parquet_seconds / q.lance_seconds:.2f}X",
                )
                for q in self.queries
            ],
            left=1,
        )

    def _checks(self) -> str:
        return "\n".join(
            f"{'ok  ' if c.passed else 'FAIL'}  {c.name}{': ' if c.detail else ''}{c.detail}"
            for c in self.checks
        )

    def _verdict(self) -> str:
        failed = sum(not check.passed for check in self.checks)
        return f"{len(self.checks) - failed} checks passed, {failed} failed"


def megabytes(size: int) -> str:
    """Formats a number of bytes in MB (10**6 bytes)."""
    return f"{size / 1e6:,.2f} MB"
