// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.manifest

import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicLong

import com.google.protobuf.{ByteString, UnsafeByteOperations}

import io.github.pysparklance.table.proto

/** Looks at the fragments of many versions. Most fragments are the same from version to version, byte for byte: each is
  * parsed once, as long as it is remembered. Thread-safe.
  *
  * @param look what to find out about a fragment
  */
final private[table] class FragmentMemo[A](look: proto.DataFragment => A) {
  import FragmentMemo._

  private val known = new ConcurrentHashMap[ByteString, Some[A]]
  private val knownBytes = new AtomicLong

  /** What there is to know about a fragment.
    *
    * @param fragment see [[ManifestOutline.fragments]]
    * @throws io.github.pysparklance.core.CorruptFileException when it cannot be decoded
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

  /** Bytes that are remembered; about. */
  private val maxBytes = 32L << 20

  /** What an entry takes beside the fragment's bytes. */
  private val entryBytes = 128L

  /** Fragments with long sequences of row ids differ in every version that touches them. */
  private val largestBytes = 16 << 10
}
