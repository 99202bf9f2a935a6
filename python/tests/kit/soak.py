# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Concurrent writers, streams, maintenance, and readers of one table, for a long time.

Each writer has its own range of keys, and records its committed rows. The text of a row follows
from its key and its number, so that mixed rows are recognized. After each round, all threads wait,
and the table is compared with the rows of the writers.
"""

import datetime
import itertools
import json
import random
import re
import threading
import time
import traceback
from collections import Counter
from functools import partial
from pathlib import Path

import lance
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.errors import PySparkException

from pyspark_lance.exceptions import condition_of

RANGE = 10**9
"""Keys of each writer."""

MAX_ROWS = 300
"""A writer with more rows deletes some."""

RETAINED = 1000
"""Versions that clean-ups retain. Writers and maintenance use the versions before the latest."""

CHANGES = ("append", "delete", "update", "merge")
SIDES = ("Spark", "pylance")
CONFLICTS_OF_PYLANCE = re.compile(
    r"(?:Retryable commit conflict|Commit conflict) for version \d+: "
    r"|Incompatible transaction: |Too many concurrent writers\. "
)
"""Messages of pylance for commits that lost a race."""


def is_conflict(error):
    """Returns whether an error means that nothing was committed because of another writer."""
    if isinstance(error, PySparkException):
        return condition_of(error) == "LANCE_COMMIT_CONFLICT"
    return CONFLICTS_OF_PYLANCE.match(str(error)) is not None


def text(key, number):
    """The text of a row."""
    return f"{key}:{number}:" + "x" * (key % 50)


def table(rows):
    """Rows, given as numbers by key, as an Arrow table."""
    return pa.table(
        {
            "id": pa.array(list(rows), pa.int64()),
            "owner": pa.array([key // RANGE for key in rows], pa.int32()),
            "n": pa.array(list(rows.values()), pa.int64()),
            "t": pa.array([text(*row) for row in rows.items()], pa.string()),
        }
    )


def repeated(random, items):
    """Yields all items in random order, repeatedly."""
    while True:
        yield from random.sample(items, len(items))


class Writer:
    """The rows of a writer, as numbers by key.

    `draw` returns the next change, and `committed` records it.
    """

    def __init__(self, owner, seed):
        self.owner, self.random = owner, random.Random(f"{owner} {seed}")
        self.rows, self.next = {}, owner * RANGE
        self.kinds = repeated(self.random, (*CHANGES, "append"))

    def new(self, numbers):
        """Returns rows with new keys."""
        first, self.next = self.next, self.next + len(numbers)
        return dict(zip(itertools.count(first), numbers, strict=False))

    def draw(self):
        """Returns the kind of a change, and the rows that it writes or the keys that it deletes."""
        keys, kind = sorted(self.rows), next(self.kinds)
        if len(keys) > MAX_ROWS:
            kind = "delete"
        some = self.random.sample(keys, min(len(keys), self.random.choice((1, 5, 40))))
        if kind == "delete":
            return kind, dict.fromkeys(some)
        if kind == "update":
            return kind, dict.fromkeys(some, self.random.randrange(1000))
        count = self.random.choice((1, 3, 30))
        rows = self.new([self.random.randrange(1000) for _ in range(count)])
        if kind == "merge":
            rows |= {key: self.random.randrange(1000) for key in some}
        return kind, rows

    def committed(self, kind, rows):
        """Records a change."""
        if kind == "delete":
            self.rows = {k: n for k, n in self.rows.items() if k not in rows}
        else:
            self.rows = {**self.rows, **rows}


class Soak:
    """The table with its writers and readers.

    Args:
        spark: the session.
        folder: an empty folder.
        seed: determines the changes, but not their order among the writers.

    Attributes:
        counts: committed and lost changes by kind and side, and other events.
        checkpoints: measurements after each round, see `growth`.
    """

    def __init__(self, spark, folder, seed):
        self.spark, self.folder, self.seed = spark, folder, seed
        self.path = str(folder / "t.lance")
        self.name = f"lance.`{self.path}`"
        self.writers, self.errors, self.counts = [], [], Counter()
        self.replica, self.applied, self.checkpoints = {}, set(), []
        (folder / "incoming").mkdir()
        writer = self._writer()
        writer.rows = writer.new(range(200))
        rows = table(writer.rows)
        lance.write_dataset(rows, self.path, max_rows_per_file=50, enable_stable_row_ids=True)
        self.spark.sql(f"CREATE INDEX by_id ON {self.name} USING btree (id)")
        self.spark.sql(f"CREATE INDEX by_owner ON {self.name} USING bitmap (owner)")
        self.changing = [
            self._changes(writer, "Spark", self._with_spark()),
            self._changes(self._writer(), "Spark", self._with_spark()),
            self._changes(self._writer(), "pylance", self._with_pylance),
            self._changes(self._writer(), "pylance", self._with_pylance),
        ]
        self.maintenance = {
            "OPTIMIZE": f"OPTIMIZE {self.name} WITH (target_rows_per_fragment = 400)",
            "OPTIMIZE INDEX by_id": f"OPTIMIZE INDEX by_id ON {self.name}",
            "OPTIMIZE INDEX by_owner": f"OPTIMIZE INDEX by_owner ON {self.name}",
            "CREATE INDEX": f"ALTER TABLE {self.name} CREATE OR REPLACE INDEX by_n"
            " USING zonemap (n)",
            "VACUUM": f"VACUUM {self.name} WITH (retain_versions = {RETAINED},"
            " error_if_tagged_old_versions = false)",
            "maintenance by pylance": None,
        }
        self.others = [self._stream(self._writer()), self._feed(), self._reads()]
        self.maintaining = self._maintain()

    def _writer(self):
        self.writers.append(Writer(len(self.writers) + 1, self.seed))
        return self.writers[-1]

    def round(self, changes):
        """Runs all threads until each writer has made a number of changes, then inspects the table.

        All maintenance statements, and each of the streams and readers, run at least once.

        Raises:
            AssertionError: An invariant does not hold, or a thread failed.
        """
        loops = [(loop, changes) for loop in self.changing]
        loops += [(self.maintaining, len(self.maintenance))] + [(loop, 1) for loop in self.others]
        pending = set(range(len(loops)))

        def run(number, loop, least):
            try:
                for taken in itertools.count(1):
                    next(loop)
                    if taken == least:
                        pending.discard(number)
                    if self.errors or not pending:
                        break
                    time.sleep(0.1)  # leaves time for slower loops
            except BaseException:  # such as a panic of native code
                self.errors.append(traceback.format_exc())

        threads = [
            threading.Thread(target=run, args=(number, *loop), daemon=True)
            for number, loop in enumerate(loops)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(1200)
        assert not self.errors, "\n".join(self.errors)
        assert not any(thread.is_alive() for thread in threads), "a thread does not end"
        self.inspect()

    def finish(self):
        """Reads the rest of the change feed, and checks that it is complete.

        Raises:
            AssertionError: An invariant does not hold, or a kind of change was never committed.
        """
        self._follow()
        assert self.replica == self._expected(), "the change feed has other rows than the table"
        kinds = [f"{kind} by {side}" for kind in CHANGES for side in SIDES]
        missing = [kind for kind in (*kinds, "micro-batch") if not self.counts[kind]]
        assert not missing, f"never committed: {missing}; {self.counts}"

    def _commit(self, what, act):
        """Runs an operation; returns whether it was committed. Other errors are raised."""
        try:
            act()
        except Exception as error:
            if not is_conflict(error):
                raise
            self.counts[f"lost {what}"] += 1
            return False
        self.counts[what] += 1
        return True

    def _changes(self, writer, side, act):
        while True:
            kind, rows = writer.draw()
            if rows and self._commit(f"{kind} by {side}", partial(act, kind, rows)):
                writer.committed(kind, rows)
            yield

    def _with_spark(self):
        session = self.spark.newSession()

        def act(kind, rows):
            keys = ", ".join(map(str, rows))
            if kind == "delete":
                session.sql(f"DELETE FROM {self.name} WHERE id IN ({keys})")
            elif kind == "update":
                (number,) = set(rows.values())
                session.sql(
                    f"UPDATE {self.name} SET n = {number},"
                    f" t = concat(id, ':', {number}, ':', repeat('x', CAST(id % 50 AS INT)))"
                    f" WHERE id IN ({keys})"
                )
            else:
                values = ", ".join(
                    f"({key}L, {key // RANGE}, {n}L, '{text(key, n)}')" for key, n in rows.items()
                )
                if kind == "append":
                    session.sql(f"INSERT INTO {self.name} VALUES {values}")
                else:
                    session.sql(
                        f"MERGE INTO {self.name} t USING (SELECT * FROM VALUES {values}"
                        " AS v(id, owner, n, t)) s"
                        " ON t.id = s.id WHEN MATCHED THEN UPDATE SET *"
                        " WHEN NOT MATCHED THEN INSERT *"
                    )

        return act

    def _with_pylance(self, kind, rows):
        opened = lance.dataset(self.path)
        keys = ", ".join(map(str, rows))
        if kind == "append":
            lance.write_dataset(table(rows), opened, mode="append")
        elif kind == "delete":
            opened.delete(f"id IN ({keys})")
        else:
            merge = opened.merge_insert("id").when_matched_update_all()
            if kind == "merge":
                merge = merge.when_not_matched_insert_all()
            merge.execute(table(rows))

    def _stream(self, writer):
        """Writes files of rows, which a streaming query appends. It is restarted for each file."""
        session = self.spark.newSession()
        for number in itertools.count():
            rows = writer.new([number] * 3)
            lines = "\n".join(json.dumps(row) for row in table(rows).to_pylist())
            file = self.folder / "incoming" / f"{number}.json"
            file.with_suffix(".new").write_text(lines)
            file.with_suffix(".new").rename(file)
            source = session.readStream.schema("id BIGINT, owner INT, n BIGINT, t STRING")
            files = source.option("cleanSource", "delete").json(f"{self.folder}/incoming/*.json")
            query = files.writeStream.format("lance").trigger(availableNow=True)
            query = query.option("checkpointLocation", str(self.folder / "sink"))
            query.start(self.path).awaitTermination()
            writer.committed("append", rows)
            self.counts["micro-batch"] += 1
            if len(writer.rows) > MAX_ROWS:
                gone = dict.fromkeys(sorted(writer.rows)[:100])
                act = partial(self._with_pylance, "delete", gone)
                if self._commit("delete by pylance", act):
                    writer.committed("delete", gone)
            yield

    def _feed(self):
        while True:
            self._follow()
            yield

    def _follow(self):
        """Applies the changes since the last call to a copy of the table in memory."""
        feed = self.spark.readStream.format("lance").option("readChangeFeed", "true")
        feed = feed.option("keepUnreadVersions", "true").load(self.path)
        feed = feed.select("_commit_version", "_change_type", "id", "n").coalesce(1)
        # Each query with foreachBatch would leave a connection and a thread in Python.
        sink = feed.writeStream.format("parquet").option("path", str(self.folder / "changes"))
        sink = sink.option("checkpointLocation", str(self.folder / "feed"))
        sink.trigger(availableNow=True).start().awaitTermination()
        files = set((self.folder / "changes").glob("*.parquet")) - self.applied
        rows = [tuple(r.values()) for file in files for r in pq.read_table(file).to_pylist()]
        gone = ("delete", "update_preimage")
        for version, kind, key, n in sorted(rows, key=lambda r: (r[0], r[1] not in gone)):
            if kind in gone:
                found = self.replica.pop(key, None)
                assert found == n, f"version {version} deletes {key} with {n}, not {found}"
            else:
                assert key not in self.replica, f"version {version} inserts {key}, which exists"
                self.replica[key] = n
        self.applied |= files
        self.counts["feed"] += 1

    def _maintain(self):
        session = self.spark.newSession()
        for name in repeated(random.Random(self.seed), list(self.maintenance)):
            statement = self.maintenance[name]
            if statement is None:
                self._commit(name, self._maintain_with_pylance)
            else:
                self._commit(name, lambda s=statement: session.sql(s).collect())
            time.sleep(0.4)
            yield

    def _maintain_with_pylance(self):
        opened = lance.dataset(self.path)
        opened.optimize.compact_files(target_rows_per_fragment=400)
        opened.optimize.optimize_indices()
        lance.dataset(self.path).cleanup_old_versions(
            older_than=datetime.timedelta(0),
            retain_versions=RETAINED,
            error_if_tagged_old_versions=False,
        )

    def _reads(self):
        """Reads versions with filters by different columns, which must return the same rows."""
        session, pick = self.spark.newSession(), random.Random(self.seed)
        while True:
            latest = lance.dataset(self.path)
            version, tags = latest.version, latest.tags
            # The tag keeps the version if more than `RETAINED` others are committed meanwhile.
            (tags.update if "reading" in tags.list() else tags.create)("reading", version)
            owner = pick.randrange(1, len(self.writers) + 1)
            low, high = owner * RANGE, owner * RANGE + RANGE
            conditions = (
                f"owner = {owner}",
                f"id >= {low} AND id < {high}",
                f"id DIV {RANGE} = {owner}",
            )
            frame = session.read.format("lance").option("version", version).load(self.path)
            found = [sorted(map(tuple, frame.where(c).collect())) for c in conditions]
            assert found[0] == found[1] == found[2], f"version {version}, owner {owner}: {found}"
            for key, _, n, t in found[0]:
                assert t == text(key, n), f"version {version} has a mixed row: {key}, {n}, {t}"
            opened = lance.dataset(self.path, version)
            theirs = opened.to_table(filter=f"owner = {owner}").to_pylist()
            assert sorted(tuple(row.values()) for row in theirs) == found[0]
            self.counts["read"] += 1
            yield

    def _expected(self):
        return {key: n for writer in self.writers for key, n in writer.rows.items()}

    def inspect(self):
        """Compares the table with the rows of the writers, and measures both processes."""
        expected = sorted((key, n, text(key, n)) for key, n in self._expected().items())
        session = self.spark.newSession()
        ours = session.read.format("lance").load(self.path).select("id", "n", "t").collect()
        assert sorted(map(tuple, ours)) == expected, _difference(expected, ours)
        opened = lance.dataset(self.path, session=lance.Session())
        opened.validate()
        theirs = [tuple(r.values()) for r in opened.to_table(["id", "n", "t"]).to_pylist()]
        assert sorted(theirs) == expected, _difference(expected, theirs)
        for fragment in opened.get_fragments():
            for file in fragment.data_files():
                assert Path(self.path, "data", file.path).exists(), f"{file.path} is missing"
        self.checkpoints.append(self._measured())

    def _measured(self):
        """The used heap in MB, threads, and open files of the JVM, and of this process."""
        jvm = self.spark._jvm
        jvm.System.gc()
        runtime = jvm.Runtime.getRuntime()
        management = jvm.java.lang.management.ManagementFactory
        measured = {
            "heap": (runtime.totalMemory() - runtime.freeMemory()) >> 20,
            "JVM threads": management.getThreadMXBean().getThreadCount(),
            "Python threads": threading.active_count(),
        }
        if Path("/proc/self/fd").is_dir():  # Linux
            measured["JVM files"] = _files(jvm.java.lang.ProcessHandle.current().pid())
            measured["Python files"] = _files("self")
        return measured


def _files(process):
    """The number of open files of a process."""
    return len(list(Path(f"/proc/{process}/fd").iterdir()))


def _difference(expected, found):
    wanted, seen = set(expected), set(map(tuple, found))
    return (
        f"{len(found)} rows, expected {len(expected)}; missing {sorted(wanted - seen)[:5]},"
        f" not expected {sorted(seen - wanted)[:5]}"
    )


def growth(checkpoints):
    """Returns the measurements that are larger in the last third than in the second one.

    The first third warms up. The smallest value of each third counts, because a measurement may
    follow a large statement.
    """
    third = len(checkpoints) // 3
    middle, last = checkpoints[third : 2 * third], checkpoints[2 * third :]
    grown = []
    for name in checkpoints[0]:
        before, after = (min(c[name] for c in part) for part in (middle, last))
        if after > before * (1.25 if name == "heap" else 1.1) + 16:
            grown.append(f"{name}: {before}, later {after}")
    return grown
