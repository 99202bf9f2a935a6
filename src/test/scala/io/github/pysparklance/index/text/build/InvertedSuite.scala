// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.build

import java.nio.charset.StandardCharsets.UTF_8

import scala.collection.mutable

import org.scalacheck.Gen
import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core._
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.index.proto.InvertedIndexDetails
import io.github.pysparklance.index.spi._
import io.github.pysparklance.index.text.analysis.Analyzer
import io.github.pysparklance.index.text.search.{Bm25, TextStatistics}
import io.github.pysparklance.index.text.segment._
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.storage.spi.TablePath
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.testkit.{MemoryFiles, PropertyChecks, TextFixtures}

/** Built and merged segments contain the terms of their rows. */
class InvertedSuite extends AnyFunSuite with PropertyChecks {
  import InvertedSuite._

  private val word = Gen.frequency(
    5 -> Gen.oneOf("fox", "Foxes", "running", "the", "café", "x" * 50, "ß"),
    2 -> Gen.choose(0, 500).map(i => s"w$i"),
    1 -> Gen.listOf(Gen.oneOf("ab", "中", "1", "_", "Σ")).map(_.mkString)
  )

  private val text =
    Gen.choose(0, 12).flatMap(Gen.listOfN(_, word)).map(_.mkString(" "))

  private val rows: Gen[IndexedSeq[TextRow]] = for {
    n <- Gen.frequency(3 -> Gen.choose(0, 40), 1 -> Gen.choose(250, 700))
    all <- Gen.listOfN(n, Gen.zip(Gen.option(text), Gen.frequency(5 -> true, 1 -> false)))
    perFragment <- Gen.choose(1, 300)
  } yield all.toIndexedSeq.zipWithIndex.map { case ((value, isLive), i) =>
    TextRow(value, (i / perFragment).toLong * 3 << 32 | i % perFragment, isLive)
  }

  for {
    version <- Seq("1", "2", "3")
    blockSize <- Seq("128", "256") if version == "3" || blockSize == "128"
    withPosition <- Seq("false", "true")
    fileVersion <- Seq(FileVersion.V2_0, FileVersion.V2_2)
  } test(
    s"format $version, blocks of $blockSize, positions: $withPosition, files of version ${fileVersion.text}"
  ) {
    val values = Map(
      "format_version" -> version,
      "block_size" -> blockSize,
      "with_position" -> withPosition,
      "remove_stop_words" -> "false"
    )
    val folder = new TextFolder(fileVersion)
    forAll(rows, rows, Gen.oneOf(1L << 10, 1L << 30), minSuccessful(8)) { (some, more, maxBytes) =>
      val moved = more.map(r => r.copy(id = r.id + (1L << 40)))
      val first = folder.build(some, values, maxBytes)
      check(first, some, values)
      val second = folder.build(moved, values, maxBytes)
      val merged = folder.merge(Seq(first, second).map(SegmentSource(_, RowTransfer.All)), values)
      check(merged, some ++ moved, values)
      assert(TextSegment.open(merged).partitions.length <= 1)
      val fragment = some.headOption.fold(0L)(_.id >>> 32)
      val kept = folder.merge(Seq(SegmentSource(merged, WithoutFragment(fragment))), values)
      check(kept, (some ++ moved).filter(_.id >>> 32 != fragment), values)
    }
  }

  private def check(
      files: IndexFiles,
      rows: IndexedSeq[TextRow],
      values: Map[String, String]
  ): Assertion = {
    val segment = TextSegment.open(files)
    val expected = terms(rows, values)
    val found = IndexTerms.of(files)
    assert(found.keySet == expected.keySet)
    expected.foreach { case (row, its) => assert(found(row).sorted == its.sorted) }
    assert(segment.numDocs == expected.size)
    assert(segment.totalTokens == expected.valuesIterator.map(_.length.toLong).sum)
    assert(segment.parameters == parameters(values).analyzer)
    assert(Inverted.parametersOf(files).filter { case (k, _) => values.contains(k) } == values)
    segment.partitions.foreach(checkBounds(files, _))
    succeed
  }

