// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.cleanup

import io.github.pysparklance.core.{Log, NotFoundException, Place, Workers}
import io.github.pysparklance.storage.spi.{FileStore, TablePath}
import io.github.pysparklance.table.manifest.{
  ManifestLimits,
  ManifestLocation,
  ManifestOutline,
  Versions
}

/** Reads versions for a clean-up. */
private[cleanup] object Outlines {
  private val log = Log(getClass)

  /** Reads versions in parallel and returns their reduced values without retaining the versions.
    *
    * @param root root of the versions
    * @param mayBeGone whether a version is skipped if a concurrent clean-up removed it
    * @throws io.github.pysparklance.core.UnsupportedFeatureException if a version has features that
    *   this release cannot write
    */
  def read[A](
      store: FileStore,
      root: TablePath,
      locations: IndexedSeq[ManifestLocation],
      mayBeGone: ManifestLocation => Boolean
  )(reduce: ManifestOutline => A): IndexedSeq[A] =
    Workers
      .map(locations, ManifestLimits.readersOf(store, root, locations)) { l =>
        val found =
          try Some(ManifestOutline.read(store, l))
          catch {
            case e: NotFoundException if mayBeGone(l) =>
              log.debug(s"${l.path}: the version is gone already", e)
              None
          }
        found.map { m =>
          Place.in(Place(path = Some(l.path))) {
            m.flags.checkWritable()
            reduce(m)
          }
        }
      }
      .flatten

  /** Adds versions that a stale listing does not contain.
    *
    * @param last a version that is known to exist or to have existed
    */
  def extended(
      versions: Versions,
      listed: IndexedSeq[ManifestLocation],
      last: Long
  ): IndexedSeq[ManifestLocation] = {
    val from = listed.map(_.version).foldLeft(last)(_ max _) + 1
    listed ++ Iterator.iterate(from)(_ + 1).map(versions.find).takeWhile(_.isDefined).flatten
  }
}
