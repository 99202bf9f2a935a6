// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.build

import scala.util.Random

import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core._
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.index.spi._
import io.github.pysparklance.index.vector.VectorColumn
import io.github.pysparklance.index.vector.distance.{ElementType, Metric, VectorBatch}
import io.github.pysparklance.index.vector.quantizer.VectorRows
import io.github.pysparklance.index.vector.search._
import io.github.pysparklance.index.vector.segment._
import io.github.pysparklance.storage.spi.TablePath
import io.github.pysparklance.table.scan.MetadataColumn
import io.github.pysparklance.testkit.{MemoryFiles, TestRun}

/** Segments that tasks build at once, in ranges, or by a merge return the nearest rows.
  */
class VectorTasksSuite extends AnyFunSuite {
  import VectorTasksSuite._

  private val floats = Seq(ElementType.Float16, ElementType.Float32, ElementType.Float64)

  private val cases = for {
    kind <- VectorKind.all
    element <- floats :+ ElementType.UInt8
    metric <- Metric.all
    if (element == ElementType.UInt8) == (metric == Metric.Hamming)
    if element != ElementType.UInt8 || kind.quantizer == "FLAT"
    bits <- kind.quantizer match {
      case "PQ" => Seq(8, 4)
      case "RQ" => Seq(1, 3, 5, 9)
      case _ => Seq(0)
    }
  } yield (kind, element, metric, bits)

  cases.foreach { case (kind, element, metric, bits) =>
    test(s"${kind.name} of $element by $metric${if (bits > 0) s", $bits bits" else ""}") {
      val r = new Random(TestRun.seed)
      val data = new Data(r, element, numRows = 700)
      val values = if (bits > 0) Map("num_bits" -> bits.toString) else Map.empty[String, String]
      val index = definition(kind, element, metric, values ++ small(kind))
      val folder = new Folder
      val trained = ModelTraining.train(index, data.sample(index, 0 until 700), 5, 1)
      assert(trained.weights.sum == data.finite.size)
      val all = folder.build(index, trained.model, data, 0 until 700, 1)
      check(all, index, data.finite, data)
      val ranged = folder.build(index, trained.model, data, 0 until 700, 3)
      check(ranged, index, data.finite, data)
      // parts of the rows, merged without a third of them
      val parts =
        Seq(0 until 300, 300 until 700).map(folder.build(index, trained.model, data, _, 2))
      val kept = data.finite.filterNot(_ % 3 == 1)
      val moved = new RowTransfer {
        def apply(row: Long): Long = if (row % 3 == 1) RowTransfer.none else row
        def keepsFragment(fragmentId: Long): Boolean = false
      }
      val merged = folder.write(
        VectorTasks.write(
          trained.model,
          0 until trained.model.numPartitions,
          Iterator.empty,
          parts.map(SegmentSource(_, moved)),
          _
        )
      )
      check(merged, index, kept, data)
      val stored = StoredSegment.open(merged, element).get
      assert(stored.model.isSame(trained.model) && stored.numVectors == kept.size)
      assert(stored.model.graph == trained.model.graph)
    }
  }

  test("an index over equal vectors, and empty partitions") {
    for (kind <- VectorKind.all) {
      val r = new Random(1)
      val data = new Data(r, ElementType.Float32, 40, constant = Some(2.5f))
      val index = definition(kind, ElementType.Float32, Metric.L2, small(kind))
      val trained = ModelTraining.train(index, data.sample(index, 0 until 40), 7, 2)
      val built = new Folder().build(index, trained.model, data, 0 until 40, 4)
      val segment = VectorSegment.open(built)
      assert(segment.numPartitions == 7 && segment.numVectors == 40)
      val found = search(segment, built, Array.fill(dimension)(2.5), 10)
      assert(found.numRows == 10 && found.distances.forall(d => math.abs(d) < 1e-3))
    }
  }

  test("a training without vectors fails") {
    val index = definition(VectorKind.all.head, ElementType.Float32, Metric.L2, Map.empty)
    val none = new VectorSample(dimension, Array.empty, Array.empty)
    val e = intercept[InvalidRequestException](ModelTraining.train(index, none, 3, 1))
    assert(e.getMessage.contains("no vectors"))
  }

