// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import java.net.URLDecoder
import java.nio.charset.StandardCharsets

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.Literal.TrueLiteral
import org.apache.spark.sql.catalyst.plans.logical.{
  DeleteAction,
  DeleteFromTable,
  LogicalPlan,
  MergeIntoTable,
  SubqueryAlias,
  UpdateAction,
  UpdateTable
}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.spark.common.LanceErrors

/** Parses hints of the target of a `DataFrame.mergeInto`. They are the last part of the name, with
  * the syntax of a URI query:
  * {{{
  *   lance.db.t.`?as=x`                            conditions call the target x
  *   lance.db.t.`?command=delete`                  DELETE FROM t, with the condition of the action BY SOURCE
  *   lance.db.t.`?command=update&commitMessage=m`  UPDATE t, with an option of the write
  * }}}
  * `mergeInto` is the only method of Spark's data frames, classic and Connect, for row-level
  * commands, and only accepts a name. The Python package passes additional information in this
  * form.
  */
private[spark] object TargetHints extends Rule[LogicalPlan] {
  private val alias = "as"
  private val command = "command"

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case merge: MergeIntoTable =>
      merge.targetTable match {
        case named: UnresolvedRelation =>
          hints(named.multipartIdentifier).fold[LogicalPlan](merge)(hinted(merge, named, _))
        case _ => merge
      }
  }

  private def hints(name: Seq[String]): Option[Map[String, String]] =
    name.lastOption.filter(_.startsWith("?") && name.length > 1).map(text => parse(text.drop(1)))

  private def parse(query: String): Map[String, String] =
    query.split('&').filter(_.nonEmpty).map { pair =>
      val (key, value) = pair.span(_ != '=')
      decoded(key) -> decoded(value.drop(1))
    }.toMap

  private def decoded(text: String): String = URLDecoder.decode(text, StandardCharsets.UTF_8)

  private def hinted(
      merge: MergeIntoTable,
      named: UnresolvedRelation,
      said: Map[String, String]
  ): LogicalPlan = {
    val options = named.options.asCaseSensitiveMap().asScala.toMap ++ said - alias - command
    val relation = named.copy(
      multipartIdentifier = named.multipartIdentifier.init,
      options = new CaseInsensitiveStringMap(options.asJava)
    )
    val target = said.get(alias).fold[LogicalPlan](relation)(SubqueryAlias(_, relation))
    (said.get(command), merge.notMatchedBySourceActions) match {
      case (None, _) =>
        val meant = merge.copy(targetTable = target)
        meant.copyTagsFrom(merge)
        meant
      case (Some("delete"), Seq(DeleteAction(condition))) =>
        DeleteFromTable(target, condition.getOrElse[Expression](TrueLiteral))
      case (Some("update"), Seq(action: UpdateAction)) =>
        UpdateTable(target, action.assignments, action.condition)
      case (Some(other), _) =>
        throw LanceErrors.translate(new InvalidRequestException(
          s"the command $other of ${named.name} takes one action: delete or update rows not matched by source"
        ))
    }
  }
}
