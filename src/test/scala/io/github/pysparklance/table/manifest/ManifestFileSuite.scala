// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.manifest

import java.io.RandomAccessFile
import java.nio.file.{Files, Path}

import scala.util.{Random, Using}

import com.google.protobuf.{Any => AnyMessage, ByteString, CodedOutputStream}
import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{
  Buffer,
  CorruptFileException,
  LanceException,
  Place,
  UnsupportedFeatureException
}
import io.github.pysparklance.file.metadata.{FieldMessages, MapEntries}
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.storage.spi.TablePath
import io.github.pysparklance.table.proto
import io.github.pysparklance.testkit.{CountingStorage, GoldenTables, TemporaryFolder, TestRun}

class ManifestFileSuite extends AnyFunSuite with TemporaryFolder {
  private def texts(key: String, value: String) = MapEntries.ofTexts(Seq(key -> value))

  private def location(file: Path) = ManifestName.parse(file.getFileName.toString) match {
    case Some(ManifestName.Version(version, scheme)) =>
      ManifestLocation(version, scheme, file.toString, Some(Files.size(file)))
    case other => fail(s"$file is named as $other")
  }

  private def read(file: Path): ManifestFile = ManifestFile.read(Storage.local, location(file))

  private def golden(name: String, version: Long): Path =
    GoldenTables.path(name).resolve("_versions").resolve(NamingScheme.V2.fileName(version))

  private def write(bytes: Array[Byte], version: Long): Path = Files.write(
    Files.createTempDirectory(folder, "m").resolve(NamingScheme.V2.fileName(version)),
    bytes
  )

  test("a pylance manifest") {
    val m = read(golden("history_v2_names.lance", 2)).manifest
    assert(m.version == 2)
    assert(m.schema.fields.map(f => (f.id, f.name)) == Seq((0, "id"), (1, "name")))
    assert(m.fragments.map(f => (f.id, f.physicalRows)) == Seq((0L, Some(100L)), (1L, Some(50L))))
    assert(m.fragments.head.files.map(f => (f.fields, f.columnIndices)) == Seq((
      Seq(0, 1),
      Seq(0, 1)
    )))
    assert(m.rowCount.contains(150L))
    assert(m.maxFragmentId.contains(1L))
    assert(m.writerVersion.contains(WriterVersion("lance", "14.0.2")))
    assert(m.fileVersion.text == "2.2")
    assert(m.timestamp.getEpochSecond > 1700000000L)
    assert(m.branch.isEmpty)
  }

  test("one read of the tail is enough, including the transaction") {
    val store = new CountingStorage
    val file = ManifestFile.read(store, location(golden("history_v2_names.lance", 3)))
    assert(store.opens.get == 1 && store.reads.get == 1 && store.statuses.get == 0)
    val root = TablePath(GoldenTables.path("history_v2_names.lance").toString)
    assert(file.transaction(root).get.hasDelete)
    assert(store.opens.get == 1)
    assert(file.indices.getIndicesCount == 0)
  }

  test("the transaction file contains the same message") {
    val root = TablePath(GoldenTables.path("history_v2_names.lance").toString)
    (1L to 4L).foreach { v =>
      val file = read(golden("history_v2_names.lance", v))
      val path = root.folder("_transactions").resolve(file.manifest.transactionFile.get)
      val bytes = Files.readAllBytes(java.nio.file.Paths.get(path))
      assert(file.transaction(root).contains(proto.Transaction.parseFrom(bytes)))
    }
  }

  test("a manifest round-trips") {
    val file = read(golden("columns.lance", 4))
    val root = TablePath(GoldenTables.path("columns.lance").toString)
    val bytes = ManifestFile.encode(
      file.manifest.message.toBuilder,
      file.indexSection,
      file.transaction(root).get
    ).bytes
    val back = read(write(bytes, 4))
    assert(back.transaction(root) == file.transaction(root))
    assert(
      back.manifest.message.toBuilder.clearTransactionSection().build() ==
        file.manifest.message.toBuilder.clearTransactionSection().build()
    )
  }

  test("a manifest larger than the tail is read completely") {
    val file = read(golden("history_v2_names.lance", 1))
    val m = file.manifest.message.toBuilder
    (0 until 3000).foreach(i => m.addAllTableMetadata(texts(s"key $i", "x" * 30)))
    val section = proto.IndexSection
      .newBuilder()
      .addIndices(proto.IndexMetadata.newBuilder().setName("i"))
      .build()
    val root = TablePath(GoldenTables.path("history_v2_names.lance").toString)
    val transaction = file.transaction(root).get
    val path = write(ManifestFile.encode(m, Some(section.toByteString), transaction).bytes, 1)
    assert(Files.size(path) > 100000)
    val back = read(path)
    assert(back.manifest.tableMetadata.size == 3000)
    assert(back.indices == section)
    assert(back.transaction(root).contains(transaction))
  }

