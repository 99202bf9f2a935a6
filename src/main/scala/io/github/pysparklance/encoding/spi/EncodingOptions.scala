// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.spi

import io.github.pysparklance.core.{Field, InvalidRequestException, Parse}

/** A general-purpose compressor and its level. */
sealed trait GeneralScheme

object GeneralScheme {
  case object Lz4 extends GeneralScheme

  /** @param level 0 is the library's default */
  final case class Zstd(level: Int) extends GeneralScheme
}

/** The compression that a column requests, instead of a choice by statistics. */
sealed trait CompressionRequest

object CompressionRequest {

  /** Plain values. */
  case object Plain extends CompressionRequest

  /** FSST symbols for strings. */
  case object Symbols extends CompressionRequest

  /** A general-purpose compressor around an encoding that suits the values. */
  final case class General(scheme: GeneralScheme) extends CompressionRequest
}

/** The structural encoding that a column requests. */
sealed trait StructuralEncoding

object StructuralEncoding {
  case object MiniBlock extends StructuralEncoding
  case object FullZip extends StructuralEncoding

  /** Since 2.3. */
  case object Sparse extends StructuralEncoding
}

/** Whether 32-bit and 64-bit numbers are split by byte position before compression. */
sealed trait ByteSplitting

object ByteSplitting {
  case object Off extends ByteSplitting
  case object On extends ByteSplitting
  case object Auto extends ByteSplitting
}

/** Encoding options from a field's metadata. Statistics decide where an option is not set.
  *
  * Source: format page of the structural encodings, "Field metadata keys".
  *
  * @param structural only read from top-level fields
  * @param rleThreshold run-length encoding requires fewer runs than this share of the values
  * @param minichunkBytes target size of a chunk of strings in bytes
  * @param dictDivisor a dictionary has at most the number of values divided by this
  * @param dictSizeRatio maximum size of dictionary and indices as a share of the plain values
  * @param dictMaxBytes maximum bytes of the items of a string dictionary
  * @param dictValues the compressor of a dictionary's items; `Plain` for none
  */
final case class EncodingOptions(
    structural: Option[StructuralEncoding] = None,
    compression: Option[CompressionRequest] = None,
    rleThreshold: Option[Double] = None,
    byteSplitting: ByteSplitting = ByteSplitting.Auto,
    minichunkBytes: Option[Int] = None,
    dictDivisor: Int = EncodingOptions.defaultDictDivisor,
    dictSizeRatio: Option[Double] = None,
    dictMaxBytes: Long = EncodingOptions.defaultDictMaxBytes,
    dictValues: Option[CompressionRequest] = None
)

object EncodingOptions {

  /** Prefix of all keys. */
  val Prefix: String = "lance-encoding:"

  val defaultDictDivisor: Int = 2
  val defaultDictMaxBytes: Long = 8L << 20

  val default: EncodingOptions = EncodingOptions()

  /** Keys of encoding options, without [[Prefix]]. */
  val keys: IndexedSeq[String] = IndexedSeq(
    "structural-encoding",
    "compression",
    "compression-level",
    "rle-threshold",
    "bss",
    "minichunk-size",
    "dict-divisor",
    "dict-size-ratio",
    "dict-max-size",
    "dict-values-compression",
    "dict-values-compression-level"
  )

  /** Keys with the prefix that define the field's type. They are read elsewhere. */
  private val others = IndexedSeq(
    "packed",
    "blob",
    "blob-inline-size-threshold",
    "blob-dedicated-size-threshold",
    "blob-pack-file-size-threshold"
  )

  /** Rejects an unknown key with [[Prefix]], or an invalid value. Only for keys that a user sets:
    * readers and writers ignore unknown keys in tables, because newer writers may add them.
    *
    * @throws InvalidRequestException with the key and all known keys, or with the value and the
    *   legal ones
    */
  def checkOption(field: String, key: String, value: String): Unit = if (key.startsWith(Prefix)) {
    if (!(keys ++ others).contains(key.stripPrefix(Prefix)))
      throw new InvalidRequestException(
        s"field '$field': unknown key '$key'; the keys are ${(keys ++ others).map(Prefix + _).mkString(", ")}"
      )
    new Parser(field, Map(key -> value)).parse: Unit
  }

