// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.build

import io.github.pysparklance.core._
import io.github.pysparklance.index.IndexedColumn
import io.github.pysparklance.index.proto.VectorIndexDetails._
import io.github.pysparklance.index.proto.{HnswParameters, VectorIndexDetails, VectorMetricType}
import io.github.pysparklance.index.vector.distance.{ElementType, Metric}
import io.github.pysparklance.index.vector.hnsw.GraphParameters
import io.github.pysparklance.index.vector.quantizer._
import io.github.pysparklance.index.vector.{VectorColumn, VectorDetails, VectorIndex}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.scan.MetadataColumn
import io.github.pysparklance.table.schema.FieldPath

/** The column and the parameters of a vector index, from which its segments are built.
  *
  * @param rowColumn the metadata column whose values segments store: row addresses, or stable row
  *   ids if the table has them
  */
final case class VectorDefinition(
    name: String,
    column: VectorColumn,
    parameters: VectorParameters,
    rowColumn: MetadataColumn
) extends IndexedColumn {

  def way: IndexedSeq[Field] = column.way

  def metric: Metric = parameters.metric.getOrElse(column.defaultMetric)

  def elementType: ElementType = column.elementType

  def dimension: Int = column.dimension

  /** Reads smaller batches of lists of vectors, because these are long. */
  override def batchRows: Int = if (column.isMulti) VectorDefinition.batchLists else super.batchRows

  /** Approximate memory of a vector while its partition is written: its code, and for graphs also
    * the elements to compare.
    */
  def vectorBytes: Long = {
    val codeBytes = parameters.kind.quantizer match {
      case "FLAT" => elementType.numBytes
      case "RQ" => 2
      case _ => 1
    }
    val comparesBytes =
      codeBytes == 1 && (elementType.numBytes == 1 || parameters.kind.quantizer == "SQ" && metric != Metric.Dot)
    val graphBytes = if (parameters.kind.hasGraphs && !comparesBytes) 4 else 0
    math.max(codeBytes, graphBytes).toLong * dimension
  }

  /** Number of sub-vectors of a PQ index. */
  def numSubVectors: Int =
    parameters.numSubVectors.getOrElse(VectorDefinition.subVectorsOf(dimension, parameters.numBits))

  def indexVersion: Int = parameters.kind.version

  def detailsType: String = VectorDefinition.detailsType

  /** The message in the manifest, as pylance writes it. */
  def details: Array[Byte] = {
    val message = VectorIndexDetails.newBuilder().setMetricType(metric match {
      case Metric.L2 => VectorMetricType.L2
      case Metric.Cosine => VectorMetricType.Cosine
      case Metric.Dot => VectorMetricType.Dot
      case Metric.Hamming => VectorMetricType.Hamming
    })
    parameters.targetPartitionSize.foreach(n => message.setTargetPartitionSize(n.toLong))
    parameters.graph.foreach(g =>
      message.setHnswIndexConfig(
        HnswParameters.newBuilder().setMaxConnections(g.m).setConstructionEf(g.efConstruction)
          .setMaxLevel(g.maxLevel)
      )
    )
    val bits = parameters.numBits
    parameters.kind.quantizer match {
      case "PQ" =>
        message.setPq(
          ProductQuantization.newBuilder().setNumBits(bits).setNumSubVectors(numSubVectors)
        )
      case "SQ" => message.setSq(ScalarQuantization.newBuilder().setNumBits(bits))
      case "RQ" => message.setRq(RabitQuantization.newBuilder().setNumBits(bits))
      case _ => message.setFlat(FlatCompression.getDefaultInstance)
    }
    message.putRuntimeHints(VectorDefinition.SampleRateHint, parameters.sampleRate.toString)
    message.putRuntimeHints(VectorDefinition.MaxItersHint, parameters.maxIterations.toString)
    message.build().toByteArray
  }
}

object VectorDefinition {
  private val detailsType = "lance.index.pb.VectorIndexDetails"
  private[build] val SampleRateHint = "lance.ivf.sample_rate"
  private[build] val MaxItersHint = "lance.ivf.max_iters"

  /** Number of lists of vectors that are read together. */
  private val batchLists = 256

  /** Preferred dimension of a sub-vector. */
  private val subDimension = 8

