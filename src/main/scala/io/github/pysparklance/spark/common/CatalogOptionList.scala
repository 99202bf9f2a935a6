// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.common

/** Lists the options of catalogs. */
private[common] object CatalogOptionList extends OptionList {
  protected def use: OptionUse = OptionUse.Catalog

  val all: Seq[LanceOption] = Seq(
    once("warehouse", "Spark's warehouse folder", "root")("folder of a `LanceCatalog`"),
    once("impl", "`dir`")(
      "back end of namespaces and tables: `dir` for folders, `rest` for a service with the REST protocol of Lance " +
        "namespaces, or a class that implements `CatalogBackend`"
    ),
    once("manifestEnabled", "`true` if the folder has a `__manifest`")(
      "stores namespaces and names in the table `__manifest` of the folder, like pylance's directory namespace, " +
        "instead of in folders"
    ),
    once("singleLevelNs", "`false`")(
      "the root is the only namespace, and is named `default`"
    ),
    once("parent", "")("namespace of the back end that contains all names of the catalog"),
    once("parentDelimiter", "`.`")("delimiter of the names in `parent`"),
    once("uri", "")("`impl=rest`: URL of the service, such as `https://catalog.example.com/lance`"),
    once("token", "")(
      "`impl=rest`: token that is sent as `Authorization: Bearer <token>`"
    ),
    once("headers", "", "header")(
      "`impl=rest`: `headers.<name>` sets the header `<name>` of every request; can be repeated"
    ),
    once("delimiter", "`$`")(
      "`impl=rest`: separates the names of an identifier in URLs; names must not contain it"
    ),
    once("requestTimeout", "`60s`")("`impl=rest`: time limit of a request with its response"),
    once("maxRetries", "`5`")(
      "`impl=rest`: maximum number of retries of a request, at most 20"
    ),
    once("tls.caFile", "", "tls.ssl_ca_cert")(
      "`impl=rest`: PEM file with certificates to trust in addition to the defaults of Java"
    ),
    once("tls.certFile", "")("`impl=rest`: PEM file with the certificate of the client"),
    once("tls.keyFile", "")("`impl=rest`: PEM file with the private key of the client, in PKCS#8")
  )
}
