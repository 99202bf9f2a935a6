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

/** What users say of one column, and of the fields below it: a tree by the parts of the column's path.
  *
  * @param values by key, keys as in [[SettingKeys]]
  * @param members settings of the fields below, by their names as the user wrote them
  */
final private[spark] case class ColumnSettings(
    values: Map[String, String] = Map.empty,
    members: Map[String, ColumnSettings] = Map.empty
) {
  def isEmpty: Boolean = values.isEmpty && members.isEmpty

  /** Settings of the field below with one of these names, which ignore case; the same spelling is the stronger one. */
  def member(names: String*): ColumnSettings = {
    val (same, alike) = members.toSeq
      .filter { case (name, _) => names.exists(_.equalsIgnoreCase(name)) }
      .partition { case (name, _) => names.contains(name) }
    (alike ++ same).map(_._2).foldLeft(ColumnSettings.empty)(_ ++ _)
  }

  /** Settings of the field at a path of names, items of lists being `element`. */
  def at(path: Seq[String]): ColumnSettings = path.foldLeft(this) { (settings, name) =>
    if (LanceFields.itemNames.exists(_.equalsIgnoreCase(name)))
      settings.member(name +: LanceFields.itemNames: _*)
    else settings.member(name)
  }

  /** The first field that is there already and has settings of its own here. */
  def existing(fields: Seq[Field]): Option[String] = members.iterator.flatMap {
    case (name, settings) =>
      fields.find(_.name.equalsIgnoreCase(name)).flatMap { field =>
        if (settings.values.nonEmpty) Some(field.name)
        else if (field.children.isEmpty && settings.members.nonEmpty) Some(field.name)
        else settings.below(field)
      }
  }.find(_ => true)

  private def below(field: Field): Option[String] = field.logicalType match {
    case LogicalType.Struct => existing(field.children)
    case _ =>
      // Items and entries are there as soon as the column is; what is below them need not be.
      members.values.iterator.flatMap { settings =>
        if (settings.values.nonEmpty) Some(field.name)
        else field.children.headOption.flatMap(settings.below)
      }.find(_ => true)
  }

  /** These settings; where both have a value, that of `stronger`. */
  def ++(stronger: ColumnSettings): ColumnSettings = ColumnSettings(
    values ++ stronger.values,
    stronger.members.foldLeft(members) { case (all, (name, settings)) =>
      all.updated(name, all.getOrElse(name, ColumnSettings.empty) ++ settings)
    }
  )

  /** What becomes metadata of the field; a mark that is `false` is none. */
  def fieldMetadata: Map[String, String] = values.filter { case (key, value) =>
    key == SettingKeys.ExtensionName || key == SettingKeys.ExtensionMetadata ||
    key.startsWith(SettingKeys.Encoding) &&
    !(key == BlobField.Marker && value.equalsIgnoreCase("false"))
  }

  /** @param known names of the fields below
    * @throws InvalidRequestException when settings name another
    */
  def checkMembers(known: Seq[String], path: String): Unit =
    members.keys.find(name => !known.exists(_.equalsIgnoreCase(name))).foreach { name =>
      throw new InvalidRequestException(
        s"""settings for "$name", which is no column or field there; known: ${known.mkString(
            ", "
          )}""",
        Place(column = Option(path).filter(_.nonEmpty))
      )
    }
}

/** Settings of columns come from three places, the weakest first: the metadata of Spark's columns, table properties,
  * options of the write. Properties and options are named `column.<path>.<key>`, where parts of the path that hold a
  * dot are quoted with backticks, as in SQL.
  */
private[spark] object ColumnSettings {
  val empty: ColumnSettings = ColumnSettings()

  private val prefix = "column."

  /** Spark repeats the options of a statement with this before them. */
  private val ofStatement = TableCatalog.OPTION_PREFIX

  /** The settings of columns among properties of a table or options of a write; others are passed over.
    *
    * @throws InvalidRequestException for a name that starts as such a setting and has no key, or one that is unknown
    */
  def apply(properties: Map[String, String]): ColumnSettings =
    properties.toSeq.sorted.filterNot(_._1.startsWith(ofStatement)).foldLeft(empty) {
      case (all, (name, value)) =>
        if (name.toLowerCase(Locale.ROOT).startsWith(prefix))
          all ++ parse(name.substring(prefix.length), name, value)
        else SettingKeys.withoutPrefix(name, value).fold(all) { case (path, key, meant) =>
          all ++ at(parts(path, name), key, meant)
        }
    }

  /** The settings among those of a table that are for columns to come.
    *
    * @param fields the columns that are there
    */
  def declared(config: Map[String, String], fields: Seq[Field]): ColumnSettings =
    apply(config.filter { case (name, value) =>
      isSetting(name) && apply(Map(name -> value)).existing(fields).isEmpty
    })

  /** Whether a property or option is a setting of a column. */
  def isSetting(name: String): Boolean =
    name.toLowerCase(Locale.ROOT).startsWith(prefix) || SettingKeys.withoutPrefix(
      name,
      ""
    ).isDefined

  /** The settings in the metadata of one of Spark's columns: keys, or paths below the column and keys. */
  def apply(metadata: Metadata): ColumnSettings =
    if (metadata == Metadata.empty) empty
    else {
      val entries = json.readTree(metadata.json).properties().asScala
      entries.filter(_.getValue.isValueNode).foldLeft(empty) { (all, entry) =>
        val value = entry.getValue.asText
        SettingKeys.inMetadata(entry.getKey).fold(all) { case (path, key) =>
          all ++ at(if (path.isEmpty) Nil else parts(path, entry.getKey), key, value)
        }
      }
    }

  private val json = new ObjectMapper()

  /** The first part of the path after which a key stands. */
  private def parse(text: String, name: String, value: String): ColumnSettings = {
    val ends = partEnds(text, name).filter(_ < text.length)
    ends
      .flatMap(end => SettingKeys.find(text.substring(end + 1)).map(end -> _))
      .headOption match {
      case Some((end, key)) =>
        val path = text.substring(0, end)
        EncodingOptions.checkSetting(path, key, value)
        at(parts(path, name), key, value)
      case None =>
        throw new InvalidRequestException(
          s"'$name' is no setting of a column, column.<path>.<key> is expected; keys are " +
            SettingKeys.all.mkString(", ")
        )
    }
  }

  private def at(path: Seq[String], key: String, value: String): ColumnSettings =
    path.foldRight(ColumnSettings(values = Map(key -> value))) { (part, below) =>
      ColumnSettings(members = Map(part -> below))
    }

  /** Where the parts of a path end, those in backticks as a whole. */
  private def partEnds(path: String, name: String): Seq[Int] = {
    val ends = Seq.newBuilder[Int]
    var quoted = false
    path.indices.foreach { i =>
      if (path.charAt(i) == '`') quoted = !quoted
      else if (path.charAt(i) == '.' && !quoted) ends += i
    }
    if (quoted) throw new InvalidRequestException(s"'$name' has a backtick too few")
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
