// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import java.io.IOException
import java.util.concurrent.ConcurrentHashMap

import io.github.pysparklance.storage.spi.{
  FileStore,
  ForwardingFileStore,
  RangeReader,
  UnconfirmedWriteException
}

/** Injects faults into `createIfAbsent`. `fault` selects the fault by path. */
final class FaultyStorage(inner: FileStore, fault: String => Option[FaultyStorage.Fault])
    extends ForwardingFileStore(inner) {
  import FaultyStorage._

  private val unreadable = ConcurrentHashMap.newKeySet[String]()
  private val unconfirmed = ConcurrentHashMap.newKeySet[String]()
  private val inFlight = new ConcurrentHashMap[String, Array[Byte]]

  override def listNames(folder: String): IndexedSeq[String] = {
    inFlight.forEach { (path, bytes) =>
      if (path.startsWith(s"$folder/")) inner.createIfAbsent(path, bytes): Unit
    }
    inner.listNames(folder)
  }

  override def open(path: String): RangeReader = {
    checkReadable(path)
    inner.open(path)
  }

  override def open(path: String, sizeBytes: Long): RangeReader = {
    checkReadable(path)
    inner.open(path, sizeBytes)
  }

  private def checkReadable(path: String): Unit =
    if (unreadable.contains(path)) throw new IOException(s"$path: storage does not respond")

  override def createIfAbsent(path: String, bytes: Array[Byte]): Boolean = fault(path) match {
    case None => inner.createIfAbsent(path, bytes)
    case Some(Before) => throw new IOException(s"$path: storage failed")
    case Some(After) =>
      inner.createIfAbsent(path, bytes)
      throw new IOException(s"$path: the response was lost")
    case Some(Unconfirmed(lands)) if unconfirmed.add(path) =>
      if (lands) inner.createIfAbsent(path, bytes): Unit
      throw new UnconfirmedWriteException(path, new IOException("the response was lost"))
    case Some(Unconfirmed(_)) => inner.createIfAbsent(path, bytes)
    case Some(DeniedAfter) =>
      inner.createIfAbsent(path, bytes)
      false
    case Some(Denied(lands)) =>
      if (lands) inFlight.putIfAbsent(path, bytes)
      false
    case Some(UnreadableAfter) =>
      inner.createIfAbsent(path, bytes)
      unreadable.add(path)
      throw new IOException(s"$path: the response was lost")
    case Some(Rival(act)) =>
      act()
      inner.createIfAbsent(path, bytes)
  }
}

object FaultyStorage {
  sealed trait Fault

  /** Raises an error without effect. */
  case object Before extends Fault

  /** Creates the file, and raises an error. */
  case object After extends Fault

  /** The first attempt for a path fails at the client.
    *
    * @param lands whether the file is created nevertheless
    */
  final case class Unconfirmed(lands: Boolean) extends Fault

  /** Creates the file, and reports that another writer created it. */
  case object DeniedAfter extends Fault

  /** Denies the create, because an earlier request for the file is in flight.
    *
    * @param lands whether that request creates the file, before its folder is listed
    */
  final case class Denied(lands: Boolean) extends Fault

  /** Creates the file, which temporarily cannot be read, and raises an error. */
  case object UnreadableAfter extends Fault

  /** Another writer acts first. */
  final case class Rival(act: () => Unit) extends Fault
}
