// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.json

import com.google.protobuf.InvalidProtocolBufferException
import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core.{CorruptFileException, Field, LogicalType}
import io.github.pysparklance.index.proto.JsonIndexDetails
import io.github.pysparklance.index.scalar.{BTree, Bitmap, BloomFilter, NGram, ZoneMap}
import io.github.pysparklance.index.spi._

/** An index of the values at a path of JSON documents. Its files are the files of an index of these
  * values. Documents without the value, and JSON nulls, are null.
  *
  * {{{
  *   JsonIndexDetails {path: "$.user.age", target_details: BTreeIndexDetails}
  *   page_data.lance     values: int64, ids: u64
  * }}}
  * All values have one type: bool, int64, double, or string. The details may record it. Otherwise,
  * only the files have it.
  *
  * Source: message `JsonIndexDetails`, index.proto.
  *
  * @param target kind of the index of the values
  * @param path path of the values
  */
final case class JsonIndexKind(target: ScalarIndexKind, path: String) extends ScalarIndexKind {

  /** The indexed member; `None` if the path does not select a member. */
  val member: Option[JsonMember] = JsonPath.member(path)

  def name: String = JsonIndexKind.name
  override def description: String = s"$name ${target.name} on $path"
  def detailsType: String = JsonIndexKind.detailsType
  def latestVersion: Int = 0

  override def isByAddress: Boolean = target.isByAddress
  override def isRemappable: Boolean = target.isRemappable
  override def findsValues: Boolean = false
  override def isBuilt: Boolean = false

  /** New indices are not supported. */
  def supports(field: Field): Boolean = false

  def parameters: Seq[IndexParameter] = target.parameters

  def parametersOf(files: IndexFiles): Map[String, String] = target.parametersOf(files)

  def open(files: IndexFiles): ScalarSegment = {
    val segment = target.open(files)
    JsonSegment.of(segment, files, typeOf(segment, files))
  }

  /** Returns the type of the values, or `Null` if it is unknown. */
  private def typeOf(segment: ScalarSegment, files: IndexFiles): LogicalType =
    segment.valueType.orElse(JsonIndexKind.recordedType(files.details)).getOrElse(target match {
      case NGram => JsonIndexKind.text
      case _ => LogicalType.Null
    })

  override def isWritable(files: IndexFiles, way: IndexedSeq[Field]): Boolean =
    try {
      open(files): Unit
      target.isWritable(files, way)
    } catch { case _: CorruptFileException => false }

  override def areMergeable(segments: Seq[IndexFiles]): Boolean = target.areMergeable(segments)
  override def isMergeable(files: IndexFiles): Boolean = target.isMergeable(files)
  override def ignoredFragments(files: IndexFiles): RoaringBitmap = target.ignoredFragments(files)

  def merge(
      sources: Seq[SegmentSource],
      field: Field,
      parameters: IndexParameters,
      into: NewSegment
  ): Unit = {
    val files = sources.head.files
    val values = Field(field.id, field.name, typeOf(target.open(files), files), nullable = true)
    target.merge(sources, values, parameters, into)
  }
}

/** Recognizes indices of JSON paths. */
object JsonIndexKind {
  val name: String = "JSON"
  val detailsType: String = "lance.index.pb.JsonIndexDetails"

  private val text = LogicalType.Utf8(large = false)

  private val types = Map(
    1 -> LogicalType.Bool,
    2 -> LogicalType.Integer(64, signed = true),
    3 -> LogicalType.Double,
    4 -> text
  )

  private val targets = Seq(BTree, Bitmap, NGram, ZoneMap, BloomFilter)

  /** Returns the kind with the details of a segment, or `None` if its target is unknown. */
  def of(details: Array[Byte]): Option[JsonIndexKind] =
    try {
      val message = JsonIndexDetails.parseFrom(details)
      val target = message.getTargetDetails.getTypeUrl
      targets.find(kind => ScalarIndexKind.haveSameMessage(kind.detailsType, target)).map(
        JsonIndexKind(_, message.getPath)
      )
    } catch { case _: InvalidProtocolBufferException => None }

  private def recordedType(details: Array[Byte]): Option[LogicalType] =
    try types.get(JsonIndexDetails.parseFrom(details).getTargetDataType)
    catch { case _: InvalidProtocolBufferException => None }
}
