# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Runs operations on a local cluster whose executors are killed at random.

`python -m kit.cluster FOLDER SECONDS SEED` appends, merges, deletes, compacts, builds an index, and
streams into a table in random order, with speculation, until the time is over. After each
operation, it compares all rows with the expected ones. It prints the numbers of operations and
kills as JSON.
"""

import contextlib
import json
import os
import random
import signal
import sys
import threading
import time
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import pyspark_lance

EXECUTORS = 4
ROWS = 2000
"""Rows of each append."""


def descendants(pid):
    """Returns the ids of all processes below a process."""
    found = []
    for thread in Path(f"/proc/{pid}/task").glob("*"):
        try:
            children = (thread / "children").read_text().split()
        except OSError:
            continue
        for child in map(int, children):
            found += [child, *descendants(child)]
    return found


def executors():
    """Returns the process ids of the executors."""
    found = []
    for pid in descendants(os.getpid()):
        try:
            line = Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            continue
        if b"CoarseGrainedExecutorBackend" in line:
            found.append(pid)
    return found


class Killer(threading.Thread):
    """Kills an executor every few seconds, if another one is running."""

    def __init__(self, chance):
        super().__init__(daemon=True)
        self.chance = chance
        self.kills = 0
        self.ended = threading.Event()

    def run(self):
        """Kills executors until `ended` is set. New ones start between two kills."""
        while not self.ended.wait(self.chance.uniform(4, 9)):
            running = executors()
            if len(running) > 1:
                with contextlib.suppress(ProcessLookupError):  # it ended by itself
                    os.kill(self.chance.choice(running), signal.SIGKILL)
                    self.kills += 1


class Table:
    """A table, and its expected rows."""

    def __init__(self, spark, folder, chance):
        self.spark = spark
        self.folder = folder
        self.chance = chance
        self.path = str(folder / "t.lance")
        self.name = f"lance.`{self.path}`"
        self.rows = {}
        self.next_id = 0
        self.streamed = 0
        self.append()

    def _new(self, number):
        first, self.next_id = self.next_id, self.next_id + number
        self.rows.update((i, i * 3) for i in range(first, first + number))
        frame = self.spark.range(first, first + number, 1, 8)
        return frame.select("id", (F.col("id") * 3).alias("v"))

    def append(self):
        """Appends rows, in many tasks."""
        mode = "append" if self.rows else "errorifexists"
        self._new(ROWS).write.format("lance").mode(mode).save(self.path)

    def merge(self):
        """Updates some rows, and inserts others."""
        old = self.chance.sample(sorted(self.rows), min(300, len(self.rows)))
        new = list(range(self.next_id, self.next_id + 50))
        self.next_id += 50
        changes = [(i, self.chance.randrange(10**6)) for i in old + new]
        self.rows.update(changes)
        self.spark.createDataFrame(changes, "id BIGINT, v BIGINT").repartition(
            6
        ).createOrReplaceTempView("s")
        self.spark.sql(
            f"MERGE INTO {self.name} t USING s ON t.id = s.id"
            " WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT *"
        ).collect()

    def delete(self):
        """Deletes rows in all fragments."""
        rest = self.chance.randrange(17)
        self.spark.sql(f"DELETE FROM {self.name} WHERE id % 17 = {rest}").collect()
        self.rows = {i: v for i, v in self.rows.items() if i % 17 != rest}

    def optimize(self):
        """Merges small fragments."""
        self.spark.sql(f"OPTIMIZE {self.name}").collect()

    def index(self):
        """Builds an index, and looks up a row with it."""
        self.spark.sql(f"DROP INDEX IF EXISTS by_id ON {self.name}").collect()
        self.spark.sql(f"CREATE INDEX by_id ON {self.name} USING btree (id)").collect()
        wanted = self.chance.choice(sorted(self.rows))
        found = self.spark.sql(f"SELECT v FROM {self.name} WHERE id = {wanted}").collect()
        assert [row.v for row in found] == [self.rows[wanted]]

    def stream(self):
        """Appends the rows of files in micro-batches."""
        source = self.folder / f"source-{self.streamed}"
        self.streamed += 1
        self._new(ROWS).repartition(4).write.json(str(source))
        query = (
            self.spark.readStream.schema("id BIGINT, v BIGINT")
            .option("maxFilesPerTrigger", 2)
            .json(str(source))
            .writeStream.format("lance")
            .option("checkpointLocation", f"{source}-checkpoint")
            .trigger(availableNow=True)
            .start(self.path)
        )
        query.awaitTermination()

    def check(self, operation):
        """Compares all rows."""
        rows = self.spark.read.format("lance").load(self.path).collect()
        found = {row.id: row.v for row in rows}
        assert len(rows) == len(found), f"{operation}: {len(rows)} rows, {len(found)} ids"
        assert found == self.rows, f"{operation}: {len(found)} rows, expected {len(self.rows)}"

    def clean(self):
        """Removes all files that the latest version does not reference, and reads it again."""
        self._wait_for_tasks()
        self.spark.sql(
            f"VACUUM {self.name} WITH (retain_versions = 1, delete_unverified = true)"
        ).collect()
        self.check("VACUUM")
        rows = self.spark.sql(f"SELECT path FROM {self.name}.files").collect()
        needed = {Path(row.path).name for row in rows}
        present = {file.name for file in Path(self.path, "data").iterdir()}
        assert needed == present, f"not needed {present - needed}, missing {needed - present}"

    def _wait_for_tasks(self):
        """Waits for speculative tasks of finished jobs, which may still write files."""
        tracker = self.spark._jsparkSession.sparkContext().statusTracker()
        end = time.monotonic() + 120
        while any(executor.numRunningTasks() for executor in tracker.getExecutorInfos()):
            assert time.monotonic() < end, "tasks of finished jobs do not end"
            time.sleep(0.1)


def session(folder):
    """A session with executors in separate processes, and speculation."""
    builder = (
        SparkSession.Builder()
        .config("spark.master", f"local-cluster[{EXECUTORS},1,1024]")
        .config("spark.executor.memory", "1024m")
        .config("spark.driver.memory", "1g")
        .config("spark.driver.host", "localhost")
        .config("spark.log.level", "ERROR")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.local.dir", str(folder / "local"))
        .config("spark.sql.warehouse.dir", str(folder / "spark-warehouse"))
        .config("spark.sql.shuffle.partitions", "6")
        .config("spark.speculation", "true")
        .config("spark.speculation.multiplier", "1.1")
        .config("spark.speculation.quantile", "0.3")
        .config("spark.speculation.minTaskRuntime", "20ms")
        .config("spark.task.maxFailures", "100")
        .config("spark.stage.maxConsecutiveAttempts", "100")
        .config("spark.deploy.maxExecutorRetries", "-1")
    )
    return pyspark_lance.configure(builder, root=folder / "warehouse").getOrCreate()


def main():
    """Runs operations until the time is over."""
    folder, seconds, seed = Path(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
    chance = random.Random(seed)
    spark = session(folder)
    table = Table(spark, folder, chance)
    table.check("create")
    killer = Killer(random.Random(seed + 1))
    killer.start()
    done = dict.fromkeys(("append", "merge", "delete", "optimize", "index", "stream"), 0)
    until = time.monotonic() + seconds
    while time.monotonic() < until or min(done.values()) == 0:
        least = min(done.values())
        operation = chance.choice([name for name, n in done.items() if n <= least + 1])
        getattr(table, operation)()
        table.check(operation)
        done[operation] += 1
    assert killer.is_alive(), "nothing is killed any more"
    killer.ended.set()
    killer.join()
    table.clean()
    print(json.dumps({"kills": killer.kills, **done}))
    spark.stop()


if __name__ == "__main__":
    main()
