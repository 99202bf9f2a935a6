// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

import sbt._

/** Dependencies, with a reason for each. */
object Dependencies {
  private val primary = SparkLine.primary.spark

  /** Shaded dependencies: included in the jar under another package name, and removed from the POM.
    */
  val shaded: Seq[ModuleID] = Seq(
    // the format's messages; `protobuf` provides its well-known .proto files to protoc
    "com.google.protobuf" % "protobuf-java" % Versions.protobuf % "compile;protobuf"
  )

  /** SPDX identifiers of the licenses of shaded dependencies. NOTICE names the libraries, and
    * `META-INF/licenses` in the resources has the texts.
    */
  val licenses: Map[String, String] = Map("protobuf-java" -> "BSD-3-Clause")

  /** Dependencies of the format library that Spark provides, in the versions of Spark 3.5. */
  def format(scala: String): Seq[ModuleID] = Seq(
    "org.scala-lang" % "scala-library" % scala % Provided // Spark's own
  ) ++ ofOldestSpark.map(_ % Provided) ++ dynamoDb ++ googleTokens ++ (
    if (!scala.startsWith("2.12")) Nil
    else // scala.jdk and scala.util.Using, which Spark 3.5 has as this library
      Seq(
        "org.scala-lang.modules" %% "scala-collection-compat" % Versions.collectionCompat % Provided
      )
  )

  private val ofOldestSpark = Seq(
    "org.apache.hadoop" % "hadoop-client-api"     % "3.3.4",   // storage
    "org.apache.hadoop" % "hadoop-client-runtime" % "3.3.4",   // not included in the former
    "org.apache.arrow"  % "arrow-vector"          % "12.0.1",  // deletion files
    "org.roaringbitmap" % "RoaringBitmap"         % "0.9.45",  // deletion vectors
    "com.github.luben"  % "zstd-jni"              % "1.5.5-4", // compressed buffers
    "org.lz4"           % "lz4-java"              % "1.8.0",   // the same
    "com.fasterxml.jackson.core" % "jackson-databind" % "2.15.2", // the JSON of tags and branches
    "com.ibm.icu"                % "icu4j"            % "76.1",   // words; only since Spark 4.0
    "org.slf4j"                  % "slf4j-api"        % "2.0.7"   // logs
  )

  /** Required only for paths with a DynamoDB table, with the HTTP client. */
  private val dynamoDb = Seq(awsSdk("dynamodb") % Provided, awsSdk("apache-client") % Provided)

  /** The interface for access tokens of Google Cloud Storage, which is a part of its connector.
    * Required only for tokens of catalogs.
    */
  private val googleTokens = Seq(
    google("util-hadoop", s"hadoop3-${Versions.gcsConnector}") % Provided,
    google("util", Versions.gcsConnector)                      % Provided // types in its methods
  )

  private def google(module: String, version: String): ModuleID =
    ("com.google.cloud.bigdataoss" % module % version).intransitive()

  /** Provided by Spark: catalyst, core, and the dependencies of the format library. */
  def provided(line: SparkLine): Seq[ModuleID] =
    ("org.scala-lang" % "scala-library" % line.scala % Provided) +: dynamoDb ++: (
      if (line.fromPySpark) Nil // its jars are on the class path
      else Seq("org.apache.spark" %% "spark-sql" % line.spark % Provided)
    )

  /** Servers and clients of the storage tests. They have a separate project, so that all other
    * tests run with the class path of users. The bundle of the AWS SDK, a dependency of hadoop-aws,
    * is replaced by the required parts.
    */
  val storageTests: Seq[ModuleID] = Seq(
    "org.apache.spark" %% "spark-sql"                 % primary, // the Hadoop client
    "org.apache.hadoop" % "hadoop-client-minicluster" % Versions.hadoop % Test, // HDFS
    "org.apache.hadoop"           % "hadoop-aws" % Versions.hadoop % Test intransitive (), // S3A
    awsSdk("s3")                  % Test, // parts of the SDK for S3A and DynamoDB
    awsSdk("s3-transfer-manager") % Test,
    awsSdk("sts")                 % Test,
    awsSdk("netty-nio-client")    % Test,
    awsSdk("apache-client")       % Test,
    awsSdk("dynamodb")            % Test,
    google("gcs-connector", s"hadoop3-${Versions.gcsConnector}") % Test classifier "shaded"
  )

  /** Spark's own suites for the conformance tests, without their dependencies. */
  val conformanceTests: Seq[ModuleID] =
    Seq("org.apache.spark" %% "spark-sql" % primary) ++
      Seq("spark-common-utils", "spark-core", "spark-catalyst", "spark-sql").map { module =>
        ("org.apache.spark" %% module % primary % Test classifier "tests").intransitive()
      }

  private def awsSdk(module: String): ModuleID =
    "software.amazon.awssdk" % module % Versions.awsSdk

  /** Spark on the run class path, for comparisons with Parquet. JMH comes with its plugin. */
  val benchmarks: Seq[ModuleID] = Seq(
    "org.apache.spark" %% "spark-sql" % primary
  )

  val test: Seq[ModuleID] = Seq(
    "org.scalatest"  %% "scalatest"  % Versions.scalatest  % Test, // suites
    "org.scalacheck" %% "scalacheck" % Versions.scalacheck % Test, // generators of property tests
    "org.scalatestplus" %% "scalacheck-1-18" % Versions.scalatestPlusScalacheck % Test // joins the two
  )
}