  /** No document has a higher score than the impacts of its block. */
  private def checkBounds(files: IndexFiles, partition: TextPartition): Unit = {
    val docs = partition.documents(files)
    val bm25 = new Bm25(TextStatistics(docs.numDocs.toLong, partition.totalTokens, Map.empty))
    val block = new PostingBlock
    partition.postings(files, 0 until partition.tokens.numTokens, false).foreach { list =>
      (0 until list.numBlocks).foreach { b =>
        list.read(b, block)
        val highest = list.impacts.get.bounds(bm25).ofBlock(b, bm25)
        val ofGroup = list.impacts.get.bounds(bm25).ofGroup(b / 32, list.numBlocks, bm25)
        (0 until block.size).foreach { i =>
          val score = Bm25.factor(block.frequencies(i), bm25.norm(docs.lengths(block.docs(i))))
          assert(highest >= score && ofGroup >= highest)
        }
      }
    }
  }

  test("posting lists with any gaps and frequencies") {
    val format = Gen.oneOf(
      SegmentFormat(1, 128, hasPositions = false),
      SegmentFormat(2, 128, hasPositions = false),
      SegmentFormat(3, 256, hasPositions = false)
    )
    val list = for {
      every <- Gen.choose(1, 50)
      most <- Gen.oneOf(1, 3, 1 << 10, 1 << 28)
      seed <- Gen.choose(0, Int.MaxValue)
    } yield {
      val random = new scala.util.Random(seed)
      (0 until numDocs).filter(_ => random.nextInt(every) == 0).map { doc =>
        doc -> (1 + (if (random.nextInt(20) == 0) random.nextInt(most) else random.nextInt(3)))
      }
    }
    forAll(format, Gen.listOfN(3, list), minSuccessful(25)) { (format, lists) =>
      val kept = lists.filter(_.nonEmpty)
      val files = new TextFolder(FileVersion.V2_2).write { into =>
        val lengths = Array.tabulate(numDocs)(i => 1 + i % 700)
        val writer =
          new PartitionWriter(
            into,
            7,
            format,
            new Documents(Array.tabulate(numDocs)(_ * 2L), lengths)
          )
        kept.zipWithIndex.foreach { case (list, i) =>
          val term = new TermDocs
          list.foreach { case (doc, frequency) =>
            term.docs.append(doc)
            term.frequencies.append(frequency)
          }
          writer.add(s"t$i".getBytes(UTF_8), term)
        }
        writer.finish()
        SegmentWriter.write(into, format, "{}", Seq(7L))
      }
      val partition = TextSegment.open(files).partitions.head
      val block = new PostingBlock
      kept.indices.foreach { i =>
        val stored = partition.postings(files, IndexedSeq(i), withPositions = false).head
        val found = (0 until stored.numBlocks).flatMap { b =>
          stored.read(b, block)
          (0 until block.size).map(k => block.docs(k) -> block.frequencies(k))
        }
        assert(found == kept(i))
      }
      assert(partition.numDocsOfTokens(files).toSeq == kept.map(_.length))
    }
  }

  test("many positions in a document") {
    Seq("1", "2").foreach { version =>
      val values = Map("format_version" -> version, "with_position" -> "true", "stem" -> "false")
      val texts = Seq(127, 128, 129, 256, 1000).map(n => ("a " * n + "b ") * 2)
      val all = texts.zipWithIndex.map { case (t, i) => TextRow(Some(t), i.toLong, isLive = true) }
      check(
        new TextFolder(FileVersion.V2_1).build(all.toIndexedSeq, values, 1L << 30),
        all.toIndexedSeq,
        values
      )
    }
  }

  private val list = Field(
    3,
    "l",
    LogicalType.List(large = false, ofStruct = false),
    nullable = true,
    IndexedSeq(Field(4, "item", LogicalType.Utf8(large = true), nullable = true))
  )

