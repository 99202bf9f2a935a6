// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest
import java.util.UUID

import sbt._
import sbt.Keys._
import sjsonnew.shaded.scalajson.ast.unsafe._
import sjsonnew.support.scalajson.unsafe.PrettyPrinter

/** The software bill of materials of a jar: the third-party libraries that it contains, as
  * CycloneDX JSON. Spark's own libraries are not listed, because the jar does not contain them.
  * There is no timestamp, so that builds are reproducible.
  */
object BillOfMaterials {

  /** The path in the jar. */
  val path = "META-INF/sbom/pyspark-lance.cdx.json"

  /** Generates the file as a resource.
    *
    * @param shadedPackage
    *   prefix of the packages of the included libraries
    */
  def generate(line: SparkLine, shadedPackage: String): Def.Initialize[Task[File]] = Def.task {
    val out      = (Compile / resourceManaged).value / path
    val included = (Runtime / managedClasspath).value.map { jar =>
      val module  = jar.get(moduleID.key).getOrElse(sys.error(s"${jar.data} is of no module"))
      val license = Dependencies.licenses.getOrElse(
        module.name,
        sys.error(s"project/Dependencies.scala has no license of $module, which is in the jar")
      )
      Library(module, license, sha256(jar.data))
    }
    val own   = organization.value % s"pyspark-lance-${line.artifact}" % version.value
    val links = scmInfo.value.toSeq.map(_.browseUrl.toString)
    IO.write(
      out,
      PrettyPrinter(document(own, description.value, links, included, shadedPackage)) + "\n"
    )
    out
  }

  /** A library in the jar.
    *
    * @param license
    *   SPDX identifier
    * @param sha256
    *   checksum of the library's own jar
    */
  final private case class Library(module: ModuleID, license: String, sha256: String)

  private def document(
      own: ModuleID,
      description: String,
      links: Seq[String],
      included: Seq[Library],
      shadedPackage: String
  ): JValue = {
    val url = packageUrl(own)
    obj(
      "bomFormat"    -> text("CycloneDX"),
      "specVersion"  -> text("1.6"),
      "serialNumber" -> text(s"urn:uuid:${UUID.nameUUIDFromBytes(url.getBytes(UTF_8))}"),
      "version"      -> JNumber("1"),
      "metadata"     -> obj(
        "component" -> obj(
          component(own, "Apache-2.0") ++ Seq(
            "description"        -> text(description),
            "externalReferences" -> list(
              links.map(link => obj("type" -> text("vcs"), "url" -> text(link)))
            )
          ): _*
        )
      ),
      "components" -> list(included.map { library =>
        obj(
          component(library.module, library.license) ++ Seq(
            "scope"  -> text("required"),
            "hashes" -> list(Seq(obj("alg" -> text("SHA-256"), "content" -> text(library.sha256)))),
            "pedigree" -> obj("notes" -> text(s"Packages are renamed to $shadedPackage."))
          ): _*
        )
      }),
      "dependencies" -> list(
        obj(
          "ref"       -> text(url),
          "dependsOn" -> list(included.map(library => text(packageUrl(library.module))))
        ) +: included.map(library => obj("ref" -> text(packageUrl(library.module))))
      )
    )
  }

  private def component(module: ModuleID, license: String): Seq[(String, JValue)] =
    Seq(
      "type"     -> text("library"),
      "bom-ref"  -> text(packageUrl(module)),
      "group"    -> text(module.organization),
      "name"     -> text(module.name),
      "version"  -> text(module.revision),
      "licenses" -> list(Seq(obj("license" -> obj("id" -> text(license))))),
      "purl"     -> text(packageUrl(module))
    )

  private def sha256(file: File): String =
    Hash.toHex(MessageDigest.getInstance("SHA-256").digest(IO.readBytes(file)))

  private def packageUrl(module: ModuleID): String =
    s"pkg:maven/${module.organization}/${module.name}@${module.revision}?type=jar"

  private def obj(fields: (String, JValue)*): JValue =
    JObject(fields.map { case (name, value) => JField(name, value) }.toArray)

  private def list(values: Seq[JValue]): JValue = JArray(values.toArray)

  private def text(value: String): JValue = JString(value)
}
