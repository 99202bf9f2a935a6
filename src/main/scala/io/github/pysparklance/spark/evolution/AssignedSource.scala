// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.evolution

import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  Attribute,
  Expression,
  GetStructField
}
import org.apache.spark.sql.catalyst.plans.logical.{
  InsertAction,
  InsertStarAction,
  LogicalPlan,
  MergeIntoTable,
  UpdateAction,
  UpdateStarAction
}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

/** Finds the source columns that the actions of a MERGE assign to target columns of the same name.
  * Only these can evolve the table. `UPDATE SET *` and `INSERT *` assign all columns. `SET a = s.a`
  * and `SET b.c = s.b.c` assign one column or nested field.
  */
private[evolution] object AssignedSource {
  private type Path = Seq[String]

  /** @param merge the MERGE with resolved tables; its expressions may be unresolved */
  def apply(merge: MergeIntoTable): StructType = {
    val actions = merge.matchedActions ++ merge.notMatchedActions
    val assigned = actions.flatMap {
      case a: UpdateAction => a.assignments
      case a: InsertAction => a.assignments
      case _ => Nil
    }.flatMap { a =>
      for {
        key <- ofTarget(merge.targetTable, a.key)
        value <- ofSource(merge.sourceTable, a.value)
        if isSame(key, value)
      } yield value
    }
    val everything = actions.exists {
      case _: UpdateStarAction | _: InsertStarAction => true
      case _ => false
    }
    if (everything) merge.sourceTable.schema
    else pruned(merge.sourceTable.schema, assigned, Nil)
  }

  private def pruned(source: StructType, assigned: Seq[Path], above: Path): StructType =
    StructType(source.fields.flatMap { f =>
      val path = above :+ f.name
      if (assigned.exists(isSame(_, path))) Some(f)
      else
        f.dataType match {
          case s: StructType if assigned.exists(a => isSame(a.take(path.length), path)) =>
            Some(f.copy(dataType = pruned(s, assigned, path)))
          case _ => None
        }
    })

  private def isSame(a: Path, b: Path): Boolean =
    a.length == b.length && a.zip(b).forall { case (x, y) => SQLConf.get.resolver(x, y) }

  /** Returns the target column of an assignment key, whether it exists or not. */
  private def ofTarget(target: LogicalPlan, key: Expression): Option[Path] = key match {
    case UnresolvedAttribute(parts) =>
      val resolve = SQLConf.get.resolver
      val isColumn = target.output.exists(a => resolve(a.name, parts.head))
      val qualifier = target.output.headOption.fold(Seq.empty[String])(_.qualifier)
      val prefixes = (1 until parts.length).reverse
        .filter(n => n <= qualifier.length && isSame(parts.take(n), qualifier.takeRight(n)))
      Some(if (isColumn) parts else prefixes.headOption.fold(parts)(parts.drop))
    case other => path(other)
  }

  private def ofSource(source: LogicalPlan, value: Expression): Option[Path] = value match {
    case UnresolvedAttribute(parts) =>
      source.resolve(parts, SQLConf.get.resolver).flatMap(path)
    case other if other.references.subsetOf(source.outputSet) => path(other)
    case _ => None
  }

  private def path(e: Expression): Option[Path] = e match {
    case Alias(child, _) => path(child)
    case a: Attribute if a.resolved => Some(Seq(a.name))
    case GetStructField(child, _, Some(name)) => path(child).map(_ :+ name)
    case _ => None
  }
}