  test("every truncated manifest is corrupt") {
    val bytes = Files.readAllBytes(golden("deletions.lance", 4))
    (0 until bytes.length).foreach { n =>
      val path = write(bytes.take(n), 4)
      val e = intercept[CorruptFileException](read(path))
      assert(e.place.path.contains(path.toString), n)
    }
  }

  test("a manifest with other bytes after a truncation is corrupt") {
    val bytes = Files.readAllBytes(golden("deletions.lance", 4))
    Seq(
      "no magic" -> bytes.updated(bytes.length - 1, 'X'.toByte),
      "position" -> bytes.patch(bytes.length - 16, Array.fill(8)(-1.toByte), 8),
      "position" -> bytes.patch(bytes.length - 16, Array.fill(8)(0.toByte), 8)
    ).foreach {
      case (what, damaged) =>
        val e = intercept[CorruptFileException](read(write(damaged, 4)))
        assert(e.getMessage.contains("corrupt"), what)
    }
  }

  test("corrupt manifests raise Lance errors or are read differently") {
    val seed = TestRun.seed
    val random = new Random(seed)
    val bytes = Files.readAllBytes(golden("deletions.lance", 4))
    (0 until 2000).foreach { i =>
      val damaged = bytes.clone()
      (0 to random.nextInt(4)).foreach { _ =>
        damaged(random.nextInt(damaged.length)) = random.nextInt(256).toByte
      }
      val root = TablePath(folder.toString)
      try {
        val file = read(write(damaged, 4))
        file.manifest.rowCount
        file.manifest.fragments.foreach(_.deletionFile.foreach(d => d.path(0)))
        file.indices
        file.transaction(root)
      } catch {
        case _: LanceException => ()
        case e: Throwable => fail(s"seed $seed, round $i: $e", e)
      }
    }
  }

  test("a size from a stale listing is looked up again") {
    val bytes = Files.readAllBytes(golden("deletions.lance", 4))
    val path = write(bytes, 4)
    val stale = ManifestLocation(4, NamingScheme.V2, path.toString, Some(bytes.length - 100L))
    assert(ManifestFile.read(Storage.local, stale).manifest.version == 4)
  }

  test("inconsistent messages are corrupt") {
    val original = read(golden("row_ids.lance", 1)).manifest.message
    def rejected(change: proto.Manifest.Builder => Any): String = {
      val b = original.toBuilder
      change(b)
      intercept[CorruptFileException](Manifest(b.build())).getMessage
    }
    def fragment(change: proto.DataFragment.Builder => Any): proto.Manifest.Builder => Any =
      b => change(b.getFragmentsBuilder(0))
    assert(rejected(fragment(_.clearInlineRowIds())).contains("no row ids"))
    assert(rejected(fragment(_.setId(0xffffffffL))).contains("fragment id"))
    assert(rejected(fragment(_.setPhysicalRows(-1))).contains("rows"))
    assert(rejected(fragment(_.setPhysicalRows((1L << 32) + 1))).contains("4294967297 rows"))
    assert(rejected(fragment(_.getFilesBuilder(0).setColumnIndices(0, -7))).contains("column -7"))
    assert(rejected(fragment(_.getFilesBuilder(0).addFields(7))).contains("column indices"))
    assert(
      rejected(fragment(_.getFilesBuilder(0).setFileMinorVersion(1))).contains("versions 2.1")
    )
    assert(rejected(_.getFieldsBuilder(0).setParentId(9)).contains("parent 9"))
    assert(rejected(_.getTimestampBuilder.setSeconds(1L << 62)).contains("years 1 to 9999"))
    assert(rejected(_.getTimestampBuilder.setSeconds(-(1L << 62))).contains("years 1 to 9999"))
    val outside = original.toBuilder
    outside.getFragmentsBuilder(0).getFilesBuilder(0).setPath("../../x")
    val m = Manifest(outside.build())
    val e = intercept[CorruptFileException](
      Place.in(Place(path = Some("t")))(m.pathOf(TablePath("/t"), m.fragments.head.files.head))
    )
    assert(e.getMessage.contains("leads outside"))
  }

  test("a field with values but without a column is corrupt, a struct without one is not") {
    val original = read(golden("row_ids.lance", 1)).manifest.message.toBuilder
    original.getFragmentsBuilder(0).getFilesBuilder(0).setColumnIndices(0, -1)
    val fragment = Manifest(original.build()).fragments.head
    val id = fragment.files.head.fields.head
    assert(
      intercept[CorruptFileException](fragment.columns(Seq(id))).getMessage.contains(s"field $id")
    )
  }

