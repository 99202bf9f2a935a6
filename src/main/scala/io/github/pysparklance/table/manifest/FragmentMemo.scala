// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.manifest

import java.util.concurrent.atomic.AtomicLong
import java.util.concurrent.{ConcurrentHashMap, ConcurrentLinkedQueue}

import com.google.protobuf.{ByteString, UnsafeByteOperations}

import io.github.pysparklance.table.proto

/** Analyzes the fragments of many versions. Most fragments are identical in all versions, so
  * results are cached by message bytes. Thread-safe.
  *
  * @param look analyzes a fragment
  * @param budget limits the memory of the cache, alone or with the caches of other memos
  */
final private[table] class FragmentMemo[A](
    look: proto.DataFragment => A,
    budget: FragmentMemo.Budget = new FragmentMemo.Budget
) {
  import FragmentMemo._

  private val known = new ConcurrentHashMap[ByteString, Some[A]]
  budget.add(() => known.clear())

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
        budget.take(fragment.size + entryBytes)
        known.put(UnsafeByteOperations.unsafeWrap(fragment.toByteArray), Some(seen)): Unit
      }
      seen
    }
  }
}

private[table] object FragmentMemo {

  /** Limits the memory of the memos of one operation together. If they exceed the limit, clears all
    * of them: usually one memo is in use and the others have done their part. The limit is
    * approximate while several threads add fragments.
    */
  final class Budget(maxBytes: Long = defaultBytes) {
    private val used = new AtomicLong
    private val clears = new ConcurrentLinkedQueue[() => Unit]

    /** Bytes of the cached fragments. */
    def usedBytes: Long = used.get

    private[manifest] def add(clear: () => Unit): Unit = clears.add(clear): Unit

    private[manifest] def take(bytes: Long): Unit =
      if (used.addAndGet(bytes) > maxBytes) {
        clears.forEach(clear => clear())
        used.set(bytes)
      }
  }

  /** Default limit of a budget. A smaller cache than the largest manifest would be useless, because
    * each version has its fragments in the same order.
    */
  private val defaultBytes =
    math.max(32L << 20, Runtime.getRuntime.maxMemory / ManifestLimits.HeapShare)

  /** Overhead of an entry, in addition to the fragment's bytes. */
  private val entryBytes = 128L

  /** Larger fragments, with long sequences of row ids, usually differ between versions. */
  private val largestBytes = 16 << 10
}
