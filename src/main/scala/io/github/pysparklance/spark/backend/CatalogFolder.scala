// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.backend

import java.util

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.core.`type`.TypeReference
import com.fasterxml.jackson.databind.ObjectMapper

import io.github.pysparklance.storage.spi.FileStore

/** What catalogs in folders have in common: `<table>.lance` is a table of the folder, and the properties of a namespace
  * are a JSON object.
  */
private[backend] object CatalogFolder {

  /** How the name of a table's folder ends. */
  val Suffix: String = ".lance"

  /** The property of a namespace that says where it is. */
  val Location: String = "location"

  private val mapper = new ObjectMapper
  private val mapType = new TypeReference[util.Map[String, String]] {}

  /** Names of the tables in a folder, which need not be there. */
  def tables(store: FileStore, folder: String): Seq[String] =
    store
      .list(folder)
      .filter(e => e.isFolder && e.name.endsWith(Suffix))
      .map(_.name.stripSuffix(Suffix))

  /** Properties as a JSON object. */
  def json(properties: Map[String, String]): String = mapper.writeValueAsString(properties.asJava)

  /** The same backwards. */
  def properties(json: String): Map[String, String] =
    mapper.readValue(json, mapType).asScala.toMap
}
