// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

import scala.xml.{Elem, Node, NodeSeq}
import scala.xml.transform.{RewriteRule, RuleTransformer}

import sbt.*
import sbt.Keys.*
import sbtassembly.AssemblyPlugin.autoImport.*

/** The jar of each Spark version: our classes, the format library, and the shaded libraries. The
  * POM does not list them. Beside it are published the sources of these classes, their Scaladoc in
  * a release, and the bill of materials.
  */
object Packaging {

  /** The repository of the sources. */
  val repository = "https://github.com/pysparklance/pyspark-lance"

  private val shadedPackage = "io.github.pysparklance.shaded"

  /** Set by `make stage`: also publishes the Scaladoc, which takes minutes. */
  private val isRelease = sys.env.contains("PYSPARK_LANCE_RELEASE")

  def settings(line: SparkLine): Seq[Setting[_]] =
    addArtifact(Compile / assembly / artifact, assembly).settings ++
      addArtifact(bomArtifact, billOfMaterials).settings ++ Seq(
        billOfMaterials               := BillOfMaterials.generate(line, shadedPackage).value,
        assembly / test               := {},
        assembly / assemblyShadeRules := Seq(
          ShadeRule.rename("com.google.protobuf.**" -> s"$shadedPackage.protobuf.@1").inAll
        ),
        assembly / assemblyMergeStrategy := {
          case PathList("META-INF", "services", _*)       => MergeStrategy.filterDistinctLines
          case PathList("META-INF", "licenses", _*)       => MergeStrategy.deduplicate
          case PathList("META-INF", "LICENSE" | "NOTICE") => MergeStrategy.first
          case BillOfMaterials.path                       => MergeStrategy.deduplicate
          case PathList("META-INF", _*)                   => MergeStrategy.discard
          case path if path.endsWith(".proto")            => MergeStrategy.discard
          case _                                          => MergeStrategy.deduplicate
        },
        // the libraries of PySpark belong to Spark
        assembly / assemblyExcludedJars := {
          val spark = SparkLayer.sparkJars.value.toSet
          (assembly / fullClasspath).value.filter(jar => spark(jar.data))
        },
        assembly / assemblyOutputPath := jarFolder.value / (assembly / assemblyJarName).value,
        Compile / resourceGenerators += legalFiles,
        Compile / resourceGenerators += Def.task(Seq(billOfMaterials.value)),
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
        Compile / packageSrc / mappings        := sourcesInJar(formatOf(line)).value,
        Compile / packageDoc / publishArtifact := isRelease,
        Compile / packageDoc / mappings ++= legalFiles.value.map(file =>
          file -> s"META-INF/${file.name}"
        ),
        Compile / doc / sources ++= (formatOf(line) / Compile / doc / sources).value.filterNot(
          isGenerated
        ),
        // The format library has optional dependencies that the Spark layer does not need.
        Compile / doc / dependencyClasspath ++=
          (formatOf(line) / Compile / dependencyClasspath).value,
        Compile / doc / scalacOptions ++= Seq(
          "-doc-title",
          s"pyspark-lance ${version.value}, Spark ${line.name}",
          "-no-link-warnings"
        )
      )

  private lazy val billOfMaterials = taskKey[File]("Generates the software bill of materials.")

  private lazy val bomArtifact = Def.setting(
    Artifact(moduleName.value, "json", "json", "cyclonedx")
  )

  /** The project of the format library for a Spark version. */
  private def formatOf(line: SparkLine) =
    LocalProject(s"format${line.scalaBinary.filterNot(_ == '.')}")

  /** `target/scala-2.13`: the jars of all projects. */
  private lazy val jarFolder = Def.setting(
    (ThisBuild / baseDirectory).value / "target" / s"scala-${scalaBinaryVersion.value}"
  )

  private lazy val legalFiles = Def.task {
    val folder = (Compile / resourceManaged).value / "META-INF"
    Seq("LICENSE", "NOTICE").map { name =>
      IO.copyFile((ThisBuild / baseDirectory).value / name, folder / name)
      folder / name
    }
  }

  /** The sources of all classes in the jar except the shaded libraries, by package. */
  private def sourcesInJar(format: ProjectReference) = Def.task {
    val main   = (ThisBuild / baseDirectory).value / "src" / "main"
    val all    = (Compile / sources).value ++ (format / Compile / sources).value
    val java17 = (main / "java-17" ** "*.java").get
    val protos = (main / "protobuf" ** "*.proto").get
    (all ++ java17).map(file => file -> packagePath(file)) ++
      protos.map(file => file -> IO.relativize(main / "protobuf", file).get) ++
      legalFiles.value.map(file => file -> s"META-INF/${file.name}")
  }

  /** Returns the path of a source file in its source folder. */
  private def packagePath(file: File): String = {
    val path = file.getPath.replace(java.io.File.separatorChar, '/')
    path.drop(path.lastIndexOf("/io/github/pysparklance/") + 1)
  }

  private def isGenerated(file: File): Boolean = file.getPath.contains("src_managed")

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
