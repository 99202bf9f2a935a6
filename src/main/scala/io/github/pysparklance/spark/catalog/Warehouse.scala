// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.catalog

import java.nio.charset.StandardCharsets.UTF_8
import java.util

import scala.util.Using

import com.fasterxml.jackson.core.`type`.TypeReference
import com.fasterxml.jackson.databind.ObjectMapper

import io.github.pysparklance.core.{InvalidRequestException, Place}
import io.github.pysparklance.spark.common.{LanceErrors, TableLocation}
import io.github.pysparklance.storage.spi.{FileStore, TablePath}

/** A folder of tables: `<table>.lance` is a table, any other folder a namespace. A namespace made by a statement
  * holds a file with its properties, so that it is there on stores that know no empty folders.
  */
final private[spark] class Warehouse private (
    val root: TablePath,
    store: FileStore,
    options: Map[String, String]
) {
  import Warehouse._

  /** Where a table of this name lies or would lie. */
  def table(namespace: Array[String], name: String): TableLocation =
    TableLocation(folder(namespace).folder(segment(name) + suffix).root, options)

  /** Names of the tables in a namespace, sorted. */
  def tables(namespace: Array[String]): Seq[String] =
    store
      .list(folder(namespace).root)
      .filter(e => e.isFolder && e.name.endsWith(suffix))
      .map(_.name.stripSuffix(suffix))
      .sorted

  /** Names of the namespaces right in a namespace, sorted. */
  def namespaces(parent: Array[String]): Seq[String] =
    store
      .list(folder(parent).root)
      .filter(e => e.isFolder && isNamespace(e.name))
      .map(_.name)
      .sorted

  private def isNamespace(name: String): Boolean =
    !name.endsWith(suffix) && !name.startsWith("_") && !name.startsWith(".")

  /** The warehouse itself is always there. */
  def exists(namespace: Array[String]): Boolean =
    namespace.isEmpty || namespace.forall(isNamespace) &&
      store.status(folder(namespace).root).exists(_.isFolder)

  /** @return false when the namespace is there already */
  def create(namespace: Array[String], properties: util.Map[String, String]): Boolean =
    !exists(namespace) && {
      namespace.find(!isNamespace(_)).foreach { name =>
        throw LanceErrors.translate(
          new InvalidRequestException(s"'$name' cannot name a namespace", Place(Some(root.root)))
        )
      }
      val content = mapper.writeValueAsString(properties).getBytes(UTF_8)
      store.createIfAbsent(folder(namespace).resolve(propertiesFile), content)
    }

  /** What was set when the namespace was made. */
  def properties(namespace: Array[String]): util.Map[String, String] = {
    val path = folder(namespace).resolve(propertiesFile)
    val found = new util.HashMap[String, String]
    if (store.exists(path))
      Using.resource(store.open(path)) { in =>
        found.putAll(mapper.readValue(in.read(0, in.size.toInt), mapType))
      }
    found.putIfAbsent("location", folder(namespace).root)
    found
  }

  /** Whether nothing but its properties is in the namespace. */
  def isEmpty(namespace: Array[String]): Boolean =
    store.list(folder(namespace).root).forall(_.name == propertiesFile)

  /** Removes the namespace with all that is in it. */
  def drop(namespace: Array[String]): Unit =
    if (namespace.nonEmpty) store.deleteFolder(folder(namespace).root): Unit

  private def folder(namespace: Array[String]): TablePath =
    LanceErrors.translated(namespace.foldLeft(root)((at, name) => at.folder(segment(name))))

  /** One folder name: a slash would lead elsewhere. */
  private def segment(name: String): String =
    if (name.nonEmpty && !name.contains("/")) name
    else
      throw LanceErrors.translate(
        new InvalidRequestException(s"'$name' cannot name a folder", Place(Some(root.root)))
      )
}

private[spark] object Warehouse {
  private val suffix = ".lance"
  private val propertiesFile = "_namespace.json"
  private val mapper = new ObjectMapper
  private val mapType = new TypeReference[util.Map[String, String]] {}

  /** @param root the folder, which need not be there
    * @param options settings of the storage
    */
  def apply(root: String, options: Map[String, String]): Warehouse = {
    val at = TableLocation(root, options)
    new Warehouse(TablePath(at.path), at.store, options)
  }
}
