// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.write

import java.util.Optional

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.connector.write.LogicalWriteInfo
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** A write with additional options.
  *
  * @param more options that Spark dropped; options of the write take precedence
  */
final private[spark] class WriteWithOptions(write: LogicalWriteInfo, more: CaseInsensitiveStringMap)
    extends LogicalWriteInfo {
  override def options(): CaseInsensitiveStringMap = WriteWithOptions.of(more, write.options())

  override def queryId(): String = write.queryId()

  override def schema(): StructType = write.schema()

  override def rowIdSchema(): Optional[StructType] = write.rowIdSchema()

  override def metadataSchema(): Optional[StructType] = write.metadataSchema()
}

/** Merges options. */
private[spark] object WriteWithOptions {

  /** Returns the merged options. */
  def of(
      more: CaseInsensitiveStringMap,
      own: CaseInsensitiveStringMap
  ): CaseInsensitiveStringMap =
    if (more.isEmpty) own
    else {
      val kept = more.asCaseSensitiveMap().asScala.toMap.filter { case (name, _) =>
        !own.containsKey(name)
      }
      new CaseInsensitiveStringMap((kept ++ own.asCaseSensitiveMap().asScala).asJava)
    }
}
