// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.mutation

import scala.jdk.CollectionConverters._
import scala.util.Random

import com.google.protobuf.Descriptors.FieldDescriptor
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType
import com.google.protobuf.{ByteString, Message}

/** Changes one part of a message, at any depth, so that it keeps its type. */
object MessageMutation {

  /** Returns another message of the same type, and a description of the change. */
  def apply(message: Message, random: Random): (Message, String) = {
    val builder = message.toBuilder
    val what = change(builder, random.nextInt(math.max(1, size(message))), random)
    (builder.build(), what)
  }

  /** Number of values and messages in a message, including itself. */
  private def size(message: Message): Int = 1 + message.getAllFields.asScala.map {
    case (field, value) => elements(field, value).map(sizeOf(field, _)).sum
  }.sum

  private def elements(field: FieldDescriptor, value: Any): Seq[Any] =
    if (field.isRepeated) value.asInstanceOf[java.util.List[Any]].asScala.toSeq else Seq(value)

  private def sizeOf(field: FieldDescriptor, element: Any): Int =
    if (field.getJavaType == JavaType.MESSAGE) size(element.asInstanceOf[Message])
    else if (field.getFullName.endsWith(".DirectEncoding.encoding"))
      0 // a message stored as bytes, which is not changed as such
    else 1

  /** Changes the value or message at place `at` of a traversal. */
  private def change(builder: Message.Builder, at: Int, random: Random): String =
    if (at == 0) changeFields(builder, random)
    else {
      // Each element with the place of its first value in the traversal.
      val all = builder.getAllFields.asScala.toSeq.flatMap { case (field, value) =>
        elements(field, value).zipWithIndex.map { case (element, i) => (field, i, element) }
      }
      val starts = all.scanLeft(1) { case (start, (field, _, element)) =>
        start + sizeOf(field, element)
      }
      val (field, i, element) = all(starts.lastIndexWhere(_ <= at))
      val place = if (field.isRepeated) s"${field.getName}[$i]" else field.getName
      val within = at - starts(starts.lastIndexWhere(_ <= at))
      s"$place.${changeElement(builder, field, i, element, within, random)}"
    }

  private def changeElement(
      builder: Message.Builder,
      field: FieldDescriptor,
      i: Int,
      element: Any,
      at: Int,
      random: Random
  ): String =
    if (field.getJavaType == JavaType.MESSAGE && !field.isMapField) {
      val inner = element.asInstanceOf[Message].toBuilder
      val what = change(inner, at, random)
      set(builder, field, i, inner.build())
      what
    } else if (field.isMapField) "unchanged"
    else {
      val now = scalar(field, element, random)
      set(builder, field, i, now)
      s"$element -> $now".take(120)
    }

  private def set(builder: Message.Builder, field: FieldDescriptor, i: Int, value: Any): Unit =
    if (field.isRepeated) builder.setRepeatedField(field, i, value): Unit
    else builder.setField(field, value): Unit

  /** Drops, adds, duplicates, or swaps fields of this message. */
  private def changeFields(builder: Message.Builder, random: Random): String = {
    val present = builder.getAllFields.keySet.asScala.toIndexedSeq
    val repeated = present.filter(f => f.isRepeated && !f.isMapField)
    random.nextInt(5) match {
      case 0 if present.nonEmpty =>
        val field = pick(present, random)
        builder.clearField(field): Unit
        s"without ${field.getName}"
      case 1 if repeated.nonEmpty =>
        val field = pick(repeated, random)
        val i = random.nextInt(builder.getRepeatedFieldCount(field))
        builder.addRepeatedField(field, builder.getRepeatedField(field, i)): Unit
        s"${field.getName}[$i] twice"
      case 2 if repeated.nonEmpty =>
        val field = pick(repeated, random)
        val all = elements(field, builder.getField(field))
        val i = random.nextInt(all.length)
        builder.setField(field, all.patch(i, Nil, 1).asJava): Unit
        s"without ${field.getName}[$i]"
      case 3 if repeated.nonEmpty =>
        val field = pick(repeated, random)
        builder.setField(
          field,
          random.shuffle(elements(field, builder.getField(field))).asJava
        ): Unit
        s"${field.getName} shuffled"
      case _ =>
        val all =
          builder.getDescriptorForType.getFields.asScala.filterNot(_.isMapField).toIndexedSeq
        if (all.isEmpty) "unchanged"
        else {
          val field = pick(all, random)
          val value: Any =
            if (field.getJavaType == JavaType.MESSAGE) builder.newBuilderForField(field).build()
            else scalar(field, zero(field), random)
          if (field.isRepeated) builder.addRepeatedField(field, value): Unit
          else builder.setField(field, value): Unit
          s"with ${field.getName} = $value".take(120)
        }
    }
  }