  test("the version in the name of a manifest must match its content") {
    val bytes = Files.readAllBytes(golden("deletions.lance", 4))
    val path = write(bytes, 9)
    val e = intercept[CorruptFileException](read(path))
    assert(e.place.path.contains(path.toString))
    assert(e.getMessage.contains("version 4, but its name is of version 9"))
  }

  test(
    "too many fields and too long properties are rejected by name, before allocation"
  ) {
    val file = read(golden("history_v2_names.lance", 1))
    val root = TablePath(GoldenTables.path("history_v2_names.lance").toString)
    val transaction = file.transaction(root).get
    def rejected(change: proto.Manifest.Builder => Any): String = {
      val m = file.manifest.message.toBuilder
      change(m)
      val path = write(ManifestFile.encode(m, None, transaction).bytes, 1)
      try {
        val e = intercept[CorruptFileException](read(path))
        assert(e.place.path.contains(path.toString))
        e.getMessage
      } finally Files.delete(path)
    }
    val field = file.manifest.message.getFields(0)
    val many = rejected { m =>
      val fields = (0 to FieldMessages.MaxFields).map(i => field.toBuilder.setId(i).setName(s"c$i"))
      m.clearFields()
      fields.foreach(m.addFields(_))
    }
    assert(many.contains(s"more than ${FieldMessages.MaxFields}"))
    val repeating = rejected { m =>
      (0 until 20000).foreach(i =>
        m.addFields(field.toBuilder.setId(7).setParentId(7).setName(s"c$i"))
      )
    }
    assert(repeating.contains("the id 7") || repeating.contains("parent 7"), repeating)
    val long = "x" * (ManifestLimits.MaxPropertyLength + 1)
    assert(rejected(_.addAllConfig(texts("k", long))).contains("the entry k of its config"))
    assert(rejected(_.addAllTableMetadata(texts(
      "k",
      long
    ))).contains("the entry k of its table metadata"))
    val bytes = MapEntries.ofBytes(Seq("k" -> long))
    assert(rejected(_.addAllSchemaMetadata(bytes)).contains("the entry k of its schema metadata"))
    assert(rejected(_.getFieldsBuilder(0).addAllMetadata(bytes)).contains("of its field metadata"))
  }

  test("a manifest that is too large for the heap is not called corrupt") {
    val heap = Runtime.getRuntime.maxMemory
    ManifestLimits.checkMessage(heap / 10)
    val file = write(Array.emptyByteArray, 1)
    // A hole with a footer, whose message begins at 0.
    val footer = Files.readAllBytes(golden("deletions.lance", 4)).takeRight(16)
    Buffer.putLong(footer, 0, 0L)
    val size = heap / 8 + 4096
    Using.resource(new RandomAccessFile(file.toFile, "rw")) { out =>
      out.seek(size - footer.length)
      out.write(footer)
    }
    val needed = (8 * size + (1L << 30) - 1) >> 30
    Seq[ManifestLocation => Any](
      ManifestFile.read(Storage.local, _),
      ManifestOutline.read(Storage.local, _)
    ).foreach { read =>
      val e = intercept[UnsupportedFeatureException](read(location(file))).getMessage
      assert(
        e.startsWith(s"$file: unsupported: a manifest of $size bytes, more than 1/8 of the heap")
      )
      assert(e.contains(
        s"spark.driver.memory (for tasks, spark.executor.memory) to at least $needed GiB"
      ))
      assert(e.contains("OPTIMIZE") && !e.contains("corrupt"))
    }
    val entries = new Array[Byte](2 * (heap / 1024 + 1).toInt)
    val empty = proto.Manifest.FRAGMENTS_FIELD_NUMBER << 3 | 2
    entries.indices.by(2).foreach(i => entries(i) = empty.toByte)
    val e = intercept[UnsupportedFeatureException](ManifestLimits.checkEntries(Buffer(entries)))
    assert(
      e.getMessage.contains("too many for a heap") && e.getMessage.contains("spark.driver.memory")
    )
  }

  /** Returns a field with empty messages, which exceed the heap together. */
  private def empties(field: Int, bytesOfEach: Long): Array[Byte] = {
    val bytes = new Array[Byte](2 * (Runtime.getRuntime.maxMemory / bytesOfEach + 1).toInt)
    bytes.indices.by(2).foreach(i => bytes(i) = (field << 3 | 2).toByte)
    bytes
  }

