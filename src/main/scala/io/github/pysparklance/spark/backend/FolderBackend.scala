// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.backend

import java.nio.charset.StandardCharsets.UTF_8

import scala.util.Using

import io.github.pysparklance.core.{
  CorruptFileException,
  InvalidRequestException,
  Place,
  UnsupportedFeatureException
}
import io.github.pysparklance.storage.spi.{FileStore, TablePath}
import io.github.pysparklance.table.transaction.operation.UpdateMap

/** A catalog in a folder. `<table>.lance` is a table, any other folder is a namespace. CREATE
  * NAMESPACE writes a file with the properties, because object stores have no empty folders.
  *
  * @param root the folder, which may not exist
  */
final private[backend] class FolderBackend(root: TablePath, store: FileStore)
    extends CatalogBackend {
  import CatalogFolder.{Location, Suffix}
  import FolderBackend._

  def initialize(catalog: String, options: Map[String, String]): Unit = ()

  def tables(namespace: Seq[String]): Seq[String] =
    CatalogFolder.tables(store, folder(namespace).root).sorted

  def namespaces(parent: Seq[String]): Seq[String] =
    store
      .list(folder(parent).root)
      .filter(e => e.isFolder && isNamespace(e.name))
      .map(_.name)
      .sorted

  private def isNamespace(name: String): Boolean =
    !name.endsWith(Suffix) && !name.startsWith("_") && !name.startsWith(".")

  def namespaceExists(namespace: Seq[String]): Boolean =
    namespace.isEmpty || namespace.forall(isNamespace) &&
      store.status(folder(namespace).root).exists(_.isFolder)

  def createNamespace(namespace: Seq[String], properties: Map[String, String]): Boolean =
    !namespaceExists(namespace) && {
      namespace.find(!isNamespace(_)).foreach(n => invalid(s"'$n' cannot name a namespace"))
      val (path, bytes) = (propertiesPath(namespace), content(properties))
      try store.createIfAbsent(path, bytes)
      catch {
        // Without atomic creation, two concurrent statements that create a namespace both succeed.
        // Tables have their own conflict detection.
        case _: UnsupportedFeatureException =>
          store.replace(path, bytes)
          true
      }
    }

  def namespaceProperties(namespace: Seq[String]): Map[String, String] =
    Map(Location -> folder(namespace).root) ++ stored(namespace)

  private def stored(namespace: Seq[String]): Map[String, String] = {
    val path = propertiesPath(namespace)
    if (!store.exists(path)) Map.empty
    else
      Place.in(Place(path = Some(path))) {
        Using.resource(store.open(path)) { in =>
          CorruptFileException.check(
            in.size <= maxPropertiesBytes,
            s"${in.size} bytes of namespace properties, expected at most $maxPropertiesBytes"
          )
          CatalogFolder.properties(new String(in.read(0, in.size.toInt), UTF_8))
        }
      }
  }

  def alterNamespace(namespace: Seq[String], changes: Seq[(String, Option[String])]): Unit = {
    if (changes.exists(_._1 == Location))
      invalid(s"LOCATION of ${namespace.mkString(".")}: namespaces lie in the warehouse")
    store.replace(propertiesPath(namespace), content(UpdateMap(changes)(stored(namespace))))
  }

  def dropNamespace(namespace: Seq[String], cascade: Boolean): Unit = if (namespace.nonEmpty) {
    val path = folder(namespace).root
    if (cascade) store.deleteFolder(path): Unit
    else {
      checkEmpty(namespace)
      val properties =
        try stored(namespace)
        catch { case _: CorruptFileException => Map.empty[String, String] }
      store.delete(propertiesPath(namespace))
      // Keeps a table that another process has created since the check.
      if (!store.deleteEmptyFolder(path) && store.list(path).nonEmpty) {
        store.replace(propertiesPath(namespace), content(properties))
        checkEmpty(namespace)
      }
    }
  }

  private def checkEmpty(namespace: Seq[String]): Unit = {
    val foreign = store.list(folder(namespace).root).map(_.name).filter(_ != propertiesFile)
    if (foreign.nonEmpty)
      invalid(
        s"the folder of ${namespace.mkString(".")} holds other files: ${foreign.mkString(", ")}; " +
          "CASCADE removes them"
      )
  }

  def location(namespace: Seq[String], table: String): Option[String] =
    Some(folder(namespace).folder(segment(table) + Suffix).root)

  def newLocation(namespace: Seq[String], table: String, wanted: Option[String]): String = {
    val place = location(namespace, table).get
    if (wanted.exists(w => store.qualify(w) != store.qualify(place)))
      invalid(
        s"LOCATION ${wanted.get} of the table $table: tables of this catalog lie in its warehouse, this one at " +
          s"$place; a catalog with impl=dir and manifest_enabled, or spark_catalog, has tables elsewhere"
      )
    place
  }

  def register(namespace: Seq[String], table: String, location: String): Boolean = true

  def unregister(namespace: Seq[String], table: String): Unit = ()

  def renamedLocation(
      namespace: Seq[String],
      table: String,
      to: Seq[String],
      name: String
  ): String = location(to, name).get

  private def propertiesPath(namespace: Seq[String]): String =
    folder(namespace).resolve(propertiesFile)

  private def content(properties: Map[String, String]): Array[Byte] =
    CatalogFolder.json(properties).getBytes(UTF_8)

  private def folder(namespace: Seq[String]): TablePath =
    namespace.foldLeft(root)((at, name) => at.folder(segment(name)))

  /** Checks a folder name. A slash would lead to another folder. */
  private def segment(name: String): String = {
    val numBytes = (name + Suffix).getBytes(UTF_8).length
    if (name.isEmpty || name.exists(forbidden.contains(_)))
      invalid(
        s"'$name' is not a valid folder name: it must not be empty or contain a slash, backslash, or character 0"
      )
    if (numBytes > maxNameBytes)
      invalid(
        s"'${name.take(shownOfName)}…' has $numBytes bytes with the ending $Suffix, a name has " +
          s"$maxNameBytes at most; use a shorter one"
      )
    name
  }

  private def invalid(problem: String): Nothing =
    throw new InvalidRequestException(problem, Place(path = Some(root.root)))
}

private object FolderBackend {
  val propertiesFile = "_namespace.json"

  /** Maximum size of that file. */
  val maxPropertiesBytes: Long = 16L << 20

  /** The limit of common file systems. */
  val maxNameBytes = 255

  val shownOfName = 40

  val forbidden: String = "/\\\u0000"
}
