# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""What the driver tells a worker when it starts it.

Imported by workers on any PySpark: nothing but the standard library is imported here.
"""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Settings:
    """How a system runs.

    Attributes:
        system: Its name; copies and results are kept under it.
        family: Systems that speak alike: `lance`, `parquet`, `floor`, `lance-spark`, `pylance`.
        cores: Of Spark's `local[…]`, or those that pylance is pinned to.
        data: The folder of the source files and copies.
        scale: The scale of the data.
        heap: Of the JVM, at most.
        start_heap: What it has from the start; the JVM decides when empty.
        write_options: Of every copy.
        spark: More settings of the session.
    """

    system: str
    family: str
    cores: int
    data: str
    scale: float
    heap: str = "4g"
    start_heap: str = ""
    write_options: dict[str, str] = field(default_factory=dict)
    spark: dict[str, str] = field(default_factory=dict)

    @property
    def folder(self) -> Path:
        """The folder of the data."""
        return Path(self.data)

    def to_json(self) -> str:
        """One line, for `from_json`."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> "Settings":
        """What `to_json` wrote."""
        return cls(**json.loads(text))
