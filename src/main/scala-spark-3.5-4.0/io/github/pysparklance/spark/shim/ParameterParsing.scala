// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.catalyst.parser.ParserInterface

/** Hides `ParserInterface.parsePlanWithParameters`, which Spark has since 4.1: here the parser does not get the values of
  * parameters, so that our own statements have none.
  */
private[shim] trait ParameterParsing extends ParserInterface
