// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.common

/** Lists the options of catalogs. */
private[common] object CatalogOptionList extends OptionList {
  protected def use: OptionUse = OptionUse.Catalog

  val all: Seq[LanceOption] = Seq(
    once("warehouse", "Spark's warehouse folder", "root")("folder of a `LanceCatalog`"),
    once("impl", "`dir`")(
      "back end of namespaces and tables: `dir` for folders, or a class that implements `CatalogBackend`"
    ),
    once("manifestEnabled", "`true` if the folder has a `__manifest`")(
      "stores namespaces and names in the table `__manifest` of the folder, like pylance's directory namespace, " +
        "instead of in folders"
    ),
    once("singleLevelNs", "`false`")(
      "the root is the only namespace, and is named `default`"
    ),
    once("parent", "")("namespace of the back end that contains all names of the catalog"),
    once("parentDelimiter", "`.`")("delimiter of the names in `parent`")
  )
}
