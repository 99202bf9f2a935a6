// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.cleanup

import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicLong

import io.github.pysparklance.table.manifest.ManifestOutline

/** The content of manifests that a clean-up removes, so that it can create them again. Limited in
  * memory. Thread-safe.
  *
  * @param maxBytes manifests beyond this are not saved
  */
final private[cleanup] class SavedManifests(maxBytes: Long = SavedManifests.defaultMaxBytes) {
  private val byPath = new ConcurrentHashMap[String, Array[Byte]]
  private val used = new AtomicLong

  /** Saves a manifest if it was read in one piece and the limit allows it. */
  def add(m: ManifestOutline): Unit = m.file.foreach { bytes =>
    val before = used.getAndUpdate(n => if (n + bytes.length > maxBytes) n else n + bytes.length)
    if (before + bytes.length <= maxBytes) byPath.put(m.location.path, bytes.toBytes): Unit
  }

  /** Returns the content of a manifest, if it was saved. */
  def get(path: String): Option[Array[Byte]] = Option(byPath.get(path))

  /** Returns the manifests of both. */
  def ++(other: SavedManifests): SavedManifests = {
    val both = new SavedManifests(maxBytes)
    Seq(this, other).foreach(s => both.byPath.putAll(s.byPath))
    both
  }
}

private object SavedManifests {
  private val defaultMaxBytes = 32L << 20
}
