// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.backend

import scala.util.{Failure, Success, Try}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.connector.catalog.Identifier
import org.apache.spark.sql.internal.StaticSQLConf

import io.github.pysparklance.core.{InvalidRequestException, Optional, UnsupportedFeatureException}
import io.github.pysparklance.spark.catalog.TableSelector
import io.github.pysparklance.spark.common.{LanceErrors, LanceOptions, TableLocation}
import io.github.pysparklance.storage.spi.TablePath
import io.github.pysparklance.table.LanceTable

/** Names of a catalog and what they are in its backend: options can put all of them below a namespace of the backend, or
  * give its root a name.
  *
  * {{{
  *   parent = a.b               lake.x.t   is the table t in the namespace a.b.x
  *   single_level_ns = true     lake.default.t is the table t of the root, and there are no other namespaces
  * }}}
  * A name with a slash and no namespace is the path of a table.
  *
  * @param parent namespace of the backend that is the root of the catalog
  * @param options settings of the storage
  */
final private[spark] class Warehouse private (
    backend: CatalogBackend,
    parent: Seq[String],
    isSingleLevel: Boolean,
    options: Map[String, String]
) {
  import Warehouse._

  /** Where a table is that may be there; none when no table of that name is on record. */
  def location(ident: Identifier): Option[TableLocation] = LanceErrors.translated {
    if (isPath(ident)) Some(TableLocation(ident.name(), options))
    // As in parquet.`/some/file`, which Spark reads when there is no such table.
    else if (TableSelector.isPath(ident.name())) None
    else
      inner(ident.namespace())
        .flatMap(backend.location(_, ident.name()))
        .map(TableLocation(_, options))
  }

  /** Where a table is; none when there is none. */
  def table(ident: Identifier): Option[TableLocation] =
    location(ident).filter(p => LanceErrors.translated(LanceTable.exists(p.store, p.path)))

  /** Where to make a table.
    *
    * @param wanted where the user wants it
    */
  def newLocation(ident: Identifier, wanted: Option[String]): TableLocation =
    LanceErrors.translated {
      if (isPath(ident)) {
        if (wanted.isDefined)
          throw new InvalidRequestException(s"LOCATION of the table at ${ident.name()}")
        TableLocation(ident.name(), options)
      } else {
        checkNewName(ident)
        TableLocation(
          backend.newLocation(namespace(ident.namespace()), ident.name(), wanted),
          options
        )
      }
    }

  /** Spark's `SHOW TABLES` leaves out names with line breaks, so no table gets a name with a control character. */
  private def checkNewName(ident: Identifier): Unit =
    ident.name().find(Character.isISOControl).foreach { c =>
      val shown = ident.name().map(x => if (Character.isISOControl(x)) '?' else x)
      throw new InvalidRequestException(
        f"the table name '$shown' has the control character U+${c.toInt}%04X, shown as '?'; " +
          "choose a name without control characters"
      )
    }

  /** Puts a table on record that was just made.
    *
    * @return false when somebody else made one of that name
    */
  def register(ident: Identifier, place: TableLocation): Boolean = isPath(ident) ||
    LanceErrors.translated {
      backend.register(namespace(ident.namespace()), ident.name(), place.path)
    }

  /** Takes a table off the record. */
  def unregister(ident: Identifier): Unit =
    if (!isPath(ident))
      LanceErrors.translated(backend.unregister(namespace(ident.namespace()), ident.name()))

  /** Where a table lies under another name. */
  def renamedLocation(from: Identifier, to: Identifier): TableLocation = LanceErrors.translated {
    checkNewName(to)
    TableLocation(
      backend.renamedLocation(
        namespace(from.namespace()),
        from.name(),
        namespace(to.namespace()),
        to.name()
      ),
      options
    )
  }

  /** Names of the tables in a namespace. */
  def tables(namespace: Array[String]): Seq[String] =
    LanceErrors.translated(backend.tables(this.namespace(namespace)))

  def exists(namespace: Array[String]): Boolean =
    LanceErrors.translated(inner(namespace).exists(backend.namespaceExists))

  /** Names of the namespaces right in one. */
  def namespaces(parent: Array[String]): Seq[String] = LanceErrors.translated {
    if (!isSingleLevel) backend.namespaces(namespace(parent))
    else if (parent.isEmpty) Seq(DefaultNamespace)
    else Nil
  }

  def properties(namespace: Array[String]): Map[String, String] =
    LanceErrors.translated(backend.namespaceProperties(this.namespace(namespace)))

  /** @return false when the namespace is there already */
  def create(namespace: Array[String], properties: Map[String, String]): Boolean =
    LanceErrors.translated(backend.createNamespace(this.namespace(namespace), properties))

  /** Sets properties of a namespace, and removes those without a value. */
  def alter(namespace: Array[String], changes: Seq[(String, Option[String])]): Unit =
    LanceErrors.translated(backend.alterNamespace(this.namespace(namespace), changes))

  /** Removes a namespace that holds neither tables nor namespaces any more.
    *
    * @param cascade whether anything else that is left in it goes as well
    */
  def drop(namespace: Array[String], cascade: Boolean): Unit =
    LanceErrors.translated(backend.dropNamespace(this.namespace(namespace), cascade))

  /** The namespace of the backend; none where the catalog has no such level. */
  private def inner(namespace: Array[String]): Option[Seq[String]] =
    if (!isSingleLevel) Some(parent ++ namespace)
    else Optional.when(namespace.isEmpty || namespace.sameElements(Seq(DefaultNamespace)))(parent)

  private def namespace(names: Array[String]): Seq[String] = inner(names).getOrElse(
    throw new InvalidRequestException(
      s"the namespace ${names.mkString(".")}: with single_level_ns there is $DefaultNamespace alone"
    )
  )
}

