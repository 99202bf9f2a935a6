// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.v0_1

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.v0_1.Dictionary
import io.github.pysparklance.file.scheduling.FileReads

/** Creates a reader for each field. Uses only logical types, because the metadata of packed structs
  * and blobs has no meaning in this version.
  *
  * Source: format page of the legacy format, "Which fields have pages".
  *
  * @param present whether the file contains the field with this id
  * @param dictionary returns the dictionary values of a field, which have the given type
  */
final private[v0_1] class NodeBuilder(
    present: Int => Boolean,
    dictionary: (Field, LogicalType) => Dictionary.Items,
    pages: PageTable,
    windowBytes: Long,
    fileReads: FileReads
) {

  def apply(field: Field): FieldNode =
    if (!field.flatten.exists(f => present(f.id))) missing
    else
      field.logicalType match {
        case LogicalType.Struct =>
          new FieldNode.StructNode(field.children.map(apply), windowBytes, fileReads)
        case _ if !present(field.id) => missing
        case LogicalType.Null => new FieldNode.NullNode(field, pages, windowBytes, fileReads)
        case LogicalType.Utf8(_) | LogicalType.Binary(_) | LogicalType.Json =>
          new FieldNode.VarBinaryNode(field, pages, windowBytes, fileReads)
        case LogicalType.Dictionary(value, index: LogicalType.Integer, _) =>
          val items = dictionary(field, value)
          new FieldNode.DictionaryNode(field, index, items, pages, windowBytes, fileReads)
        case LogicalType.List(large, _) =>
          val items = apply(field.children.head)
          new FieldNode.ListNode(field, large, items, pages, windowBytes, fileReads)
        case LogicalType.Map | LogicalType.Blob | LogicalType.Dictionary(_, _, _) =>
          throw new UnsupportedFeatureException(
            s"${LogicalType.text(field.logicalType)} in a file of version 0.1"
          )
        case _ => new FieldNode.PlainNode(field, field.valueType, pages, windowBytes, fileReads)
      }

  private def missing: FieldNode = new FieldNode.Missing(windowBytes, fileReads)
}
