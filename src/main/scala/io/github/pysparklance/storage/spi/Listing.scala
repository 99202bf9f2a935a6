// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.spi

/** How a storage lists folders. It decides how the newest version of a table is found, and whether writers leave a
  * hint for those that look for it.
  */
sealed abstract class Listing

object Listing {

  /** The whole folder at once, in no order, quickly: local disks. */
  case object Whole extends Listing

  /** By name, as many as one asks for, see [[FileStore.listInOrder]]: most object stores. */
  case object Ordered extends Listing

  /** The whole folder in no order, with a request for every thousand files or so: S3 Express. */
  case object Slow extends Listing
}
