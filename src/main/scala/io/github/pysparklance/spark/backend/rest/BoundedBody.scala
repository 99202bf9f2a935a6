// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.backend.rest

import java.io.{ByteArrayOutputStream, IOException}
import java.net.http.HttpResponse.BodySubscriber
import java.nio.ByteBuffer
import java.util.concurrent.{CompletableFuture, CompletionStage, Flow}
import java.util.{List => JList}

/** Receives the body of a response up to a limit, so that a service cannot exhaust the memory. */
final private[backend] class BoundedBody(maxBytes: Int) extends BodySubscriber[Array[Byte]] {
  private val bytes = new ByteArrayOutputStream
  private val result = new CompletableFuture[Array[Byte]]
  @volatile private var subscription: Flow.Subscription = _
  @volatile private var isCanceled = false

  def getBody(): CompletionStage[Array[Byte]] = result

  def onSubscribe(s: Flow.Subscription): Unit = {
    subscription = s
    if (isCanceled) s.cancel() else s.request(Long.MaxValue)
  }

  /** Stops receiving. Java 11 does not stop if the response is canceled. */
  def cancel(): Unit = {
    isCanceled = true
    if (subscription != null) subscription.cancel()
  }

  def onNext(items: JList[ByteBuffer]): Unit = if (!result.isDone) items.forEach { item =>
    if (bytes.size.toLong + item.remaining > maxBytes) {
      subscription.cancel()
      result.completeExceptionally(new BoundedBody.TooLarge(maxBytes)): Unit
    } else if (!result.isDone) {
      val piece = new Array[Byte](item.remaining)
      item.get(piece)
      bytes.write(piece, 0, piece.length)
    }
  }

  def onError(e: Throwable): Unit = result.completeExceptionally(e): Unit

  def onComplete(): Unit = result.complete(bytes.toByteArray): Unit
}

private[backend] object BoundedBody {

  /** A body exceeds the limit. */
  final class TooLarge(val maxBytes: Int) extends IOException(s"more than $maxBytes bytes")
}