  private def inField(field: Int, content: Array[Byte]): ByteString = {
    val out = ByteString.newOutput()
    val coded = CodedOutputStream.newInstance(out)
    coded.writeByteArray(field, content)
    coded.flush()
    out.toByteString
  }

  test("messages in entries are counted before they are parsed") {
    def tooMany(body: => Any): Assertion = {
      val e = intercept[UnsupportedFeatureException](body).getMessage
      assert(e.contains("too many for a heap") && e.contains("spark.driver.memory"))
    }
    val files = inField(
      proto.Manifest.FRAGMENTS_FIELD_NUMBER,
      empties(proto.DataFragment.FILES_FIELD_NUMBER, 128)
    )
    tooMany(ManifestLimits.checkEntries(Buffer(files.toByteArray)))
    val segment = inField(1, empties(proto.IndexMetadata.FILES_FIELD_NUMBER, 128))
    tooMany(ManifestLimits.checkEntries(segment, proto.IndexSection.getDescriptor, "section"))
    // The details of an index, whose type the manifest does not define.
    def checkDetails(bytes: Array[Byte]): Unit = {
      val details = AnyMessage.newBuilder.setValue(ByteString.copyFrom(bytes))
      val index = proto.IndexMetadata.newBuilder.setIndexDetails(details)
      ManifestLimits.checkEntries(
        proto.IndexSection.newBuilder.addIndices(index).build().toByteString,
        proto.IndexSection.getDescriptor,
        "section"
      )
    }
    tooMany(checkDetails(empties(1, 256)))
    // Not a message.
    checkDetails(new Array[Byte]((Runtime.getRuntime.maxMemory / 100).toInt))
  }

  test("entries of the sections of a manifest are counted before they are parsed") {
    def file(section: ByteString, position: proto.Manifest.Builder): ManifestFile = {
      val m = position.setVersion(4).build()
      val length = new Array[Byte](4)
      Buffer.putInt(length, 0, section.size)
      val at = 4 + section.size
      val message = new Array[Byte](4)
      Buffer.putInt(message, 0, m.getSerializedSize)
      val footer = Files.readAllBytes(golden("deletions.lance", 4)).takeRight(16)
      Buffer.putLong(footer, 0, at.toLong)
      read(write(length ++ section.toByteArray ++ message ++ m.toByteArray ++ footer, 4))
    }
    val root = TablePath(folder.toString)
    val fragments = inField(proto.Transaction.APPEND_FIELD_NUMBER, empties(1, 128))
    val indices = ByteString.copyFrom(empties(1, 1024))
    Seq[() => Any](
      () => file(indices, proto.Manifest.newBuilder.setIndexSection(0)).indices,
      () => file(indices, proto.Manifest.newBuilder.setIndexSection(0)).indexSection,
      () => file(fragments, proto.Manifest.newBuilder.setTransactionSection(0)).transaction(root)
    ).foreach { read =>
      val e = intercept[UnsupportedFeatureException](read()).getMessage
      assert(e.contains("too many for a heap"), e)
    }
  }

  test("manifests that are read in parallel are together as large as one may be") {
    val root = TablePath(folder.toString)
    def readers(sizes: Option[Long]*): Int = ManifestLimits.readersOf(
      Storage.local,
      root,
      sizes.toIndexedSeq.map(ManifestLocation(1, NamingScheme.V2, s"$folder/none", _))
    )
    val largest = Runtime.getRuntime.maxMemory / 8
    assert(readers() == 8 && readers(Some(100), Some(1000)) == 8 && readers(None) == 8)
    assert(readers(Some(100), Some(largest / 3), None) == 3)
    assert(readers(Some(largest)) == 1 && readers(Some(2 * largest)) == 1)
    val file = write(Array.emptyByteArray, 1)
    Using.resource(new RandomAccessFile(file.toFile, "rw"))(_.setLength(largest / 2))
    val unlisted = IndexedSeq(location(file).copy(sizeBytes = None))
    assert(ManifestLimits.readersOf(Storage.local, root, unlisted) == 2)
  }

  test("a manifest of a hundred bytes that claims a section of gigabytes") {
    val bytes = Files.readAllBytes(golden("deletions.lance", 4))
    val m = proto.Manifest.newBuilder().setVersion(4).setIndexSection(0)
    val section = Array.fill(200000)(-1.toByte)
    val whole = section ++ Array[Byte](0, 0, 0, 0) ++ m.build().toByteArray
    val at = section.length
    Buffer.putInt(whole, at, m.build().getSerializedSize)
    val footer = bytes.takeRight(16)
    Buffer.putLong(footer, 0, at.toLong)
    val file = read(write(whole ++ footer, 4))
    intercept[CorruptFileException](file.indices)
  }
}