  test("each partition is in one range") {
    val r = new Random(TestRun.seed)
    for (_ <- 0 until 300) {
      val weights = IndexedSeq.fill(1 + r.nextInt(30))(r.nextInt(4).toLong * r.nextInt(100))
      val ranges = PartitionRanges.cut(weights, 1 + r.nextInt(10))
      assert((0 until ranges.numRanges).flatMap(ranges.partitions(_)) == weights.indices)
      assert((0 until ranges.numRanges).forall(ranges.partitions(_).nonEmpty))
    }
  }

  test("the vectors of a partition fit into an array") {
    def of(values: (String, String)*): VectorParameters =
      VectorParameters.of(VectorKind.find("ivf_hnsw_flat").get, values.toMap)
    assert(of().partitionsOf(1 << 20, 4 * 96) == 1)
    assert(of().partitionsOf(1 << 20, 4 * 768) == 6)
    val e = intercept[InvalidRequestException](
      of("num_partitions" -> "1").partitionsOf(1 << 20, 4 * 768)
    )
    assert(e.getMessage.contains("set num_partitions to at least 7"))
  }

  test("a sample contains every n-th vector") {
    val rows = new VectorRows(ElementType.Float32, 2, Metric.L2, 100)
    for (number <- Seq(0, 3, 10, 19, 20, 21, 100, 1000)) {
      val thinning = new VectorSample.Thinning(2, 10)
      var next = 0
      while (next < number) {
        rows.clear()
        val values = new IntValues
        val n = math.min(7, number - next)
        (0 until 2 * n).foreach(i => values.append(java.lang.Float.floatToIntBits(2f * next + i)))
        val batch = VectorBatch(FixedSizeListColumn(n, 2, LeafColumn(values, null), null), Nil, 2)
        (0 until n).foreach(i => rows.add(batch, i, i.toLong))
        thinning.add(rows)
        next += n
      }
      val found = thinning.result()
      assert(found.numVectors == math.min(number, 10))
      val vectors = found.floats.grouped(2).toSeq
      assert(vectors.forall(v => v(1) == v(0) + 1))
      val steps = vectors.map(_(0)).sliding(2).collect { case Seq(a, b) => b - a }.toSeq
      assert(steps.forall(_ > 0) && (steps.isEmpty || steps.max <= 3 * steps.min))
    }
  }

  test("parameters are checked") {
    def of(name: String, values: (String, String)*): VectorParameters =
      VectorParameters.of(VectorKind.find(name).get, values.toMap)
    assert(of("ivf_rq").numBits == 5 && of("ivf_pq").numBits == 8)
    assert(of("ivf_sq").partitionsOf(100000, 32) == 12 && of("ivf_flat").partitionsOf(100, 32) == 1)
    assert(of("ivf_flat").partitionsOf(1L << 40, 1) == 4096)
    assert(of("ivf_flat", "target_partition_size" -> "10").partitionsOf(95, 32) == 9)
    for (
      (kind, name, value) <- Seq(
        ("ivf_rq", "num_bits", "10"),
        ("ivf_pq", "num_bits", "5"),
        ("ivf_sq", "num_bits", "4"),
        ("ivf_flat", "num_partitions", "0"),
        ("ivf_flat", "num_partitions", "many"),
        ("ivf_flat", "metric", "manhattan"),
        ("ivf_hnsw_sq", "m", "3"),
        ("ivf_hnsw_sq", "ef_construction", "10")
      )
    ) {
      val e = intercept[InvalidRequestException](of(kind, name -> value))
      assert(e.getMessage.contains(value), e.getMessage)
    }
  }

