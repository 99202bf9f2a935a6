// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.backend

import java.util

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.core.JsonProcessingException
import com.fasterxml.jackson.core.`type`.TypeReference
import com.fasterxml.jackson.databind.ObjectMapper

import io.github.pysparklance.core.CorruptFileException
import io.github.pysparklance.storage.spi.{FileStore, TablePath}
import io.github.pysparklance.table.manifest.Versions

/** Conventions of catalogs in folders. `<table>.lance` is a table of the folder, and the properties
  * of a namespace are stored as a JSON object.
  */
private[backend] object CatalogFolder {

  /** Suffix of the folder of a table. */
  val Suffix: String = ".lance"

  /** The namespace property with its location. */
  val Location: String = "location"

  private val mapper = new ObjectMapper
  private val mapType = new TypeReference[util.Map[String, String]] {}

  /** Returns the names of the tables in a folder, which may not exist.
    *
    * On local disks, omits folders without versions. A failed CREATE TABLE AS SELECT leaves an
    * empty folder there, because its tasks may still run when it is aborted. On remote storage, the
    * check would take a request for each table.
    */
  def tables(store: FileStore, folder: String): Seq[String] = {
    val folders = store.list(folder).filter(e => e.isFolder && e.name.endsWith(Suffix)).map(_.name)
    def hasVersions(name: String) =
      store.exists(TablePath(folder).folder(name).resolve(Versions.folderName))
    val tables = if (store.profile(folder).isRemote) folders else folders.filter(hasVersions)
    tables.map(_.stripSuffix(Suffix))
  }

  /** Formats properties as a JSON object. */
  def json(properties: Map[String, String]): String = mapper.writeValueAsString(properties.asJava)

  /** Parses the properties of [[json]].
    *
    * @throws CorruptFileException if the text is not a JSON object of texts
    */
  def properties(json: String): Map[String, String] =
    try Option(mapper.readValue(json, mapType)).fold(Map.empty[String, String])(_.asScala.toMap)
    catch {
      case e: JsonProcessingException =>
        throw new CorruptFileException(
          s"namespace properties are not valid JSON, ${e.getOriginalMessage}",
          cause = e
        )
    }
}
