// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.dynamodb

import java.util.concurrent.{Callable, Executors}

import scala.jdk.CollectionConverters._

import org.scalatest.funsuite.AnyFunSuite
import software.amazon.awssdk.services.dynamodb.model.{AttributeValue, PutItemRequest}

import io.github.pysparklance.core.{CorruptFileException, InvalidRequestException}
import io.github.pysparklance.storage.spi.ManifestRow
import io.github.pysparklance.testkit.{DynamoDbTables, MotoServer}

class DynamoDbManifestStoreSuite extends AnyFunSuite {
  private lazy val table = DynamoDbTables.create()

  private def open(name: String): DynamoDbManifestStore =
    new DynamoDbManifestStore(name, key => Option(MotoServer.configuration.get(key)))

  private lazy val store = open(table)

  private def row(version: Long, path: String = "x", size: Option[Long] = Some(9)) =
    ManifestRow(version, path, size)

  private def item(name: String, values: (String, AttributeValue)*): Unit =
    DynamoDbTables.client.putItem(
      PutItemRequest.builder.tableName(name).item(Map(values: _*).asJava).build()
    ): Unit

  private def s(v: String) = AttributeValue.fromS(v)
  private def n(v: String) = AttributeValue.fromN(v)

  test("rows are added once, and existing rows can be replaced") {
    assert(store.get("a", 1).isEmpty && store.latest("a").isEmpty)
    assert(!store.putIfPresent("a", row(1)) && store.get("a", 1).isEmpty)
    assert(store.putIfAbsent("a", row(1)) && !store.putIfAbsent("a", row(1, "y")))
    assert(store.get("a", 1).contains(row(1)))
    assert(store.putIfPresent(
      "a",
      row(1, "y", None)
    ) && store.get("a", 1).contains(row(1, "y", None)))
    (2L to 11L).foreach(v => assert(store.putIfAbsent("a", row(v))))
    store.putIfAbsent("a/tree/b", row(50))
    assert(store.latest("a").contains(row(11)) && store.latest("a/tree/b").contains(row(50)))
    store.remove("a", 11)
    store.remove("a", 11)
    assert(store.latest("a").contains(row(10)))
    store.removeAll("a")
    assert(store.latest("a").isEmpty && store.latest("a/tree/b").isDefined)
  }

  test("the schema equals that of other writers") {
    store.putIfAbsent("schema", row(3, "schema/_versions/x"))
    val found = DynamoDbTables.client.getItem(r =>
      r.tableName(table).key(Map("base_uri" -> s("schema"), "version" -> n("3")).asJava): Unit
    ).item.asScala.toMap
    assert(found == Map(
      "base_uri" -> s("schema"),
      "version" -> n("3"),
      "path" -> s("schema/_versions/x"),
      "committer" -> s("lancedb"),
      "size" -> n("9")
    ))
  }

  test("rows of other writers: without size, with more, of detached versions") {
    item(table, "base_uri" -> s("o"), "version" -> n("1"), "path" -> s("p"), "e_tag" -> s("e"))
    item(table, "base_uri" -> s("o"), "version" -> n("9223372036854775809"), "path" -> s("d"))
    assert(store.latest("o").contains(ManifestRow(1, "p", None)))
    assert(store.get("o", Long.MinValue + 1).exists(_.path == "d"))
  }

  test("damaged rows are rejected") {
    item(table, "base_uri" -> s("bad"), "version" -> n("1"), "path" -> n("7"))
    item(table, "base_uri" -> s("bad"), "version" -> n("2"))
    item(table, "base_uri" -> s("bad"), "version" -> n("3"), "path" -> s("x"), "size" -> s("big"))
    item(table, "base_uri" -> s("bad"), "version" -> n("4"), "path" -> s("x"), "size" -> n("-1"))
    Seq(1L -> "path", 2L -> "path", 3L -> "size", 4L -> "size").foreach { case (v, name) =>
      val e = intercept[CorruptFileException](store.get("bad", v))
      assert(e.getMessage.contains(name) && e.getMessage.contains(table))
    }
  }

  test("tables with other keys, and missing tables") {
    val other = DynamoDbTables.create(sortKey = "number")
    val e = intercept[InvalidRequestException](open(other))
    assert(e.getMessage.contains("version") && e.getMessage.contains("number"))
    val none = intercept[java.io.IOException](open("no-such-table"))
    assert(none.getMessage.contains("no-such-table"))
  }

  test("exactly one of many concurrent writers adds a row") {
    val pool = Executors.newFixedThreadPool(6)
    try
      (1L to 10L).foreach { version =>
        val calls = (0 until 6).map(i =>
          (() => store.putIfAbsent("race", row(version, i.toString))): Callable[Boolean]
        )
        val won = pool.invokeAll(calls.asJava).asScala.map(_.get)
        assert(won.count(identity) == 1)
        assert(store.get("race", version).exists(_.path == won.indexOf(true).toString))
      }
    finally pool.shutdown()
  }
}
