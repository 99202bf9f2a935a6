// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.manifest

import java.io.IOException
import java.nio.charset.StandardCharsets.UTF_8

import io.github.pysparklance.core.LanceException
import io.github.pysparklance.storage.spi.{FileStore, TablePath}

/** The file `_versions/latest_version_hint.json`, which tells pylance where to begin looking for the newest version
  * on storage whose listings are slow or not ordered.
  *
  * {{{
  *   {"version":7}
  * }}}
  * It may be wrong in both directions and never decides: readers go on from the version it names until there is none,
  * or list. Here versions are always listed, so the hint is only written.
  *
  * Source: format page of the table, "Finding versions".
  */
private[table] object VersionHint {
  private val fileName = "latest_version_hint.json"

  /** The variable with which pylance and this connector are told not to use hints. */
  private val switch = "LANCE_USE_VERSION_HINT"
  private val offWords = Set("0", "false", "off")

  private lazy val isEnabled: Boolean =
    !sys.env.get(switch).exists(v => offWords(v.trim.toLowerCase(java.util.Locale.ROOT)))

  /** Notes a version that was committed, where that is usual. Trouble of the storage is no trouble of the commit.
    *
    * @param root of the table or branch
    */
  def write(store: FileStore, root: TablePath, version: Long): Unit =
    if (isEnabled && store.usesVersionHint(root.root))
      try
        store.replace(
          root.folder(Versions.folderName).resolve(fileName),
          s"""{"version":$version}""".getBytes(UTF_8)
        )
      catch { case _: IOException | _: LanceException => () }
}
