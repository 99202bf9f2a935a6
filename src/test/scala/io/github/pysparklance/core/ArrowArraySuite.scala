// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

import java.nio.{ByteBuffer, IntBuffer, LongBuffer, ShortBuffer}

import scala.util.{Random, Using}

import org.apache.arrow.memory.{ArrowBuf, RootAllocator}
import org.apache.arrow.vector.ipc.message.ArrowFieldNode
import org.apache.arrow.vector.{BigIntVector, BitVector, FieldVector, VarCharVector}
import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.testkit.{ColumnRows, RandomColumns, SparkLine, TestRun}

class ArrowArraySuite extends AnyFunSuite {
  private val long = Field(0, "n", LogicalType.Integer(64, signed = true), nullable = true)
  private val text = Field(0, "t", LogicalType.Utf8(large = true), nullable = true)
  private val flag = Field(0, "b", LogicalType.Bool, nullable = true)

  /** Returns the values as [[ColumnRows]] does, read by the rules of Arrow's format. */
  private def rows(array: ArrowArray, field: Field): IndexedSeq[Any] = {
    def isValid(i: Int): Boolean = array.buffers.headOption match {
      case None => false
      case Some(None) => true
      case Some(Some(words: LongBuffer)) => (words.get(i >> 6) >>> i & 1L) == 1L
      case other => fail(s"validity in $other")
    }
    val valid = slots(array, field)
    val values = (0 until array.length).map(i => if (isValid(i)) valid(i) else null)
    assert(values.count(_ == null) == array.nullCount)
    values
  }

  private def slots(array: ArrowArray, field: Field): Int => Any =
    array.dictionary match {
      case Some(dictionary) =>
        val items = rows(dictionary, field)
        val indices = ints(array)
        row => items(indices.get(row))
      case None if array.buffers.isEmpty => _ => null
      case None =>
        field.logicalType match {
          case LogicalType.Struct =>
            val members = array.children.zip(field.children).map { case (a, f) => rows(a, f) }
            i => members.map(_(i)).toSeq
          case LogicalType.List(_, _) | LogicalType.Map =>
            val items = rows(array.children.head, field.children.head)
            val o = ints(array)
            i => items.slice(o.get(i), o.get(i + 1)).toSeq
          case LogicalType.FixedSizeList(item, n) =>
            val itemField =
              field.children.headOption.getOrElse(Field(-1, "item", item, nullable = true))
            val items = rows(array.children.head, itemField)
            i => items.slice(i * n, (i + 1) * n).toSeq
          case LogicalType.Dictionary(value, _, _) =>
            slots(array, field.copy(logicalType = value))
          case LogicalType.Bool =>
            val Some(b: ByteBuffer) = array.buffers(1): @unchecked
            i => (b.get(i >> 3) >> (i & 7) & 1).toByte
          case _ => plain(array)
        }
    }

  private def ints(array: ArrowArray): IntBuffer = {
    val Some(buffer: IntBuffer) = array.buffers(1): @unchecked
    buffer
  }

  private def plain(array: ArrowArray): Int => Any = array.buffers.drop(1).flatten match {
    case Seq(offsets: IntBuffer, bytes: ByteBuffer) =>
      i => (offsets.get(i) until offsets.get(i + 1)).map(bytes.get(_))
    case Seq(b: ByteBuffer) if b.limit() == array.length => i => b.get(i)
    case Seq(b: ByteBuffer) =>
      val size = b.limit() / array.length
      i => (i * size until (i + 1) * size).map(b.get(_))
    case Seq(b: ShortBuffer) => i => b.get(i)
    case Seq(b: IntBuffer) => i => b.get(i)
    case Seq(b: LongBuffer) => i => b.get(i)
    case other => fail(s"buffers $other")
  }

  test("columns of any nesting are exported in Arrow's layout") {
    val random = new Random(TestRun.seed)
    val columns = new RandomColumns(random)
    (0 until 300).foreach { i =>
      val field =
        if (i % 3 == 0) columns.special(anyWidth = false)
        else columns.field(depth = 3, fixedSizeLists = true)
      val column = columns.column(field, 1 + random.nextInt(200))
      assert(rows(ArrowArray.of(column, field), field) == ColumnRows(column), s"$field")
    }
  }

  private def longs(values: Long*): LongValues = {
    val v = new LongValues
    values.foreach(v.append)
    v
  }

