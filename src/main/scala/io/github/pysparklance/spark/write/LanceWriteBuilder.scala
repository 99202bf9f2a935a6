// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.write

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.connector.write.{
  LogicalWriteInfo,
  SupportsDynamicOverwrite,
  SupportsOverwriteV2,
  Write,
  WriteBuilder
}

import io.github.pysparklance.core.{InvalidRequestException, LogicalType, Place}
import io.github.pysparklance.spark.common.{LanceErrors, LanceOptions, OptionUse}
import io.github.pysparklance.spark.types.{ColumnOptions, PhysicalTypes, SparkTypes, TypeOptions}
import io.github.pysparklance.table.FragmentWriter

/** Plans a write: an append, unless Spark passes the rows to replace. */
final private[spark] class LanceWriteBuilder(info: LogicalWriteInfo, target: WriteTarget)
    extends SupportsOverwriteV2
    with SupportsDynamicOverwrite {
  private var mode: WriteMode = WriteMode.Append

  override def truncate(): WriteBuilder = replacing(WriteMode.Replace)

  /** Accepts all conditions, because Spark's error for other conditions names no remedy. */
  override def canOverwrite(predicates: Array[Predicate]): Boolean = true

  override def overwrite(predicates: Array[Predicate]): WriteBuilder = replacing(
    WriteMode.where(predicates).getOrElse(
      throw LanceErrors.rejected(
        s"${target.location.path}: rows cannot be replaced by the condition ${predicates.mkString(" AND ")}, " +
          "because it has unsupported functions; use INSERT OVERWRITE, or mode overwrite, with the condition " +
          "as the option replaceWhere"
      )
    )
  )

  override def overwriteDynamicPartitions(): WriteBuilder = replacing(WriteMode.ReplaceKeys)

  private def replacing(rows: WriteMode): WriteBuilder = {
    mode = rows
    this
  }

  override def build(): Write = LanceErrors.translated {
    val optionMap = info.options().asCaseSensitiveMap().asScala.toMap
    val columnOptions = optionMap.filter(s => ColumnOptions.isColumnOption(s._1))
    val options = WriteOptions(
      LanceOptions(
        OptionUse.Write,
        info.options(),
        target.properties,
        target.location.options
      ),
      target.clusteringKey
    )
    WriteOptions.checkBatch(info.options())
    options.info.transaction.filter(_ => target.has(options)) match {
      case Some(transaction) => new RepeatedWrite(target.location.path, transaction)
      case None =>
        options.distribution.check(info.schema())
        val plan = target.plan(
          info.schema(),
          columnOptions,
          options,
          WriteMode(mode, options)
        )
        LanceWriteBuilder.checkColumns(plan)
        FragmentWriter.check(plan.schema, plan.fileVersion)
        new LanceWrite(plan.constrained(target.properties))
    }
  }
}

/** Checks columns. */
private[spark] object LanceWriteBuilder {

  /** Checks that the types of the rows equal the types of the table, by name. Spark has already
    * matched the columns, or left this to the connector.
    *
    * @throws InvalidRequestException that describes the first difference
    */
  def checkColumns(plan: WritePlan): Unit = {
    def reject(problem: String): Nothing =
      throw new InvalidRequestException(problem, Place(path = Some(plan.location.path)))
    SparkTypes.unreadable(plan.schema.fields).find(!_._2.nullable).foreach { case (path, field) =>
      reject(
        s"""column "$path" takes no nulls, and Spark has no other value for its type """ +
          s"${LogicalType.text(field.logicalType)}: rows cannot be written"
      )
    }
    val wanted = SparkTypes.shownColumns(plan.schema.fields, TypeOptions.default)
    val native = SparkTypes
      .shownColumns(plan.schema.fields, TypeOptions(nativeTimeTypes = true))
      .map(c => c.name -> c.dataType)
      .toMap
    val found = plan.columns
    wanted.fields.zipAll(found.fields, null, null).foreach {
      case (null, extra) => reject(s"""the table has no column "${extra.name}"""")
      case (missing, null) => reject(s"""column "${missing.name}" is missing""")
      case (w, f) if !w.name.equalsIgnoreCase(f.name) =>
        reject(s"""column "${f.name}" is at the position of "${w.name}"""")
      case (w, f)
          if !PhysicalTypes.same(f.dataType, w.dataType) &&
            !native.get(w.name).exists(PhysicalTypes.same(f.dataType, _)) =>
        reject(
          s"""column "${w.name}" has type ${f.dataType.sql}, the table's is ${w.dataType.sql}"""
        )
      case _ => ()
    }
  }
}