  private def check(
      files: IndexFiles,
      index: VectorDefinition,
      rows: IndexedSeq[Int],
      data: Data
  ): Assertion = {
    val segment = VectorSegment.open(files)
    assert(segment.kind == index.parameters.kind.name && segment.metric == index.metric)
    assert(segment.numVectors == rows.size)
    val kind = index.parameters.kind.quantizer
    val recalls = (0 until 8).map { q =>
      val query = data.query(q)
      val exact = rows.map(row => data.distance(index.metric, query, row) -> row.toLong).sorted
      val found = search(segment, files, query, 10)
      assert(found.rows.distinct.length == found.numRows && found.numRows == math.min(
        10,
        rows.size
      ))
      assert(found.rows.forall(row => rows.contains(row.toInt)))
      if (kind == "FLAT" || kind == "SQ") {
        val scale = segment.quantizer.scale
        found.rows.indices.foreach { i =>
          val true_ = data.distance(index.metric, query, found.rows(i).toInt)
          val tolerance = if (kind == "FLAT") 2e-3 else 0.12
          assert(math.abs(
            scale.toMetric(found.distances(i)) - true_
          ) <= tolerance * (1 + math.abs(true_)))
        }
      }
      val limit = exact(math.min(9, exact.length - 1))._1
      found.rows.count(row =>
        data.distance(
          index.metric,
          query,
          row.toInt
        ) <= limit * (1 + 1e-3 * math.signum(limit)) + 1e-6
      ) / 10.0
    }
    val least = (kind, index.parameters.numBits) match {
      case ("FLAT", _) => if (index.parameters.kind.hasGraphs) 0.9 else 0.99
      case ("SQ", _) => 0.8
      case ("RQ", 1) => 0.3
      case ("RQ", 3) => 0.7
      case ("RQ", _) => 0.85
      case (_, 4) => 0.3
      case _ => 0.6
    }
    val recall = recalls.sum / recalls.length
    assert(recall >= least, s"recall $recall")
  }
}

object VectorTasksSuite {
  private val dimension = 16

  private def small(kind: VectorKind): Map[String, String] =
    (if (kind.hasGraphs) Map("m" -> "8", "ef_construction" -> "40")
     else Map.empty[String, String]) ++
      (if (kind.quantizer == "PQ") Map("num_sub_vectors" -> "8") else Map.empty[String, String])

  private def definition(
      kind: VectorKind,
      element: ElementType,
      metric: Metric,
      values: Map[String, String]
  ): VectorDefinition = {
    val item = element match {
      case ElementType.Float16 => LogicalType.HalfFloat
      case ElementType.Float64 => LogicalType.Double
      case ElementType.UInt8 => LogicalType.Integer(8, signed = false)
      case _ => LogicalType.Float
    }
    val field =
      Field(7, "v", LogicalType.FixedSizeList(item, dimension), nullable = true)
    VectorDefinition(
      "i",
      VectorColumn(IndexedSeq(field), element, dimension, isMulti = false),
      VectorParameters.of(kind, values + ("metric" -> metric.name)),
      MetadataColumn.RowAddr
    )
  }

  private def search(
      segment: VectorSegment,
      files: IndexFiles,
      query: Array[Double],
      k: Int
  ): FoundRows = {
    val element = if (segment.metric == Metric.Hamming) ElementType.UInt8 else ElementType.Float32
    val all = VectorQuery(k, nprobes = Some(segment.numPartitions), ef = Some(100))
    val top = new TopRows(k)
    val run = new SegmentSearch(
      segment,
      QueryVector.of(element, query),
      all,
      RowMask.All,
      new SearchStatistics
    )
    (0 until run.maxProbes).foreach { rank =>
      val number = run.partition(rank)
      val partition = segment.load(files, IndexedSeq(number)).head
      run.probe(number, run.distance(rank), partition, partition.rows, top)
    }
    top.result()
  }

