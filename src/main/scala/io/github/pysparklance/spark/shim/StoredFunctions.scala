// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

/** Built-in functions that stored expressions may call. All are deterministic, only use their
  * arguments, and return values of similar size as their arguments. `repeat`, `lpad`, `space`,
  * `sequence`, `format_string`, and `regexp_replace` are excluded, because short texts could make
  * them fill the memory. [[lengthening]] and [[joining]] functions, and [[patterns]], have separate
  * limits.
  */
private[shim] object StoredFunctions {

  private def words(text: String): Set[String] = text.split("\\s+").filter(_.nonEmpty).toSet

  private val ofText = words("""
    ascii base64 bit_length btrim char_length character_length concat concat_ws contains endswith find_in_set
    hex ilike initcap instr is_valid_utf8 lcase left len length like locate lower ltrim luhn_check octet_length
    parse_url position regexp regexp_count regexp_extract regexp_instr regexp_like regexp_substr reverse right
    rlike rtrim soundex split_part startswith substr substring substring_index translate trim try_parse_url
    ucase unbase64 unhex upper""")

  private val ofNumbers = words("""
    abs acos asin atan atan2 bit_count bit_get bround cbrt ceil ceiling cos degrees div e exp floor getbit
    greatest hypot isnan least ln log log10 log2 mod nanvl negative nullifzero pi pmod positive pow power
    radians rint round sign signum sin sqrt tan try_add try_divide try_multiply try_subtract width_bucket
    zeroifnull""")

  private val ofTime = words(
    """
    add_months date_add date_diff date_format date_from_unix_date date_part date_sub date_trunc dateadd datediff
    datepart day dayname dayofmonth dayofweek dayofyear extract hour last_day make_date make_timestamp
    make_timestamp_ltz make_timestamp_ntz minute month monthname months_between next_day quarter second
    timestamp_micros timestamp_millis timestamp_seconds to_date to_timestamp to_timestamp_ltz to_timestamp_ntz
    trunc try_to_date try_to_timestamp unix_date unix_micros unix_millis unix_seconds weekday weekofyear year"""
  )

  private val ofConditions = words("""
    between coalesce equal_null if ifnull isnotnull isnull nullif nvl nvl2""")

  private val ofNested = words(
    """
    array array_contains array_distinct array_except array_intersect array_max array_min array_position
    array_size arrays_overlap cardinality element_at exists filter forall from_json get get_json_object
    json_array_length map map_contains_key map_keys map_values named_struct size struct to_json try_element_at"""
  )

  private val ofHashes = words("crc32 hash md5 sha sha1 sha2 xxhash64")

  private val casts = words("""
    bigint binary boolean date decimal double float int smallint string timestamp tinyint""")

  /** Names in lower case. */
  val all: Set[String] =
    ofText ++ ofNumbers ++ ofTime ++ ofConditions ++ ofNested ++ ofHashes ++ casts

  /** Functions whose second argument is the number of digits. */
  val scaled: Set[String] = Set("round", "bround", "ceil", "ceiling", "floor")

  /** Functions that lengthen text by a factor, which would multiply if they are nested. */
  val lengthening: Set[String] = Set("base64", "hex", "to_json")

  /** The function that repeats its first argument between the others. */
  val joining: String = "concat_ws"

  /** The function whose second argument is a schema. */
  val parsing: String = "from_json"

  /** Functions that match by LIKE. */
  val ofLike: Set[String] = Set("like", "ilike")

  /** Positions of patterns among the arguments of functions, from 0. `parse_url` looks up a key by
    * a regular expression.
    */
  val patterns: Map[String, Int] =
    (ofLike ++ ofText.filter(n => n.startsWith("regexp") || n == "rlike")).map(_ -> 1).toMap ++
      Seq("parse_url", "try_parse_url").map(_ -> 2)

  /** Functions that defaults may call as well: the time and the user of the writing statement. Some
    * need no parentheses.
    */
  val ofStatement: Set[String] = words("""
    curdate current_date current_time current_timestamp current_timezone current_user localtimestamp now
    session_user user""")
}
