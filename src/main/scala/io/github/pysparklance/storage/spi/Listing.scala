// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.spi

/** The kind of folder listing that a storage offers. It determines how the latest version of a
  * table is found, and whether writers maintain a version hint.
  */
sealed abstract class Listing

object Listing {

  /** Lists a folder at once, fast and in no order: local disks. */
  case object Whole extends Listing

  /** Lists in order of names, page by page, see [[FileStore.listInOrder]]: most object stores. */
  case object Ordered extends Listing

  /** Lists a folder in no order, with a request per thousand files: S3 Express. */
  case object Slow extends Listing
}
