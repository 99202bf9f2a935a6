// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark

import org.apache.spark.sql.SparkSessionExtensions

import io.github.pysparklance.spark.common.SparkLine
import io.github.pysparklance.spark.evolution.{EvolveMerges, EvolvingWrites, HoldMerges}
import io.github.pysparklance.spark.functions.{JsonCalls, SessionFunctions, SparkVectorFunctions}
import io.github.pysparklance.spark.rowlevel.{DropGroupFilters, RetriedStatement, UnusedScores}
import io.github.pysparklance.spark.scan.joins.JoinKeyFilters
import io.github.pysparklance.spark.scan.search.DriverSearches
import io.github.pysparklance.spark.scan.{CountedRows, DistinctScans, FilteredScans}
import io.github.pysparklance.spark.shim.{EarlyRules, SessionShim}
import io.github.pysparklance.spark.sql.search.{
  HybridSearchFunction,
  NearestTies,
  ScoredConditions,
  TextConditions,
  TextSearchFunction,
  VectorSearch
}
import io.github.pysparklance.spark.sql.statements.{LineStatements, ProcedureStatements, Statements}
import io.github.pysparklance.spark.sql.{
  AssignedColumns,
  ChangeReads,
  ChangesFunction,
  CommandOptions,
  DefaultCatalog,
  DescribedTypes,
  LanceSqlParser,
  LateRules,
  LineExtensions,
  LineRules,
  MergedAppends,
  MergingWrites,
  MissingTables,
  NamedProviders,
  NearestByJoins,
  StaticPartitions,
  TargetColumns,
  TravelTimes
}
import io.github.pysparklance.spark.statistics.AnalyzeStrategy
import io.github.pysparklance.spark.streaming.{StreamColumns, StreamTypes}
import io.github.pysparklance.spark.update.UpdateByColumns

/** The class for `spark.sql.extensions`. Adds SQL statements, a catalog named `lance` in sessions
  * without one, retries of DELETE, UPDATE, and MERGE after conflicts, and optimizations of scans.
  * Reads, writes, and catalogs work without it.
  */
final class LanceSparkSessionExtensions extends (SparkSessionExtensions => Unit) {
  override def apply(extensions: SparkSessionExtensions): Unit = {
    SparkLine.check()
    extensions.injectParser { (session, delegate) =>
      SessionShim.remember(session)
      val ready = () => DefaultCatalog.provide(session, classOf[LanceCatalog])
      // Spark's writers find a catalog by the configuration of the thread's session, which may be
      // another session.
      val loaded = (catalog: String) => SessionShim.loadCatalog(session, catalog)
      val all = Statements.all ++ ProcedureStatements.all ++ LineStatements.all
      new LanceSqlParser(delegate, all, ready, loaded)
    }
    LineExtensions.inject(extensions)
    SessionFunctions.inject(extensions)
    SparkVectorFunctions.inject(extensions)
    VectorSearch.inject(extensions)
    TextSearchFunction.inject(extensions)
    HybridSearchFunction.inject(extensions)
    TextConditions.inject(extensions)
    NearestByJoins.inject(extensions)
    ChangesFunction.inject(extensions)
    EarlyRules.inject(extensions, earlyRules ++ LineRules.early: _*)
    extensions.injectResolutionRule(new ChangeReads(_))
    extensions.injectResolutionRule(_ => StreamTypes)
    extensions.injectResolutionRule(_ => JsonCalls)
    extensions.injectResolutionRule(_ => StaticPartitions.Apply)
    extensions.injectResolutionRule(_ => EvolveMerges)
    LineRules.inject(extensions)
    extensions.injectResolutionRule(_ => TargetColumns)
    extensions.injectPostHocResolutionRule(_ => DropGroupFilters)
    extensions.injectPostHocResolutionRule(_ => UnusedScores)
    extensions.injectPostHocResolutionRule(_ => MergedAppends.Apply)
    extensions.injectPostHocResolutionRule(_ => EvolvingWrites)
    extensions.injectPostHocResolutionRule(_ => UpdateByColumns)
    extensions.injectOptimizerRule(_ => StreamColumns)
    extensions.injectOptimizerRule(_ => NearestTies)
    extensions.injectPreCBORule(_ => ScoredConditions)
    extensions.injectPlannerStrategy(new FilteredScans(_))
    extensions.injectPlannerStrategy(_ => RetriedStatement.Strategy)
    extensions.injectPlannerStrategy(_ => CountedRows)
    extensions.injectPlannerStrategy(_ => DriverSearches)
    extensions.injectPlannerStrategy(_ => AnalyzeStrategy)
    extensions.injectPlannerStrategy(new DescribedTypes(_))
    extensions.injectQueryStagePrepRule(_ => DistinctScans)
    extensions.injectColumnar(_ => DistinctScans.Columnar)
    extensions.injectPlanNormalizationRule(_ => RetriedStatement.Insert)
    extensions.injectPlanNormalizationRule(new LateRules(_, Seq(JoinKeyFilters)))
  }

  private def earlyRules: Seq[EarlyRules.Builder] = Seq(
    new CommandOptions(_),
    new AssignedColumns(_),
    new MergingWrites(_),
    new ChangeReads(_),
    new TravelTimes(_),
    _ => StaticPartitions.Remember,
    _ => MergedAppends.Remember,
    new MissingTables(_),
    new NamedProviders(_),
    _ => HoldMerges
  )
}
