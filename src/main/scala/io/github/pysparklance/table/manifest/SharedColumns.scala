// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.manifest

import java.util

import io.github.pysparklance.table.proto

/** Shares the lists of columns between the data files of a manifest. In wide tables, these lists
  * take most of the memory, and are the same in most files.
  */
private object SharedColumns {

  /** The lists of files with fewer columns are small. */
  private val minColumns = 32

  /** Returns an equal message in which equal lists of columns are the same object. */
  def apply(m: proto.Manifest): proto.Manifest = {
    val known = new util.HashMap[util.List[Integer], proto.DataFile]
    val fragments = new util.ArrayList[proto.DataFragment](m.getFragmentsCount)
    var isChanged = false
    m.getFragmentsList.forEach { f =>
      var builder: proto.DataFragment.Builder = null
      var i = 0
      while (i < f.getFilesCount) {
        val file = f.getFiles(i)
        if (file.getFieldsCount >= minColumns) {
          val first = known.putIfAbsent(file.getFieldsList, file)
          val shared = if (first == null) file else like(first, file)
          if (shared ne file) {
            if (builder == null) builder = f.toBuilder
            builder.setFiles(i, shared)
          }
        }
        i += 1
      }
      if (builder != null) isChanged = true
      fragments.add(if (builder == null) f else builder.build()): Unit
    }
    if (isChanged) m.toBuilder.clearFragments().addAllFragments(fragments).build() else m
  }

  /** Returns a copy of `file` with the lists of `first`, or `file` if they differ in anything that
    * is not copied.
    */
  private def like(first: proto.DataFile, file: proto.DataFile): proto.DataFile = {
    val b = first.toBuilder
      .setPath(file.getPath)
      .setFileMajorVersion(file.getFileMajorVersion)
      .setFileMinorVersion(file.getFileMinorVersion)
      .setFileSizeBytes(file.getFileSizeBytes)
      .setUnknownFields(file.getUnknownFields)
    if (file.hasBaseId) b.setBaseId(file.getBaseId) else b.clearBaseId()
    val copy = b.build()
    if (copy == file) copy else file
  }
}