  private def lists: IndexBatch = {
    val lists =
      Seq(Some(Seq(Some("red fox"), None, Some("fox"))), None, Some(Nil), Some(Seq(Some("hen"))))
    val (items, offsets, validity) = (new BinaryValues, new IntValues, new Validity)
    val ofItems = new Validity
    offsets.append(0)
    lists.foreach { list =>
      list.toSeq.flatten.foreach { item =>
        val bytes = item.getOrElse("").getBytes(UTF_8)
        items.append(bytes, 0, bytes.length)
        ofItems.append(item.isDefined)
      }
      offsets.append(items.numItems)
      validity.append(list.isDefined)
    }
    val column = ListColumn(lists.length, offsets.array, LeafColumn(items, ofItems), validity)
    new IndexBatch(column, 0, Array(10L, 11L, 12L, 13L), null, 4)
  }

  test("a list of strings is one document") {
    val folder = new TextFolder(FileVersion.V2_2)
    val values = Map("with_position" -> "true")
    val files = folder.write(write(list, Seq(lists), values, 1L << 30, _))
    assert(IndexTerms.of(files).map { case (row, terms) => row -> terms.sortBy(_._2) } == Map(
      10L -> Seq("red" -> 0, "fox" -> 1, "fox" -> 2),
      13L -> Seq("hen" -> 0)
    ))
  }

  test("list elements are documents, also without words") {
    val folder = new TextFolder(FileVersion.V2_2)
    val values = Map("document_granularity" -> "list_element")
    val elements = folder.write(write(list, Seq(lists), values, 1L << 30, _))
    val sources = Seq.fill(2)(SegmentSource(elements, RowTransfer.All))
    val merged = folder.merge(sources.take(1), values)
    val twice = folder.merge(sources, values)
    Seq(elements -> 1, merged -> 1, twice -> 2).foreach { case (files, times) =>
      val segment = TextSegment.open(files)
      assert(segment.parameters.hasElements && segment.numDocs == 4 * times)
      val docs = segment.partitions.head.documents(files)
      assert(docs.rows.toSeq == Seq.fill(times)(Seq(10L, 10L, 10L, 13L)).flatten)
      assert(docs.elements.toSeq == Seq.fill(times)(Seq(0, 1, 2, 0)).flatten)
      assert(docs.lengths.toSeq == Seq.fill(times)(Seq(2, 0, 1, 1)).flatten)
      assert(!docs.hasRepeatedRows)
    }
    val none = TextSegment.open(folder.merge(Nil, values))
    assert(none.parameters.hasElements && none.numDocs == 0)
    val its = parameters(values)
    assert(Inverted.versionOf(hasAddresses = false, parsed(values)) == 3 && its.format.version == 2)
    assert(Inverted.isKnown(its.details, IndexedSeq(list)))
    assert(!Inverted.isKnown(its.details, IndexedSeq(field)))
    Inverted.checkField(list, parsed(values))
    intercept[InvalidRequestException](Inverted.checkField(field, parsed(values)))
  }

  test("the manifest and the partitions have the same documents") {
    val folder = new TextFolder(FileVersion.V2_2)
    val values = Map("document_granularity" -> "list_element")
    Seq(true, false).foreach { hasElements =>
      val details = parameters(if (hasElements) Map.empty else values).details
      val files = folder.write(
        write(list, Seq(lists), if (hasElements) values else Map.empty, 1L << 30, _),
        details
      )
      intercept[CorruptFileException](TextSegment.open(files))
    }
  }

  test("details of unknown documents are not used") {
    val message = InvertedIndexDetails.parseFrom(parameters(Map.empty).details)
    val unknown = message.toBuilder.setDocumentGranularityValue(7).build().toByteArray
    val details = TextDetails.parse(unknown)
    assert(details.granularity.isEmpty && details.analyzer.isEmpty)
    assert(!Inverted.isKnown(unknown, IndexedSeq(list)))
  }

  test("details have the analyzer without custom stop words") {
    Seq(
      Map("base_tokenizer" -> "ngram", "min_ngram_length" -> "2", "prefix_only" -> "true"),
      Map("analyzer" -> "code", "split_identifiers" -> "true", "split_on_numerics" -> "false"),
      Map("language" -> "german", "stem" -> "false", "max_token_length" -> "none"),
      Map("document_granularity" -> "list_element", "ascii_folding" -> "false")
    ).foreach { values =>
      val its = parameters(values)
      assert(TextDetails.parse(its.details).analyzer.contains(its.analyzer))
    }
    assert(TextDetails.parse(Array.emptyByteArray).analyzer.isEmpty)
  }

