// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

import org.slf4j.{Logger, LoggerFactory}

/** Logs through SLF4J, whose back end Spark configures. All text passes [[Redaction]], that of exceptions too.
  *
  * {{{
  *   info     commits, retries, lost races with the winner's version
  *   warn     failed clean-up, skipped work, outcomes that are not known
  *   debug    planning, and failures that only take a longer way
  * }}}
  *
  * @param name of the logger, the name of a class
  */
final class Log private (name: String) extends Serializable {
  @transient private lazy val logger: Logger = LoggerFactory.getLogger(name)

  /** Logs something that an operator wants to know. */
  def info(text: => String): Unit = if (logger.isInfoEnabled) logger.info(Redaction(text))

  /** Logs something that went wrong, or was left out, without failing the operation. */
  def warn(text: => String): Unit = if (logger.isWarnEnabled) logger.warn(Redaction(text))

  /** The same with its cause. */
  def warn(text: => String, cause: Throwable): Unit =
    if (logger.isWarnEnabled) logger.warn(Redaction(text), Redaction(cause))

  /** Logs details of what is planned. */
  def debug(text: => String): Unit = if (logger.isDebugEnabled) logger.debug(Redaction(text))

  /** Logs a failure that has another way out. */
  def debug(text: => String, cause: Throwable): Unit =
    if (logger.isDebugEnabled) logger.debug(Redaction(text), Redaction(cause))
}

object Log {

  /** The logger of a class or object. */
  def apply(owner: Class[_]): Log = new Log(owner.getName.stripSuffix("$"))
}
