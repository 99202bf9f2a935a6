// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.testkit.SparkLine

/** The accepted SQL expressions in a table's manifest. */
class StoredExpressionSuite extends AnyFunSuite {
  private def rejection(sql: String): String =
    StoredExpression.condition(sql).left.getOrElse(fail(s"accepted: $sql"))

  test("conditions on columns are accepted, with their columns and functions") {
    val accepted = Seq(
      "id > 0" -> Seq("id"),
      "a IS NULL OR (a >= 1 AND a <> 7) AND NOT b" -> Seq("a", "b"),
      "a BETWEEN 1 AND 5 OR a IN (8, 9)" -> Seq("a"),
      "name LIKE 'a%' AND name RLIKE '^[a-z]+$' AND length(trim(name)) < 10" -> Seq("name"),
      "s.x + s.y * 2 < -abs(z)" -> Seq("s.x", "s.y", "z"),
      "tags[0] = 'a' AND m['k'] IS NOT NULL" -> Seq("tags", "m"),
      "day >= DATE '2020-01-01' AND year(day) < 2100" -> Seq("day"),
      "CASE WHEN a > 0 THEN b ELSE c END" -> Seq("a", "b", "c"),
      "CAST(a AS DECIMAL(10, 2)) = round(b, 2)" -> Seq("a", "b"),
      "forall(tags, t -> length(t) < n)" -> Seq("tags", "n"),
      "`odd name` <=> upper(`odd name`)" -> Seq("odd name"),
      "extract(YEAR FROM day) > 1999 AND substring(name FROM 1 FOR 2) = 'ab'" -> Seq("day", "name"),
      "hex(concat_ws('-', a, b)) <> ''" -> Seq("a", "b"),
      "NULL" -> Nil
    )
    for ((sql, columns) <- accepted) {
      val found = StoredExpression.condition(sql)
      assert(found.map(_.columns.map(_.mkString("."))) == Right(columns), sql)
    }
  }

  test("expressions that run code, read other data, or are random are rejected by name") {
    val rejected = Seq(
      "java_method('java.lang.System', 'exit', '1') IS NULL" -> "function java_method",
      "reflect('java.lang.System', 'exit', '1') IS NULL" -> "function reflect",
      "try_reflect('java.lang.System', 'exit', '1') IS NULL" -> "function try_reflect",
      "id > (SELECT count(*) FROM text.`/etc/passwd`)" -> "subquery",
      "EXISTS (SELECT 1)" -> "subquery",
      "id IN (SELECT 1)" -> "subquery",
      "rand() < 2" -> "function rand",
      "uuid() <> ''" -> "function uuid",
      "my_udf(id)" -> "function my_udf",
      "spark_catalog.default.length(name) = 1" -> "function spark_catalog.default.length",
      "current_date() > day" -> "function current_date",
      "length(repeat('x', 2000000000)) > 0" -> "function repeat",
      "length(lpad('x', 2000000000, 'y')) > 0" -> "function lpad",
      "size(sequence(1, 2000000000)) > 0" -> "function sequence",
      "round(x, 2000000000) = 1" -> "calls round for other than 38 digits",
      "round(x, n) = 1" -> "calls round for other than 38 digits",
      "hex(trim(hex(name))) = ''" -> "calls hex on the result of hex",
      "to_json(named_struct('a', base64(b))) = ''" -> "calls to_json on the result of base64",
      "concat_ws(concat_ws(name, '', ''), '', '') = ''" -> "separator that is not a literal",
      "count(DISTINCT id) > 1" -> "function count",
      "sum(id) OVER () > 1" -> "not allowed",
      "input_file_name() = ''" -> "function input_file_name",
      "current_user() = 'me'" -> "function current_user",
      "raise_error('x')" -> "function raise_error",
      "id = :parameter" -> "not allowed",
      "IDENTIFIER('id') = 1" -> "not allowed",
      "xpath_string(x, '/a') = ''" -> "function xpath_string",
      "name = '$" + "{env:HOME}'" -> "configuration of the session",
      "name = 'a\u202eb'" -> "bidirectional",
      "id >" -> "cannot be parsed",
      "" -> "cannot be parsed",
      "id > 0; DROP TABLE t" -> "cannot be parsed"
    )
    for ((sql, why) <- rejected) assert(rejection(sql).contains(why), sql)
  }

  test("expressions are bounded in length and depth") {
    assert(rejection("id = 1 OR " * 2000 + "id = 2").contains("more than 10000"))
    assert(rejection("(" * 200 + "id" + ")" * 200).contains("levels deep"))
    assert(rejection("- " * 4000 + "id").matches("it (is nested|cannot be parsed).*"))
    assert(rejection("NOT " * 2000 + "b").matches("it (is nested|cannot be parsed).*"))
    assert(rejection("CAST(a AS " + "ARRAY<" * 1500 + "INT" + ">" * 1500 + ") IS NULL").nonEmpty)
    val start = System.nanoTime()
    StoredExpression.condition("(" * 60 + "id" + ")" * 60): Unit
    StoredExpression.condition("abs(" * 60 + "id" + ")" * 60): Unit
    assert((System.nanoTime() - start) / 1000000000L < 20)
  }

