# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Runs histories, random ones or given ones, and shortens those that fail."""

import json
import random
import re
import time
import traceback

import lance

from kit.fuzz import conditions, steps
from kit.fuzz.checks import Checks
from kit.fuzz.model import Branch, State, Version
from kit.fuzz.rejections import is_interrupt, reason_for
from kit.fuzz.sides import PylanceTable, SparkTable

FILE_VERSIONS = ("0.1", "2.0", "2.1", "2.1", "2.2", "2.2", "2.2", "2.3")


class HistoryError(Exception):
    """A history that failed.

    Attributes:
        cause: the message without numbers, which identifies failures with the same cause.
        history: the properties of the table, and the steps up to the failure.
        text: the message, and the end of the stack trace.
    """

    def __init__(self, error, history):
        text = f"{type(error).__name__}: {error}"
        self.cause = re.sub(r"[0-9a-f-]{36}|\d+", "#", text)[:160]
        self.history = history
        self.text = f"{text[:1500]}\n{''.join(traceback.format_tb(error.__traceback__)[-2:])}"
        super().__init__(f"{self.text}\n{json.dumps(history, ensure_ascii=False)}")


def settings(seed):
    """Random properties of a table."""
    pick = random.Random(f"settings {seed}")
    version = pick.choice(FILE_VERSIONS)
    return {
        "seed": seed,
        "file_version": version,
        "stable": version != "0.1" and pick.random() < 0.5,
        "by": pick.choice(steps.SIDES),
        "rows": pick.choice((1, 5, 30)),
        "per_file": pick.choice((3, 10, 1000)),
    }


class Rejected:
    """A step that pylance rejected. It must change nothing, not even indices and row ids."""


class History:
    """The history of one table.

    Args:
        session: a session of Spark.
        folder: an empty folder.
        given: the properties of the table.
    """

    def __init__(self, session, folder, given):
        path = folder / "t.lance"
        self.spark = SparkTable(session, path, folder)
        self.pylance = PylanceTable(path)
        self.state = State(given)
        self.steps = []
        self.checks = Checks(self.spark, self.pylance, self.state)

    def run(self, todo):
        """Takes all steps that are possible.

        Args:
            todo: steps, or functions that return a step for a state.

        Raises:
            HistoryError: A side found other rows than the model, or failed.
        """
        try:
            self._create()
            for step in todo:
                step = step(self.state) if callable(step) else step
                if steps.is_possible(step, self.state):
                    self.steps.append(step)
                    self._take(step)
        except BaseException as e:
            if is_interrupt(e):
                raise
            raise HistoryError(e, {"settings": self.state.settings, "steps": self.steps}) from e

    def _create(self):
        given = self.state.settings
        version = Version(self.state.new_columns(given["seed"]))
        version = version.with_rows(
            self.state.new_rows(version, f"first {given['seed']}", given["rows"])
        )
        options = {"max_rows_per_file": given["per_file"], "enable_stable_row_ids": given["stable"]}
        table = version.table()
        if given["by"] == "spark":
            of = {"file_version": given["file_version"], **options}
            self.spark.write(table, "main", "append", **of)
        else:
            path, of = self.pylance.path, given["file_version"]
            try:
                lance.write_dataset(table, path, data_storage_version=of, **options)
            except OSError as e:
                self.checks.rejected.append(("Create", reason_for("Create", e)))
                options["max_rows_per_file"] = 1000
                lance.write_dataset(table, path, data_storage_version=of, **options)
        self.state.branches["main"] = Branch(version, 1, {})
        self.checks.latest("main", {"do": "Create", "may_drop": True})

    def _take(self, step):
        kind = steps.KINDS[step["do"]]
        branch = step["branch"]
        before = self.state.branches[branch].latest
        number = self.state.branches[branch].number
        after, rows = kind.plan(step, self.state, before)
        if step["by"] == "spark":
            kind.spark(step, self.spark, before, rows)
        else:
            try:
                kind.pylance(step, self.pylance, before, rows)
            except BaseException as e:
                if is_interrupt(e):
                    raise
                self.checks.rejected.append((step["do"], reason_for(step["do"], e)))
                after, kind = before, Rejected
        if hasattr(kind, "refs"):
            kind.refs(step, self.state)
        self.state.branches[branch].latest = after
        if "filters" not in step:
            pick = random.Random(json.dumps(step, default=str))
            step["filters"] = [conditions.draw(pick, after) for _ in range(3)]
            step["spark_filters"] = [conditions.draw(pick, after, wide=True) for _ in range(2)]
            step["back"] = [pick.random(), pick.random()] if pick.random() < 0.4 else None
            step["feed"], step["aggregates"] = pick.random() < 0.4, pick.random() < 0.4
        self.checks.latest(branch, step, kind)
        created = step.get("name")
        if created in self.state.branches and created != branch:
            self.checks.latest(created, step)
        if getattr(kind, "forgets", False):
            self._forget()
        elif step["feed"]:
            self.checks.feed(branch, number, before, step)
        if step["aggregates"]:
            self.checks.aggregates(branch)
        if step["back"]:
            self.checks.look_back(*step["back"])

    def _forget(self):
        """Forgets versions that a clean-up removed. Fails if a tag or a branch needs them."""
        needed = set(self.state.tags.values())
        needed |= {b.parent for b in self.state.branches.values() if b.parent}
        for name, branch in self.state.branches.items():
            left = {v["version"] for v in self.pylance.open(name).versions()}
            lost = [n for b, n in needed if b == name and n in branch.versions and n not in left]
            assert not lost, f"clean-up removed versions {lost} of {name}, which are referenced"
            branch.versions = {n: v for n, v in branch.versions.items() if n in left}


def random_history(session, folder, seed, number):
    """Runs and returns a history of random steps."""
    pick = random.Random(f"steps {seed}")
    history = History(session, folder, settings(seed))
    history.run([lambda state: steps.draw(pick, state)] * number)
    return history


def replay(session, folder, record):
    """Runs a recorded history."""
    history = History(session, folder, record["settings"])
    history.run(json.loads(json.dumps(record["steps"])))
    return history


def shortened(session, new_folder, failure, seconds):
    """The shortest history found within a time that fails for the same cause."""
    end = time.monotonic() + seconds
    best = failure
    size = max(1, len(failure.history["steps"]) // 2)
    while size:
        at = len(best.history["steps"]) - size
        while at >= 0 and time.monotonic() < end:
            record = best.history
            left = record["steps"][:at] + record["steps"][at + size :]
            try:
                replay(session, new_folder(), {**record, "steps": left})
            except HistoryError as found:
                if found.cause == failure.cause:
                    best = found
            at -= size
        size //= 2
    return best
