// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.json

import io.github.pysparklance.core.Optional

/** Selects a value of a JSON document. */
trait JsonSelector extends Serializable {

  /** The selector in messages. */
  def name: String

  /** Returns a value of a document as a range, see [[JsonText]].
    *
    * @return [[JsonText.missing]] if the document has no such value
    * @throws io.github.pysparklance.core.InvalidRequestException if the text before the value is
    *   not valid JSON
    */
  def find(document: Array[Byte]): Long
}

/** A member of JSON documents, at any depth in objects.
  *
  * @param names names of the nested objects, and of the member; not empty
  */
final case class JsonMember(names: IndexedSeq[String]) extends JsonSelector {
  @transient private lazy val keys = names.map(new JsonKey(_))

  override def name: String = names.mkString(".")

  override def find(document: Array[Byte]): Long = {
    var value = JsonText.get(document, keys.head)
    var depth = 1
    while (depth < keys.length && value != JsonText.missing) {
      value = JsonText.get(document, keys(depth), JsonText.from(value))
      depth += 1
    }
    value
  }
}

/** Creates members. */
object JsonMember {

  /** Returns the member that nested calls of `json_get` read. Returns `None` if a key is a number,
    * because it also selects elements of arrays.
    */
  def of(keys: Seq[String]): Option[JsonMember] =
    Optional.when(keys.nonEmpty && keys.forall(key => new JsonKey(key).index < 0))(
      JsonMember(keys.toIndexedSeq)
    )
}

/** A key of the `json_get` functions: the name of a member of an object, or the position of an
  * element of an array.
  */
final class JsonKey(val name: String) extends JsonSelector {

  /** The name in UTF-8. */
  val bytes: Array[Byte] = name.getBytes(java.nio.charset.StandardCharsets.UTF_8)

  /** The position; negative if the key is not an unsigned number of 64 bits. */
  val index: Long = {
    val digits = name.stripPrefix("+")
    if (digits.isEmpty || !digits.forall(c => c >= '0' && c <= '9')) -1L
    else {
      val number = BigInt(digits)
      // No array has more elements.
      if (number.bitLength > 64) -1L else if (number.isValidInt) number.toLong else Int.MaxValue
    }
  }

  override def find(document: Array[Byte]): Long = JsonText.get(document, this)
}
