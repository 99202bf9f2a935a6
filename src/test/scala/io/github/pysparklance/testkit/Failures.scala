// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import scala.reflect.ClassTag

import org.scalatest.Assertions.{fail, intercept}

/** Errors of statements that fail in a task. Spark 3.5 wraps them in the error of the job. */
object Failures {

  /** Returns the first error of a kind among the thrown error and its causes. */
  def of[E <: Throwable](body: => Any)(implicit kind: ClassTag[E]): E = {
    val thrown = intercept[Throwable](body)
    Iterator
      .iterate(thrown)(_.getCause)
      .takeWhile(_ != null)
      .collectFirst { case e: E => e }
      .getOrElse(fail(s"no ${kind.runtimeClass.getName}", thrown))
  }
}
