// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.backend

import java.time.Clock

import io.github.pysparklance.core.{
  InvalidRequestException,
  Log,
  NotFoundException,
  UnsupportedFeatureException
}
import io.github.pysparklance.spark.backend.rest.{
  RestException,
  RestOptions,
  RestService,
  RestTable,
  TableDescription
}
import io.github.pysparklance.storage.hadoop.VendedProperties
import io.github.pysparklance.storage.spi.TablePath

/** A catalog behind the REST protocol of Lance namespaces. The service chooses the locations of
  * tables, and may return credentials for them.
  *
  * {{{
  *   CREATE TABLE    declare; write the table; describe, and register it if it is not registered
  *   DROP TABLE      drop; if the service has no such operation: delete the files, deregister
  *   RENAME          rename; if the service has no such operation: register, deregister
  * }}}
  */
private[backend] class RestBackend(clock: Clock) extends CatalogBackend {
  import RestBackend._

  private var options: RestOptions = _
  private lazy val service = new RestService(options)

  def this() = this(Clock.systemUTC())

  def initialize(catalog: String, configured: Map[String, String]): Unit =
    options = RestOptions(configured)

  def namespaceExists(namespace: Seq[String]): Boolean =
    namespace.isEmpty || translated(service.namespaceExists(namespace))

  def namespaces(parent: Seq[String]): Seq[String] = translated(service.namespaces(parent).sorted)

  def namespaceProperties(namespace: Seq[String]): Map[String, String] =
    translated(service.namespaceProperties(namespace))

  def createNamespace(namespace: Seq[String], properties: Map[String, String]): Boolean =
    translated {
      try {
        service.createNamespace(namespace, properties)
        true
      } catch { case e: RestException if e.isTaken => false }
    }

  def alterNamespace(namespace: Seq[String], changes: Seq[(String, Option[String])]): Unit =
    throw new UnsupportedFeatureException(
      s"changes of the namespace ${namespace.mkString(".")}: the REST protocol has no operation for them"
    )

  /** Tables that are declared, but were never written, are not shown, so CASCADE removes them. */
  def dropNamespace(namespace: Seq[String], cascade: Boolean): Unit =
    if (namespace.nonEmpty) translated {
      if (cascade) {
        val written = service.tables(namespace, withDeclared = false).toSet
        service
          .tables(namespace, withDeclared = true)
          .filterNot(written)
          .foreach(t => if (!drop(namespace, t)) unregister(namespace, t))
      }
      service.dropNamespace(namespace)
    }

  def tables(namespace: Seq[String]): Seq[String] =
    translated(service.tables(namespace, withDeclared = false).sorted)

  def location(namespace: Seq[String], table: String): Option[String] =
    place(namespace, table).map(_.path)

  override def place(namespace: Seq[String], table: String): Option[TablePlace] =
    translated(service.describe(namespace :+ table)).map(place(namespace :+ table, _))

  private def place(id: Seq[String], found: TableDescription): TablePlace = {
    val hasAccess = found.isManaged || found.options.values.nonEmpty
    val vendor = RestTable(options, id, found.location, pathOf(found), found.isManaged, clock)
    TablePlace(
      pathOf(found),
      if (hasAccess) Some(TableAccess(found.options, vendor)) else None
    )
  }

  def newLocation(namespace: Seq[String], table: String, wanted: Option[String]): String =
    newPlace(namespace, table, wanted).path

  /** Declares the table. A table that is declared, but was never written, keeps its location. If
    * the service rejects the wanted location, the table is registered after it was written.
    */
  override def newPlace(
      namespace: Seq[String],
      table: String,
      wanted: Option[String]
  ): TablePlace = translated {
    val id = namespace :+ table
    try {
      val declared = service.declare(id, wanted.map(VendedProperties.location))
      wanted.foreach(checkLocation(id, Some(declared), _))
      place(id, declared)
    } catch {
      case e: RestException if e.isTaken =>
        service
          .describe(id)
          .filter(d => wanted.forall(isSame(_, pathOf(d))))
          .map(place(id, _))
          .getOrElse(throw e)
      case e: RestException if wanted.isDefined && isRejected(e) => TablePlace(wanted.get)
    }
  }

  override def release(namespace: Seq[String], table: String, location: String): Unit =
    if (translated(service.describe(namespace :+ table)).exists(d => isSame(pathOf(d), location)))
      unregister(namespace, table)

  def register(namespace: Seq[String], table: String, location: String): Boolean = translated {
    val id = namespace :+ table
    service.describe(id) match {
      case Some(found) => isSame(pathOf(found), location)
      case None =>
        try {
          register(id, location)
          true
        } catch {
          // The name may be our own, if the response to a first request was lost.
          case e: RestException if e.isTaken =>
            service.describe(id).exists(d => isSame(pathOf(d), location))
        }
    }
  }

  /** Registers a table. Directory namespaces accept only paths relative to their folder, which is
    * not known here. For a table directly in that folder, this is its last segment.
    */
  private def register(id: Seq[String], path: String): Unit =
    try {
      service.register(id, VendedProperties.location(path))
      checkLocation(id, service.describe(id), path)
    } catch {
      case e: RestException if e.has(RestException.InvalidInput) =>
        service.register(id, TablePath(path).root.split('/').last)
        try checkLocation(id, service.describe(id), path)
        catch {
          case _: InvalidRequestException => throw e
          case failed: RestException =>
            service.deregister(id)
            throw failed
        }
    }

  /** Deregisters a table that the service put at another location. */
  private def checkLocation(
      id: Seq[String],
      found: Option[TableDescription],
      path: String
  ): Unit = if (!found.exists(d => isSame(pathOf(d), path))) {
    service.deregister(id)
    throw new InvalidRequestException(
      s"the service ${options.uri} does not put ${id.mkString(".")} at $path, " +
        s"but at ${found.fold("no location")(pathOf)}"
    )
  }

  def unregister(namespace: Seq[String], table: String): Unit = translated {
    try service.deregister(namespace :+ table)
    catch { case e: RestException if e.isAbsent => () }
  }

  override def rename(
      namespace: Seq[String],
      table: String,
      to: Seq[String],
      name: String
  ): Boolean = translated {
    try {
      service.rename(namespace :+ table, to :+ name)
      true
    } catch {
      case e: RestException if isMissing(e) =>
        log.info(s"${options.uri} has no operation to rename tables; the table is registered again")
        false
    }
  }

  def renamedLocation(
      namespace: Seq[String],
      table: String,
      to: Seq[String],
      name: String
  ): String = translated(service.describe(namespace :+ table))
    .map(pathOf)
    .getOrElse(throw new NotFoundException("table"))

  override def drop(namespace: Seq[String], table: String): Boolean = translated {
    try {
      service.drop(namespace :+ table)
      true
    } catch {
      case e: RestException if e.isAbsent => true
      case e: RestException if isMissing(e) => false
    }
  }

  /** The service returns credentials and versions of registered tables only, so the registration is
    * removed last.
    */
  override def dropped(namespace: Seq[String], table: String): Unit = unregister(namespace, table)
}

private object RestBackend {
  private val log = Log(classOf[RestBackend])

  private def translated[A](call: => A): A =
    try call
    catch { case e: RestException => throw e.translated }

  private def pathOf(found: TableDescription): String =
    VendedProperties.path(found.location, found.options.values)

  /** Whether the service does not have an operation, or has no route for it. pylance's service
    * reports the lack of an operation as an internal error.
    */
  private def isMissing(e: RestException): Boolean =
    e.isUnsupported || e.code.isEmpty && e.status == 404 ||
      e.has(RestException.Internal) && e.getMessage.contains("not implemented")

  private def isRejected(e: RestException): Boolean =
    e.has(RestException.InvalidInput) || isMissing(e)

  /** Whether two locations are the same folder. */
  private def isSame(a: String, b: String): Boolean = parts(a) == parts(b)

  private def parts(location: String): (String, String, Seq[String]) = (
    TablePath.storage(location),
    TablePath.authority(location),
    TablePath.localName(location).split('/').filter(_.nonEmpty).toSeq
  )
}
