// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

/** Before Spark 4.2, catalogs have no change queries. */
trait ChangelogCatalog extends ChangeTables