  test("numbers, offsets, and bytes are read-only views") {
    val numbers = longs(1, 2, 3)
    val Some(view: LongBuffer) =
      ArrowArray.of(LeafColumn(numbers, null), long).buffers(1): @unchecked
    numbers.array(1) = 7
    assert(view.limit() == 3 && view.get(1) == 7 && view.isReadOnly)
    val strings = new BinaryValues
    Seq("ab", "", "c").foreach(s => strings.append(s.getBytes("UTF-8"), 0, s.length))
    val of = ArrowArray.of(LeafColumn(strings, null), text)
    val Seq(None, Some(offsets: IntBuffer), Some(bytes: ByteBuffer)) = of.buffers: @unchecked
    assert((0 to 3).map(offsets.get(_)) == Seq(0, 2, 2, 3) && bytes.limit() == 3)
    strings.bytes(0) = 'x'
    assert(bytes.get(0) == 'x' && bytes.isReadOnly && offsets.isReadOnly)
  }

  test(
    "constants and dictionaries are exported as dictionary arrays, null columns without buffers"
  ) {
    val constant = ArrowArray.of(ConstantColumn(longs(5), 4, Validity.of(true, false)), long)
    assert(constant.length == 4 && constant.nullCount == 1 && constant.dictionary.isDefined)
    val nulls = ArrowArray.of(NullColumn(3), long)
    assert(nulls == ArrowArray(3, 3, IndexedSeq.empty, IndexedSeq.empty, None))
  }

  test("a column whose shape does not match its field is rejected by name") {
    val pair = StructColumn(1, IndexedSeq.fill(2)(LeafColumn(longs(1), null)), null)
    val one = Field(1, "s", LogicalType.Struct, nullable = true, IndexedSeq(long))
    val e = intercept[InvalidRequestException](ArrowArray.of(pair, one))
    assert(e.getMessage.contains("s") && e.getMessage.contains("expected 1"))
  }

  test("Arrow's own vectors can load the buffers") {
    assume(
      SparkLine.isFrom("4.0"),
      "Arrow 12 of Spark 3.5 cannot allocate with the Netty that tests have"
    )
    val validity = Validity.of((0 until 70).map(_ % 9 != 4): _*)
    val numbers = longs((0L until 70L).map(_ * 3): _*)
    val strings = new BinaryValues
    val flags = new ByteValues
    (0 until 70).foreach { i =>
      val bytes = s"v$i".getBytes("UTF-8")
      strings.append(bytes, 0, bytes.length)
      flags.append((i % 2).toByte)
    }
    Using.resource(new RootAllocator()) { allocator =>
      def buffer(from: java.nio.Buffer): ArrowBuf = {
        val bytes = ByteBuffer
          .allocate(from.limit() * 8)
          .order(java.nio.ByteOrder.nativeOrder)
        val n = from match {
          case b: ByteBuffer => bytes.put(b.duplicate()); b.limit()
          case b: IntBuffer => bytes.asIntBuffer().put(b.duplicate()); b.limit() * 4
          case b: LongBuffer => bytes.asLongBuffer().put(b.duplicate()); b.limit() * 8
          case other => fail(s"buffer $other")
        }
        val buf = allocator.buffer(n.toLong)
        buf.setBytes(0, bytes.array, 0, n.toLong)
        buf.writerIndex(n.toLong)
      }
      def load(vector: FieldVector, array: ArrowArray)(check: => Assertion): Unit = {
        val buffers = array.buffers.map(b => buffer(b.get))
        vector.loadFieldBuffers(
          new ArrowFieldNode(array.length.toLong, array.nullCount.toLong),
          java.util.Arrays.asList(buffers: _*)
        )
        buffers.foreach(_.close())
        try check: Unit
        finally vector.close()
      }
      val n = new BigIntVector("n", allocator)
      load(n, ArrowArray.of(LeafColumn(numbers, validity), long)) {
        (0 until 70).foreach(i => assert(n.isNull(i) == (i % 9 == 4)))
        assert(n.get(69) == 207 && n.getNullCount == 8)
      }
      val t = new VarCharVector("t", allocator)
      load(t, ArrowArray.of(LeafColumn(strings, validity), text)) {
        assert(new String(t.get(65)) == "v65" && t.isNull(67))
      }
      val bits = new BitVector("b", allocator)
      load(bits, ArrowArray.of(LeafColumn(flags, validity), flag)) {
        assert(bits.get(33) == 1 && bits.get(34) == 0 && bits.isNull(13))
      }
    }
  }
}