private[spark] object Warehouse {

  /** The name of the root where it has one. */
  val DefaultNamespace: String = "default"

  /** Whether a name of a catalog is a path. */
  def isPath(ident: Identifier): Boolean =
    ident.namespace().isEmpty && TableSelector.isPath(ident.name())

  /** The options of a catalog, and those that it has for its file system under the names there: `storage.x` is `x`. */
  def settings(options: Map[String, String]): Map[String, String] =
    options ++ new LanceOptions(options).withPrefix("storage")

  /** The warehouse that the options of a catalog describe.
    *
    * @param catalog its name
    * @param options see [[settings]]
    */
  def apply(catalog: String, options: Map[String, String]): Warehouse = LanceErrors.translated {
    val set = new LanceOptions(options)
    val delimiter = set.text("parentDelimiter").getOrElse(".")
    val parent = set.text("parent").toSeq.flatMap(_.split(java.util.regex.Pattern.quote(delimiter)))
    new Warehouse(
      backend(catalog, set, options),
      parent.filter(_.nonEmpty),
      set.boolean("singleLevelNs").getOrElse(false),
      options
    )
  }

  private def backend(
      catalog: String,
      set: LanceOptions,
      options: Map[String, String]
  ): CatalogBackend = {
    val made = set.text("impl").getOrElse("dir") match {
      case "dir" => folder(set, options)
      case known @ ("rest" | "hive" | "hive2" | "hive3" | "glue" | "unity" | "polaris" | "iceberg") =>
        throw new UnsupportedFeatureException(
          s"impl=$known of the catalog $catalog; for tables in Hive's metastore there is LanceSessionCatalog"
        )
      case name => instance(catalog, name)
    }
    made.initialize(catalog, options)
    made
  }

  private def folder(set: LanceOptions, options: Map[String, String]): CatalogBackend = {
    val root = set.text("warehouse").getOrElse {
      SparkSession.active.conf.get(StaticSQLConf.WAREHOUSE_PATH.key)
    }
    val at = TableLocation(root, options)
    val path = TablePath(at.path)
    val hasManifest = set.boolean("manifestEnabled").getOrElse {
      LanceTable.exists(at.store, path.folder(ManifestTable.Name).root)
    }
    if (hasManifest) new ManifestBackend(path, at.store) else new FolderBackend(path, at.store)
  }

  private def instance(catalog: String, name: String): CatalogBackend = {
    val loader = Option(Thread.currentThread().getContextClassLoader)
      .getOrElse(classOf[CatalogBackend].getClassLoader)
    Try(loader.loadClass(name).getDeclaredConstructor().newInstance()) match {
      case Success(backend: CatalogBackend) => backend
      case Success(_) =>
        throw new InvalidRequestException(
          s"impl=$name of the catalog $catalog: the class is no ${classOf[CatalogBackend].getName}"
        )
      case Failure(e) =>
        throw new InvalidRequestException(
          s"impl=$name of the catalog $catalog: dir is expected, or a public class without arguments that is on the " +
            "class path",
          cause = e
        )
    }
  }
}
