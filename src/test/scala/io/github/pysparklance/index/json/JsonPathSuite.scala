// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.json

import java.nio.charset.StandardCharsets.UTF_8

import com.fasterxml.jackson.databind.ObjectMapper
import com.google.protobuf.{Any => AnyMessage}
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.index.proto.JsonIndexDetails
import io.github.pysparklance.index.scalar.BTree
import io.github.pysparklance.testkit.{Pylance, TemporaryFolder}

class JsonPathSuite extends AnyFunSuite with TemporaryFolder {

  private def names(path: String): Option[Seq[String]] = JsonPath.member(path).map(_.names)

  private val members = Seq(
    "x" -> Seq("x"),
    "$.x" -> Seq("x"),
    "$:x" -> Seq("x"),
    "$.\"x y\"" -> Seq("x y"),
    "$[ \"x\" ]" -> Seq("x"),
    " x " -> Seq("x"),
    "é" -> Seq("é"),
    "a.b" -> Seq("a", "b"),
    "a:b" -> Seq("a", "b"),
    "$.a[\"b\"].c" -> Seq("a", "b", "c"),
    "$.\"a.b\"" -> Seq("a.b"),
    "$.null" -> Seq("null"),
    "$.5x" -> Seq("5x")
  )

  test("paths of names are members") {
    members.foreach { case (path, wanted) => assert(names(path).contains(wanted), path) }
  }

  test("other paths are not members") {
    Seq(
      "",
      "$",
      "$.*",
      "$.a[0]",
      "$.a[*].b",
      "$..a",
      "$.**",
      "$.a ? (@ > 1)",
      "$.a == 1",
      "a + b",
      "null",
      "true",
      "$['a']",
      "\"a\"",
      "a\t",
      "$.\"a\\u0062\"",
      // Such a key also selects an element of an array.
      "0",
      "$.7",
      "$.\"+7\"",
      "$.a.1"
    ).foreach(path => assert(names(path).isEmpty, path))
  }

  test("paths of more than 1,000 characters are not members") {
    assert(names("$" + ".a" * 499).exists(_.length == 499))
    assert(names("$" + ".a" * 500).isEmpty && names("$" + ".a" * 1000000).isEmpty)
    val details = JsonIndexDetails.newBuilder()
      .setPath("$" + ".a" * 1000000)
      .setTargetDetails(AnyMessage.newBuilder().setTypeUrl("/" + BTree.detailsType))
    assert(JsonIndexKind.of(details.build().toByteArray).exists(_.member.isEmpty))
  }

  test("pylance finds the same member") {
    val documents = Seq(
      """{"x":1,"x y":2,"é":3,"a":{"b":{"c":4},"5x":5},"a.b":6,"null":7,"5x":8,"b":9}""",
      """{"a":[{"b":1}],"x":{"x":1}}""",
      """[{"x":1}]""",
      "7"
    )
    val path = folder.resolve("paths").toString
    val found = Pylance.run(
      """
      write(pa.table({'j': pa.array(documents, pa.json_())}), path)
      columns = {str(i): "json_extract(j, '%s')" % p for i, p in enumerate(paths)}
      result = dataset(path).to_table(columns=columns).to_pylist()
      """,
      "path" -> path,
      "documents" -> documents,
      "paths" -> members.map(_._1)
    )
    for {
      (document, i) <- documents.zipWithIndex
      ((member, wanted), k) <- members.zipWithIndex
    } {
      val value = wanted.foldLeft(Option(new ObjectMapper().readTree(document))) { (node, name) =>
        node.flatMap(n => Option(n.get(name)))
      }
      val expected = Option(found.get(i).get(k.toString)).filterNot(_.isNull).map(_.asText)
      assert(value.map(_.toString) == expected, s"$member of $document")
    }
  }

  private def get(document: String, keys: String*): Option[String] =
    keys.foldLeft(Option(document.getBytes(UTF_8))) { (text, key) =>
      text.flatMap { bytes =>
        val value = JsonText.get(bytes, new JsonKey(key))
        if (value == JsonText.missing) None
        else
          Some(java.util.Arrays.copyOfRange(bytes, JsonText.from(value), JsonText.until(value)))
      }
    }.map(new String(_, UTF_8))

  test("values in JSON text") {
    val document =
      """ { "a" : [ 1 , {"b": "]}\"" }, [ ] ] , "k\"\UNI00e9" : null , "" : -1.5e3 } """.replace(
        "UNI",
        "u"
      )
    assert(get(document, "a", "0").contains("1"))
    assert(get(document, "a", "+1", "b").contains(""""]}\"""""))
    assert(get(document, "a", "2").contains("[ ]"))
    assert(get(document, "a", "3").isEmpty)
    assert(get(document, "a", "x").isEmpty && get(document, "a", "-1").isEmpty)
    assert(get(document, "k\"é").contains("null"))
    assert(get(document, "").contains("-1.5e3"))
    assert(get(document, "b").isEmpty && get(document, "$.a").isEmpty)
    assert(get(document, "a", "0", "0").isEmpty)
    assert(get("[]", "0").isEmpty && get("{}", "a").isEmpty)
    assert(get("7", "0").isEmpty && get("\"a\"", "a").isEmpty && get("null", "a").isEmpty)
    assert(get("[1, 2]", "18446744073709551616").isEmpty && get("[1]", "4294967296").isEmpty)
  }

  test("text that is not valid JSON is rejected with its position") {
    Seq(
      "" -> 0,
      "{" -> 1,
      "{\"a\"" -> 4,
      "{\"a\" 1}" -> 5,
      "{\"a\":}" -> 5,
      "{\"a\":1" -> 6,
      "{\"a\":1 \"b\":2}" -> 7,
      "{\"a\":[1,2}" -> -1,
      "{\"a\":\"x" -> 7,
      "{\"a\":\"x\\" -> 8,
      "[1 2]" -> -1,
      "[,1]" -> -1
    ).foreach { case (text, at) =>
      if (at >= 0) {
        val e = intercept[io.github.pysparklance.core.InvalidRequestException](get(text, "b"))
        assert(e.getMessage.contains(s"not valid JSON at byte $at"), text)
      } else
        // Skipped containers are not checked, and never read beyond the text.
        try get(text, "3"): Unit
        catch { case _: io.github.pysparklance.core.InvalidRequestException => () }
    }
  }
}
