// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

import scala.xml.{Elem, Node, NodeSeq}
import scala.xml.transform.{RewriteRule, RuleTransformer}

import sbt.*
import sbt.Keys.*
import sbtassembly.AssemblyPlugin.autoImport.*

/** The jar of each Spark version: our classes, the format library, and the shaded libraries. The POM does not list them.
  */
object Packaging {

  private val shadedPackage = "io.github.pysparklance.shaded"

  def settings(line: SparkLine): Seq[Setting[_]] =
    addArtifact(Compile / assembly / artifact, assembly).settings ++ Seq(
      assembly / test               := {},
      assembly / assemblyShadeRules := Seq(
        ShadeRule.rename("com.google.protobuf.**" -> s"$shadedPackage.protobuf.@1").inAll
      ),
      assembly / assemblyMergeStrategy := {
        case PathList("META-INF", "services", _*) => MergeStrategy.filterDistinctLines
        case PathList("META-INF", "licenses", _*) => MergeStrategy.deduplicate
        case PathList("META-INF", "LICENSE")      => MergeStrategy.first
        case PathList("META-INF", _*)             => MergeStrategy.discard
        case path if path.endsWith(".proto")      => MergeStrategy.discard
        case _                                    => MergeStrategy.deduplicate
      },
      // the libraries of PySpark belong to Spark
      assembly / assemblyExcludedJars := {
        val spark = SparkLayer.sparkJars.value.toSet
        (assembly / fullClasspath).value.filter(jar => spark(jar.data))
      },
      assembly / assemblyOutputPath := jarFolder.value / (assembly / assemblyJarName).value,
      Compile / resourceGenerators += licenseInJar,
      moduleName                 := s"pyspark-lance-${line.name}",
      assembly / assemblyJarName := s"pyspark-lance-${line.artifact}-${version.value}.jar",
      assembly / packageOptions += Package.ManifestAttributes(
        "Automatic-Module-Name" -> "io.github.pysparklance"
      ),
      // publishes that jar; the thin jar is only for the run class path of the benchmarks
      Compile / packageBin / publishArtifact := false,
      Compile / packageBin / artifactPath    := target.value / "classes.jar",
      Compile / assembly / artifact          := Artifact(moduleName.value, "jar", "jar"),
      pomPostProcess                         := dropUnneeded,
      publishM2Configuration                 := publishM2Configuration.value.withOverwrite(true),
      publishMavenStyle                      := true,
      Test / publishArtifact                 := false,
      Compile / packageDoc / publishArtifact := false // added for a release
    )

  /** `target/scala-2.13`: the jars of all projects. */
  private lazy val jarFolder = Def.setting(
    (ThisBuild / baseDirectory).value / "target" / s"scala-${scalaBinaryVersion.value}"
  )

  private lazy val licenseInJar = Def.task {
    val out = (Compile / resourceManaged).value / "META-INF" / "LICENSE"
    IO.copyFile((ThisBuild / baseDirectory).value / "LICENSE", out)
    Seq(out)
  }

  /** Removes shaded libraries and test dependencies from the POM. */
  private def dropUnneeded(pom: Node): Node = {
    val rule = new RewriteRule {
      override def transform(node: Node): NodeSeq = node match {
        case e: Elem
            if e.label == "dependency" && ((e \ "scope").text == "test" ||
              (e \ "artifactId").text.startsWith("pyspark-lance-format")) =>
          NodeSeq.Empty
        case other => other
      }
    }
    new RuleTransformer(rule).transform(pom).head
  }
}
