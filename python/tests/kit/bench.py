# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Systems of the benchmarks in the session of the tests, in the place of processes."""

from benchmarks.settings import Settings
from benchmarks.spark_engine import SparkEngine
from benchmarks.task_list import tasks
from benchmarks.worker import do

QUICK = {
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.shuffle.partitions": "1",
}
"""For tables of few rows: Spark would spend its time on compiling code."""


class Here:
    """A worker that answers at once."""

    def __init__(self, spark, system, data, scale):
        settings = Settings(system, system, 2, str(data), scale)
        self._engine = SparkEngine(spark, settings)
        for key, value in QUICK.items():
            self._engine._spark.conf.set(key, value)
        self._tasks = tasks(scale)
        self.asked = []

    def ask(self, seconds=0.0, /, **request):
        self.asked.append(request["do"])
        return do(self._engine, request, self._tasks)
