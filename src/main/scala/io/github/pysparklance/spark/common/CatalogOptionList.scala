// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.common

/** The options of catalogs. */
private[common] object CatalogOptionList extends OptionList {
  protected def use: OptionUse = OptionUse.Catalog

  val all: Seq[LanceOption] = Seq(
    once("warehouse", "Spark's own warehouse", "root")("folder of a `LanceCatalog`"),
    once("impl", "`dir`")(
      "what knows its namespaces and tables: `dir`, the folder itself, or a class that is a `CatalogBackend`"
    ),
    once("manifestEnabled", "whether there is one")(
      "whether namespaces and names are rows of the table `__manifest` in the folder, as pylance's directory namespace " +
        "has them, rather than folders"
    ),
    once("singleLevelNs", "`false`")(
      "whether the root is a namespace named `default`, and the only one"
    ),
    once("parent", "")("namespace of the back end below which all names of the catalog are"),
    once("parentDelimiter", "`.`")("what joins the names in `parent`")
  )
}