  test("patterns with exponential time are rejected") {
    val rejected = Seq(
      "name RLIKE '(a+)+b'",
      "name RLIKE '(a|ab)*c'",
      "name RLIKE '(x?a{1,30}){5,}'",
      "name RLIKE 'a*a*a*a*b'",
      s"name RLIKE '${"a?" * 60 + "a" * 60}'",
      s"name RLIKE '${"a?" * 49 + "a" * 49}b'",
      s"name RLIKE '${"a?" * 20 + "a" * 20}b'",
      "name RLIKE '(a|a){49}b'",
      "name RLIKE '(a|a){20}b'",
      "name RLIKE '(?x)(a+) *b'",
      "name RLIKE '(?:^){1000000000}'",
      "name RLIKE '(?:(?=a)){1000000000,}b'",
      "name RLIKE '\\\\b{1000000000}'",
      "name RLIKE '(\\\\b{1000}){1000}'",
      "name RLIKE '()(\\\\1{1000}){1000}'",
      "name RLIKE '(?<n>)(\\\\k<n>{1000}){1000}'",
      "name RLIKE '{2000000000}x'",
      "name RLIKE 'a*{2000000000}'",
      "name RLIKE 'a|{2000000000}'",
      "name RLIKE '({2000000000})'",
      "name RLIKE '(?i){2000000000}'",
      "name RLIKE '\\\\R+b'",
      "name RLIKE '(?:\\\\R){20}b'",
      "name RLIKE '(a+)\\\\Q\\\\E+b'",
      "name RLIKE '\\\\c\\\\Qx[\\\\E(a+)*]'",
      "name RLIKE '(((^){1000}){1000}){1000}'",
      "name RLIKE '[\\\\c[x](a+)*]'",
      "name RLIKE '[\\\\Q[\\\\E](a+)*]'",
      "regexp_extract(name, '(a+)+b', 0) = ''",
      "regexp_count(name, '(a*)*b') = 0",
      "regexp_like('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', '(a+)+b')",
      "parse_url(name, 'QUERY', '(a+)+b') = ''",
      "name LIKE '%a%a%a%b'",
      "name LIKE ALL ('a%', '%a%a%a%b')",
      "like(name, '%a%a%a%b')"
    )
    for (sql <- rejected) assert(rejection(sql).contains("can take very long"), sql)
    for (sql <- Seq("name RLIKE other", "name LIKE concat(other, '%')", "regexp_like(name, other)"))
      assert(rejection(sql).contains("pattern that is not a literal"), sql)
    val inner = "exists(c, z -> x + y + z > 0)"
    assert(rejection(s"exists(a, x -> exists(b, y -> $inner))").contains("2 lambda functions"))
    val accepted = Seq(
      "name RLIKE '^[a-z0-9._]+@[a-z0-9.]+[.][a-z]{2,}$'",
      "name RLIKE '^\\\\d{4}-\\\\d{2}-\\\\d{2}$'",
      "name RLIKE '^([0-9]{1,3}[.]){3}[0-9]{1,3}$'",
      "name RLIKE '^(?:cat|dog)s?$'",
      "name RLIKE '^([a-f0-9]{4}-){7}[a-f0-9]{4}$'",
      "name RLIKE '(?i)^\\\\p{L}+(?<!x)$'",
      "name LIKE '%@%.%' AND NOT name LIKE 'a_b%'",
      "parse_url(name, 'QUERY', 'key') IS NULL",
      "forall(a, x -> exists(x, y -> y > 0))"
    )
    for (sql <- accepted) assert(StoredExpression.condition(sql).isRight, sql)
  }

