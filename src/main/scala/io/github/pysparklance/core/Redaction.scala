// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

/** Removes secrets from text that is logged: user info in paths, and values of keys that name a secret, in options and
  * in query strings.
  *
  * {{{
  *   s3a://AKIA:wJalr@bucket/t           s3a://(redacted)@bucket/t
  *   fs.s3a.secret.key=wJalr, x=1        fs.s3a.secret.key=(redacted), x=1
  *   https://h/c/b?sv=2024&sig=abc%3D    https://h/c/b?sv=2024&sig=(redacted)
  * }}}
  */
object Redaction {
  private val hidden = "(redacted)"

  // Texts contain values of tables, which may be long. The length of a scheme is limited, and no pattern begins or ends
  // with a repeated word character, so that the time is linear.
  //
  // An authority ends at the first slash; user info ends at its last "@". The host of abfss follows an "@", too, but
  // its container comes without a password.
  private val userInfo =
    "(?i)\\b([a-z][a-z0-9+.-]{0,31}://)([^/\\s@:]*:[^/\\s]*|[^/\\s@]*@[^/\\s]*)@".r

  private val secretKey =
    ("(?i)((?:secret|password|passwd|token|credential|signature|access[._-]?key|account[._-]?key" +
      "|api[._-]?key|private[._-]?key|authorization|\\bsig\\b)[\\w.-]{0,100}[\"']?\\s*(?:=|:|->)\\s*[\"']?(?:bearer\\s+|basic\\s+)?)([^\\s,;&\"')}\\]]+)").r

  /** The text without secrets. */
  def apply(text: String): String =
    if (text == null) null
    else {
      val withoutUsers = userInfo.replaceAllIn(text, m => quote(m.group(1) + hidden + "@"))
      secretKey.replaceAllIn(withoutUsers, m => quote(m.group(1) + hidden))
    }

  /** The exception and its causes with texts without secrets. Stack traces are kept. */
  def apply(e: Throwable): Throwable = if (e == null) null else new Redacted(e, maxCauses)

  private val maxCauses = 16

  private def quote(text: String): String = java.util.regex.Matcher.quoteReplacement(text)

  final private class Redacted(e: Throwable, causes: Int)
      extends Exception(
        apply(e.toString),
        if (e.getCause == null || causes == 0) null else new Redacted(e.getCause, causes - 1)
      ) {
    setStackTrace(e.getStackTrace)
    override def toString: String = getMessage
  }
}
