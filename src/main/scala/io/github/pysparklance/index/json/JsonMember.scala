// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.json

import io.github.pysparklance.core.Optional

/** A member of JSON documents, at any depth in objects.
  *
  * @param names names of the nested objects, and of the member; not empty
  */
final case class JsonMember(names: IndexedSeq[String])

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
final class JsonKey(val name: String) extends Serializable {

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
}
