// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.catalog

import java.lang.ref.{ReferenceQueue, WeakReference}
import java.util.concurrent.ConcurrentHashMap

import org.apache.spark.sql.connector.catalog.Identifier

import io.github.pysparklance.spark.metadata.MetadataView
import io.github.pysparklance.table.refs.Revision

/** A path on its way through Spark's resolution, with what the options say of it. Equal to another of the same path,
  * revision and options, so that Spark finds cached frames again, and does not take a table of other storage or with other
  * types for this one.
  *
  * @param path with its scheme, absolute
  * @param revision what is read, the newest version if none is given
  * @param view the metadata table that is read instead of the rows
  * @param anySchema whether the write may bring columns of its own
  * @param options of the read or write
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

/** The options of reads and writes by the string that names their path. Spark keeps only the name of an identifier when a
  * write makes a table (`errorifexists`, `ignore`), and asks the catalog with a plain identifier of that very string. An
  * entry lasts as long as its string.
  */
private[catalog] object PathNames {
  private val collected = new ReferenceQueue[String]
  private val optionsOf = new ConcurrentHashMap[Key, Map[String, String]]

  /** A key by identity, which does not keep its string. */
  final private class Key(name: String) extends WeakReference[String](name, collected) {
    private val hash = System.identityHashCode(name)

    override def hashCode: Int = hash

    override def equals(other: Any): Boolean = other match {
      case k: Key => (this eq k) || (get != null && (get eq k.get))
      case _ => false
    }
  }

  /** A new string that names a path, with the options that go with it. */
  def of(path: String, options: Map[String, String]): String = {
    Iterator.continually(collected.poll()).takeWhile(_ != null).foreach(optionsOf.remove(_))
    val name = new String(path)
    optionsOf.put(new Key(name), options)
    name
  }

  /** The options of a name.
    *
    * @throws IllegalStateException when the string is not one that [[of]] made: options must not get lost
    */
  def options(name: String): Map[String, String] =
    Option(optionsOf.get(new Key(name))).getOrElse(
      throw new IllegalStateException(s"the path $name without the options that go with it")
    )

  /** Number of names in the map. Names that were collected since the last call of [[of]] count as well. */
  private[catalog] def size: Int = optionsOf.size
}
