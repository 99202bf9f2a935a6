// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.manifest

import java.io.RandomAccessFile
import java.nio.file.{Files, Paths}

import scala.util.Using

import io.github.pysparklance.core.Buffer
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.storage.spi.TablePath
import io.github.pysparklance.table.proto

/** Malicious manifests. */
object HostileManifests {

  /** Changes the manifest of a version in place. */
  def change(path: String, version: Long)(change: proto.Manifest.Builder => Any): Unit = {
    val root = TablePath(TablePath.localName(path))
    val location = new Versions(Storage.local, root).at(version)
    val file = ManifestFile.read(Storage.local, location)
    val message = file.manifest.message.toBuilder
    change(message)
    val bytes = ManifestFile.encode(message, file.indexSection, file.transaction(root).get).bytes
    Files.write(Paths.get(TablePath.localName(location.path)), bytes): Unit
  }

  /** Moves the content of a manifest behind a hole in the file, which makes it large at no cost. */
  def enlarge(path: String, version: Long, holeBytes: Long): Unit = {
    val location = new Versions(Storage.local, TablePath(path)).at(version)
    val message = ManifestFile.read(Storage.local, location).manifest.message.toBuilder
    if (message.hasIndexSection) message.setIndexSection(message.getIndexSection + holeBytes)
    if (message.hasTransactionSection)
      message.setTransactionSection(message.getTransactionSection + holeBytes)
    val bytes = message.build().toByteArray
    val file = Paths.get(location.path)
    val old = Files.readAllBytes(file)
    val (sections, footer) = (Buffer(old).i64(old.length - 16).toInt, old.takeRight(16))
    val length = new Array[Byte](4)
    Buffer.putInt(length, 0, bytes.length)
    Buffer.putLong(footer, 0, sections + holeBytes)
    Using.resource(new RandomAccessFile(file.toFile, "rw")) { out =>
      out.setLength(0)
      out.seek(holeBytes)
      out.write(old.take(sections) ++ length ++ bytes ++ footer)
    }
  }
}
