// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

import java.io.{IOException, InterruptedIOException}
import java.net.SocketTimeoutException
import java.nio.channels.{ClosedByInterruptException, ClosedChannelException}

import org.scalatest.funsuite.AnyFunSuite

class InterruptsSuite extends AnyFunSuite {

  /** Runs `body` on an interrupted thread. */
  private def interrupted[A](body: => A): A = {
    Thread.currentThread.interrupt()
    try body
    finally Thread.interrupted(): Unit
  }

  test("interrupts are found among the causes of a failure") {
    Seq(
      new InterruptedIOException,
      new SocketTimeoutException,
      new ClosedByInterruptException,
      new IOException("reading", new ClosedByInterruptException),
      new CorruptFileException("x", cause = new IOException(new InterruptedException))
    ).foreach(e => assert(Interrupts.isCauseOf(e), e))
  }

  test("other failures are due to interrupts only on interrupted threads") {
    Seq(
      new IOException("x"),
      new ClosedChannelException,
      new CorruptFileException("x"),
      new IOException("x", new SocketTimeoutException)
    ).foreach { e =>
      assert(!Interrupts.isCauseOf(e), e)
      assert(interrupted(Interrupts.isCauseOf(e)), e)
    }
  }

  test("a check throws on interrupted threads and keeps their status") {
    Interrupts.check("a search")
    interrupted {
      val e = intercept[InterruptedIOException](Interrupts.check("a search"))
      assert(e.getMessage.contains("a search") && Thread.currentThread.isInterrupted)
    }
  }
}
