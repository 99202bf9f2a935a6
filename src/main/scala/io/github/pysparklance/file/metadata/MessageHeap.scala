// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.metadata

import java.util.concurrent.ConcurrentHashMap

import scala.jdk.CollectionConverters._

import com.google.protobuf.Descriptors.{Descriptor, FieldDescriptor}
import com.google.protobuf.{
  Any => AnyMessage,
  ByteString,
  CodedInputStream,
  InvalidProtocolBufferException,
  UnsafeByteOperations,
  WireFormat
}

import io.github.pysparklance.core.{CorruptFileException, UnsupportedFeatureException}

/** The heap that a serialized protobuf message takes when it is parsed, because two bytes of a file
  * can become an object of a hundred bytes. An estimate, also of messages in messages.
  *
  * {{{
  *   Manifest
  *     fragments  1024, or its parts if they take more
  *       files    128
  *         path   64        a text or bytes, without its length, which is limited by the file
  *         ...    16        a number
  *       ?        256       a field that this release does not know
  * }}}
  *
  * @param numEntries number of fields at the first level
  * @param bytes estimated heap
  */
final class MessageHeap private (val numEntries: Long, val bytes: Long, counts: Array[Long]) {

  /** Returns how often a field occurs at the first level. */
  def numOf(field: Int): Long = counts(field)
}

object MessageHeap {
  private val messageBytes = 128L
  private val textBytes = 64L
  private val numberBytes = 16L
  private val unknownBytes = 256L

  /** Protobuf rejects more levels. */
  private val maxDepth = 100

  /** Messages below this fraction of the heap are not examined below their first level. Whatever
    * they contain there takes less than the heap.
    */
  private val smallShare = 128

  private val kinds = new ConcurrentHashMap[String, Kind]

  /** Estimates the heap of a message.
    *
    * @param kind type of the message
    * @param entryBytes minimum heap of each field at the first level
    * @throws com.google.protobuf.InvalidProtocolBufferException if the bytes are damaged
    */
  def of(message: ByteString, kind: Descriptor, entryBytes: Long): MessageHeap = {
    val in = message.newCodedInput()
    val depth = if (message.size < maxHeap / smallShare) maxDepth else 1
    val first = kindOf(kind)
    val counts = new Array[Long](first.fieldBytes.length)
    var numEntries = 0L
    var bytes = 0L
    var tag = in.readTag()
    while (tag != 0) {
      val number = WireFormat.getTagFieldNumber(tag)
      if (number < counts.length) counts(number) += 1
      numEntries += 1
      bytes += math.max(entryBytes, field(in, tag, first, depth))
      tag = in.readTag()
    }
    new MessageHeap(numEntries, bytes, counts)
  }

  /** Parses a message if it fits into the heap.
    *
    * @param what names the message in errors
    * @throws UnsupportedFeatureException if it would take more than the heap
    * @throws CorruptFileException if the bytes are damaged
    */
  def parsed[A](bytes: Array[Byte], kind: Descriptor, what: String)(parse: Array[Byte] => A): A =
    try {
      check(UnsafeByteOperations.unsafeWrap(bytes), kind, what)
      parse(bytes)
    } catch {
      case e: InvalidProtocolBufferException =>
        throw new CorruptFileException(s"corrupt $what: ${e.getMessage}", cause = e)
    }

  private def check(message: ByteString, kind: Descriptor, what: String): Unit = {
    val found = of(message, kind, entryBytes = 0)
    if (found.bytes > maxHeap)
      throw new UnsupportedFeatureException(
        s"$what of ${found.numEntries} entries, too many for a heap of $maxHeap bytes; increase " +
          "spark.driver.memory (for tasks, spark.executor.memory)"
      )
  }

  private def maxHeap: Long = Runtime.getRuntime.maxMemory

  private def field(in: CodedInputStream, tag: Int, kind: Kind, depth: Int): Long = {
    val number = WireFormat.getTagFieldNumber(tag)
    val isBytes = WireFormat.getTagWireType(tag) == WireFormat.WIRETYPE_LENGTH_DELIMITED
    val inner = if (isBytes && depth < maxDepth) kind.inner(number) else None
    inner match {
      case Some(Kind.Opaque) => textBytes + opaque(in.readBytes())
      case Some(message) =>
        val limit = in.pushLimit(in.readRawVarint32())
        val bytes = fields(in, message, depth + 1)
        in.popLimit(limit)
        messageBytes + bytes
      case None =>
        in.skipField(tag): Unit
        kind.bytesOf(number)
    }
  }

  private def fields(in: CodedInputStream, kind: Kind, depth: Int): Long = {
    var bytes = 0L
    var tag = in.readTag()
    while (tag != 0) {
      bytes += field(in, tag, kind, depth)
      tag = in.readTag()
    }
    bytes
  }

  /** Returns the heap of a message whose type this class does not know. */
  private def opaque(message: ByteString): Long =
    try fields(message.newCodedInput(), Kind.Opaque, maxDepth)
    catch { case _: InvalidProtocolBufferException => 0 }

  private def kindOf(message: Descriptor): Kind =
    kinds.computeIfAbsent(message.getFullName, _ => new Kind(message.getFields.asScala.toSeq))

  /** The fields of a type of messages. */
  private class Kind(fields: Seq[FieldDescriptor]) {
    private val length = fields.foldLeft(0)((n, f) => math.max(n, f.getNumber + 1))

    /** The heap of a value by the number of its field. */
    val fieldBytes: Array[Long] = Array.fill(length)(unknownBytes)
    fields.foreach { f =>
      fieldBytes(f.getNumber) = f.getJavaType match {
        case FieldDescriptor.JavaType.MESSAGE => messageBytes
        case FieldDescriptor.JavaType.STRING | FieldDescriptor.JavaType.BYTE_STRING => textBytes
        case _ => numberBytes
      }
    }

    private lazy val messages: Array[Option[Kind]] = {
      val found = Array.fill(length)(Option.empty[Kind])
      fields.foreach { f =>
        if (f.getJavaType == FieldDescriptor.JavaType.MESSAGE)
          found(f.getNumber) = Some(kindOf(f.getMessageType))
        else if (f.getContainingType.getFullName == Kind.any && f.getName == "value")
          found(f.getNumber) = Some(Kind.Opaque)
      }
      found
    }

    def bytesOf(number: Int): Long = if (number < length) fieldBytes(number) else unknownBytes
    def inner(number: Int): Option[Kind] = if (number < length) messages(number) else None
  }

  private object Kind {
    private[MessageHeap] val any: String = AnyMessage.getDescriptor.getFullName

    /** A type of messages without known fields. */
    object Opaque extends Kind(Nil)
  }
}
