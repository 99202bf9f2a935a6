// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.manifest

import java.io.IOException
import java.nio.charset.StandardCharsets.UTF_8

import scala.util.Using

import com.fasterxml.jackson.databind.ObjectMapper

import io.github.pysparklance.core.{Checked, LanceException, Log}
import io.github.pysparklance.storage.spi.{FileStore, Listing, TablePath}

/** The file `_versions/latest_version_hint.json`. It contains a version from which to search for
  * the latest one on storage with unordered listings.
  *
  * {{{
  *   {"version":7}
  * }}}
  * It can be too low or too high. Readers search upwards from the hinted version, or list the
  * folder. Clean-up first writes the latest version, because it removes versions in between.
  *
  * Source: format page of the table, "Finding versions".
  *
  * @param root root of the table or branch
  */
final private[table] class VersionHint(store: FileStore, root: TablePath) {
  import VersionHint._

  private val path = root.folder(Versions.folderName).resolve(fileName)

  /** Returns the hinted version, or `None` without a usable hint. */
  def read(): Option[Long] =
    if (!isEnabled) None
    else
      try
        Using.resource(store.open(path)) { in =>
          if (in.size > maxBytes) None
          else
            Option(json.readTree(in.read(
              0,
              Checked.int(in.size, "bytes of the hint")
            )).get("version"))
              .filter(v => v.canConvertToLong && v.longValue > 0)
              .map(_.longValue)
        }
      catch {
        case e @ (_: IOException | _: LanceException) =>
          log.debug(s"$path: no readable hint; versions are listed", e)
          None
      }

  /** Writes a committed version on storage with unordered listings. Failures of the storage are
    * logged, because the version is committed already. The file is not synced: readers ignore an
    * unusable hint.
    */
  def write(version: Long): Unit =
    if (isEnabled && version > 0 && store.listing(root.root) != Listing.Ordered)
      try store.replaceUnsynced(path, s"""{"version":$version}""".getBytes(UTF_8))
      catch {
        case e @ (_: IOException | _: LanceException) => log.warn(s"$path: not written", e)
      }
}

private[table] object VersionHint {
  private val log = Log(classOf[VersionHint])
  private val fileName = "latest_version_hint.json"
  private val maxBytes = 4096L
  private val json = new ObjectMapper()

  /** Environment variable that disables hints, also for pylance. */
  private val switch = "LANCE_USE_VERSION_HINT"
  private val offWords = Set("0", "false", "off")

  private lazy val isEnabled: Boolean = isEnabled(sys.env.get(switch))

  /** @param value value of the environment variable */
  private[manifest] def isEnabled(value: Option[String]): Boolean =
    !value.exists(v => offWords(v.trim.toLowerCase(java.util.Locale.ROOT)))
}
