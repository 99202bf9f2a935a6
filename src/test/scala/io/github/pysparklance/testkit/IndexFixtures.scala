// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import java.nio.file.{Files, Path}
import java.security.MessageDigest

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

/** A table with indices of another writer; see the README of the fixtures' folder `indices`.
  *
  * @param family the kind of index
  * @param queries conditions with their matching rows
  */
final case class IndexCase(name: String, path: Path, family: String, queries: Seq[FilterQuery])

/** A condition in the SQL of the reference.
  *
  * @param ids matching rows of a scan, as [[IndexFixtures.text]] writes them, or the SHA-1 of
  *   that; `None` if the reference raises an error
  * @param usesIndex whether the reference uses an index
  */
final case class FilterQuery(filter: String, ids: Option[String], usesIndex: Boolean)

/** The index fixtures. */
object IndexFixtures {

  /** All cases; empty without the folder. */
  lazy val cases: IndexedSeq[IndexCase] =
    Fixtures.folder.map(_.resolve("indices")).filter(Files.exists(_)).fold(
      IndexedSeq.empty[IndexCase]
    ) { root =>
      new ObjectMapper()
        .readTree(root.resolve("index_cases.json").toFile)
        .elements
        .asScala
        .map(parse(root, _))
        .toIndexedSeq
    }

  private def parse(root: Path, c: JsonNode): IndexCase = IndexCase(
    c.get("name").asText,
    root.resolve(c.get("path").asText),
    c.get("family").asText,
    c.get("queries").elements.asScala
      .filter(q => q.has("filter") && !q.has("fts") && !q.has("vector"))
      .map(query)
      .toIndexedSeq
  )

  private def query(q: JsonNode): FilterQuery = {
    val keys = if (q.path("truthSame").asBoolean) Seq("reference", "referenceSha1")
    else Seq("truth", "truthSha1")
    FilterQuery(
      q.get("filter").asText,
      keys.flatMap(k => Option(q.get(k))).headOption.map(_.asText),
      q.path("usesIndex").asBoolean
    )
  }

  /** Formats ids like the fixtures: `0-5,7`. */
  def text(ids: Seq[Long]): String = {
    val runs = ids.sorted.foldLeft(List.empty[(Long, Long)]) {
      case ((from, to) :: rest, id) if id == to + 1 => (from, id) :: rest
      case (runs, id) => (id, id) :: runs
    }
    runs.reverse.map { case (from, to) => if (from == to) s"$from" else s"$from-$to" }.mkString(",")
  }

  /** Returns the hash of long texts. */
  def sha1(text: String): String =
    MessageDigest.getInstance("SHA-1").digest(text.getBytes("UTF-8")).map("%02x".format(_)).mkString
}
