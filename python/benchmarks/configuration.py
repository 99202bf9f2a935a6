# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Configuration of a worker.

Workers on any PySpark import this module, so it imports only the standard library.
"""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Configuration:
    """Configuration of a system.

    Attributes:
        system: Name of the system, for copies and results.
        family: Systems with the same engine: `lance`, `parquet`, `floor`, `lance-spark`, `pylance`.
        cores: Cores of Spark's `local[…]`, or of pylance.
        data: The folder of the source files and copies.
        scale: Scale factor of the data.
        heap: Maximum heap of the JVM.
        start_heap: Initial heap of the JVM; the JVM decides if empty.
        write_options: Write options of every copy.
        spark: Other configuration of the session.
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
        """Returns the folder of the data."""
        return Path(self.data)

    def to_json(self) -> str:
        """Returns the configuration as one line of JSON."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> "Configuration":
        """Parses the output of `to_json`."""
        return cls(**json.loads(text))
