// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

/** Where in a table something was found: every part is optional, the text names those that are known.
  *
  * @param path file or table path
  * @param column dotted column path
  * @param page 0-based page number within the column
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

  /** This place, with what it does not know taken from `outer`. */
  def within(outer: Place): Place = Place(
    path.orElse(outer.path),
    column.orElse(outer.column),
    page.orElse(outer.page),
    offsetBytes.orElse(outer.offsetBytes),
    version.orElse(outer.version)
  )

  /** `data/x.lance: column "price", page 2, byte 81920`; empty when nothing is known. */
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

  /** Runs `body`; an exception of ours that leaves it knows at least `place`. */
  def in[A](place: => Place)(body: => A): A =
    try body
    catch { case e: LanceException => throw e.within(place) }
}

/** Every error this connector raises on its own account. The kind tells what can be done about it.
  *
  * @param problem what is wrong and, where there is one, the way out; without the place
  * @param place where it was found; the message starts with it
  */
sealed abstract class LanceException(
    val problem: String,
    val place: Place,
    cause: Throwable
) extends RuntimeException(LanceException.message(problem, place), cause) {

  /** The same error, its place completed from `outer`. Keeps the stack trace and the cause. */
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
    Printable(if (place.text.isEmpty) problem else s"${place.text}: $problem")
}

/** The bytes contradict the format: a cut, damaged or foreign file. Nothing was changed. */
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

  /** Raises the error unless `condition` holds; `problem` says found and expected. */
  @inline def check(condition: Boolean, problem: => String): Unit =
    if (!condition) throw new CorruptFileException(problem)
}

/** The table uses something of the format, or the request something of the connector, that is not built.
  *
  * @param feature the feature's name in the format's words
  */
final class UnsupportedFeatureException(
    val feature: String,
    place: Place = Place.unknown,
    cause: Throwable = null
) extends LanceException(s"unsupported: $feature", place, cause) {
  protected def at(p: Place): LanceException = new UnsupportedFeatureException(feature, p, getCause)
}

/** There is no table, version, file, tag or branch of that name. */
final class NotFoundException(
    val what: String,
    place: Place = Place.unknown,
    cause: Throwable = null
) extends LanceException(s"not found: $what", place, cause) {
  protected def at(p: Place): LanceException = new NotFoundException(what, p, getCause)
}

/** The request itself is wrong: a bad option, a schema that does not fit, a name that is taken. */
final class InvalidRequestException(
    problem: String,
    place: Place = Place.unknown,
    cause: Throwable = null
) extends LanceException(problem, place, cause) {
  protected def at(p: Place): LanceException = new InvalidRequestException(problem, p, getCause)
}

/** Another writer committed something that does not go together with this commit. Nothing was committed.
  *
  * @param conflictingVersion the version that stands in the way
  * @param retryable whether the operation can be run again on the newer version; if not, that would undo what the
  *   other writer did
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

/** Storage did not say whether the manifest was published. No file may be deleted on account of this error. */
final class CommitStateUnknownException(
    problem: String,
    place: Place = Place.unknown,
    cause: Throwable = null
) extends LanceException(problem, place, cause) {
  protected def at(p: Place): LanceException = new CommitStateUnknownException(problem, p, getCause)
}

/** Storage failed: no access, no space, no such bucket, no connection. Nothing is known to be wrong with the table. */
final class StorageException(
    problem: String,
    place: Place = Place.unknown,
    cause: Throwable = null
) extends LanceException(problem, place, cause) {
  protected def at(p: Place): LanceException = new StorageException(problem, p, getCause)
}
