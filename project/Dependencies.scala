// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

import sbt._

/** What the jar is built from. Each line says why it is there. */
object Dependencies {
  private val spark = SparkVersion.current

  /** Shipped: goes into the jar under another package name and is not named in the POM. */
  val shaded: Seq[ModuleID] = Seq(
    // the format's messages; `protobuf` hands its well-known .proto files to protoc
    "com.google.protobuf" % "protobuf-java" % Versions.protobuf % "compile;protobuf"
  )

  /** Part of every Spark distribution: used, never shipped. spark-sql brings catalyst, core, the
    * Hadoop client, arrow-vector (deletion files), RoaringBitmap (deletion vectors), zstd-jni and
    * lz4-java (compressed buffers), and Jackson (the JSON of tags and branches): its own API, for
    * json4s over it is not binary compatible between the releases that Spark brings.
    */
  val provided: Seq[ModuleID] = Seq(
    "org.scala-lang"        % "scala-library" % spark.scala % Provided, // Spark's own
    "org.apache.spark"     %% "spark-sql"     % spark.full  % Provided, // all of the above
    awsSdk("dynamodb")      % Provided, // only for paths that name a table of DynamoDB
    awsSdk("apache-client") % Provided // its HTTP client
  )

  /** Servers and clients of the storage tests, in a project of their own so that all others run with the class path of
    * users. Without the bundle of the whole AWS SDK, which hadoop-aws asks for: its parts are enough.
    */
  val storageTests: Seq[ModuleID] = Seq(
    "org.apache.spark" %% "spark-sql"                 % spark.full, // the Hadoop client
    "org.apache.hadoop" % "hadoop-client-minicluster" % Versions.hadoop % Test, // HDFS
    "org.apache.hadoop"           % "hadoop-aws" % Versions.hadoop % Test intransitive (), // S3A
    awsSdk("s3")                  % Test, // what S3A and DynamoDB take of the SDK
    awsSdk("s3-transfer-manager") % Test,
    awsSdk("sts")                 % Test,
    awsSdk("netty-nio-client")    % Test,
    awsSdk("apache-client")       % Test,
    awsSdk("dynamodb")            % Test
  )

  /** Spark's own suites, for the conformance tests: the jars of their classes, without what those bring. */
  val conformanceTests: Seq[ModuleID] =
    Seq("org.apache.spark" %% "spark-sql" % spark.full) ++
      Seq("spark-common-utils", "spark-core", "spark-catalyst", "spark-sql").map { module =>
        ("org.apache.spark" %% module % spark.full % Test classifier "tests").intransitive()
      }

  private def awsSdk(module: String): ModuleID =
    "software.amazon.awssdk" % module % Versions.awsSdk

  /** Spark itself on the run class path, for scans against Parquet. JMH comes with its plugin. */
  val benchmarks: Seq[ModuleID] = Seq(
    "org.apache.spark" %% "spark-sql" % spark.full
  )

  val test: Seq[ModuleID] = Seq(
    "org.scalatest"  %% "scalatest"  % Versions.scalatest  % Test, // suites
    "org.scalacheck" %% "scalacheck" % Versions.scalacheck % Test, // generators of property tests
    "org.scalatestplus" %% "scalacheck-1-18" % Versions.scalatestPlusScalacheck % Test // joins the two
  )
}
