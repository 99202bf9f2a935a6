// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.manifest

import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicLong

import com.google.protobuf.{ByteString, UnsafeByteOperations}

import io.github.pysparklance.table.proto

/** Analyzes the fragments of many versions. Most fragments are identical in all versions, so
  * results are cached by message bytes. Thread-safe.
  *
  * @param look analyzes a fragment
  */
final private[table] class FragmentMemo[A](look: proto.DataFragment => A) {
  import FragmentMemo._

  private val known = new ConcurrentHashMap[ByteString, Some[A]]
  private val knownBytes = new AtomicLong

  /** Returns the analysis of a fragment.
    *
    * @param fragment see [[ManifestOutline.fragments]]
    * @throws io.github.pysparklance.core.CorruptFileException if it cannot be decoded
    */
  def apply(fragment: ByteString): A = {
    val found = known.get(fragment)
    if (found != null) found.value
    else {
      val seen = look(ManifestSections.parsed("manifest")(proto.DataFragment.parseFrom(fragment)))
      if (fragment.size <= largestBytes) {
        if (knownBytes.addAndGet(fragment.size + entryBytes) > maxBytes) {
          known.clear()
          knownBytes.set(0)
        }
        known.put(UnsafeByteOperations.unsafeWrap(fragment.toByteArray), Some(seen)): Unit
      }
      seen
    }
  }
}

private object FragmentMemo {

  /** Approximate limit of cached bytes. A smaller cache than the largest manifest would be useless,
    * because each version has its fragments in the same order.
    */
  private val maxBytes =
    math.max(32L << 20, Runtime.getRuntime.maxMemory / ManifestLimits.HeapShare)

  /** Overhead of an entry, in addition to the fragment's bytes. */
  private val entryBytes = 128L

  /** Larger fragments, with long sequences of row ids, usually differ between versions. */
  private val largestBytes = 16 << 10
}
