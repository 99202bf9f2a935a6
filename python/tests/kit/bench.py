# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Systems of the benchmarks in the session of the tests, instead of processes."""

from benchmarks.configuration import Configuration
from benchmarks.pylance_engine import PylanceEngine
from benchmarks.spark_engine import SparkEngine
from benchmarks.worker import do, known_tasks

QUICK = {
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.shuffle.partitions": "1",
}
"""For tables of few rows: Spark would spend its time on compiling code."""


class Here:
    """A worker that returns at once."""

    def __init__(self, spark, system, data, scale):
        configuration = Configuration(system, system, 2, str(data), scale)
        self.tasks = known_tasks(scale)
        if system == "pylance":
            self.engine = PylanceEngine(configuration)
            return
        self.engine = SparkEngine(spark, configuration)
        for key, value in QUICK.items():
            self.engine._spark.conf.set(key, value)

    def ask(self, seconds=0.0, /, **request):
        return do(self.engine, request, self.tasks)
