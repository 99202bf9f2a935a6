// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.functions

import scala.util.Try

import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.index.json.JsonKey
import io.github.pysparklance.testkit.{Pylance, SharedSpark, TemporaryFolder}

class JsonFunctionSuite extends AnyFunSuite with TemporaryFolder {
  private def sessions: Seq[SparkSession] = Seq(SharedSpark.interpreted, SharedSpark.session)

  private def value(sql: String): Any = {
    val found = sessions.map(_.sql(s"SELECT $sql").head().get(0))
    assert(found.distinct.length == 1, sql)
    found.head
  }

  private def failure(sql: String): String = {
    val e = intercept[Exception](SharedSpark.interpreted.sql(s"SELECT $sql").collect())
    Iterator.iterate[Throwable](e)(_.getCause).takeWhile(_ != null).map(_.toString).mkString("\n")
  }

  private val values = Seq(
    "null",
    "true",
    "false",
    "0",
    "-0",
    "7",
    "-7",
    "7.0",
    "7.5",
    "-7.5",
    "2.4999",
    "-0.5",
    "0.49999999999999994",
    "1e3",
    "1e-7",
    "1e17",
    "123456789.125",
    "9223372036854775807",
    "-9223372036854775808",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "9.3e18",
    "4503599627370497.5",
    "\"\"",
    "\"7\"",
    "\"+7\"",
    "\" 7\"",
    "\"7.5\"",
    "\"-7.5e1\"",
    "\".5\"",
    "\"5.\"",
    "\".\"",
    "\"1e\"",
    "\"0x10\"",
    "\"7d\"",
    "\"7f\"",
    "\"1_000\"",
    "\"9223372036854775808\"",
    "\"99999999999999999999999\"",
    "\"1e400\"",
    "\"inf\"",
    "\"-Infinity\"",
    "\"+-inf\"",
    "\"NaN\"",
    "\"-nan\"",
    "\"true\"",
    "\"TRUE\"",
    "\"Yes\"",
    "\"no\"",
    "\"fal\\u017fe\"",
    "\"1\"",
    "\"null\"",
    "\"caf\\u00e9 \\ud83d\\ude00 \\\" \\\\ \\n\"",
    "[]",
    "[1]",
    "{}"
  )

  private val documents = values.map(v => s"""{"v":$v,"w":[5,$v],"10":{"v":$v}}""") ++ Seq(
    "[7, 8]",
    "7",
    "null",
    "{}",
    "\"v\""
  )

  private val keys = Seq("v", "w", "10", "1", "+1", "x", "$.v", "")

  test("pylance has the same results for every kind of value and key") {
    val path = folder.resolve("values").toString
    val functions = JsonFunction.all.filter(_.valueType.isDefined)
    val found = Pylance.run(
      """
      import math
      write(pa.table({'id': list(range(len(documents))), 'j': pa.array(documents, pa.json_())}), path)
      ds = dataset(path)
      def text(v):
          if v is None: return None
          if isinstance(v, float): return 'nan' if math.isnan(v) else repr(v)
          return str(v).lower() if isinstance(v, bool) else str(v)
      def evaluate(i, f, k):
          if k != 'v' and i % 5: return 'skipped'
          try:
              t = ds.to_table(columns={'v': "%s(j, '%s')" % (f, k)}, filter=f'id = {i}')
              return text(t['v'].to_pylist()[0])
          except Exception as e:
              return 'error'
      result = [[[evaluate(i, f, k) for k in keys] for f in functions] for i in range(len(documents))]
      """,
      "path" -> path,
      "documents" -> documents,
      "functions" -> functions.map(_.functionName),
      "keys" -> keys
    )
    val texts = SharedSpark.interpreted.read.format("lance").load(path).orderBy("id").select("j")
      .collect().map(_.getString(0))
    def ours(text: String, function: JsonFunction, key: String): String =
      Try(function.evaluate(UTF8String.fromString(text), new JsonKey(key))).fold(
        _ => "error",
        {
          case null => null
          case d: java.lang.Double if d.isNaN => "nan"
          case d: java.lang.Double => s"double ${d.doubleValue}"
          case other => other.toString
        }
      )
    def python(text: String, function: JsonFunction): String =
      if (
        text == null || function != JsonFunction.GetFloat || Seq(
          "error",
          "nan",
          "skipped"
        ).contains(text)
      )
        text
      else if (text.endsWith("inf")) s"double ${if (text == "inf") "" else "-"}Infinity"
      else s"double ${java.lang.Double.parseDouble(text)}"
    var numErrors = 0
    for {
      (text, i) <- texts.zipWithIndex
      (function, f) <- functions.zipWithIndex
      (key, k) <- keys.zipWithIndex
    } {
      val node = found.get(i).get(f).get(k)
      val expected = python(if (node.isNull) null else node.asText, function)
      if (expected == "error") numErrors += 1
      if (expected != "skipped") {
        val clue = s"${function.functionName}('$text', '$key')"
        assert(ours(text, function, key) == expected, clue)
        assert(ours(documents(i), function, key) == expected, s"$clue, as written")
      }
    }
    assert(numErrors > 50)
  }