  // Early releases describe their indices otherwise.
  TextFixtures.kept.filterNot(_.name.startsWith("old/")).foreach { c =>
    test(s"a merge of ${c.name}") {
      val table = LanceTable.open(Storage.local, c.path.toString)
      val segments = table.indices.filter(_.detailsType.endsWith("InvertedIndexDetails"))
      assert(segments.nonEmpty)
      segments.foreach { s =>
        assert(Inverted.isKnown(s.details, table.schema.ways.find(_.last.id == s.fields.head).get))
        val files =
          new IndexFiles(table.store, table.indexFolder(s), s.details, s.indexVersion, s.fileSizes)
        val values = Inverted.parametersOf(files)
        assert(parameters(values).analyzer == TextSegment.open(files).parameters)
        val merged = new TextFolder(FileVersion.V2_2)
          .merge(Seq(SegmentSource(files, RowTransfer.All)), values)
        val before = IndexTerms.of(files)
        val after = IndexTerms.of(merged)
        assert(after.keySet == before.keySet && before.nonEmpty)
        before.foreach { case (row, terms) => assert(after(row).sorted == terms.sorted) }
        assert(Inverted.parametersOf(merged) == values)
      }
    }
  }

  test("the details message contains all parameters") {
    val values =
      Map("base_tokenizer" -> "code", "split_identifiers" -> "true", "language" -> "german")
    val its = parameters(values)
    assert(Inverted.isKnown(
      its.details,
      IndexedSeq(field)
    ) && its.format.version == 3 && !its.analyzer.stem)
    assert(!Inverted.isKnown(Array.emptyByteArray, IndexedSeq(field)) && !Inverted.isKnown(
      Array[Byte](9, 9),
      IndexedSeq(field)
    ))
    assert(parameters(Map("max_token_length" -> "none")).analyzer.maxTokenLength.isEmpty)
    assert(parameters(Map("custom_stop_words" -> "a, b")).analyzer.customStopWords.get == Seq(
      "a",
      "b"
    ))
    assert(parameters(
      Map("custom_stop_words" -> """["a,b"]""")
    ).analyzer.customStopWords.get == Seq("a,b"))
    assert(!parameters(Map("base_tokenizer" -> "ngram")).analyzer.stem)
    assert(parameters(Map("format_version" -> "v3")).format == SegmentFormat(
      3,
      128,
      hasPositions = false
    ))
  }

  test("the type of the column selects the kind of documents") {
    val json = Field(3, "j", LogicalType.Json, nullable = true)
    def kind(of: Field, values: Map[String, String]): String =
      Inverted.parametersOn(of, parsed(values)).text("lance_tokenizer")
    val (asText, asJson) =
      (Map("lance_tokenizer" -> "text"), Map("lance_tokenizer" -> "json"))
    assert(kind(field, Map.empty) == "text" && kind(json, Map.empty) == "json")
    assert(kind(json, asText) == "text" && kind(json, asJson) == "json")
    val error = intercept[UnsupportedFeatureException](kind(field, asJson))
    assert(error.getMessage.contains("lance_tokenizer = 'json' on a column of type string"))
    assert(Inverted.supports(json))
    val marked = Map("ARROW:extension:name" -> "arrow.json")
    assert(!Inverted.supports(field.copy(metadata = marked)))
  }

