// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction

import java.io.{IOException, InterruptedIOException}
import java.nio.channels.ClosedByInterruptException

import scala.annotation.tailrec

import io.github.pysparklance.core.{
  CommitStateUnknownException,
  LanceException,
  Log,
  Place,
  UnsupportedFeatureException
}
import io.github.pysparklance.storage.spi.{FileStore, TablePath, UnconfirmedWriteException}
import io.github.pysparklance.table.manifest.{
  ManifestFile,
  ManifestLocation,
  NotPublishedException,
  Versions
}
import io.github.pysparklance.table.proto

/** Publishes the manifest of a version, and after a failure determines whether it was published. */
final private class Publication(store: FileStore, root: TablePath, versions: Versions) {
  import Publication._

  /** Publishes a manifest.
    *
    * @param ours the transaction in the manifest, which is unique
    * @throws CommitStateUnknownException if storage failed and the outcome is unknown
    */
  def apply(target: ManifestLocation, bytes: Array[Byte], ours: proto.Transaction): Outcome =
    create(target, bytes) match {
      case Won => Won
      case failure => reconsider(target, bytes, ours, failure)
    }

  private def create(target: ManifestLocation, bytes: Array[Byte]): Outcome =
    try if (versions.publish(target, bytes)) Won else Lost
    catch {
      case e: UnsupportedFeatureException => throw e
      case e: Exception => Failed(e)
    }

  /** Determines the outcome of a create that did not succeed. The manifest may exist nevertheless,
    * for example if a client repeated a request whose response was lost.
    */
  private def reconsider(
      target: ManifestLocation,
      bytes: Array[Byte],
      ours: proto.Transaction,
      failure: Outcome
  ): Outcome = {
    // Requests to storage fail while the thread is interrupted.
    var isInterrupted = Thread.interrupted() || failure.isInterrupt
    def pause(millis: Long): Unit =
      try Thread.sleep(millis)
      catch { case _: InterruptedException => isInterrupted = true }
    @tailrec def look(numFailed: Int): Outcome =
      (try Right(found(target, bytes, ours, failure))
      catch { case e: Exception => Left(e) }) match {
        case Right(outcome) => outcome
        // The file is not ours. If it is unreadable, the next catch-up reports why.
        case Left(_: LanceException) if failure == Lost => Lost
        case Left(e) =>
          if (numFailed == retries(failure)) throw unknown(target, failure, e)
          pause(firstPauseMillis << numFailed)
          look(numFailed + 1)
      }
    failure match {
      case Failed(e) =>
        log.warn(s"${target.path}: the create failed; checking whether the file exists", e)
      case _ => ()
    }
    try look(0)
    finally if (isInterrupted) Thread.currentThread.interrupt()
  }

  private def found(
      target: ManifestLocation,
      bytes: Array[Byte],
      ours: proto.Transaction,
      failure: Outcome
  ): Outcome = versions.find(target.version) match {
    case Some(there) if ManifestFile.read(store, there).transaction(root).contains(ours) => Won
    // Without a condition, the request may still take effect and replace another writer's manifest.
    // Keep our files, because that manifest would reference them.
    case _ if !versions.isConditional && !failure.isCertain(versions.absenceIsFinal) =>
      throw new IOException(s"${target.path} may still be written")
    case Some(_) => Lost
    case None if failure.isUnconfirmed && isFollowed(target) =>
      // A clean-up removed the version.
      if (failure == Lost) Lost
      else throw new IOException(s"${target.path} was removed, if it existed")
    // The create is conditional, so either an earlier request or this one succeeds, with the same
    // content, or that of another writer.
    case None if failure.isUnconfirmed =>
      create(target, bytes) match {
        case Won => Won
        case Lost if versions.find(target.version).isDefined => found(target, bytes, ours, Lost)
        case Lost => throw new IOException(s"${target.path} cannot be created, but does not exist")
        case Failed(e) => throw e
      }
    case None if failure.isCertain(versions.absenceIsFinal) => failure
    case None => throw new IOException(s"${target.path} may still appear")
  }

  private def isFollowed(target: ManifestLocation): Boolean =
    target.version > 0 && versions.since(target.version).nonEmpty

  private def unknown(
      target: ManifestLocation,
      failure: Outcome,
      cause: Exception
  ): CommitStateUnknownException = {
    val which = if (target.version < 0) "a detached version" else s"version ${target.version}"
    val e = new CommitStateUnknownException(
      s"storage failed, and it is unknown whether $which was committed",
      Place(path = Some(root.root)),
      cause
    )
    failure match {
      case Failed(first) => e.addSuppressed(first)
      case _ => ()
    }
    e
  }
}

private object Publication {
  private val log = Log(classOf[Publication])
  private val firstPauseMillis = 100L
  private val maxCauses = 16

  /** Number of further looks. Requests in flight may take seconds. The pauses double. */
  private def retries(failure: Outcome): Int = if (failure.isUnconfirmed) 5 else 2

  /** The outcome of publishing a manifest. */
  sealed trait Outcome {

    /** Whether a version that is absent now cannot appear later.
      *
      * @param absenceIsFinal whether the storage guarantees this after an ordinary error
      */
    def isCertain(absenceIsFinal: Boolean): Boolean = true

    /** Whether the thread was interrupted, which cleared its interrupt status. */
    def isInterrupt: Boolean = false

    /** Whether a version that is absent now may appear, so that the create must be repeated. */
    def isUnconfirmed: Boolean = false
  }

  case object Won extends Outcome

  /** Storage denied the create. If the version is absent nevertheless, a request for it is in
    * flight: that of another writer, or our own, which the client repeated after a timeout.
    */
  case object Lost extends Outcome {
    override def isUnconfirmed: Boolean = true
  }

  final case class Failed(cause: Exception) extends Outcome {
    override def isCertain(absenceIsFinal: Boolean): Boolean = cause match {
      case _: NotPublishedException => true
      // The client did not wait for the response, so the request may still be in flight.
      case _: InterruptedIOException | _: InterruptedException => false
      case _: UnconfirmedWriteException => false
      case _ => absenceIsFinal
    }

    override def isInterrupt: Boolean =
      Iterator.iterate[Throwable](cause)(_.getCause).takeWhile(_ != null).take(maxCauses).exists {
        case _: InterruptedException | _: ClosedByInterruptException => true
        // Its subclasses are timeouts.
        case e => e.getClass == classOf[InterruptedIOException]
      }

    override def isUnconfirmed: Boolean = cause.isInstanceOf[UnconfirmedWriteException]
  }
}
