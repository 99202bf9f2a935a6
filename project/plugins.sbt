// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

addSbtPlugin("com.thesamet"  % "sbt-protoc"   % "1.0.8")  // Java classes from src/main/protobuf
addSbtPlugin("com.eed3si9n"  % "sbt-assembly" % "2.3.1")  // the one jar, with protobuf shaded
addSbtPlugin("org.scalameta" % "sbt-scalafmt" % "2.6.2")  // layout
addSbtPlugin("ch.epfl.scala" % "sbt-scalafix" % "0.14.3") // lint
addSbtPlugin("pl.project13.scala" % "sbt-jmh" % "0.4.8") // kernels under benchmarks/