  test("nested documents") {
    val document = """'{"a":{"b":{"c":"7"},"l":[{"x":1.5},{"x":2.5}]},"n":null}'"""
    assert(value(s"json_get_int(json_get(json_get($document, 'a'), 'b'), 'c')") == 7L)
    assert(value(s"json_get_float(json_get(json_get(json_get($document, 'a'), 'l'), '1'), 'x')") ==
      2.5)
    assert(value(s"json_get($document, 'a')") ==
      """{"b":{"c":"7"},"l":[{"x":1.5},{"x":2.5}]}""")
    assert(value(s"json_get($document, 'n')") == "null")
    assert(value(s"json_get(json_get($document, 'n'), 'x')") == null)
    assert(value(s"json_get_string($document, '$$.a.b.c')") == null)
  }

  test("null arguments, and keys of each row") {
    assert(value("json_get_int(NULL, 'a')") == null)
    assert(value("""json_get_int('{"a":1}', NULL)""") == null)
    assert(value("json_get_bool(CAST(NULL AS STRING), 'a')") == null)
    sessions.foreach { spark =>
      val found = spark.sql(
        """SELECT json_get_string(d, k), json_get_int(d, k), json_get_float(d, k), json_get_bool(d, k)
          |FROM VALUES ('{"a":true}', 'a'), ('{"a":true,"b":"no"}', 'x'), (NULL, 'a'), ('[false]', '0')
          |AS t(d, k)""".stripMargin
      ).collect().toSeq
      assert(found == Seq(
        Row("true", 1L, 1.0, true),
        Row(null, null, null, null),
        Row(null, null, null, null),
        Row("false", 0L, 0.0, false)
      ))
    }
  }

  test("numbers above the range of a double are null") {
    val document = """'{"a":1e400,"b":[-1e999]}'"""
    Seq("json_get_string", "json_get_int", "json_get_float", "json_get_bool").foreach { f =>
      assert(value(s"$f($document, 'a')") == null)
      assert(value(s"$f(json_get($document, 'b'), '0')") == null)
    }
  }

  test("values that cannot be converted, and other arguments, are rejected by name") {
    assert(failure("""json_get_int('{"a":[1]}', 'a')""").contains(
      "json_get_int cannot convert the value of 'a' to BIGINT: it is an array"
    ))
    assert(failure("""json_get_bool('{"a":1}', 'a')""").contains("to BOOLEAN: it is a number"))
    assert(failure("""json_get_float('{"a":"x"}', 'a')""").contains("it is a string without"))
    assert(failure("""json_get_string('{"a" 1}', 'a')""").contains("not valid JSON at byte 5"))
    assert(failure("""json_get_string('{"a":tru}', 'a')""").contains("not valid JSON at byte 5"))
    assert(failure("""json_get_int('{"a":01}', 'a')""").contains("not valid JSON at byte 5"))
    assert(failure("json_get_int(7, 'a')").contains("takes a JSON document and a key"))
    assert(failure("json_get_int('{}')").contains("takes a JSON document and a key"))
    assert(failure("json_get_int('{}', 1)").contains("which are strings, not (STRING, INT)"))
  }

  test("values at paths, as in pylance") {
    val documents = Seq(
      """{"x":null,"a":{"b":[1,2.0,{"c":"é"}],"s":"\n","t":{"u":false}},"n":1e3}""",
      "[1,2]",
      "7"
    )
    val paths = Seq("x", "$.x", "a", "a.b", "a.t", "$.a.t.u", "$[\"a\"].s", "n", "n.a", "z", "a.z")
    val path = folder.resolve("paths").toString
    val found = Pylance.run(
      """
      write(pa.table({'id': list(range(len(documents))), 'j': pa.array(documents, pa.json_())}), path)
      columns = {str(i): "json_extract(j, '%s')" % p for i, p in enumerate(paths)}
      result = [list(r.values()) for r in dataset(path).to_table(columns=columns).to_pylist()]
      """,
      "path" -> path,
      "documents" -> documents,
      "paths" -> paths
    )
    sessions.foreach { spark =>
      spark.read.format("lance").load(path).createOrReplaceTempView("json_paths")
      val calls = paths.map(p => s"json_extract(j, '$p')").mkString(", ")
      val rows = spark.sql(s"SELECT $calls FROM json_paths ORDER BY id").collect()
      for ((row, i) <- rows.zipWithIndex; k <- paths.indices) {
        val expected = Option(found.get(i).get(k)).filterNot(_.isNull).map(_.asText).orNull
        assert(row.getString(k) == expected, s"${paths(k)} of ${documents(i)}")
      }
    }
    assert(value("""json_extract(' { "a" : {"b": [ 1 ]} } ', 'a.b')""") == "[ 1 ]")
    assert(value("""json_extract(NULL, 'a')""") == null)
    Seq("$", "$.a[0]", "a b", "$.7").foreach { path =>
      assert(failure(s"json_extract('{}', '$path')").contains(s"the path '$path' of json_extract"))
    }
  }

  test("functions of a catalog, and their descriptions") {
    val spark = SharedSpark.interpreted
    assert(spark.sql("""SELECT lake.json_get_int('{"a":7}', 'a')""").head().getLong(0) == 7L)
    assert(spark.sql("""SELECT lake.json_get_bool('{"a":"yes"}', 'a') OR false""").head()
      .getBoolean(0))
    val described = spark.sql("DESCRIBE FUNCTION json_get_int").collect().map(_.getString(0))
    assert(described.exists(_.contains("as BIGINT, or null if there is none")))
    val listed = spark.sql("SHOW USER FUNCTIONS IN lake").collect().map(_.getString(0))
    assert(JsonFunction.all.forall(f => listed.exists(_.endsWith(f.functionName))))
  }
}
