// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.segment

import io.github.pysparklance.core._
import io.github.pysparklance.file.DescribedFile
import io.github.pysparklance.index.proto.Tensor
import io.github.pysparklance.index.vector.distance._
import io.github.pysparklance.index.vector.ivf.{Centroids, FloatCentroids, Messages, Tensors}
import io.github.pysparklance.index.vector.quantizer._

/** Parses the entry `storage_metadata` of a file with codes: a JSON list with one string, which
  * contains a JSON object.
  *
  * Source: format page of indices, "Files".
  */
private[segment] object QuantizerMetadata {
  private val key = "storage_metadata"

  /** Returns the quantizer of a segment.
    *
    * @param kind kind of the index, such as `IVF_PQ`
    * @param file file with the codes
    * @throws UnsupportedFeatureException if the kind is not supported
    */
  def read(
      kind: String,
      metric: Metric,
      centroids: Centroids,
      file: DescribedFile,
      kernels: DistanceKernels
  ): Quantizer = {
    val reader = new QuantizerMetadata(metric, centroids, file, kernels, parsed(file))
    kind match {
      case "IVF_FLAT" | "IVF_HNSW_FLAT" => reader.flat
      case "IVF_SQ" | "IVF_HNSW_SQ" => reader.scalar
      case "IVF_PQ" | "IVF_HNSW_PQ" => reader.product
      case "IVF_RQ" => reader.rabit
      case other =>
        throw new UnsupportedFeatureException(
          s"a vector index of the type '${Printable.line(other.take(40))}'"
        )
    }
  }

  /** Returns the encoder with the codes of a segment, or `None` if the layout of the segment is no
    * longer written.
    *
    * @param quantizer quantizer of the segment, which has been checked
    */
  def encoder(
      quantizer: Quantizer,
      elementType: ElementType,
      metric: Metric,
      centroids: Centroids,
      file: DescribedFile
  ): Option[VectorEncoder] = new QuantizerMetadata(
    metric,
    centroids,
    file,
    Kernels.best,
    parsed(file)
  ).encoder(quantizer, elementType)

  private def parsed(file: DescribedFile): MetadataJson =
    MetadataJson.texts(CodeFiles.entry(file, key), key) match {
      case IndexedSeq(text) => MetadataJson.parse(text, key)
      case other => throw new CorruptFileException(s"$key has ${other.length} texts")
    }
}