  test("usual patterns are accepted") {
    val octet = "(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)"
    val patterns = Seq(
      "^[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\\.[A-Za-z]{2,}$" -> "a.b@example.com",
      "^[^@]{1,64}@[^@]{1,255}$" -> "a.b@example.com",
      "^\\d{4}-\\d{2}-\\d{2}$" -> "2026-01-31",
      "^(0?[1-9]|1[0-2])/(0?[1-9]|[12]\\d|3[01])/(19|20)\\d{2}$" -> "1/31/2026",
      "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,9})?(Z|[+-]\\d{2}:\\d{2})?$" ->
        "2026-01-31T23:59:59.123Z",
      "^[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$" ->
        "123e4567-e89b-12d3-a456-426614174000",
      "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$" ->
        "123e4567-e89b-12d3-a456-426614174000",
      s"^$octet\\.$octet\\.$octet\\.$octet$$" -> "192.168.0.1",
      s"^($octet\\.){3}$octet$$" -> "192.168.0.1",
      "^([0-9a-fA-F]{1,4}:){7}[0-9a-fA-F]{1,4}$" -> "2001:db8:0:0:0:0:0:1",
      "^([0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}$" -> "00:1b:44:11:3a:b7",
      "^\\+?[0-9]{7,15}$" -> "+491711234567",
      "^(\\+\\d{1,3}[ .-]?)?\\(?\\d{3}\\)?[ .-]?\\d{3}[ .-]?\\d{4}$" -> "+1 (555) 123-4567",
      "^\\+?(\\d{1,3})?[-. ]?\\(?\\d{1,4}\\)?[-. ]?\\d{1,4}[-. ]?\\d{1,9}$" -> "+49 171 1234567",
      "^(https?|ftp)://[^/ ]+(/.*)?$" -> "https://example.com/a",
      "^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)$" -> "1.20.3",
      "^-?\\d+(\\.\\d+)?([eE][+-]?\\d+)?$" -> "-1.5e10",
      "^\\d{1,3}(,\\d{3})*(\\.\\d{2})?$" -> "1,234,567.89",
      "^\\d{5}(-\\d{4})?$" -> "12345-6789",
      "^(\\d{4}[ -]?){3}\\d{4}$" -> "1234 5678 9012 3456",
      "^[A-Z]{2}\\d{2}[A-Z0-9]{11,30}$" -> "DE89370400440532013000",
      "^[\\w.-]+\\.(jpg|jpeg|png|gif|webp)$" -> "a-b.jpeg"
    )
    for ((pattern, text) <- patterns) {
      assert(text.matches(pattern), pattern)
      val sql = s"name RLIKE '${pattern.replace("\\", "\\\\")}'"
      assert(StoredExpression.condition(sql).isRight, sql)
    }
  }

  test("numbers with huge exponents, whose digits Spark would compute, are rejected") {
    val rejected = Seq(
      "x < 1E600000000BD",
      "x < 1.5e+600000000bd",
      "x < .1E-600000000BD",
      "x = CAST('1e-600000000' AS DECIMAL(10, 2))",
      "x < '1E600000000' + 1BD",
      "x < -1E1000BD"
    )
    for (sql <- rejected) assert(rejection(sql).contains("huge exponent"), sql)
    assert(
      StoredExpression.default("1E600000000BD") == Left("it has a decimal with a huge exponent")
    )
    val schema = "array<" * 101 + "int" + ">" * 101
    for (s <- Seq("a DECIMAL(38, 0)", "a ARRAY<dec>", "numeric", schema))
      assert(rejection(s"from_json(name, '$s') IS NULL").contains("schema"), s)
    assert(rejection("from_json(name, other) IS NULL").contains("schema"))
    for (
      sql <- Seq(
        "x < 1E20BD",
        "x < 1E300",
        "name = 'e1000'",
        "from_json(name, 'a INT, decision STRING').a > 0"
      )
    ) assert(StoredExpression.condition(sql).isRight, sql)
  }

  test("defaults may contain literals, the time, and the user") {
    val accepted = Seq(
      "7",
      "'none'",
      "20 + 1",
      "CAST(NULL AS INT)",
      "DATE '2020-01-01'",
      "array(1, 2)",
      "named_struct('a', -1.5BD)",
      "map('a', X'00ff')",
      "current_timestamp()",
      "current_date",
      "current_user()",
      "CAST('NaN' AS FLOAT)"
    )
    for (sql <- accepted) assert(StoredExpression.default(sql).isRight, sql)
    val rejected = Seq(
      "id",
      "id + 1",
      "length(repeat('x', 2000000000))",
      "(SELECT 1)",
      "rand()",
      "java_method('java.lang.System', 'exit', '1')"
    )
    for (sql <- rejected) assert(StoredExpression.default(sql).isLeft, sql)
  }

  test("all allowed functions are built-in and deterministic") {
    val unknown = (StoredFunctions.all ++ StoredFunctions.ofStatement).filterNot(f =>
      FunctionRegistry.builtin.functionExists(FunctionIdentifier(f))
    )
    val since40 = Set(
      "between",
      "dayname",
      "is_valid_utf8",
      "monthname",
      "nullifzero",
      "session_user",
      "try_parse_url",
      "zeroifnull"
    )
    val since41 = Set("try_to_date", "current_time")
    val later = (if (SparkLine.isFrom("4.0")) Set.empty[String] else since40) ++
      (if (SparkLine.isFrom("4.1")) Set.empty[String] else since41)
    assert((unknown -- later).isEmpty)
  }
}
