// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import java.nio.file.{Files, Path, Paths}

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

import io.github.pysparklance.index.text.query._

/** A table of another writer with full-text indices. See the README of the fixtures' folder
  * `indices`.
  */
final case class TextCase(
    name: String,
    path: Path,
    family: String,
    writtenBy: String,
    queries: IndexedSeq[RecordedTextSearch]
)

/** A search with the result of the reference.
  *
  * @param filter filter on the column `id`
  * @param ids ids of the rows as [[IndexFixtures.text]] writes them, or the SHA-1 of that; `None`
  *   with a limit
  * @param top the first rows with their scores
  * @param error error of the reference
  */
final case class RecordedTextSearch(
    query: TextQuery,
    limit: Option[Int],
    filter: Option[String],
    count: Int,
    ids: Option[String],
    top: IndexedSeq[(Long, Float)],
    scoreSum: Double,
    error: Option[String]
)

/** Tables with full-text indices. Some are stored with the tests, all of them in the folder of the
  * fixtures.
  */
object TextFixtures {

  private val golden = Paths.get("src/test/resources/golden/indices")

  /** Returns the tables that are stored with the tests. */
  lazy val kept: IndexedSeq[TextCase] = parse(golden, golden.resolve("text_cases.json"))

  /** Returns all tables, or the tables that are stored with the tests if there is no folder of
    * fixtures.
    */
  lazy val cases: IndexedSeq[TextCase] =
    Fixtures.folder.map(_.resolve("indices")).filter(Files.exists(_)).fold(kept) { root =>
      parse(root, root.resolve("index_cases.json"))
    }

  private def parse(root: Path, file: Path): IndexedSeq[TextCase] =
    new ObjectMapper().readTree(file.toFile).elements.asScala
      .filter(_.get("queries").elements.asScala.exists(_.has("fts")))
      .map { c =>
        TextCase(
          c.get("name").asText,
          root.resolve(c.get("path").asText),
          c.get("family").asText,
          c.get("writtenBy").asText,
          c.get("queries").elements.asScala.filter(_.has("fts")).map(search).toIndexedSeq
        )
      }
      .toIndexedSeq

  private def search(q: JsonNode): RecordedTextSearch = {
    def text(key: String): Option[String] = Option(q.get(key)).filterNot(_.isNull).map(_.asText)
    RecordedTextSearch(
      query(q.get("fts")),
      Option(q.get("limit")).filterNot(_.isNull).map(_.asInt),
      text("filter"),
      q.path("count").asInt,
      text("ids").orElse(text("idsSha1")),
      q.path("top").elements.asScala.map(r => r.get(0).asLong -> r.get(1).floatValue).toIndexedSeq,
      q.path("scoreSum").asDouble,
      text("error")
    )
  }

  private def query(q: JsonNode): TextQuery = {
    def parts(key: String): IndexedSeq[TextQuery] =
      q.path(key).elements.asScala.map(query).toIndexedSeq
    q.get("type").asText match {
      case "match" =>
        MatchQuery(
          q.get("query").asText,
          Some(q.get("column").asText),
          q.path("boost").asDouble(1).toFloat,
          Some(q.path("fuzziness").asInt(0)),
          operator = TextQueryJson.operator(q.path("operator").asText("OR")),
          prefixLength = q.path("prefix_length").asInt(0)
        )
      case "phrase" =>
        PhraseQuery(q.get("query").asText, Some(q.get("column").asText), q.path("slop").asInt(0))
      case "boost" =>
        BoostQuery(
          query(q.get("positive")),
          query(q.get("negative")),
          q.get("negative_boost").floatValue
        )
      case "multi_match" =>
        val boosts = q.path("boosts").elements.asScala.map(_.floatValue).toIndexedSeq
        MultiMatchQuery(q.get("columns").elements.asScala.toIndexedSeq.zipWithIndex.map {
          case (column, i) =>
            MatchQuery(q.get("query").asText, Some(column.asText), boosts.lift(i).getOrElse(1f))
        })
      case "boolean" => BooleanQuery(parts("must"), parts("should"), parts("must_not"))
    }
  }
}
