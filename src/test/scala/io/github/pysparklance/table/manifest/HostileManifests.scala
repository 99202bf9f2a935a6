// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.manifest

import java.nio.file.{Files, Paths}

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
}
