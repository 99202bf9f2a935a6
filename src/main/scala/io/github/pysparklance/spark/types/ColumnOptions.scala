// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.types

import java.util.Locale

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.types.Metadata

import io.github.pysparklance.core.{BlobField, Field, InvalidRequestException, LogicalType, Place}
import io.github.pysparklance.encoding.spi.EncodingOptions

/** The options of a column and its nested fields, as a tree by field name.
  *
  * @param values values by key, see [[ColumnOptionKeys]]
  * @param members options of nested fields, by their names as written
  */
final private[spark] case class ColumnOptions(
    values: Map[String, String] = Map.empty,
    members: Map[String, ColumnOptions] = Map.empty
) {
  def isEmpty: Boolean = values.isEmpty && members.isEmpty

  /** Returns the options of the nested field with one of these names, ignoring case. Exact
    * matches take precedence.
    */
  def member(names: String*): ColumnOptions = {
    val (same, alike) = members.toSeq
      .filter { case (name, _) => names.exists(_.equalsIgnoreCase(name)) }
      .partition { case (name, _) => names.contains(name) }
    (alike ++ same).map(_._2).foldLeft(ColumnOptions.empty)(_ ++ _)
  }

  /** Returns the options of the field at a path. List items are named `element`. */
  def at(path: Seq[String]): ColumnOptions = path.foldLeft(this) { (nested, name) =>
    if (LanceFields.itemNames.exists(_.equalsIgnoreCase(name)))
      nested.member(name +: LanceFields.itemNames: _*)
    else nested.member(name)
  }

  /** Returns the first existing field that has options of its own. */
  def existing(fields: Seq[Field]): Option[String] = members.iterator.flatMap {
    case (name, nested) =>
      fields.find(_.name.equalsIgnoreCase(name)).flatMap { field =>
        if (nested.values.nonEmpty) Some(field.name)
        else if (field.children.isEmpty && nested.members.nonEmpty) Some(field.name)
        else nested.below(field)
      }
  }.find(_ => true)

  private def below(field: Field): Option[String] = field.logicalType match {
    case LogicalType.Struct => existing(field.children)
    case _ =>
      // List items and map entries exist if the column exists; fields below them may be new.
      members.values.iterator.flatMap { nested =>
        if (nested.values.nonEmpty) Some(field.name)
        else field.children.headOption.flatMap(nested.below)
      }.find(_ => true)
  }

  /** Merges options. Values of `stronger` take precedence. */
  def ++(stronger: ColumnOptions): ColumnOptions = ColumnOptions(
    values ++ stronger.values,
    stronger.members.foldLeft(members) { case (all, (name, nested)) =>
      all.updated(name, all.getOrElse(name, ColumnOptions.empty) ++ nested)
    }
  )

  /** The options that are stored in field metadata. A marker with the value `false` is dropped.
    */
  def fieldMetadata: Map[String, String] = values.filter { case (key, value) =>
    key == ColumnOptionKeys.ExtensionName || key == ColumnOptionKeys.ExtensionMetadata ||
    key.startsWith(ColumnOptionKeys.Encoding) &&
    !(key == BlobField.Marker && value.equalsIgnoreCase("false"))
  }

  /** @param known names of the nested fields
    * @throws InvalidRequestException if there are options for another field
    */
  def checkMembers(known: Seq[String], path: String): Unit =
    members.keys.find(name => !known.exists(_.equalsIgnoreCase(name))).foreach { name =>
      throw new InvalidRequestException(
        s"""column options of "$name", which is not a column or field there; known: ${known.mkString(
            ", "
          )}""",
        Place(column = Option(path).filter(_.nonEmpty))
      )
    }
}

/** Column options have three sources, in ascending order of precedence: metadata of Spark
  * columns, table properties, and write options. Table properties and options are named
  * `column.<path>.<key>`. Parts of the path with a dot are quoted with backticks, as in SQL.
  */
