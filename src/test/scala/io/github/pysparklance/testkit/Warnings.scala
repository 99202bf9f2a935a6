// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import java.util.concurrent.ConcurrentLinkedQueue

import scala.jdk.CollectionConverters._

import org.apache.logging.log4j.core.appender.AbstractAppender
import org.apache.logging.log4j.core.config.{Configurator, Property}
import org.apache.logging.log4j.core.{LogEvent, Logger}
import org.apache.logging.log4j.{Level, LogManager}

/** The warnings that a class logs while a block runs. */
object Warnings {
  def of(logger: String)(body: => Unit): Seq[String] = {
    val seen = new ConcurrentLinkedQueue[String]
    val appender = new AbstractAppender("warnings", null, null, true, Property.EMPTY_ARRAY) {
      override def append(event: LogEvent): Unit =
        if (event.getLevel == Level.WARN) seen.add(event.getMessage.getFormattedMessage): Unit
    }
    appender.start()
    Configurator.setLevel(logger, Level.WARN)
    val log = LogManager.getLogger(logger).asInstanceOf[Logger]
    log.addAppender(appender)
    try body
    finally {
      log.removeAppender(appender)
      Configurator.setLevel(logger, Level.ERROR)
    }
    seen.asScala.toSeq
  }
}
