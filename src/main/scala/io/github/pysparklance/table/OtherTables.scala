// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table

import java.util.Locale

import io.github.pysparklance.core.{InvalidRequestException, Optional, Place}
import io.github.pysparklance.storage.spi.{FileStore, TablePath}

/** Detects tables of other formats in the folder of a new Lance table. Two tables in one folder
  * would treat each other's files as their own: a clean-up or an overwrite of one would delete
  * files of the other.
  */
object OtherTables {
  private val formats = Seq("parquet" -> "Parquet", "orc" -> "ORC", "avro" -> "Avro")

  /** These formats also occur as single files, so only files with names by Spark count as a table.
    */
  private val textFormats = Seq("csv" -> "CSV", "json" -> "JSON", "txt" -> "text", "xml" -> "XML")

  /** Fails if the folder contains a table of another format. Lists the folder, and its folder
    * `metadata` if that exists.
    *
    * @param path path of the new Lance table
    * @throws InvalidRequestException with the format and the file or folder that identifies it
    */
  def reject(store: FileStore, path: String): Unit = {
    val root = TablePath(path)
    find(store, root).foreach { case (format, evidence) =>
      throw new InvalidRequestException(
        s"the folder contains a $format table ($evidence), so a Lance table cannot be created in it: " +
          "write to another folder, or read that table and write its rows to another folder as Lance",
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

  /** Returns the format of a data file and its name. */
  private def file(name: String): Option[(String, String)] = {
    val parts = name.toLowerCase(Locale.ROOT).split('.').toSeq.tail
    val known = if (name.startsWith("part-")) formats ++ textFormats else formats
    // Checksums and markers begin with a dot or an underscore. Compressed text files have another
    // last extension.
    if (name.startsWith(".") || name.startsWith("_")) None
    else known.collectFirst { case (word, format) if parts.contains(word) => format -> name }
  }

  /** Returns the first file below folders named `column=value`, as in partitioned tables. */
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
