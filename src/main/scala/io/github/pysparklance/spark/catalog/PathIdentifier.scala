// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.catalog

import java.lang.ref.{ReferenceQueue, WeakReference}
import java.util.concurrent.ConcurrentHashMap

import org.apache.spark.sql.connector.catalog.Identifier

import io.github.pysparklance.spark.metadata.MetadataView
import io.github.pysparklance.table.refs.Revision

/** Identifies a table by path with its options while Spark resolves it. Identifiers are equal if
  * all their parts are equal. Spark therefore reuses cached plans only for the same storage and
  * types.
  *
  * @param path absolute path with its scheme
  * @param revision the selected revision; `None` for the latest version
  * @param view the metadata table to read instead of the rows
  * @param anySchema whether a write may have other columns
  * @param options options of the read or write
  */
final private[spark] case class PathIdentifier(
    path: String,
    revision: Option[Revision],
    view: Option[MetadataView],
    anySchema: Boolean,
    options: Map[String, String]
) extends Identifier {
  private val named = PathNames.of(path, options)

  override def namespace(): Array[String] = Array.empty
  override def name(): String = named
  override def toString: String = path
}

/** The options of reads and writes by path, by the string instance of the path. When a write
  * creates a table (`errorifexists`, `ignore`), Spark keeps only the name of the identifier. It
  * passes a plain identifier with the same string instance to the catalog. An entry is removed when
  * its string is collected.
  */
private[catalog] object PathNames {
  private val collected = new ReferenceQueue[String]
  private val optionsOf = new ConcurrentHashMap[Key, Map[String, String]]

  /** A key by identity that references its string weakly. */
  final private class Key(name: String) extends WeakReference[String](name, collected) {
    private val hash = System.identityHashCode(name)

    override def hashCode: Int = hash

    override def equals(other: Any): Boolean = other match {
      case k: Key => (this eq k) || (get != null && (get eq k.get))
      case _ => false
    }
  }

  /** Returns a new string instance for a path, and stores its options. */
  def of(path: String, options: Map[String, String]): String = {
    Iterator.continually(collected.poll()).takeWhile(_ != null).foreach(optionsOf.remove(_))
    val name = new String(path)
    optionsOf.put(new Key(name), options)
    name
  }

  /** Returns the options of a name.
    *
    * @throws IllegalStateException if [[of]] did not create the string instance, because options
    *   must not be ignored
    */
  def options(name: String): Map[String, String] =
    Option(optionsOf.get(new Key(name))).getOrElse(
      throw new IllegalStateException(s"no options are stored for the path $name")
    )

  /** Number of names in the map, including names that were collected since the last call of [[of]].
    */
  private[catalog] def size: Int = optionsOf.size
}
