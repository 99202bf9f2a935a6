// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.backend

import scala.util.Using

import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.vectorized.ColumnVector
import org.apache.spark.unsafe.types.UTF8String

import io.github.pysparklance.core._
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.spark.columns.ColumnBuilder
import io.github.pysparklance.spark.commit.TableCommit
import io.github.pysparklance.spark.vectors.VectorFactory
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.manifest.Fragment
import io.github.pysparklance.table.scan.{FragmentReader, FragmentScan}
import io.github.pysparklance.table.transaction.build.KeyRules
import io.github.pysparklance.table.transaction.{CommitOptions, Retry}
import io.github.pysparklance.table.{FragmentWriter, LanceTable}

/** A row of `__manifest`.
  *
  * @param id names from the outermost namespace to the object, separated by `$`
  * @param kind [[CatalogObject.Namespace]] or [[CatalogObject.Table]]; other kinds are preserved
  * @param location path of a table, relative to the catalog folder
  * @param metadata properties as a JSON object
  * @param baseObjects ids of the sources of a view
  */
final private[backend] case class CatalogObject(
    id: String,
    kind: String,
    location: Option[String] = None,
    metadata: Option[String] = None,
    baseObjects: Option[Seq[String]] = None
)

/** Kinds of objects. */
private[backend] object CatalogObject {
  val Namespace = "namespace"
  val Table = "table"
}

/** The Lance table with the namespaces and tables of a catalog. The table is small: each change
  * rewrites it as a new version, and concurrent changes are serialized.
  *
  * @param path path of the table, which may not exist
  */
