// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

import scala.xml.{Elem, Node, NodeSeq}
import scala.xml.transform.{RewriteRule, RuleTransformer}

import sbt.*
import sbt.Keys.*
import sbtassembly.AssemblyPlugin.autoImport.*

/** The one jar: our classes with the shaded libraries inside, and a POM that names none of them. */
object Packaging {

  private val shadedPackage = "io.github.pysparklance.shaded"

  val settings: Seq[Def.SettingsDefinition] = Seq[Def.SettingsDefinition](
    addArtifact(Compile / assembly / artifact, assembly),
    assembly / assemblyJarName :=
      s"${moduleName.value}_${scalaBinaryVersion.value}-${version.value}.jar",
    assembly / assemblyOutputPath := crossTarget.value / (assembly / assemblyJarName).value,
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
    assembly / packageOptions += Package.ManifestAttributes(
      "Automatic-Module-Name" -> "io.github.pysparklance"
    ),
    // what is published is that jar; the thin one only serves the run class path of the benchmarks
    Compile / packageBin / publishArtifact := false,
    Compile / packageBin / artifactPath    := target.value / "classes.jar",
    Compile / assembly / artifact          := Artifact(moduleName.value, "jar", "jar"),
    Compile / resourceGenerators += licenseInJar,
    pomPostProcess                         := dropUnneeded,
    publishM2Configuration                 := publishM2Configuration.value.withOverwrite(true),
    publishMavenStyle                      := true,
    Test / publishArtifact                 := false,
    Compile / packageDoc / publishArtifact := false // a release adds it
  )

  private lazy val licenseInJar = Def.task {
    val out = (Compile / resourceManaged).value / "META-INF" / "LICENSE"
    IO.copyFile((ThisBuild / baseDirectory).value / "LICENSE", out)
    Seq(out)
  }

  /** Takes out of the POM the shaded libraries, which travel in the jar, and those of the tests. */
  private def dropUnneeded(pom: Node): Node = {
    val shaded = Dependencies.shaded.map(m => (m.organization, m.name)).toSet
    val rule   = new RewriteRule {
      override def transform(node: Node): NodeSeq = node match {
        case e: Elem
            if e.label == "dependency" && ((e \ "scope").text == "test" ||
              shaded((e \ "groupId").text -> (e \ "artifactId").text)) =>
          NodeSeq.Empty
        case other => other
      }
    }
    new RuleTransformer(rule).transform(pom).head
  }
}
