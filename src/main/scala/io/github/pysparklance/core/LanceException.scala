// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

/** Location of an error in a table. The text names the parts that are known.
  *
  * @param path file or table path
  * @param column dotted column path
  * @param page 0-based page number in the column
  * @param offsetBytes absolute byte offset in the file
  * @param version table version
  */
final case class Place(
    path: Option[String] = None,
    column: Option[String] = None,
    page: Option[Int] = None,
    offsetBytes: Option[Long] = None,
    version: Option[Long] = None
) {

  /** Returns this place with its unknown parts taken from `outer`. */
  def within(outer: Place): Place = Place(
    path.orElse(outer.path),
    column.orElse(outer.column),
    page.orElse(outer.page),
    offsetBytes.orElse(outer.offsetBytes),
    version.orElse(outer.version)
  )

  /** The place as text, such as `data/x.lance: column "price", page 2, byte 81920`. Empty if no
    * part is known.
    */
  def text: String = {
    val details = Seq(
      version.map(v => s"version ${java.lang.Long.toUnsignedString(v)}"),
      column.map(c => s"""column "${Printable.line(c)}""""),
      page.map(p => s"page $p"),
      offsetBytes.map(o => s"byte $o")
    ).flatten.mkString(", ")
    (path, details) match {
      case (Some(p), "") => p
      case (Some(p), d) => s"$p: $d"
      case (None, d) => d
    }
  }
}

object Place {
  val unknown: Place = Place()

  /** Runs `body`. If it throws a [[LanceException]], adds the unknown parts of its place. */
  def in[A](place: => Place)(body: => A): A =
    try body
    catch { case e: LanceException => throw e.within(place) }
}

/** Base class of the connector's errors. The subclass shows whether the file, the request, a
  * concurrent commit, or the storage is at fault.
  *
  * @param problem the problem and, if possible, the remedy; without the place
  * @param place where it happened; the message starts with it
  */
sealed abstract class LanceException(
    val problem: String,
    val place: Place,
    cause: Throwable
) extends RuntimeException(LanceException.message(problem, place), cause) {

  /** Returns this error with the unknown parts of its place taken from `outer`. Keeps the stack
    * trace and the cause.
    */
  final def within(outer: Place): LanceException = {
    val merged = place.within(outer)
    if (merged == place) this
    else {
      val moved = at(merged)
      moved.setStackTrace(getStackTrace)
      getSuppressed.foreach(moved.addSuppressed)
      moved
    }
  }

  protected def at(place: Place): LanceException
}

object LanceException {
  private def message(problem: String, place: Place): String =
    Printable.line(if (place.text.isEmpty) problem else s"${place.text}: $problem")
}

/** A file violates the format: it is truncated, damaged, or not a Lance file. Nothing was changed.
  */
final class CorruptFileException(
    problem: String,
    place: Place = Place.unknown,
    cause: Throwable = null
) extends LanceException(CorruptFileException.named(problem), place, cause) {
  protected def at(p: Place): LanceException = new CorruptFileException(problem, p, getCause)
}

object CorruptFileException {
  private def named(problem: String): String =
    if (problem.toLowerCase.contains("corrupt")) problem else s"corrupt file: $problem"

  /** Throws unless `condition` holds.
    *
    * @param problem the value found and the one expected
    */
  @inline def check(condition: Boolean, problem: => String): Unit =
    if (!condition) throw new CorruptFileException(problem)
}

/** The table or the request uses a feature that the connector does not support.
  *
  * @param feature name of the feature in the format's terms
  */
final class UnsupportedFeatureException(
    val feature: String,
    place: Place = Place.unknown,
    cause: Throwable = null
) extends LanceException(s"unsupported: $feature", place, cause) {
  protected def at(p: Place): LanceException = new UnsupportedFeatureException(feature, p, getCause)
}

/** A table, version, file, tag, or branch does not exist. */
final class NotFoundException(
    val what: String,
    place: Place = Place.unknown,
    cause: Throwable = null
) extends LanceException(s"not found: $what", place, cause) {
  protected def at(p: Place): LanceException = new NotFoundException(what, p, getCause)
}

/** The request is invalid: for example a bad option, a schema that does not match, or a name that
  * exists already.
  */
final class InvalidRequestException(
    problem: String,
    place: Place = Place.unknown,
    cause: Throwable = null
) extends LanceException(problem, place, cause) {
  protected def at(p: Place): LanceException = new InvalidRequestException(problem, p, getCause)
}

/** A concurrent commit conflicts with this one. Nothing was committed.
  *
  * @param conflictingVersion version of the concurrent commit
  * @param retryable whether the operation can be retried on the latest version; if not, a retry
  *   would undo the concurrent commit
  */
final class CommitConflictException(
    problem: String,
    val conflictingVersion: Long,
    val retryable: Boolean,
    place: Place = Place.unknown,
    cause: Throwable = null
) extends LanceException(problem, place, cause) {
  protected def at(p: Place): LanceException =
    new CommitConflictException(problem, conflictingVersion, retryable, p, getCause)
}

/** Storage did not report whether the manifest was published. After this error, no file of the
  * commit may be deleted.
  */
final class CommitStateUnknownException(
    problem: String,
    place: Place = Place.unknown,
    cause: Throwable = null
) extends LanceException(problem, place, cause) {
  protected def at(p: Place): LanceException = new CommitStateUnknownException(problem, p, getCause)
}

/** Storage failed, for example because of missing access, no space, or a lost connection. The table
  * itself may be intact.
  */
final class StorageException(
    problem: String,
    place: Place = Place.unknown,
    cause: Throwable = null
) extends LanceException(problem, place, cause) {
  protected def at(p: Place): LanceException = new StorageException(problem, p, getCause)
}
