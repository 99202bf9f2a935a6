// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.backend.rest

import java.io.IOException
import java.time.Clock

import io.github.pysparklance.storage.spi.{
  ManifestIndex,
  ManifestRow,
  ManifestStore,
  StorageVendor,
  TablePath,
  VendedOptions
}

/** Access to a table of a REST service: renews its credentials, and records its versions if the
  * service manages them. The text form has no secrets.
  *
  * @param location location of the table in the service
  * @param path path of the table
  * @param isManaged whether the service records the versions
  */
final private[backend] case class RestTable(
    options: RestOptions,
    id: Seq[String],
    location: String,
    path: String,
    isManaged: Boolean,
    clock: Clock
) extends StorageVendor {

  @transient private lazy val service = new RestService(options)

  def vend(): VendedOptions = service.describe(id) match {
    case Some(found) if found.location == location => found.options
    case Some(_) => throw new IOException(s"the table $this has moved; run the statement again")
    case None => throw new IOException(s"the table $this is no longer registered")
  }

  def manifestIndex(root: String): Option[ManifestIndex] =
    if (isManaged) Some(ManifestIndex(new RecordedVersions(service, id, key(path)), key(root)))
    else None

  private def key(folder: String): String =
    TablePath.localName(folder).split('/').filter(_.nonEmpty).mkString("/")

  override def toString: String = s"${id.mkString(".")} of ${options.uri}"
}

/** The versions of a table that a service records. The service publishes a manifest itself: it
  * copies the staging copy to the final name and removes the staging copy.
  *
  * @param table key of the table, see [[ManifestIndex]]
  */
final private class RecordedVersions(service: RestService, id: Seq[String], table: String)
    extends ManifestStore {
  import RecordedVersions._

  def get(base: String, version: Long): Option[ManifestRow] =
    service.version(id, branch(base), version).map(row)

  def latest(base: String): Option[ManifestRow] =
    service.latestVersion(id, branch(base)).map(row)

  /** Final manifests are never sent: services delete the file that they publish. */
  def putIfAbsent(base: String, row: ManifestRow): Boolean =
    !row.path.endsWith(Suffix) && {
      val staged = RecordedVersion(row.version, row.path, row.sizeBytes)
      try {
        service.createVersion(id, branch(base), staged, scheme(row.path))
        true
      } catch { case e: RestException if e.isTaken => false }
    }

  /** The service has recorded the final name already. */
  def putIfPresent(base: String, row: ManifestRow): Boolean = true

  def remove(base: String, version: Long): Unit =
    service.deleteVersions(id, branch(base), version, version + 1)

  def removeAll(base: String): Unit = service.deleteVersions(id, branch(base), 0, -1)

  private def branch(base: String): Option[String] =
    if (base == table) None else Some(base.stripPrefix(s"$table/tree/"))
}

private object RecordedVersions {
  val Suffix = ".manifest"

  /** Digits of a version in the names of scheme V2. */
  private val digits = 20

  private def row(v: RecordedVersion): ManifestRow =
    ManifestRow(v.version, v.manifestPath.dropWhile(_ == '/'), v.sizeBytes)

  private def scheme(path: String): String = {
    val name = path.drop(path.lastIndexOf('/') + 1)
    if (name.indexOf(Suffix) == digits) "V2" else "V1"
  }
}
