// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

import java.util.{Collections, IdentityHashMap, Set => JSet}

/** Removes secrets from text before it is logged: user info in URLs, and values of keys that name a
  * secret, in options and query strings.
  *
  * {{{
  *   s3a://AKIA:wJalr@bucket/t           s3a://(redacted)@bucket/t
  *   fs.s3a.secret.key=wJalr, x=1        fs.s3a.secret.key=(redacted), x=1
  *   https://h/c/b?sv=2024&sig=abc%3D    https://h/c/b?sv=2024&sig=(redacted)
  * }}}
  */
object Redaction {
  private val hidden = "(redacted)"

  // Texts contain values of tables, which can be long. The patterns run in linear time: the length
  // of a scheme is limited, and no pattern begins or ends with a repeated word character.
  // An authority ends at the first slash, and its user info at the last "@". In abfss URLs the host
  // follows an "@", too, but the container before it has no password.
  private val userInfo =
    "(?i)\\b([a-z][a-z0-9+.-]{0,31}://)([^/\\s@:]*:[^/\\s]*|[^/\\s@]*@[^/\\s]*)@".r

  private val secretKey =
    ("(?i)((?:secret|password|passwd|token|credential|signature|access[._-]?key|account[._-]?key" +
      "|api[._-]?key|private[._-]?key|authorization|\\bsig\\b)" +
      "[\\w.-]{0,100}[\"']?\\s*(?:=|:|->)\\s*[\"']?(?:bearer\\s+|basic\\s+)?)([^\\s,;&\"')}\\]]+)").r

  /** Returns the text without secrets. */
  def apply(text: String): String =
    if (text == null) null
    else {
      val withoutUsers = userInfo.replaceAllIn(text, m => quote(m.group(1) + hidden + "@"))
      secretKey.replaceAllIn(withoutUsers, m => quote(m.group(1) + hidden))
    }

  /** Returns a copy of an exception with its stack trace, causes, and suppressed exceptions. Its
    * text is a single line without secrets.
    */
  def apply(e: Throwable): Throwable =
    redacted(e, maxCauses, Collections.newSetFromMap(new IdentityHashMap))

  /** @param seen exceptions that were copied already, because causes and suppressed exceptions can
    *   form cycles
    */
  private def redacted(e: Throwable, depth: Int, seen: JSet[Throwable]): Throwable =
    if (e == null || depth < 0 || !seen.add(e)) null
    else {
      val copy = new Redacted(e, redacted(e.getCause, depth - 1, seen))
      e.getSuppressed.foreach(s => Option(redacted(s, depth - 1, seen)).foreach(copy.addSuppressed))
      copy
    }

  private val maxCauses = 16

  private def quote(text: String): String = java.util.regex.Matcher.quoteReplacement(text)

  final private class Redacted(e: Throwable, cause: Throwable)
      extends Exception(Printable.line(apply(e.toString)), cause) {
    setStackTrace(e.getStackTrace)
    override def toString: String = getMessage
  }
}