  /** Returns the definition of a new index.
    *
    * @throws InvalidRequestException if the column does not exist, or a parameter is invalid for it
    * @throws UnsupportedFeatureException if the kind does not support the type of the column
    */
  def create(
      table: LanceTable,
      name: String,
      path: FieldPath,
      parameters: VectorParameters
  ): VectorDefinition = {
    val place: Place = Place(path = Some(table.path), column = Some(path.names.mkString(".")))
    val way = path.find(table.schema)
    val column: VectorColumn = VectorColumn.of(way).getOrElse(
      throw new UnsupportedFeatureException(
        s"an ${parameters.kind.name} index on a column of type ${LogicalType.text(way.last.logicalType)}; " +
          "vectors are fixed-size lists of numbers",
        place
      )
    )
    val index = VectorDefinition(name, column, parameters, rowColumnOf(table))
    check(index, place)
    index
  }

  /** Returns the definition of an index of the table, for additional segments or to train it again.
    */
  def of(table: LanceTable, index: VectorIndex): VectorDefinition = {
    val (segment, open) = index.segments.maxBy { case (s, _) =>
      (s.datasetVersion, s.createdAtMillis)
    }
    val details = VectorDetails.parsed(segment)
    def hint(name: String): Option[Int] =
      details.flatMap(d => Option(d.getRuntimeHintsMap.get(name))).flatMap(Parse.int).filter(_ > 0)
    val target = details.map(_.getTargetPartitionSize).filter(n => n > 0 && n <= Int.MaxValue)
    val (numSubVectors, numBits) = open.quantizer match {
      case pq: ProductQuantizer => (Some(pq.numSubVectors), pq.numBits)
      case rq: RabitQuantizer => (None, rq.numBits)
      case _: ScalarQuantizer => (None, 8)
      case _ => (None, 0)
    }
    val graph = details.filter(_.hasHnswIndexConfig).map(_.getHnswIndexConfig).map { g =>
      GraphParameters(g.getMaxConnections, g.getConstructionEf, math.max(1, g.getMaxLevel))
    }
    VectorDefinition(
      index.name,
      index.column,
      VectorParameters(
        VectorParameters.kindOf(index.kind),
        Some(index.metric),
        Optional.unless(target.isDefined)(open.numPartitions),
        target.map(_.toInt),
        hint(SampleRateHint).getOrElse(VectorParameters.defaultSampleRate),
        hint(MaxItersHint).getOrElse(VectorParameters.defaultMaxIterations),
        numSubVectors,
        numBits,
        Optional.when(open.hasGraphs)(graph.getOrElse(GraphParameters.default))
      ),
      rowColumnOf(table)
    )
  }

  private def rowColumnOf(table: LanceTable): MetadataColumn =
    if (table.hasStableRowIds) MetadataColumn.RowId else MetadataColumn.RowAddr

  private def check(index: VectorDefinition, place: Place): Unit = {
    val kind = index.parameters.kind
    val of = index.elementType
    def invalid(problem: String): Nothing =
      throw new InvalidRequestException(s"an ${kind.name} index $problem", place)
    if (index.way.init.exists(f => f.isPacked || f.isBlob))
      throw new UnsupportedFeatureException("an index on a field of a packed struct", place)
    of match {
      case ElementType.Float16 | ElementType.Float32 | ElementType.Float64 =>
        if (index.metric == Metric.Hamming)
          invalid(
            s"of vectors of $of has the metric hamming, which compares bits, of uint8 vectors"
          )
      case ElementType.UInt8 =>
        if (index.metric != Metric.Hamming || kind.quantizer != "FLAT")
          invalid(
            s"of vectors of uint8 with the metric ${index.metric}: use IVF_FLAT or IVF_HNSW_FLAT with hamming"
          )
      case _ =>
        throw new UnsupportedFeatureException(
          s"an ${kind.name} index of vectors of $of; supported are float16, float32, float64, and uint8",
          place
        )
    }
    if (index.column.isMulti && index.metric != Metric.Cosine)
      invalid(s"of lists of vectors has the metric ${index.metric}, expected cosine")
    if (kind.quantizer == "RQ" && index.dimension % 8 != 0)
      invalid(s"of vectors of ${index.dimension} dimensions, expected a multiple of 8")
    if (kind.quantizer == "PQ") {
      val n = index.numSubVectors
      if (index.dimension % n != 0)
        invalid(
          s"has num_sub_vectors $n, but the dimension ${index.dimension} is not divisible by it"
        )
      if (index.parameters.numBits == 4 && n % 2 != 0)
        invalid(s"of 4-bit codes has num_sub_vectors $n, expected an even number")
    }
  }

  /** Returns the default number of sub-vectors, whose dimension is the divisor nearest to 8. */
  private def subVectorsOf(dimension: Int, numBits: Int): Int = {
    val counts = (1 to dimension).filter(n => dimension % n == 0 && (numBits == 8 || n % 2 == 0))
    if (counts.isEmpty) 1
    else counts.minBy(n => (math.abs(dimension / n - subDimension), dimension / n))
  }
}
