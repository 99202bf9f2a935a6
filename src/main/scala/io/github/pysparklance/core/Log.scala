// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

import org.slf4j.{Logger, LoggerFactory}

/** Logs through SLF4J, which Spark configures. [[Redaction]] removes secrets from messages and
  * exceptions. [[Printable]] escapes line ends, so that a name from a table cannot add lines to the
  * log.
  *
  * {{{
  *   info     commits, retries, lost races with the winner's version
  *   warn     failed clean-up, skipped work, unknown outcomes
  *   debug    planning, and failures with a fallback
  * }}}
  *
  * @param name name of the logger, which is the name of a class
  */
final class Log private (name: String) extends Serializable {
  @transient private lazy val logger: Logger = LoggerFactory.getLogger(name)

  /** Logs an event that operators care about. */
  def info(text: => String): Unit = if (logger.isInfoEnabled) logger.info(Log.line(text))

  /** Logs a failure or skipped work that does not fail the operation. */
  def warn(text: => String): Unit = if (logger.isWarnEnabled) logger.warn(Log.line(text))

  /** Logs a failure that does not fail the operation, with its exception. */
  def warn(text: => String, cause: Throwable): Unit =
    if (logger.isWarnEnabled) logger.warn(Log.line(text), Redaction(cause))

  /** Logs details of planning. */
  def debug(text: => String): Unit = if (logger.isDebugEnabled) logger.debug(Log.line(text))

  /** Logs a failure that has a fallback. */
  def debug(text: => String, cause: Throwable): Unit =
    if (logger.isDebugEnabled) logger.debug(Log.line(text), Redaction(cause))
}

object Log {

  /** Returns a text without secrets, as a single line. */
  private def line(text: String): String = Printable.line(Redaction(text))

  /** The logger of a class or object. */
  def apply(owner: Class[_]): Log = new Log(owner.getName.stripSuffix("$"))
}
