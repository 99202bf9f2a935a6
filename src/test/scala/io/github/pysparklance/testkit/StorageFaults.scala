// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import java.io.IOException

import scala.collection.mutable

import io.github.pysparklance.storage.spi.{FileEntry, FileStore, Listing, OutputFile, RangeReader}

/** Numbers the calls to a storage, including reads and writes of files, and injects a fault into
  * one of them.
  *
  * {{{
  *   val counted = new StorageFaults()                      // a run to count: counted.calls
  *   new StorageFaults(Some(7 -> StorageFaults.Died.before)) // the writer dies as it makes call 7
  * }}}
  *
  * @param plan number of a call, from 0, with its fault
  * @param after called after each call that took effect
  * @param death called when the process dies; if it returns, the operation ends with
  *   [[ProcessDied]]
  */
final class StorageFaults(
    plan: Option[(Int, StorageFaults.Fault)] = None,
    after: StorageFaults.Call => Unit = _ => (),
    death: () => Unit = () => ()
) {
  import StorageFaults._

  private val made = mutable.ArrayBuffer.empty[Call]
  @volatile private var dead = false

  /** The calls so far, in order. */
  def calls: IndexedSeq[Call] = made.synchronized(made.toIndexedSeq)

  /** Returns the storage with the fault. */
  def apply(inner: FileStore): FileStore = new FileStore {
    def open(path: String): RangeReader = reader(call("open", path)(inner.open(path)))

    def open(path: String, sizeBytes: Long): RangeReader =
      reader(call("open", path)(inner.open(path, sizeBytes)))

    def create(path: String): OutputFile = output(call("create", path)(inner.create(path)))

    def createIfAbsent(path: String, bytes: Array[Byte]): Boolean =
      call("createIfAbsent", path, Some(true))(inner.createIfAbsent(path, bytes))

    def replace(path: String, bytes: Array[Byte]): Unit =
      call("replace", path, Some(()))(inner.replace(path, bytes))

    def copy(from: String, to: String): Unit = call("copy", to)(inner.copy(from, to))

    override def qualify(path: String): String = inner.qualify(path)

    override def listing(folder: String): Listing = inner.listing(folder)

    def list(folder: String): IndexedSeq[FileEntry] = call("list", folder)(inner.list(folder))

    def status(path: String): Option[FileEntry] = call("status", path)(inner.status(path))

    def delete(path: String): Boolean = call("delete", path, Some(true))(inner.delete(path))

    def deleteFolder(path: String): Boolean =
      call("deleteFolder", path, Some(true))(inner.deleteFolder(path))
  }

  /** @param silent result of a call without effect; `None` if that would lose data that the storage
    * confirmed
    */
  private def call[A](method: String, path: String, silent: Option[A] = None)(effect: => A): A = {
    if (dead) throw new ProcessDied
    val what = Call(method, path, silent.isDefined)
    val number = made.synchronized {
      made += what
      made.length - 1
    }
    def done(): A = {
      val answer = effect
      after(what)
      answer
    }
    plan match {
      case Some((`number`, Error(false))) => throw new IOException(s"$what: storage failed")
      case Some((`number`, Error(true))) =>
        done(): Unit
        throw new IOException(s"$what: the response was lost")
      case Some((`number`, Silence)) => silent.getOrElse(done())
      case Some((`number`, Died(false))) => die()
      case Some((`number`, Died(true))) =>
        try done(): Unit
        catch { case _: Exception => () } // dead all the same
        die()
      case _ => done()
    }
  }

  private def die(): Nothing = {
    dead = true
    death()
    throw new ProcessDied
  }

  private def reader(inner: RangeReader): RangeReader =
    new RangeReader(inner.path, inner.size) {
      def maxGapBytes: Int = inner.maxGapBytes
      protected def readFully(offset: Long, out: Array[Byte], outAt: Int, length: Int): Unit =
        call("read", path)(inner.readInto(offset, out, outAt, length))
      def close(): Unit = inner.close()
    }

  private def output(inner: OutputFile): OutputFile = new OutputFile {
    def path: String = inner.path
    def position: Long = inner.position
    def write(bytes: Array[Byte], from: Int, length: Int): Unit =
      call("write", path)(inner.write(bytes, from, length))
    def close(): Unit = call("close", path)(inner.close())
    // Never throws.
    def abort(): Unit = if (!dead) inner.abort()
  }
}

object StorageFaults {

  /** One call of a storage.
    *
    * @param canBeSilent whether storage can report success without an effect
    */
  final case class Call(method: String, path: String, canBeSilent: Boolean) {

    /** Whether the call can change the result of readers. */
    def changesFiles: Boolean = !Set("read", "open", "list", "status").contains(method)

    override def toString: String = s"$method($path)"
  }

  sealed trait Fault

  /** The call raises an error.
    *
    * @param afterEffect whether the call took effect
    */
  final case class Error(afterEffect: Boolean) extends Fault

  /** The call has no effect, and reports success. */
  case object Silence extends Fault

  /** The process dies: the call does not return, and no later call takes effect.
    *
    * @param afterEffect whether the call took effect
    */
  final case class Died(afterEffect: Boolean) extends Fault

  /** Unwinds the writer, regardless of the errors that it handles. */
  final class ProcessDied extends java.lang.Error("the process is gone")

  /** Returns the possible faults of a call. Dying at a read is the same as dying before the next
    * call.
    */
  def of(call: Call): Seq[Fault] =
    Seq(Error(afterEffect = false)) ++
      (if (call.changesFiles) Seq(Error(afterEffect = true), Died(false), Died(true)) else Nil) ++
      (if (call.canBeSilent) Seq(Silence) else Nil)
}
