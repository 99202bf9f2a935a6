// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.benchmarks

/** Queries of the TPC-H specification with its validation parameters. */
object Tpch {

  val q1: String =
    """SELECT l_returnflag, l_linestatus, sum(l_quantity), sum(l_extendedprice),
      |  sum(l_extendedprice * (1 - l_discount)), sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)),
      |  avg(l_quantity), avg(l_extendedprice), avg(l_discount), count(*)
      |FROM lineitem WHERE l_shipdate <= DATE '1998-12-01' - INTERVAL '90' DAY
      |GROUP BY l_returnflag, l_linestatus ORDER BY l_returnflag, l_linestatus""".stripMargin

  val q6: String =
    """SELECT sum(l_extendedprice * l_discount) FROM lineitem
      |WHERE l_shipdate >= DATE '1994-01-01' AND l_shipdate < DATE '1995-01-01'
      |  AND l_discount BETWEEN 0.05 AND 0.07 AND l_quantity < 24""".stripMargin
}
