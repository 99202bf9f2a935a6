// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.types

import io.github.pysparklance.core.Optional
import io.github.pysparklance.encoding.spi.EncodingOptions

/** Keys of column options. Options that select the type are only used when the column is
  * created. All others become field metadata.
  */
private[spark] object ColumnOptionKeys {

  /** Dimension of a fixed-size list. */
  val FixedSizeListSize: String = "arrow.fixed-size-list.size"

  /** Size of the values of a fixed-size binary in bytes. */
  val FixedSizeBinaryWidth: String = "arrow.fixed-size-binary.byte-width"

  /** `true`: floats, or the floats of a fixed-size list, are stored with 16 bits. */
  val Float16: String = "arrow.float16"

  /** `true`: strings with offsets of 64 bits. */
  val LargeString: String = "arrow.large_var_char"

  /** `true`: binaries with offsets of 64 bits. */
  val LargeBinary: String = "arrow.large_var_binary"

  /** The type, as spelled in the format. */
  val LanceType: String = "lance.type"

  /** Arrow extension type of the column. */
  val ExtensionName: String = "ARROW:extension:name"

  /** Metadata of the extension type. */
  val ExtensionMetadata: String = "ARROW:extension:metadata"

  /** Prefix of encoder options. */
  val Encoding: String = EncodingOptions.Prefix

  private val ofTypes = Seq(
    FixedSizeListSize,
    FixedSizeBinaryWidth,
    Float16,
    LargeString,
    LargeBinary,
    LanceType
  )

  /** Keys of Arrow extension types. */
  val extensions: Seq[String] = Seq(ExtensionName, ExtensionMetadata)

  /** Names of the same options in other connectors. */
  private val aliases = Map("arrow:large-var-binary" -> LargeBinary)

  /** All keys, for messages. */
  val all: Seq[String] = ofTypes ++ extensions ++ EncodingOptions.keys.map(Encoding + _)

  /** Returns the key with a name: one of the keys above, or an encoder key with or without its
    * prefix.
    */
  def find(text: String): Option[String] =
    plain(text).orElse(
      Optional.when(isShort(text))(Encoding + text.toLowerCase(java.util.Locale.ROOT))
    )

  private def plain(text: String): Option[String] =
    (ofTypes ++ extensions)
      .find(_.equalsIgnoreCase(text))
      .orElse(aliases.get(text))
      .orElse(Optional.when(isEncoding(text))(Encoding + text.substring(Encoding.length)))

  /** Parses the name of a column option without the prefix `column`. Returns path, key, and
    * value. Only supports unambiguous names.
    */
  def withoutPrefix(name: String, value: String): Option[(String, String, String)] =
    behind(name, ofTypes.filter(_ != LanceType))
      .map { case (path, key) => (path, key, value) }
      .orElse(behind(name, Seq(blobForm)).map { case (path, _) =>
        (path, s"${Encoding}blob", if (value.equalsIgnoreCase("blob")) "true" else "false")
      })
      .orElse(behind(name, encodingForms).map { case (path, form) =>
        (path, Encoding + form.stripPrefix("lance."), value)
      })

  private val blobForm = "lance.encoding"
  private val encodingForms =
    Seq("compression", "compression-level", "structural-encoding", "rle-threshold", "bss")
      .map("lance." + _)

  /** Parses an entry of column metadata. Returns the path below the column, empty for the column
    * itself, and the key.
    */
  def inMetadata(name: String): Option[(String, String)] =
    plain(name).map("" -> _).orElse {
      behind(name, ofTypes ++ extensions).orElse {
        val at = name.indexOf(s".$Encoding")
        Optional.when(at > 0)(name.substring(0, at) -> name.substring(at + 1))
      }
    }

  private def behind(name: String, keys: Seq[String]): Option[(String, String)] =
    keys
      .find(key => name.length > key.length + 1 && name.endsWith(s".$key"))
      .map(key => name.substring(0, name.length - key.length - 1) -> key)

  private def isEncoding(text: String): Boolean =
    text.length > Encoding.length && text.regionMatches(true, 0, Encoding, 0, Encoding.length)

  private def isShort(text: String): Boolean =
    text.nonEmpty && text.forall(c => c == '-' || c.isLetterOrDigit && c < 128)
}
