// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.cleanup

/** Decides whether a file is removed, by its folder and name.
  *
  * {{{
  *   .tmp...                 incomplete, in all folders
  *   _transactions/...txn    referenced by versions
  *   data/...lance           referenced by versions; in other folders, of removed versions only
  *   data/{key}/{id}.blob    like data/{key}.lance
  *   _indices/{uuid}/...     like the index with that id
  *   _deletions/...arrow, ...bin   referenced by versions
  * }}}
  * All other files are kept: unknown names, managed blobs, row maps of the fragment-reuse index,
  * tags, and branches.
  *
  * Source: format page of the table, "Cleanup".
  *
  * @param needed references of kept versions
  * @param verified references of removed versions
  */
final private class CleanupRules(needed: References, verified: References) {

  /** Decides about a file.
    *
    * @param isYoung whether it may belong to a pending commit
    * @return its kind, and whether it is removed only because of its age; `None` if it is kept
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

  /** A file in a folder that no version references may belong to another table in that folder. */
  private def data(path: String, isYoung: Boolean): Option[(CleanupFileKind, Boolean)] = goes(
    CleanupFileKind.Data,
    needed.hasData(path),
    verified.hasData(path),
    isYoung || path.contains('/')
  )

  private def goes(
      kind: CleanupFileKind,
      isNeeded: Boolean,
      isVerified: Boolean,
      isYoung: Boolean
  ): Option[(CleanupFileKind, Boolean)] =
    if (isNeeded || isYoung && !isVerified) None else Some((kind, !isVerified))
}
