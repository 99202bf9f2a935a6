// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import java.nio.file.{Files, Path, Paths}

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

/** A table of another writer with a vector index on the column `v`. See the README of the fixtures'
  * folder `indices`.
  */
final case class VectorCase(
    name: String,
    path: Path,
    family: String,
    writtenBy: String,
    metric: String,
    queries: IndexedSeq[RecordedSearch]
)

/** A search with the result of the reference.
  *
  * @param vectors one, or several for rows of several vectors
  * @param nprobes partitions that were searched
  * @param range least distance, and the first that is too large
  * @param reference the first ids that the index found, with their distances
  * @param count count of rows that it found
  * @param exact the nearest rows with their distances
  * @param error error of the reference
  */
final case class RecordedSearch(
    vectors: IndexedSeq[Array[Double]],
    k: Int,
    nprobes: Int,
    refineFactor: Option[Int],
    ef: Option[Int],
    filter: Option[String],
    range: Option[(Float, Float)],
    reference: IndexedSeq[(Long, Float)],
    count: Int,
    exact: IndexedSeq[(Long, Float)],
    error: Option[String]
)

/** Tables with vector indices. Some are stored with the tests, all of them in the folder of the
  * fixtures.
  */
object VectorFixtures {

  private val golden = Paths.get("src/test/resources/golden/indices")

  /** Returns the tables that are stored with the tests. */
  lazy val kept: IndexedSeq[VectorCase] = parse(golden, golden.resolve("vector_cases.json"))

  /** Returns all tables, or the tables that are stored with the tests if there is no folder of
    * fixtures.
    */
  lazy val cases: IndexedSeq[VectorCase] =
    Fixtures.folder.map(_.resolve("indices")).filter(Files.exists(_)).fold(kept) { root =>
      parse(root, root.resolve("index_cases.json"))
    }

  private def parse(root: Path, file: Path): IndexedSeq[VectorCase] =
    new ObjectMapper().readTree(file.toFile).elements.asScala
      .filter(_.get("queries").elements.asScala.exists(_.has("vector")))
      .map { c =>
        VectorCase(
          c.get("name").asText,
          root.resolve(c.get("path").asText),
          c.get("family").asText,
          c.get("writtenBy").asText,
          c.get("options").path("metric").asText(
            if (c.get("family").asText.endsWith("multi")) "cosine" else "l2"
          ),
          c.get("queries").elements.asScala.filter(_.has("vector")).map(search).toIndexedSeq
        )
      }
      .toIndexedSeq

  private def search(q: JsonNode): RecordedSearch = {
    val vector = q.get("vector")
    val vectors =
      if (vector.get(0).isArray) vector.elements.asScala.toIndexedSeq else IndexedSeq(vector)
    def number(key: String): Option[Int] = Option(q.get(key)).filterNot(_.isNull).map(_.asInt)
    def rows(key: String): IndexedSeq[(Long, Float)] =
      q.path(key).elements.asScala.map(r => r.get(0).asLong -> r.get(1).floatValue).toIndexedSeq
    RecordedSearch(
      vectors.map(_.elements.asScala.map(_.asDouble).toArray),
      q.get("k").asInt,
      q.get("nprobes").asInt,
      number("refine_factor"),
      number("ef"),
      Option(q.get("filter")).filterNot(_.isNull).map(_.asText),
      Option(q.get("distanceRange")).filterNot(_.isNull).map(r =>
        r.get(0).floatValue -> r.get(1).floatValue
      ),
      rows("reference"),
      q.path("count").asInt,
      rows("exact"),
      Option(q.get("error")).map(_.asText)
    )
  }
}
