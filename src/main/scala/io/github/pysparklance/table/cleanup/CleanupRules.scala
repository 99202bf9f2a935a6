// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.cleanup

/** Decides about one file by its place and name.
  *
  * {{{
  *   .tmp...                 half-written, in any of the folders
  *   _transactions/...txn    named by versions
  *   data/...lance           named by versions
  *   data/{key}/{id}.blob    as data/{key}.lance
  *   _indices/{uuid}/...     as the index of that id
  *   _deletions/...arrow, ...bin   named by versions
  * }}}
  * All else stays: files of unknown names, managed blobs, row maps of the fragment-reuse index, references.
  *
  * Source: format page of the table, "Cleanup".
  *
  * @param needed by versions that are kept
  * @param verified named by versions that go
  */
final private class CleanupRules(needed: References, verified: References) {

  /** Whether a file goes.
    *
    * @param isYoung whether it may belong to a commit that is being prepared
    * @return what it is, and whether it goes because of its age alone; none: it stays
    */
  def apply(found: Found, isYoung: Boolean): Option[(CleanupFileKind, Boolean)] = {
    val name = found.name
    val parts = found.parts
    parts.head match {
      case _ if name.startsWith(".tmp") => goes(CleanupFileKind.Temporary, false, false, isYoung)
      case "_transactions" if name.endsWith(".txn") && parts.length == 2 =>
        goes(
          CleanupFileKind.Transaction,
          needed.hasTransaction(name),
          verified.hasTransaction(name),
          isYoung
        )
      case "data" if name.endsWith(".lance") => data(found.path.drop("data/".length), isYoung)
      case "data" if name.endsWith(".blob") && parts.length == 3 =>
        data(parts(1) + ".lance", isYoung)
      case "_deletions" if name.endsWith(".arrow") || name.endsWith(".bin") =>
        goes(
          CleanupFileKind.Deletion,
          needed.hasDeletion(found.path),
          verified.hasDeletion(found.path),
          isYoung
        )
      case "_indices" if parts.length > 2 =>
        goes(CleanupFileKind.Index, needed.hasIndex(parts(1)), verified.hasIndex(parts(1)), isYoung)
      case _ => None
    }
  }

  private def data(path: String, isYoung: Boolean): Option[(CleanupFileKind, Boolean)] =
    goes(CleanupFileKind.Data, needed.hasData(path), verified.hasData(path), isYoung)

  private def goes(
      kind: CleanupFileKind,
      isNeeded: Boolean,
      isVerified: Boolean,
      isYoung: Boolean
  ): Option[(CleanupFileKind, Boolean)] =
    if (isNeeded || isYoung && !isVerified) None else Some((kind, !isVerified))
}