final private class QuantizerMetadata(
    metric: Metric,
    centroids: Centroids,
    file: DescribedFile,
    kernels: DistanceKernels,
    json: MetadataJson
) {

  def flat: Quantizer = listType(FlatVectors.column) match {
    case (item, dimension) =>
      val stored = ElementType.of(item).getOrElse(
        throw new CorruptFileException(s"the column ${FlatVectors.column} does not hold vectors")
      )
      checkSame("dim", json.count("dim"), dimension)
      new FlatVectors(dimension, stored, metric, kernels)
  }

  def scalar: Quantizer = {
    val dimension = checkBytes(ScalarQuantizer.column)
    checkSame("dim", json.count("dim"), dimension)
    checkSame("num_bits", json.count("num_bits"), 8)
    val bounds = json.inner("bounds")
    new ScalarQuantizer(dimension, bounds.number("start"), bounds.number("end"), metric, kernels)
  }

  def product: Quantizer = {
    val numBits = json.optionalCount("nbits").getOrElse(json.count("num_bits"))
    val codebook = json.count("codebook_position") match {
      case 0 =>
        val bytes = json.bytes("codebook_tensor").getOrElse(Array.emptyByteArray)
        val message = Messages.parsed("codebook_tensor")(Tensor.parseFrom(bytes))
        Tensors.of(message, "the codebook")
      case position => Tensors.parse(file.globalBuffer(position), "the codebook")
    }
    val found = new ProductQuantizer(
      json.count("dimension"),
      json.count("num_sub_vectors"),
      numBits,
      codebook.floats,
      json.flag("transposed", default = false),
      metric,
      floats
    )
    checkSame("the size of codes", found.codeBytes, checkBytes(ProductQuantizer.column))
    found
  }

  def rabit: Quantizer = {
    import RabitQuantizer._
    val numBits = json.count("num_bits")
    val codeBytes = checkBytes(codeColumn)
    val rotation = json.text("rotation_type") match {
      case "fast" =>
        val signs = json.bytes("fast_rotation_signs").getOrElse(
          throw new CorruptFileException("a fast rotation without signs")
        )
        new FastRotation(json.count("code_dim"), signs)
      case "" | "matrix" =>
        val position = json.optionalCount("rotate_mat_position").getOrElse(
          throw new CorruptFileException("a rotation without its matrix")
        )
        val matrix = Tensors.parse(file.globalBuffer(position), "the rotation")
        new MatrixRotation(matrix.shape.head, matrix.floats)
      case other =>
        throw new UnsupportedFeatureException(
          s"a vector index with the rotation '${Printable.line(other.take(40))}'"
        )
    }
    checkSame("the size of codes", (rotation.dimension + 7) / 8, codeBytes)
    val isRaw = json.text("query_estimator") match {
      case "raw_query" => true
      case "" | "residual_query" => false
      case other =>
        throw new UnsupportedFeatureException(
          s"a vector index with the estimator '${Printable.line(other.take(40))}'"
        )
    }
    new RabitQuantizer(
      centroids.dimension,
      numBits,
      rotation,
      json.flag("packed", default = false),
      isRaw,
      file.schema.field(errorColumn).isDefined,
      Seq(blockedColumn, streamColumn).find(file.schema.field(_).isDefined),
      metric,
      floats
    )
  }

  def encoder(quantizer: Quantizer, elementType: ElementType): Option[VectorEncoder] =
    quantizer match {
      case _: FlatVectors =>
        val stored = listType(FlatVectors.column)._1
        Optional.when(ElementType.of(stored).contains(elementType)) {
          new FlatEncoder(quantizer.dimension, elementType)
        }
      case sq: ScalarQuantizer => Some(new ScalarEncoder(sq.dimension, sq.start, sq.end))
      case pq: ProductQuantizer =>
        val position = json.count("codebook_position")
        val isWhole = pq.subDimension * pq.numSubVectors == pq.dimension
        Optional.when(pq.isTransposed && position > 0 && isWhole) {
          val bytes = file.globalBuffer(position)
          new ProductEncoder(
            pq.dimension,
            pq.numSubVectors,
            pq.numBits,
            Tensors.parse(bytes, "the codebook").floats,
            bytes.toBytes,
            metric,
            floats
          )
        }
      case rq: RabitQuantizer =>
        val isWritten = json.text("rotation_type") == "fast" && json.flag("packed", false) &&
          json.text("query_estimator") == "raw_query" &&
          json.optionalCount("code_dim").contains(rq.dimension) &&
          file.schema.field(RabitQuantizer.errorColumn).isDefined &&
          (rq.numBits == 1 || file.schema.field(RabitQuantizer.blockedColumn).isDefined)
        json.bytes("fast_rotation_signs").filter(_ => isWritten).map(signs =>
          new RabitEncoder(rq.dimension, rq.numBits, signs, metric, floats)
        )
      case _ => None
    }

  private def floats: FloatCentroids = centroids match {
    case f: FloatCentroids => f
    case _ => throw new CorruptFileException("codes with centroids of bytes")
  }

  /** Returns the size of the lists of bytes in a column. */
  private def checkBytes(column: String): Int = listType(column) match {
    case (LogicalType.Integer(8, false), size) => size
    case (other, _) =>
      throw new CorruptFileException(s"the column $column has lists of ${LogicalType.text(other)}")
  }

  private def listType(column: String): (LogicalType, Int) =
    file.schema.field(column).map(_.logicalType) match {
      case Some(LogicalType.FixedSizeList(item, size)) if size > 0 => (item, size)
      case Some(other) =>
        throw new CorruptFileException(s"the column $column is of type ${LogicalType.text(other)}")
      case None => throw new CorruptFileException(s"no column $column")
    }

  private def checkSame(what: String, found: Int, expected: Int): Unit =
    CorruptFileException.check(found == expected, s"$what is $found, not $expected")
}
