// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.functions

import org.apache.spark.sql.Row
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.testkit.SharedSpark

class VectorFunctionSuite extends AnyFunSuite {
  private lazy val spark = SharedSpark.interpreted

  private def value(sql: String): Any = spark.sql(s"SELECT $sql").head().get(0)

  private def failure(sql: String): String = {
    val e = intercept[Exception](spark.sql(s"SELECT $sql").collect())
    Iterator.iterate[Throwable](e)(_.getCause).takeWhile(_ != null).map(_.toString).mkString("\n")
  }

  test("functions return the distances of their definitions") {
    assert(value("l2_distance(array(1F, 2F), array(4F, 6F))") == 25.0f)
    assert(value("dot_product(array(1D, 2D), array(3, 4))") == 11.0f)
    assert(value("cosine_distance(array(1F, 0F), array(0F, 5F))") == 1.0f)
    assert(value("cosine_distance(array(2F, 0F), array(-3F, 0F))") == 2.0f)
    assert(value("hamming_distance(array(0, 255), array(1, 15))") == 5.0f)
    assert(value("hamming_distance(X'00FF', X'010F')") == 5.0f)
    assert(value("hamming_distance(array(-1Y), array(255))") == 0.0f)
    assert(value("l2_distance(array(0.1, 0.2), array(0.1, 0.2))") == 0.0f)
  }

  test("null vectors and null elements return null, NaN returns NaN") {
    assert(value("l2_distance(NULL, array(1F))") == null)
    assert(value("l2_distance(array(1F), CAST(NULL AS ARRAY<FLOAT>))") == null)
    assert(value("dot_product(array(1F, NULL), array(1F, 2F))") == null)
    assert(value("cosine_distance(array(1F, 2F), array(NULL, 2F))") == null)
    assert(value("l2_distance(array(float('NaN')), array(1F))").asInstanceOf[Float].isNaN)
    assert(value("cosine_distance(array(0F), array(1F))").asInstanceOf[Float].isNaN)
  }

  test("vectors of different dimensions and other types are rejected by name") {
    val dimensions = failure("l2_distance(array(1F, 2F), array(1F))")
    assert(dimensions.contains("l2_distance of vectors of different dimensions, 2 and 1"))
    assert(failure("l2_distance('a', array(1F))").contains("takes two arrays of numbers"))
    assert(failure("l2_distance(array(1F))").contains("takes two arrays of numbers"))
    assert(failure("hamming_distance(array(1.5D), array(1))").contains("arrays of integers"))
    assert(failure("hamming_distance(array(300), array(1))").contains("element 0 is 300"))
  }

  test("floats are compared as floats, regardless of the type of the query") {
    val float = value("l2_distance(array(0.1F, 0.7F), array(0.3F, 0.9F))")
    assert(value("l2_distance(array(0.1F, 0.7F), array(0.3D, 0.9D))") == float)
    assert(value("l2_distance(array(0.1F, 0.7F), array(0.3, 0.9))") == float)
  }

  test("columns are compared row by row") {
    val rows = spark.sql(
      """SELECT l2_distance(v, array(1F, 1F)) d, l2_distance(v, w) e FROM VALUES
        |(array(1F, 1F), array(1F, 2F)), (array(2F, 3F), array(0F, 0F)), (NULL, array(1F, 1F))
        |AS t(v, w)""".stripMargin
    )
    assert(rows.collect().toSeq == Seq(Row(0.0f, 1.0f), Row(5.0f, 13.0f), Row(null, null)))
  }

  test("functions also exist in the catalog, and have descriptions") {
    assert(value("lake.l2_distance(array(1F), array(3F))") == 4.0f)
    val listed = spark.sql("SHOW USER FUNCTIONS IN lake").collect().map(_.getString(0))
    assert(VectorFunction.all.forall(f => listed.exists(_.contains(f.functionName))), listed.toSeq)
    val text = spark.sql("DESCRIBE FUNCTION l2_distance").collect().map(_.getString(0)).mkString
    assert(text.contains("squared Euclidean distance"))
  }
}
