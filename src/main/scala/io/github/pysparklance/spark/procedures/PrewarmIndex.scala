// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.procedures

import org.apache.spark.sql.types.{LongType, StringType, StructType}
import org.apache.spark.sql.{Row, SparkSession}

import io.github.pysparklance.core.{NotFoundException, Place}
import io.github.pysparklance.index.ScalarIndices
import io.github.pysparklance.index.cache.IndexCache
import io.github.pysparklance.spark.sql.{TableCommand, TableTarget}

/** Loads an index into the cache of the driver, which evaluates indices. */
private[spark] object PrewarmIndex
    extends LanceProcedure(
      "prewarm_index",
      "Loads an index into the cache of the driver, as far as memory allows.",
      LanceProcedure.table,
      LanceProcedure.required("name", StringType, "name of the index")
    ) {

  override def command(call: Arguments): TableCommand =
    PrewarmIndexCommand(call.table(), call.needed("name"))
}

/** Runs `prewarm_index`. */
final private[spark] case class PrewarmIndexCommand(target: TableTarget, name: String)
    extends TableCommand(PrewarmIndexCommand.columns) {

  override protected def rows(session: SparkSession): Seq[Row] = {
    val table = target.load(session, "prewarm_index").table
    val index = new ScalarIndices(table).prewarm(name).getOrElse(
      throw new NotFoundException(
        s"an index $name of a kind that is supported",
        Place(path = Some(table.path))
      )
    )
    Seq(Row(index.name, index.kind.name, IndexCache.shared.numBytes, IndexCache.shared.maxBytes))
  }
}

/** The columns of the result. */
private[spark] object PrewarmIndexCommand {
  private val columns = new StructType()
    .add("name", StringType, nullable = false)
    .add("index_type", StringType, nullable = false)
    .add("cached_bytes", LongType, nullable = false)
    .add("max_cached_bytes", LongType, nullable = false)
}