final private[backend] class ManifestTable(store: FileStore, path: String) {
  import ManifestTable._

  /** Returns all rows, or no rows if the table does not exist. */
  def read(): IndexedSeq[CatalogObject] = open().fold(IndexedSeq.empty[CatalogObject])(rows)

  /** Changes the rows.
    *
    * @param change returns the new rows and a result; called again after a conflict with another
    *   writer
    */
  def update[A](change: IndexedSeq[CatalogObject] => (IndexedSeq[CatalogObject], A)): A =
    Retry()(open()) { table =>
      table.foreach(t => checkFlags(t, writerFlags, "written"))
      val before = table.fold(IndexedSeq.empty[CatalogObject])(rows)
      val (after, result) = change(before)
      if (after != before) table match {
        // Conflicts with concurrent changes of single rows by other engines, so that they are not
        // undone.
        case Some(t) =>
          val rows = written(t.schema, t.fileVersion, after)
          val _ = TableCommit.change(t) {
            t.overwrite(rows, t.schema, options = CommitOptions(onlyOnBase = true))
          }
        case None =>
          val fragments = written(schema, FileVersion.default, after)
          LanceTable.create(store, path, schema, fragments): Unit
      }
      result
    }

  private def open(): Option[LanceTable] = {
    val table = LanceTable.openIfExists(store, path)
    table.foreach(checkFlags(_, readerFlags, "read"))
    table
  }

  /** Rejects a table with feature flags. Later releases may change the meaning of the rows, and set
    * a flag.
    */
  private def checkFlags(table: LanceTable, key: String, how: String): Unit =
    table.manifest.tableMetadata.get(key).filter(_ != "0").foreach { flags =>
      throw new UnsupportedFeatureException(
        s"the catalog of this folder, which is to be $how with the features $flags",
        Place(path = Some(path))
      )
    }

  private def rows(table: LanceTable): IndexedSeq[CatalogObject] = {
    val fields = names.map { name =>
      table.schema.field(name).getOrElse(
        if (name == BaseObjects) schema.field(name).get.copy(id = Int.MaxValue - 1)
        else
          throw new CorruptFileException(s"no column $name in it", Place(path = Some(path)))
      )
    }
    table.fragments.indices.flatMap { i =>
      val physical = RowRange(0, table.physicalRows(table.fragments(i)))
      val scan =
        FragmentScan(table, i, physical, None, FragmentScan.defaultGapRows, IndexedSeq.empty)
      val factories = fields.map(new VectorFactory(_))
      Using.resource(FragmentReader.open(store, scan, fields, batchRows = batchRows)) { reader =>
        val found = IndexedSeq.newBuilder[CatalogObject]
        while (reader.next()) {
          val vectors = factories.zip(reader.columns).map { case (f, c) => f.vector(c) }
          (0 until reader.numLive).foreach { n =>
            found += row(vectors, if (reader.live == null) n else reader.live(n))
          }
        }
        found.result()
      }
    }
  }

  private def row(vectors: IndexedSeq[ColumnVector], at: Int): CatalogObject = {
    def text(i: Int) =
      Optional.when(!vectors(i).isNullAt(at))(vectors(i).getUTF8String(at).toString)
    val bases = Optional.when(!vectors(4).isNullAt(at)) {
      val array = vectors(4).getArray(at)
      (0 until array.numElements()).map(array.getUTF8String(_).toString)
    }
    CatalogObject(
      text(0).getOrElse(""),
      text(1).getOrElse(""),
      text(2),
      text(3),
      bases
    )
  }

  private def written(
      schema: Schema,
      version: FileVersion,
      rows: IndexedSeq[CatalogObject]
  ): IndexedSeq[Fragment] =
    if (rows.isEmpty) IndexedSeq.empty
    else {
      val builders = schema.fields.map(ColumnBuilder(_))
      rows.foreach { o =>
        schema.fields.indices.foreach { i =>
          builders(i).append(new GenericInternalRow(Array[Any](value(o, schema.fields(i).name))), 0)
        }
      }
      val writer = FragmentWriter.open(store, path, schema, version)
      try {
        writer.write(builders.map(_.column), rows.length)
        IndexedSeq(writer.finish())
      } catch {
        case e: Exception =>
          writer.abort()
          throw e
      }
    }

  private def value(o: CatalogObject, column: String): Any = {
    def text(v: Option[String]) = v.map(UTF8String.fromString).orNull
    column match {
      case ObjectId => UTF8String.fromString(o.id)
      case ObjectType => UTF8String.fromString(o.kind)
      case Location => text(o.location)
      case Metadata => text(o.metadata)
      case BaseObjects =>
        o.baseObjects.map(b =>
          new GenericArrayData(b.map(UTF8String.fromString).toArray[Any])
        ).orNull
      case _ => null
    }
  }
}

/** Names of the columns and properties of `__manifest`. */
private[backend] object ManifestTable {

  /** Name of its folder. */
  val Name: String = "__manifest"

  private val ObjectId = "object_id"
  private val ObjectType = "object_type"
  private val Location = "location"
  private val Metadata = "metadata"
  private val BaseObjects = "base_objects"

  private val names = IndexedSeq(ObjectId, ObjectType, Location, Metadata, BaseObjects)

  private val batchRows = 4096

  private val readerFlags = "lance.namespace.manifest.reader_feature_flags"
  private val writerFlags = "lance.namespace.manifest.writer_feature_flags"

  private val schema: Schema = {
    def text(name: String, nullable: Boolean) =
      Field(Field.Unassigned, name, LogicalType.Utf8(large = false), nullable)
    val id = text(ObjectId, nullable = false).copy(
      metadata = Map(KeyRules.PrimaryPosition -> "0"),
      unenforcedPrimaryKey = Some(0)
    )
    val bases = Field(
      Field.Unassigned,
      BaseObjects,
      LogicalType.List(large = false, ofStruct = false),
      nullable = true,
      IndexedSeq(text(ObjectId, nullable = true))
    )
    Schema(
      IndexedSeq(
        id,
        text(ObjectType, nullable = false),
        text(Location, nullable = true),
        text(Metadata, nullable = true),
        bases
      )
    ).withFreshIds
  }
}