  private def pick[A](all: IndexedSeq[A], random: Random): A = all(random.nextInt(all.length))

  private def zero(field: FieldDescriptor): Any = field.getJavaType match {
    case JavaType.INT => 0
    case JavaType.LONG => 0L
    case JavaType.BOOLEAN => false
    case JavaType.STRING => ""
    case JavaType.BYTE_STRING => ByteString.EMPTY
    case _ => null // not used for other types
  }

  private def scalar(field: FieldDescriptor, value: Any, random: Random): Any =
    field.getJavaType match {
      case JavaType.INT => number(value.asInstanceOf[Int].toLong, 32, random).toInt
      case JavaType.LONG => number(value.asInstanceOf[Long], 64, random)
      case JavaType.FLOAT => java.lang.Float.intBitsToFloat(random.nextInt())
      case JavaType.DOUBLE => java.lang.Double.longBitsToDouble(random.nextLong())
      case JavaType.BOOLEAN => !value.asInstanceOf[Boolean]
      case JavaType.ENUM =>
        field.getEnumType.findValueByNumberCreatingIfUnknown(random.nextInt(12))
      case JavaType.STRING => text(value.asInstanceOf[String], random)
      case JavaType.BYTE_STRING =>
        ByteString.copyFrom(bytes(value.asInstanceOf[ByteString].toByteArray, random))
      case JavaType.MESSAGE => value
    }

  /** Returns a number near `value`, or one that often causes errors. */
  def number(value: Long, bits: Int, random: Random): Long = random.nextInt(12) match {
    case 0 => 0L
    case 1 => 1L
    case 2 => -1L
    case 3 => value + 1
    case 4 => value - 1
    case 5 => value * 2 + 1
    case 6 => value / 2
    case 7 => value ^ (1L << random.nextInt(bits))
    case 8 => (1L << random.nextInt(bits)) - random.nextInt(2)
    case 9 => random.nextLong()
    case 10 => random.nextInt(300).toLong
    case _ => value + random.nextInt(129) - 64
  }

  private val words = IndexedSeq(
    "",
    "x",
    "../../x",
    "/x",
    "int32",
    "list",
    "struct",
    "dict:string:int8:false",
    "fixed_size_list:float:1000000000",
    "decimal:128:99:99",
    "timestamp:us:Mars",
    "string",
    "a\u0000b"
  )

  private def text(value: String, random: Random): String = random.nextInt(5) match {
    case 0 => value.take(random.nextInt(value.length + 1))
    case 1 => value + value
    case 2 if value.nonEmpty =>
      value.updated(random.nextInt(value.length), (32 + random.nextInt(95)).toChar)
    case _ => pick(words, random)
  }

  /** Returns bytes that are truncated, repeated, or changed. */
  def bytes(value: Array[Byte], random: Random): Array[Byte] = random.nextInt(6) match {
    case 0 => value.take(random.nextInt(value.length + 1))
    case 1 => value ++ value
    case _ if value.isEmpty => Array(random.nextInt().toByte)
    case n =>
      val out = value.clone()
      (0 until n).foreach(_ => out(random.nextInt(out.length)) = random.nextInt().toByte)
      out
  }
}
