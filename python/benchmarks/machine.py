# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Facts about the machine for the header of the results."""

import os
import platform
import subprocess
from pathlib import Path


def facts() -> dict[str, str]:
    """Returns CPU, memory, system, and load."""
    return {
        "os": f"{platform.system()} {platform.release()}",
        "cpu": f"{_cpu()}, {os.cpu_count()} cores",
        "memory": f"{_memory() >> 20} MiB",
        "load": " ".join(f"{load:.1f}" for load in os.getloadavg()),
    }


def commit(root: Path) -> str:
    """Returns the commit of the sources, with a `+` if they have changed; empty outside of git."""
    command = [
        "git",
        "-C",
        str(root),
        "describe",
        "--always",
        "--dirty=+",
        "--match=",
        "--abbrev=9",
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else ""


def _cpu() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def _memory() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
