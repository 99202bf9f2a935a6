// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.model

/** The view of a version or of references as comparable lines. The pylance side,
  * `python/tests/kit/table_model.py`, writes the same lines.
  */
object ModelView {

  def pairs(entries: Map[String, String]): String =
    entries.toSeq.sorted.map { case (k, v) => s" $k=$v" }.mkString

  def field(
      id: Int,
      name: String,
      kind: String,
      nullable: Boolean,
      metadata: Map[String, String]
  ): String = s"field $id $name $kind${if (nullable) "" else " not null"}${pairs(metadata)}"

  def fragment(id: Long, numRows: Int, files: Seq[Seq[Int]], deleted: Seq[Int]): String =
    s"fragment $id: $numRows rows, files ${files.map(_.mkString(" ")).mkString(" | ")}, " +
      s"deleted ${deleted.mkString(" ")}"

  def row(
      fragment: Long,
      offset: Int,
      cells: Seq[(String, String)],
      rowId: Long,
      created: Long,
      updated: Long
  ): String =
    s"$fragment:$offset ${cells.map { case (n, v) => s"$n=$v" }.mkString(" ")} id $rowId, " +
      s"versions $created $updated"

  def index(name: String, column: String): String = s"index $name on $column"

  def branch(name: String, parent: Option[(String, Long)], versions: Seq[Long]): String =
    s"branch $name${parent.fold("") { case (b, v) => s" of $b@$v" }}: ${versions.mkString(" ")}"

  def tag(name: String, branch: String, version: Long): String = s"tag $name $branch@$version"

  /** Returns the differing lines, none if there are none. */
  def difference(expected: Seq[String], found: Seq[String]): Option[String] =
    if (expected == found) None
    else {
      val missing = expected.diff(found).take(12).map("  - " + _)
      val surplus = found.diff(expected).take(12).map("  + " + _)
      Some(
        if (missing.isEmpty && surplus.isEmpty) found.mkString("  in another order\n  ", "\n  ", "")
        else (missing ++ surplus).mkString("\n")
      )
    }
}
