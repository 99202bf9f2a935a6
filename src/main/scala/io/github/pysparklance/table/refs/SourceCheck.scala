// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.refs

import java.io.IOException

import io.github.pysparklance.core.{BestEffort, LanceException, NotFoundException, Place}
import io.github.pysparklance.storage.spi.{FileStore, TablePath}
import io.github.pysparklance.table.manifest.{ManifestLocation, Versions}

/** Checks that a version still exists after a tag, branch, clone, or restored version was created
  * from it.
  *
  * A clean-up deletes the manifests of old versions first. Then it reads the references and the
  * latest versions again, and keeps their files. If the creator writes its reference later, this
  * check fails, because the manifest is gone by then.
  */
private[table] object SourceCheck {

  /** Does nothing if the version exists, or if the storage fails, because the reference is
    * complete.
    *
    * @param root root of the table or branch with the version
    * @param what the created reference, for the error message
    * @param undo removes it
    * @throws NotFoundException if the version does not exist, after `undo`
    */
  def apply(store: FileStore, root: TablePath, location: ManifestLocation, what: String)(
      undo: => Unit
  ): Unit =
    if (!isPresentIfKnown(store, root, location)) {
      try undo
      catch {
        case e @ (_: IOException | _: LanceException) =>
          val reason = s"$what could not be undone and may lack files: ${e.getMessage}"
          throw gone(root, location, reason, e)
      }
      throw gone(root, location, s"$what was undone; use another version")
    }

  /** Like [[apply]], before the reference is created. */
  def before(store: FileStore, root: TablePath, location: ManifestLocation, what: String): Unit =
    if (!isPresent(store, root, location))
      throw gone(root, location, s"$what was not created; use another version")

  private def gone(
      root: TablePath,
      location: ManifestLocation,
      outcome: String,
      cause: Throwable = null
  ): NotFoundException = {
    val version = java.lang.Long.toUnsignedString(location.version)
    new NotFoundException(
      s"version $version, which a clean-up removed meanwhile; $outcome",
      Place(path = Some(root.root)),
      cause
    )
  }

  private def isPresentIfKnown(
      store: FileStore,
      root: TablePath,
      location: ManifestLocation
  ): Boolean =
    BestEffort
      .run(s"${location.path}: checking that the version exists")(isPresent(store, root, location))
      .getOrElse(true)

  // With an external manifest store, a manifest can be moved to its final path meanwhile.
  private def isPresent(store: FileStore, root: TablePath, location: ManifestLocation): Boolean =
    store.exists(location.path) || new Versions(store, root).find(location.version).isDefined
}
