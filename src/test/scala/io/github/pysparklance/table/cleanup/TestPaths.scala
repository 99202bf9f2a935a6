// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.cleanup

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, ObjectInputStream, ObjectOutputStream}
import java.nio.file.Path

import io.github.pysparklance.storage.spi.{FileStore, TablePath}
import io.github.pysparklance.table.manifest.{ManifestFile, NamingScheme, Versions}
import io.github.pysparklance.table.proto

/** Hand-written manifests. */
private[table] object TestPaths {
  def apply(folder: Path): TablePath = TablePath(folder.toString)

  def message(file: ManifestFile): proto.Manifest = file.manifest.message

  /** @param version negative for a detached version */
  def write(store: FileStore, root: Path, version: Long, m: proto.Manifest.Builder): Unit = {
    val location = new Versions(store, apply(root)).location(math.max(version, 1), NamingScheme.V2)
    val path =
      if (version > 0) location.path
      else s"$root/_versions/d${java.lang.Long.toUnsignedString(version)}.manifest"
    val bytes = ManifestFile.encode(
      m.setVersion(version),
      None,
      proto.Transaction.newBuilder().setUuid("u").build()
    ).bytes
    assert(store.createIfAbsent(path, bytes))
  }

  /** Returns the value after serialization. */
  def serialized[A](a: A): A = {
    val out = new ByteArrayOutputStream
    new ObjectOutputStream(out).writeObject(a)
    new ObjectInputStream(new ByteArrayInputStream(out.toByteArray)).readObject().asInstanceOf[A]
  }
}
