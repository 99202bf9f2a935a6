// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import java.util.concurrent.ConcurrentLinkedQueue

import scala.jdk.CollectionConverters._

import org.apache.logging.log4j.core.appender.AbstractAppender
import org.apache.logging.log4j.core.config.{Configurator, Property}
import org.apache.logging.log4j.core.{LogEvent, LoggerContext}
import org.apache.logging.log4j.{Level, LogManager}

/** Captures the log of the connector, of all threads, while code runs. */
object LogCapture {
  private val root = "io.github.pysparklance"

  /** A line of the log: level, last part of the logger's name, text, and causes. */
  final case class Line(level: String, logger: String, text: String)

  /** @return the lines in order */
  def apply(body: => Unit): Seq[Line] = capture(root, Level.DEBUG)(body)

  /** Captures the log of all libraries from level `INFO` on. */
  def all(body: => Unit): Seq[Line] = capture("", Level.INFO)(body)

  private def capture(root: String, level: Level)(body: => Unit): Seq[Line] = {
    val lines = new ConcurrentLinkedQueue[Line]
    val appender = new AbstractAppender("capture", null, null, false, Property.EMPTY_ARRAY) {
      override def append(e: LogEvent): Unit = if (e.getLoggerName.startsWith(root)) {
        val causes =
          Iterator.iterate(e.getThrown)(_.getCause).takeWhile(_ != null).map(c => s" | $c").mkString
        val name = e.getLoggerName.split('.').last
        lines.add(Line(e.getLevel.name, name, e.getMessage.getFormattedMessage + causes)): Unit
      }
    }
    appender.start()
    val context = LogManager.getContext(false).asInstanceOf[LoggerContext]
    val before = LogManager.getLogger(root).getLevel
    context.getRootLogger.addAppender(appender)
    Configurator.setLevel(root, level)
    try body
    finally {
      Configurator.setLevel(root, before)
      context.getRootLogger.removeAppender(appender)
      appender.stop()
    }
    lines.asScala.toVector
  }
}
