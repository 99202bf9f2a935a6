// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import java.nio.file.{Files, Path, Paths}

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import org.scalatest.{Assertion, Assertions}

/** One dataset of the interoperability fixtures with its expected rows; see the fixtures' README.
  *
  * @param path path of the dataset
  * @param options read options: version, tag or branch
  * @param rows rows that a reader must return
  * @param error class of the expected error, several joined by `|`
  * @param mayRead whether reading the rows is also accepted if an error is expected
  * @param alias a path that must link to the fixtures, because manifests contain absolute paths
  */
final case class FixtureCase(
    name: String,
    path: Path,
    options: Map[String, String],
    expected: Option[Path],
    rows: Long,
    fileVersion: String,
    feature: String,
    error: Option[String],
    mayRead: Boolean,
    alias: Option[Path]
) {

  /** Creates the link for absolute paths in manifests. Replaces a broken link.
    */
  def ensureAlias(): Unit =
    for (link <- alias; target <- Fixtures.folder if !Files.exists(link)) {
      Files.deleteIfExists(link)
      Files.createSymbolicLink(link, target.toRealPath()): Unit
    }
}

/** The interoperability fixtures: datasets of other writers, stored next to the source tree. */
object Fixtures {

  /** The folder in the property `pysparklance.fixtures` or the variable `PYSPARK_LANCE_FIXTURES`,
    * by default `../shared/fixtures`; `None` if it does not exist.
    */
  val folder: Option[Path] =
    sys.props
      .get("pysparklance.fixtures")
      .orElse(sys.env.get("PYSPARK_LANCE_FIXTURES"))
      .orElse(Some("../shared/fixtures"))
      .map(Paths.get(_))
      .filter(f => Files.exists(f.resolve("cases.json")))

  /** Cancels a test without the fixtures. A long run fails, because it would not show anything. */
  def assumePresent(
      isPresent: Boolean = folder.isDefined,
      isLong: Boolean = TestRun.isLong
  ): Assertion = {
    val problem = "the folder of the fixtures does not exist; set PYSPARK_LANCE_FIXTURES to it"
    if (isPresent) Assertions.succeed
    else if (isLong) Assertions.fail(problem)
    else Assertions.cancel(problem)
  }

  /** All cases; empty without the folder. */
  lazy val cases: IndexedSeq[FixtureCase] = folder.fold(IndexedSeq.empty[FixtureCase]) { root =>
    new ObjectMapper()
      .readTree(root.resolve("cases.json").toFile)
      .elements
      .asScala
      .map(parse(root, _))
      .toIndexedSeq
  }

  private def parse(root: Path, c: JsonNode): FixtureCase = {
    def text(key: String): Option[String] =
      Option(c.get(key)).filterNot(_.isNull).map(_.asText)
    FixtureCase(
      name = c.get("name").asText,
      path = root.resolve(c.get("path").asText),
      options = c.get("options").properties.asScala.map(e => e.getKey -> e.getValue.asText).toMap,
      expected = text("expected").map(root.resolve),
      rows = c.path("rows").asLong,
      fileVersion = text("fileVersion").getOrElse(""),
      feature = text("feature").getOrElse(""),
      error = text("error"),
      mayRead = c.path("mayRead").asBoolean,
      alias = text("alias").map(Paths.get(_))
    )
  }
}