  /** Rows with vectors around some centers; a few are null or not finite. */
  final private class Data(
      r: Random,
      element: ElementType,
      numRows: Int,
      constant: Option[Float] = None
  ) {
    private val centers = Array.fill(12, dimension)(r.nextGaussian() * 2)
    private val values: Array[Array[Double]] = Array.tabulate(numRows)(i => vector(i % 12))
    private val isOdd = Array.tabulate(numRows)(i => constant.isEmpty && i % 50 == 7)

    private def vector(center: Int): Array[Double] = element match {
      case ElementType.UInt8 =>
        centers(center).map(c =>
          (c.hashCode() & 0xff ^ (if (r.nextInt(3) == 0) 1 << r.nextInt(8) else 0)).toDouble
        )
      case _ =>
        centers(center).map { c =>
          val v = constant.fold(c + r.nextGaussian())(_.toDouble)
          QueryVector.rounded(element, v)
        }
    }

    def query(number: Int): Array[Double] = vector(number % 12)

    /** Rows that an index has. */
    val finite: IndexedSeq[Int] =
      (0 until numRows).filterNot(i => isOdd(i) && !(element == ElementType.UInt8 && i % 100 != 7))

    private val batch: VectorBatch = {
      val items = Values.allocate(FixedWidth(element.numBytes * 8))
      val validity = Validity.of((0 until numRows).map(i => !(isOdd(i) && i % 100 == 7)): _*)
      (0 until numRows).foreach { i =>
        val isNull = !validity.isValid(i)
        val its = if (isOdd(i) && !isNull && element != ElementType.UInt8)
          values(i).updated(3, if (i % 200 == 57) Double.NaN else Double.PositiveInfinity)
        else values(i)
        its.foreach { v =>
          items match {
            case a: IntValues => a.append(java.lang.Float.floatToRawIntBits(v.toFloat))
            case a: LongValues => a.append(java.lang.Double.doubleToRawLongBits(v))
            case a: ShortValues => a.append(Half.fromFloat(v.toFloat))
            case a: ByteValues => a.append(v.toInt.toByte)
            case other => throw new IllegalStateException(other.getClass.getName)
          }
        }
      }
      val lists = new FixedSizeListValues(dimension, items)
      lists.extend(numRows)
      VectorBatch(LeafColumn(lists, validity), Nil, dimension)
    }

    def rows(index: VectorDefinition, of: Seq[Int]): VectorRows = {
      val found = new VectorRows(element, dimension, index.metric, math.max(1, of.length))
      of.foreach(i => found.add(batch, i, i.toLong))
      found
    }

    def sample(index: VectorDefinition, of: Range): VectorSample = {
      val its = rows(index, of)
      val n = its.numRows * dimension
      new VectorSample(dimension, its.floats.take(n), its.bytes.take(n))
    }

    def distance(metric: Metric, query: Array[Double], row: Int): Double = {
      val v = values(row)
      val dot = query.indices.map(i => query(i) * v(i)).sum
      metric match {
        case Metric.L2 => query.indices.map(i => math.pow(query(i) - v(i), 2)).sum
        case Metric.Dot => 1 - dot
        case Metric.Cosine =>
          1 - dot / math.sqrt(query.map(x => x * x).sum * v.map(x => x * x).sum)
        case Metric.Hamming =>
          query.indices.map(i => Integer.bitCount(query(i).toInt ^ v(i).toInt)).sum.toDouble
      }
    }
  }

  final private class Folder {
    private val store = new MemoryFiles
    private var count = 0

    def write(f: NewSegment => Unit): IndexFiles = {
      count += 1
      val into = new NewSegment(store, TablePath(s"/i$count"), FileVersion.V2_1)
      f(into)
      into.readable
    }

    /** Builds a segment of rows in some ranges of partitions. */
    def build(
        index: VectorDefinition,
        model: SegmentModel,
        data: Data,
        rows: Range,
        numRanges: Int
    ): IndexFiles = {
      val k = model.numPartitions
      val ranges = PartitionRanges.cut(IndexedSeq.fill(k)(1L), math.min(numRanges, k))
      val blocks = rows.grouped(100).flatMap { some =>
        val buffer = new BlockBuffer(model.encoder.recordBytes, ranges)
        val its = data.rows(index, some)
        val partitions = new Array[Int](its.capacity)
        model.assign(its, partitions)
        val codes = new Array[Byte](its.capacity * model.encoder.recordBytes)
        model.encoder.encode(its, partitions, codes, 0)
        buffer.add(its.ids, partitions, codes, its.numRows)
        buffer.take()
      }.toIndexedSeq
      val parts = (0 until ranges.numRanges).map { range =>
        val its = blocks.filter(_._1 == range).map(_._2).reverse
        write(VectorTasks.write(model, ranges.partitions(range), its.iterator, Nil, _))
      }
      if (parts.length == 1) parts.head
      else write(VectorTasks.concatenate(model, ranges, parts, _))
    }
  }
}