  Seq(
    Map("base_tokenizer" -> "jieba/default") -> "base_tokenizer",
    Map("lance_tokenizer" -> "xml") -> "text, json",
    Map("language" -> "Klingon") -> "Klingon",
    Map("with_position" -> "maybe") -> "with_position",
    Map("max_token_length" -> "0") -> "max_token_length",
    Map("custom_stop_words" -> "[1]") -> "custom_stop_words",
    Map("base_tokenizer" -> "ngram", "min_ngram_length" -> "4") -> "max_ngram_length",
    Map("block_size" -> "64") -> "block_size",
    Map("block_size" -> "256", "format_version" -> "2") -> "needs 3",
    Map("analyzer" -> "code", "format_version" -> "1") -> "needs 3",
    Map("analyzer" -> "text", "base_tokenizer" -> "code") -> "analyzer = 'text'",
    Map("index_operators" -> "true") -> "index_operators",
    Map("document_granularity" -> "word") -> "document_granularity",
    Map("memory_limit" -> "-1") -> "memory_limit"
  ).foreach { case (values, word) =>
    test(s"parameters are checked: ${values.mkString(", ")}") {
      assert(intercept[LanceException](parameters(values)).getMessage.contains(word))
    }
  }
}

private object InvertedSuite {
  private val numDocs = 5000

  private val field = Field(2, "t", LogicalType.Utf8(large = false), nullable = true)

  final case class TextRow(text: Option[String], id: Long, isLive: Boolean)

  final case class WithoutFragment(fragment: Long) extends RowTransfer {
    def apply(row: Long): Long = if (row >>> 32 == fragment) RowTransfer.none else row
    def keepsFragment(fragmentId: Long): Boolean = fragmentId != fragment
  }

  def parsed(values: Map[String, String]): IndexParameters =
    IndexParameters.of(Inverted.name, Inverted.parameters, values)

  def parameters(values: Map[String, String]): TextParameters =
    TextParameters.checked(parsed(values))

  /** The terms of the live rows that have any. */
  def terms(
      rows: Seq[TextRow],
      values: Map[String, String]
  ): Map[Long, IndexedSeq[(String, Int)]] = {
    val its = parameters(values)
    val analyzer = new Analyzer(its.analyzer)
    rows.filter(_.isLive).flatMap(r => r.text.map(r.id -> _)).map { case (id, text) =>
      val found = mutable.ArrayBuffer.empty[(String, Int)]
      analyzer(text) { (term, position) =>
        found += term -> (if (its.format.hasPositions) position else -1)
      }
      id -> found.toIndexedSeq
    }.filter(_._2.nonEmpty).toMap
  }

  def batch(rows: Seq[TextRow]): IndexBatch = {
    val (values, validity) = (new BinaryValues, new Validity)
    rows.foreach { r =>
      val bytes = r.text.getOrElse("").getBytes(UTF_8)
      values.append(bytes, 0, bytes.length)
      validity.append(r.text.isDefined)
    }
    val live = rows.indices.filter(rows(_).isLive).toArray
    new IndexBatch(LeafColumn(values, validity), 0, rows.map(_.id).toArray, live, live.length)
  }

  def write(
      field: Field,
      batches: Seq[IndexBatch],
      values: Map[String, String],
      maxBytes: Long,
      into: NewSegment
  ): Unit = {
    val builder = Inverted.partitions(field, parsed(values), 5, maxBytes, into)
    batches.foreach(builder.add)
    Inverted.finish(parsed(values), builder.finish(), into)
  }

  /** Writes segments in memory. */
  final class TextFolder(version: FileVersion) {
    private val store = new MemoryFiles
    private var count = 0

    /** @param details details in the manifest; empty for an uncommitted segment */
    def write(f: NewSegment => Unit, details: Array[Byte] = Array.emptyByteArray): IndexFiles = {
      count += 1
      val into = new NewSegment(store, TablePath(s"/i$count"), version)
      f(into)
      new IndexFiles(
        store,
        into.folder,
        details,
        0,
        into.files.map(f => f.name -> f.sizeBytes).toMap
      )
    }

    def build(
        rows: IndexedSeq[TextRow],
        values: Map[String, String],
        maxBytes: Long
    ): IndexFiles =
      write(InvertedSuite.write(field, rows.grouped(50).map(batch).toSeq, values, maxBytes, _))

    def merge(sources: Seq[SegmentSource], values: Map[String, String]): IndexFiles =
      write(Inverted.merge(sources, field, parsed(values), _))
  }
}
