// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.catalog

import java.util
import java.util.Properties

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.{IndexAlreadyExistsException, NoSuchIndexException}
import org.apache.spark.sql.catalyst.util.quoteIdentifier
import org.apache.spark.sql.connector.catalog.index.{SupportsIndex, TableIndex}
import org.apache.spark.sql.connector.expressions.{Expressions, NamedReference}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.spark.commit.StatementRetry
import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.spark.jobs.{IndexJob, IndexReport, IndexRequest, JobTable}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.schema.FieldPath
import io.github.pysparklance.table.transaction.Retry

/** Implements Spark's statements `CREATE INDEX i ON t` and `DROP INDEX i ON t`. */
private[spark] trait IndexedTable extends SupportsIndex {

  /** The loaded version. */
  private[spark] def table: LanceTable

  /** Returns the table to change, see [[LanceSparkTable.forWrite]]. */
  private[spark] def forWrite(options: CaseInsensitiveStringMap): LanceSparkTable

  override def createIndex(
      name: String,
      columns: Array[NamedReference],
      columnsProperties: util.Map[NamedReference, util.Map[String, String]],
      properties: util.Map[String, String]
  ): Unit = LanceErrors.translated {
    val options = properties.asScala.toMap
    val request = columns match {
      case Array(column) if columnsProperties.asScala.forall(_._2.isEmpty) =>
        IndexRequest.of(
          name,
          options.getOrElse(
            SupportsIndex.PROP_TYPE,
            throw new InvalidRequestException(
              s"CREATE INDEX $name without a kind; write USING btree or another kind"
            )
          ),
          FieldPath.of(column.fieldNames.toSeq: _*),
          options - SupportsIndex.PROP_TYPE
        )
      case Array(_) =>
        throw new InvalidRequestException(
          s"CREATE INDEX $name with options of a column; write them as OPTIONS behind the columns"
        )
      case more =>
        throw new InvalidRequestException(
          s"CREATE INDEX $name on ${more.length} columns; an index is on one column"
        )
    }
    changing { job =>
      if (IndexJob.named(job.table, name).nonEmpty)
        throw new IndexAlreadyExistsException(name, this.name(), None)
      IndexJob.create(job, request, replace = false): Unit
    }
  }

  override def dropIndex(name: String): Unit = LanceErrors.translated {
    changing { job =>
      if (IndexJob.named(job.table, name).isEmpty)
        throw new NoSuchIndexException(name, this.name(), None)
      IndexJob.drop(job, name): Unit
    }
  }

  /** Runs a job. Retries it on the latest version after a conflict. */
  private def changing(run: JobTable => Unit): Unit = {
    val to = forWrite(CaseInsensitiveStringMap.empty())
    var isFirst = true
    StatementRetry(Retry()) {
      val base = if (isFirst) to.table else to.table.latest
      isFirst = false
      run(JobTable(SparkSession.active, to.location, base))
    }
  }

  override def indexExists(name: String): Boolean =
    LanceErrors.translated(IndexJob.named(table, name).nonEmpty)

  override def listIndexes(): Array[TableIndex] = LanceErrors.translated {
    new IndexReport(table).indices.map { index =>
      new TableIndex(
        index.name,
        index.kind.getOrElse(""),
        index.fields
          .map(field => Expressions.column(field.names.map(quoteIdentifier).mkString(".")))
          .toArray,
        util.Collections.emptyMap[NamedReference, Properties](),
        new Properties
      )
    }.toArray
  }
}
