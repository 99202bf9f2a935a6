// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.backend

import java.util.concurrent.ThreadLocalRandom

import io.github.pysparklance.core.{InvalidRequestException, Optional, Place}
import io.github.pysparklance.storage.spi.{FileStore, TablePath}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.transaction.operation.UpdateMap

/** A catalog in a folder whose namespaces and tables are rows of the table `__manifest`. This is
  * the layout of a directory namespace of version 2 in other Lance engines.
  *
  * {{{
  *   object_id    object_type  location                 metadata
  *   t1           table        t1.lance                 null          paths of root tables are their names
  *   n1           namespace    null                     {"k":"v"}
  *   n1$n2        namespace    null                     null
  *   n1$t2        table        d0c4af41_n1$t2           null          all others have a random prefix
  * }}}
  * Unregistered tables in the folder are tables of the root namespace.
  *
  * @param root the folder, which may not exist
  */
final private[backend] class ManifestBackend(root: TablePath, store: FileStore)
    extends CatalogBackend {
  import CatalogFolder.{Location, Suffix}
  import CatalogObject.{Namespace, Table}
  import ManifestBackend._

  private val manifest = new ManifestTable(store, root.folder(ManifestTable.Name).root)

  def initialize(catalog: String, options: Map[String, String]): Unit = ()

  def namespaceExists(namespace: Seq[String]): Boolean =
    namespace.isEmpty || find(id(namespace), Namespace).isDefined

  def namespaces(parent: Seq[String]): Seq[String] = below(parent, Namespace)

  def namespaceProperties(namespace: Seq[String]): Map[String, String] =
    if (namespace.isEmpty) Map(Location -> root.root)
    else find(id(namespace), Namespace).fold(Map.empty[String, String])(properties)

  def createNamespace(namespace: Seq[String], properties: Map[String, String]): Boolean = {
    val made = CatalogObject(id(namespace), Namespace, metadata = json(properties))
    manifest.update { all =>
      if (all.exists(o => o.id == made.id && o.kind == Namespace)) all -> false
      else {
        taken(all, made.id)
        namespace.inits.drop(1).filter(_.nonEmpty).foreach { parent =>
          if (!all.exists(o => o.id == id(parent) && o.kind == Namespace))
            invalid(s"there is no namespace ${parent.mkString(".")}")
        }
        (all :+ made) -> true
      }
    }
  }

  def alterNamespace(namespace: Seq[String], changes: Seq[(String, Option[String])]): Unit = {
    if (namespace.isEmpty) invalid("the root has no properties")
    if (changes.exists(_._1 == Location)) invalid("namespaces of this catalog have no location")
    manifest.update { all =>
      all.map { o =>
        if (o.id != id(namespace) || o.kind != Namespace) o
        else o.copy(metadata = json(UpdateMap(changes)(properties(o))))
      } -> (())
    }
  }

  def dropNamespace(namespace: Seq[String], cascade: Boolean): Unit =
    if (namespace.nonEmpty) manifest.update { all =>
      val inside = id(namespace) + Delimiter
      if (all.exists(_.id.startsWith(inside)))
        invalid(s"the namespace ${namespace.mkString(".")} is not empty")
      all.filterNot(o => o.id == id(namespace) && o.kind == Namespace) -> (())
    }

  def tables(namespace: Seq[String]): Seq[String] =
    if (namespace.nonEmpty) below(namespace, Table)
    else {
      val recorded = manifest.read().filter(_.kind == Table)
      val places = recorded.flatMap(_.location).toSet
      val unrecorded =
        CatalogFolder.tables(store, root.root).filterNot(name => places(name + Suffix))
      (recorded.map(_.id).filterNot(_.contains(Delimiter)) ++ unrecorded).distinct.sorted
    }

  def location(namespace: Seq[String], table: String): Option[String] =
    find(id(namespace :+ table), Table).flatMap(_.location).map(root.resolve).orElse {
      val plain = root.resolve(segment(table) + Suffix)
      Optional.when(namespace.isEmpty && LanceTable.exists(store, plain))(plain)
    }

  def newLocation(namespace: Seq[String], table: String, wanted: Option[String]): String =
    wanted.fold(freeLocation(namespace, table)) { path =>
      relative(path): Unit
      store.qualify(path)
    }

  private def freeLocation(namespace: Seq[String], table: String): String =
    root.resolve(
      if (namespace.isEmpty) segment(table) + Suffix
      else f"${ThreadLocalRandom.current().nextInt()}%08x_${id(namespace :+ table)}"
    )

  def register(namespace: Seq[String], table: String, location: String): Boolean = {
    val made = CatalogObject(id(namespace :+ table), Table, location = Some(relative(location)))
    manifest.update { all =>
      if (all.exists(_.id == made.id)) all -> all.exists(_ == made)
      else (all :+ made) -> true
    }
  }

  def unregister(namespace: Seq[String], table: String): Unit = {
    val gone = id(namespace :+ table)
    if (find(gone, Table).isDefined)
      manifest.update(all => all.filterNot(o => o.id == gone && o.kind == Table) -> (()))
  }

  def renamedLocation(
      namespace: Seq[String],
      table: String,
      to: Seq[String],
      name: String
  ): String = {
    val before = location(namespace, table).getOrElse(invalid(s"there is no table $table"))
    // Tables of the root namespace move with their names, all others keep their path.
    if (relative(before) == table + Suffix || to.isEmpty) freeLocation(to, name) else before
  }

  private def find(id: String, kind: String): Option[CatalogObject] =
    manifest.read().find(o => o.id == id && o.kind == kind)

  private def below(parent: Seq[String], kind: String): Seq[String] = {
    val prefix = if (parent.isEmpty) "" else id(parent) + Delimiter
    manifest
      .read()
      .filter(o => o.kind == kind && o.id.startsWith(prefix))
      .map(_.id.substring(prefix.length))
      .filterNot(_.contains(Delimiter))
      .sorted
  }

  private def taken(all: Seq[CatalogObject], id: String): Unit =
    if (all.exists(_.id == id)) invalid(s"there is a table of the name $id")

  private def id(names: Seq[String]): String = names.map(segment).mkString(Delimiter)

  private def segment(name: String): String =
    if (name.nonEmpty && !name.contains("/") && !name.contains(Delimiter)) name
    else invalid(s"'$name' is not a valid name: it must not be empty or contain $Delimiter or /")

  private def relative(path: String): String = {
    val top = store.qualify(root.root) + "/"
    val full = store.qualify(path)
    val rest = if (full.startsWith(top)) full.substring(top.length) else ""
    if (rest.isEmpty || rest == ManifestTable.Name)
      invalid(s"LOCATION $path: tables of this catalog lie below ${root.root}")
    rest
  }

  private def properties(o: CatalogObject): Map[String, String] =
    o.metadata.fold(Map.empty[String, String])(CatalogFolder.properties)

  private def json(properties: Map[String, String]): Option[String] =
    Optional.when(properties.nonEmpty)(CatalogFolder.json(properties))

  private def invalid(problem: String): Nothing =
    throw new InvalidRequestException(problem, Place(path = Some(root.root)))
}

private object ManifestBackend {
  val Delimiter = "$"
}
