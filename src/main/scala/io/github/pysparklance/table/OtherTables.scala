// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table

import java.util.Locale

import io.github.pysparklance.core.{InvalidRequestException, Optional, Place}
import io.github.pysparklance.storage.spi.{FileStore, TablePath}

/** Finds tables of other formats in a folder that is to become a Lance table. Two tables in one folder would see each
  * other's files: a clean-up of one, or an overwrite of a folder of Parquet files, removes those of the other.
  */
object OtherTables {
  private val formats = Seq("parquet" -> "Parquet", "orc" -> "ORC", "avro" -> "Avro")

  /** Formats of single files as well: only those that Spark named are a table. */
  private val textFormats = Seq("csv" -> "CSV", "json" -> "JSON", "txt" -> "text", "xml" -> "XML")

  /** Fails if the folder holds a table of another format. Lists the folder once, and `metadata` in it if that exists.
    *
    * @param path where a Lance table is to be made
    * @throws InvalidRequestException that names the format and the file or folder that shows it
    */
  def refuse(store: FileStore, path: String): Unit = {
    val root = TablePath(path)
    find(store, root).foreach { case (format, evidence) =>
      throw new InvalidRequestException(
        s"the folder holds a $format table ($evidence), and a Lance table cannot be made inside it: write to another " +
          "folder, or read that table and write its rows to another folder as Lance",
        Place(path = Some(root.root))
      )
    }
  }

  private def find(store: FileStore, root: TablePath): Option[(String, String)] = {
    val entries = store.list(root.root)
    val folders = entries.filter(_.isFolder).map(_.name).toSet
    def withFolders(format: String, names: String*): Option[(String, String)] =
      Optional.when(names.forall(folders))(format -> names.mkString(", "))
    withFolders("Delta Lake", "_delta_log")
      .orElse(withFolders("Hudi", ".hoodie"))
      .orElse(withFolders("Paimon", "snapshot", "schema", "manifest"))
      .orElse(if (folders("metadata")) iceberg(store, root) else None)
      .orElse(entries.filterNot(_.isFolder).map(_.name).sorted.flatMap(file).headOption)
      .orElse(partition(store, root, folders))
  }

  private def iceberg(store: FileStore, root: TablePath): Option[(String, String)] =
    store
      .listNames(root.resolve("metadata"))
      .find(name => name.endsWith(".metadata.json") || name == "version-hint.text")
      .map(name => "Iceberg" -> s"metadata/$name")

  /** The format of a file of a table, with its name. */
  private def file(name: String): Option[(String, String)] = {
    val parts = name.toLowerCase(Locale.ROOT).split('.').toSeq.tail
    val known = if (name.startsWith("part-")) formats ++ textFormats else formats
    // Checksums and marks begin with a dot or an underscore; compressed text ends with another word.
    if (name.startsWith(".") || name.startsWith("_")) None
    else known.collectFirst { case (word, format) if parts.contains(word) => format -> name }
  }

  /** The first file below folders named `column=value`, as partitioned tables have them. */
  private def partition(
      store: FileStore,
      root: TablePath,
      folders: Set[String]
  ): Option[(String, String)] =
    folders.filter(_.indexOf('=') > 0).toSeq.sorted.headOption.flatMap { first =>
      store.listFiles(root.resolve(first)).flatMap { found =>
        val path = found.relativePath
        file(path.substring(path.lastIndexOf('/') + 1)).map { case (format, _) =>
          format -> s"$first/$path"
        }
      }.find(_ => true)
    }
}