private[spark] object ColumnOptions {
  val empty: ColumnOptions = ColumnOptions()

  private val prefix = "column."

  /** Spark adds the options of a statement again with this prefix. */
  private val ofStatement = TableCatalog.OPTION_PREFIX

  /** Parses the column options among table properties or write options. Skips all others.
    *
    * @throws InvalidRequestException if a column option has no key or an unknown key
    */
  def apply(properties: Map[String, String]): ColumnOptions =
    properties.toSeq.sorted.filterNot(_._1.startsWith(ofStatement)).foldLeft(empty) {
      case (all, (name, value)) =>
        if (name.toLowerCase(Locale.ROOT).startsWith(prefix))
          all ++ parse(name.substring(prefix.length), name, value)
        else ColumnOptionKeys.withoutPrefix(name, value).fold(all) { case (path, key, meant) =>
          all ++ at(parts(path, name), key, meant)
        }
    }

  /** Returns the table properties for columns that do not exist yet.
    *
    * @param fields existing columns
    */
  def declared(config: Map[String, String], fields: Seq[Field]): ColumnOptions =
    apply(config.filter { case (name, value) =>
      isColumnOption(name) && apply(Map(name -> value)).existing(fields).isEmpty
    })

  /** Whether a table property or option is a column option. */
  def isColumnOption(name: String): Boolean =
    name.toLowerCase(Locale.ROOT).startsWith(prefix) || ColumnOptionKeys.withoutPrefix(
      name,
      ""
    ).isDefined

  /** Parses the options in the metadata of a Spark column: keys, or paths below the column
    * followed by keys.
    */
  def apply(metadata: Metadata): ColumnOptions =
    if (metadata == Metadata.empty) empty
    else {
      val entries = json.readTree(metadata.json).properties().asScala
      entries.filter(_.getValue.isValueNode).foldLeft(empty) { (all, entry) =>
        val value = entry.getValue.asText
        ColumnOptionKeys.inMetadata(entry.getKey).fold(all) { case (path, key) =>
          all ++ at(if (path.isEmpty) Nil else parts(path, entry.getKey), key, value)
        }
      }
    }

  private val json = new ObjectMapper()

  /** Splits a name at the first position that is followed by a key. */
  private def parse(text: String, name: String, value: String): ColumnOptions = {
    val ends = partEnds(text, name).filter(_ < text.length)
    ends
      .flatMap(end => ColumnOptionKeys.find(text.substring(end + 1)).map(end -> _))
      .headOption match {
      case Some((end, key)) =>
        val path = text.substring(0, end)
        EncodingOptions.checkOption(path, key, value)
        at(parts(path, name), key, value)
      case None =>
        throw new InvalidRequestException(
          s"'$name' is not a column option; column.<path>.<key> is expected, with one of the keys " +
            ColumnOptionKeys.all.mkString(", ")
        )
    }
  }

  private def at(path: Seq[String], key: String, value: String): ColumnOptions =
    path.foldRight(ColumnOptions(values = Map(key -> value))) { (part, below) =>
      ColumnOptions(members = Map(part -> below))
    }

  /** Returns the end positions of the parts of a path. Parts in backticks are not split. */
  private def partEnds(path: String, name: String): Seq[Int] = {
    val ends = Seq.newBuilder[Int]
    var quoted = false
    path.indices.foreach { i =>
      if (path.charAt(i) == '`') quoted = !quoted
      else if (path.charAt(i) == '.' && !quoted) ends += i
    }
    if (quoted) throw new InvalidRequestException(s"'$name' has an unclosed backtick")
    (ends += path.length).result()
  }

  private def parts(path: String, name: String): Seq[String] = {
    val ends = partEnds(path, name)
    (-1 +: ends).zip(ends).map { case (before, end) =>
      val part = path.substring(before + 1, end)
      val plain =
        if (part.length > 1 && part.startsWith("`") && part.endsWith("`"))
          part.substring(1, part.length - 1).replace("``", "`")
        else part
      if (plain.isEmpty) throw new InvalidRequestException(s"'$name' has an empty part")
      plain
    }
  }
}
