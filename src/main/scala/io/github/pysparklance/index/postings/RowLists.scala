// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.postings

import io.github.pysparklance.core.Buffer
import io.github.pysparklance.index.spi.{BytesKey, Key, KeySlot, NumberKey}

/** In-memory row lists of many keys. Not thread-safe. */
trait RowLists {

  /** Approximate memory of keys and rows. */
  def memory: MemoryUse

  def isEmpty: Boolean

  /** Runs `f` on each key with its rows, in ascending order. The key of null is `None` and comes
    * first.
    */
  def foreach(f: (Option[Key], RowList) => Unit): Unit

  /** Removes all keys. */
  def clear(): Unit
}

/** Row lists in a hash table with linear probing. Hot code: looking up a key does not allocate. */
sealed abstract class KeyedLists extends RowLists {
  final val memory = new MemoryUse
  private var nulls: RowList = null
  private var lists = new Array[RowList](KeyedLists.firstSlots)
  private var count = 0

  /** Returns the rows of null. */
  final def ofNull: RowList = {
    if (nulls == null) nulls = new RowList(memory)
    nulls
  }

  /** Returns the rows of a key. */
  final def of(key: KeySlot): RowList = {
    val mask = lists.length - 1
    var at = hash(key) & mask
    while (lists(at) != null && !isAt(at, key)) at = (at + 1) & mask
    if (lists(at) != null) lists(at) else insert(key, at)
  }

  private def insert(key: KeySlot, at: Int): RowList = {
    val list = new RowList(memory)
    store(key, at)
    lists(at) = list
    count += 1
    if (count > lists.length / 2) grow()
    list
  }

  private def grow(): Unit = {
    val before = lists
    val mask = 2 * before.length - 1
    lists = new Array[RowList](2 * before.length)
    // Moves the keys from the old arrays to slots without a list.
    rehash(mask + 1) { (from, hash) =>
      if (before(from) == null) -1
      else {
        var at = hash & mask
        while (lists(at) != null) at = (at + 1) & mask
        lists(at) = before(from)
        at
      }
    }
  }

  final def isEmpty: Boolean = count == 0 && nulls == null

  final def foreach(f: (Option[Key], RowList) => Unit): Unit = {
    if (nulls != null) f(None, nulls)
    val slots = lists.indices.filter(lists(_) != null).map(i => (keyAt(i), lists(i)))
    slots.sortBy(_._1).foreach { case (key, list) => f(Some(key), list) }
  }

  final def clear(): Unit = {
    nulls = null
    lists = new Array[RowList](KeyedLists.firstSlots)
    count = 0
    memory.bytes = 0L
    clearKeys(KeyedLists.firstSlots)
  }

  protected def hash(key: KeySlot): Int
  protected def isAt(at: Int, key: KeySlot): Boolean
  protected def store(key: KeySlot, at: Int): Unit
  protected def keyAt(at: Int): Key

  /** Resizes the table and moves the keys.
    *
    * @param place returns the new slot for an old position and a hash; negative if the position is
    *   empty
    */
  protected def rehash(slots: Int)(place: (Int, Int) => Int): Unit
  protected def clearKeys(slots: Int): Unit
}

/** Creates row lists. */
object KeyedLists {
  private val firstSlots = 64

  /** @param isNumber whether keys are numbers */
  def apply(isNumber: Boolean): KeyedLists = if (isNumber) new Numbers else new Bytes

  final private class Numbers extends KeyedLists {
    private var keys = new Array[Long](firstSlots)

    protected def hash(key: KeySlot): Int = mixed(key.number)
    protected def isAt(at: Int, key: KeySlot): Boolean = keys(at) == key.number
    protected def store(key: KeySlot, at: Int): Unit = keys(at) = key.number
    protected def keyAt(at: Int): Key = NumberKey(keys(at))

    protected def rehash(slots: Int)(place: (Int, Int) => Int): Unit = {
      val before = keys
      keys = new Array[Long](slots)
      before.indices.foreach { i =>
        val at = place(i, mixed(before(i)))
        if (at >= 0) keys(at) = before(i)
      }
    }

    protected def clearKeys(slots: Int): Unit = keys = new Array[Long](slots)
  }

  final private class Bytes extends KeyedLists {
    private var keys = new Array[Array[Byte]](firstSlots)

    protected def hash(key: KeySlot): Int = hashOf(key.bytes, key.from, key.until)

    protected def isAt(at: Int, key: KeySlot): Boolean = {
      val found = keys(at)
      java.util.Arrays.equals(found, 0, found.length, key.bytes, key.from, key.until)
    }

    protected def store(key: KeySlot, at: Int): Unit = {
      keys(at) = java.util.Arrays.copyOfRange(key.bytes, key.from, key.until)
      memory.bytes += key.numBytes + arrayBytes
    }

    protected def keyAt(at: Int): Key = new BytesKey(keys(at))

    protected def rehash(slots: Int)(place: (Int, Int) => Int): Unit = {
      val before = keys
      keys = new Array[Array[Byte]](slots)
      before.indices.foreach { i =>
        val key = before(i)
        val at = place(i, if (key == null) 0 else hashOf(key, 0, key.length))
        if (at >= 0) keys(at) = key
      }
    }

    protected def clearKeys(slots: Int): Unit = keys = new Array[Array[Byte]](slots)
  }

  private val arrayBytes = 24

  private def mixed(bits: Long): Int = {
    val product = bits * 0x9e3779b97f4a7c15L
    (product >>> 32).toInt ^ product.toInt
  }

  private def hashOf(bytes: Array[Byte], from: Int, until: Int): Int = {
    var sum = until - from.toLong
    var at = from
    while (at + 8 <= until) {
      sum = (sum ^ Buffer.longAt(bytes, at)) * 0x9e3779b97f4a7c15L
      sum ^= sum >>> 29
      at += 8
    }
    while (at < until) {
      sum = (sum ^ bytes(at)) * 0x9e3779b97f4a7c15L
      sum ^= sum >>> 29
      at += 1
    }
    mixed(sum)
  }
}

/** Row lists of small numbers, in an array.
  *
  * @param numKeys exclusive upper bound of the keys
  */
final class NumberedLists(numKeys: Int) extends RowLists {
  private val lists = new Array[RowList](numKeys)
  private var count = 0
  val memory = new MemoryUse

  /** Returns the rows of a key. */
  def of(key: Int): RowList = {
    val found = lists(key)
    if (found != null) found
    else {
      lists(key) = new RowList(memory)
      count += 1
      lists(key)
    }
  }

  def isEmpty: Boolean = count == 0

  def foreach(f: (Option[Key], RowList) => Unit): Unit = lists.indices.foreach { key =>
    if (lists(key) != null) f(Some(NumberKey(key.toLong)), lists(key))
  }

  def clear(): Unit = {
    java.util.Arrays.fill(lists.asInstanceOf[Array[AnyRef]], null)
    count = 0
    memory.bytes = 0L
  }
}