  /** Returns the options in a field's own metadata. Ignores unknown keys.
    *
    * @throws InvalidRequestException for an invalid value, with the field, the key, and the legal
    *   values
    */
  def of(field: Field): EncodingOptions =
    if (!field.metadata.keysIterator.exists(_.startsWith(Prefix))) default
    else new Parser(field.name, field.metadata).parse

  /** Returns the options of a leaf. The structural encoding comes from the top-level field.
    *
    * @param path the fields from the top-level column to the leaf, inclusive
    * @throws InvalidRequestException see [[of]]
    */
  def ofLeaf(path: IndexedSeq[Field]): EncodingOptions =
    of(path.last).copy(structural = of(path.head).structural)

  /** Rejects invalid values of a top-level field and its descendants, and options that the file
    * version does not support.
    *
    * @throws InvalidRequestException see [[of]]
    */
  def check(field: Field, version: EncodingVersion): Unit = {
    field.flatten.foreach(of(_): Unit)
    val isSparse = of(field).structural.contains(StructuralEncoding.Sparse)
    if (isSparse && version != EncodingVersion.V2_3)
      throw new InvalidRequestException(
        s"field '${field.name}': ${Prefix}structural-encoding 'sparse' requires file version 2.3; version $version " +
          "has miniblock and fullzip"
      )
  }

  final private class Parser(field: String, metadata: Map[String, String]) {

    def parse: EncodingOptions = EncodingOptions(
      structural = value("structural-encoding")(words(
        "miniblock" -> StructuralEncoding.MiniBlock,
        "fullzip" -> StructuralEncoding.FullZip,
        "sparse" -> StructuralEncoding.Sparse
      )),
      compression = value("compression")(words(
        "none" -> CompressionRequest.Plain,
        "lz4" -> CompressionRequest.General(GeneralScheme.Lz4),
        "zstd" -> zstd("compression-level"),
        "fsst" -> CompressionRequest.Symbols
      )),
      rleThreshold = value("rle-threshold")(share(zero = true)),
      byteSplitting = value("bss")(words(
        "off" -> ByteSplitting.Off,
        "on" -> ByteSplitting.On,
        "auto" -> ByteSplitting.Auto
      )).getOrElse(ByteSplitting.Auto),
      minichunkBytes = value("minichunk-size")(atLeastOne(Int.MaxValue)).map(_.toInt),
      dictDivisor =
        value("dict-divisor")(atLeastOne(Int.MaxValue)).fold(defaultDictDivisor)(_.toInt),
      dictSizeRatio = value("dict-size-ratio")(share(zero = false)),
      dictMaxBytes =
        value("dict-max-size")(atLeastOne(Long.MaxValue)).getOrElse(defaultDictMaxBytes),
      dictValues = value("dict-values-compression")(words(
        "none" -> CompressionRequest.Plain,
        "lz4" -> CompressionRequest.General(GeneralScheme.Lz4),
        "zstd" -> zstd("dict-values-compression-level")
      ))
    )

    private def zstd(levelKey: String): CompressionRequest = {
      val level = value(levelKey)(Legal(
        s"a whole number from $minLevel to $maxLevel",
        Parse.int(_).filter(l => l >= minLevel && l <= maxLevel)
      ))
      CompressionRequest.General(GeneralScheme.Zstd(level.getOrElse(0)))
    }

    private def value[A](key: String)(legal: Legal[A]): Option[A] =
      metadata.get(Prefix + key).map { text =>
        legal.parse(text.trim).getOrElse(throw new InvalidRequestException(
          s"field '$field': $Prefix$key '$text', expected ${legal.text}"
        ))
      }
  }

  /** Levels of zstd. Negative levels are faster than 1. */
  private val minLevel = -7
  private val maxLevel = 22

  /** The legal values of a key. */
  final private case class Legal[A](text: String, parse: String => Option[A])

  private def words[A](options: (String, A)*): Legal[A] =
    Legal(
      options.map(_._1).mkString("one of ", ", ", ""),
      text => options.toMap.get(text.toLowerCase(java.util.Locale.ROOT))
    )

  private def share(zero: Boolean): Legal[Double] =
    Legal(
      if (zero) "a number from 0 to 1" else "a number above 0, at most 1",
      Parse.double(_).filter(x => x <= 1 && (x > 0 || zero && x == 0))
    )

  private def atLeastOne(most: Long): Legal[Long] =
    Legal(s"a whole number from 1 to $most", Parse.long(_).filter(x => x >= 1 && x <= most))
}
