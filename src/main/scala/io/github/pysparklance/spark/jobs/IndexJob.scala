// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.jobs

import java.util.UUID

import org.apache.spark.sql.Row
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{LongType, StringType, StructType}
import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core.{
  Field,
  InvalidRequestException,
  NotFoundException,
  Place,
  UnsupportedFeatureException
}
import io.github.pysparklance.index.spi.{RowTransfer, SegmentSource}
import io.github.pysparklance.index.vector.VectorIndices
import io.github.pysparklance.index.vector.build.VectorDefinition
import io.github.pysparklance.index.{IndexDefinition, ScalarIndex, ScalarIndices}
import io.github.pysparklance.spark.commit.{CommitInfo, TaskFiles}
import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.manifest.IndexSegment
import io.github.pysparklance.table.schema.FieldPath
import io.github.pysparklance.table.transaction.operation.CreateIndex

/** Creates, optimizes, and drops indices. Tasks write the files; the driver commits once.
  *
  * {{{
  *   create     a segment of all fragments; replaces all segments of the name
  *   optimize   segments to merge + fragments without a segment -> one segment
  *   drop       removes all segments of the name; a clean-up removes their files
  * }}}
  */
private[spark] object IndexJob {

  /** Creates an index.
    *
    * @param replace whether to replace an existing index with the same name
    * @throws org.apache.spark.sql.AnalysisException if the name is taken, or the column cannot be
    *   indexed
    */
  def create(on: JobTable, request: IndexRequest, replace: Boolean): IndexOutcome =
    LanceErrors.translated {
      val table = on.table
      table.checkWritable()
      val before = named(table, request.name)
      if (before.nonEmpty && !replace)
        throw new InvalidRequestException(
          s"there is an index ${request.name} already; drop it, or replace it with CREATE OR REPLACE INDEX",
          Place(path = Some(table.path))
        )
      val column = resolved(table, request.column)
      val fragments = if (request.train) positions(table, request.fragmentIds) else Nil
      val segment = request.kind match {
        case ScalarKind(kind, parameters, rowsPerRange) =>
          val index = IndexDefinition.create(table, request.name, kind, column, parameters)
          val built = new IndexBuild(on, index, rowsPerRange, isExact = true).run(fragments)
          index.segment(built.uuid, table, idsOf(table, fragments), built.files)
        case VectorIndexKind(parameters) =>
          if (!request.train)
            throw new UnsupportedFeatureException(
              s"an ${parameters.kind.name} index with train = false: its model is trained with the rows of the table",
              Place(path = Some(table.path))
            )
          val index = VectorDefinition.create(table, request.name, column, parameters)
          val built = new VectorBuild(on, index).run(fragments)
          index.segment(built.uuid, table, idsOf(table, fragments), built.files)
      }
      val changed = commit(on, "CREATE INDEX", Seq(segment), before)
      IndexOutcome(changed, request.name, fragments.length.toLong, 1L)
    }

  /** Indexes the fragments that no segment covers, and merges segments. For vector indices see
    * [[VectorOptimization]].
    *
    * @throws org.apache.spark.sql.AnalysisException if the index does not exist, its kind cannot be
    *   built, or an option does not apply to it
    */
  def optimize(on: JobTable, name: String, refresh: IndexRefresh): IndexOutcome =
    LanceErrors.translated {
      on.table.checkWritable()
      val segments = named(on.table, name)
      if (segments.isEmpty) missing(on.table, name)
      if (VectorIndices.isVectorIndex(on.table, segments.head))
        VectorOptimization.run(on, segments, refresh)
      else if (refresh.isNamed && refresh.retrainFactor.isDefined)
        throw new InvalidRequestException(
          s"retrain_factor is an option of vector indices, and the index $name has another kind: set " +
            "retrain to index all rows again",
          Place(path = Some(on.table.path))
        )
      else optimizeScalar(on, name, refresh)
    }

  private def optimizeScalar(on: JobTable, name: String, refresh: IndexRefresh): IndexOutcome = {
    val table = on.table
    val (indices, found) = existing(table, name)
    val index = IndexDefinition.of(table, found)
    val covered = coverage(indices, found)
    val ordered = found.segments.sortBy(s => (s.datasetVersion, s.createdAtMillis))
    val all = refresh.retrain || ordered.exists(_.indexVersion != index.indexVersion) ||
      !found.kind.areMergeable(ordered.map(indices.filesOf)) || ordered.exists { s =>
        indices.mayBeUpdated(s, covered(s.uuid)) && found.kind.isOutdated(indices.filesOf(s))
      }
    val known = new RoaringBitmap
    if (!all) covered.values.foreach(known.or)
    val fragments = table.fragments.indices.filterNot(i =>
      known.contains(table.fragments(i).id.toInt)
    )
    // An entry with a row id can be outdated because of a later segment, which pylance ignores.
    val mergesAll = table.hasStableRowIds && !index.hasAddresses
    val chosen = refresh.segmentsToMerge.filterNot(_ => mergesAll)
      .fold(ordered)(n => ordered.takeRight(n))
    val unindexed = idsOf(table, fragments)
    // A segment may cover fragments for which it cannot be used.
    val merged = ordered.filter { s =>
      all || chosen.contains(s) || s.bitmap.exists(RoaringBitmap.intersects(_, unindexed))
    }
    if (!all && fragments.isEmpty && !isWorthwhile(table, merged, covered))
      IndexOutcome(table, name, 0L, ordered.length.toLong)
    else {
      val isExact = all || merged.forall(s => indices.canRecordExact(s, covered(s.uuid)))
      val build = new IndexBuild(on, index, refresh.rowsPerRange, isExact)
      val sources =
        if (all) Nil
        else
          merged.filterNot(s => covered(s.uuid).isEmpty).map(s =>
            indices.source(s, covered(s.uuid))
          )
      val built = combined(build, sources, fragments)
      val ids = unindexed.clone()
      if (!all) merged.foreach(s => ids.or(covered(s.uuid)))
      val segment = index.segment(built.uuid, table, ids, built.files)
      val changed = commit(on, "OPTIMIZE INDEX", Seq(segment), merged)
      IndexOutcome(changed, name, fragments.length.toLong, ordered.length - merged.length + 1L)
    }
  }

  /** Names of the indices that [[optimize]] supports. */
  def optimizable(table: LanceTable): Seq[String] = {
    val vectors = new VectorIndices(table)
    val scalar = new ScalarIndices(table)
    scalar.indices.map(_.name).distinct
      .filter(name => named(table, name).forall(scalar.kindOf(_).exists(_.isBuilt))) ++
      vectors.names.filter { case (field, name) => vectors.open(field, name).isDefined }
        .map(_._2).distinct
  }

  /** Drops an index.
    *
    * @throws org.apache.spark.sql.AnalysisException if the index does not exist
    */
  def drop(on: JobTable, name: String): LanceTable = LanceErrors.translated {
    val segments = named(on.table, name)
    if (segments.isEmpty) missing(on.table, name)
    commit(on, "DROP INDEX", Nil, segments)
  }

  /** Returns the segments of an index; empty if it does not exist. */
  def named(table: LanceTable, name: String): Seq[IndexSegment] =
    table.indices.filter(s => !s.isSystem && s.name == name)

  private def existing(table: LanceTable, name: String): (ScalarIndices, ScalarIndex) = {
    val segments = named(table, name)
    val indices = new ScalarIndices(table)
    indices.checkReadable(segments)
    val found = indices.indices.filter(_.name == segments.head.name)
    val isKnown = found.length == 1 && found.head.segments.length == segments.length &&
      segments.forall(indices.kindOf(_).exists(_.isBuilt))
    if (!isKnown) {
      val kind = IndexReport.detailsKind(segments.head).getOrElse("not recorded")
      throw new UnsupportedFeatureException(
        s"optimizing the index $name, whose kind is $kind",
        Place(path = Some(table.path))
      )
    }
    (indices, found.head)
  }

  private def missing(table: LanceTable, name: String): Nothing =
    throw new NotFoundException(s"index $name", Place(path = Some(table.path)))

  /** Returns the fragments of each segment. A fragment that several segments cover is assigned to
    * the first one.
    */
  private def coverage(indices: ScalarIndices, index: ScalarIndex): Map[UUID, RoaringBitmap] = {
    val taken = new RoaringBitmap
    index.segments.map { s =>
      val own = RoaringBitmap.andNot(indices.covered(index.kind, s), taken)
      taken.or(own)
      s.uuid -> own
    }.toMap
  }

  /** Whether merging reduces the number of segments, or updates a segment after compactions. */
  private def isWorthwhile(
      table: LanceTable,
      merged: Seq[IndexSegment],
      covered: Map[UUID, RoaringBitmap]
  ): Boolean = {
    val reuse = table.fragmentReuse
    merged.length > 1 ||
    merged.exists(s => s.bitmap.exists(_ != covered(s.uuid)) || reuse.isNeededBy(s))
  }

  private def combined(
      build: IndexBuild,
      sources: Seq[SegmentSource],
      fragments: Seq[Int]
  ): BuiltSegment =
    if (sources.isEmpty) build.run(fragments)
    else if (fragments.isEmpty) build.merge(sources)
    else {
      val added = build.run(fragments)
      try build.merge(sources :+ SegmentSource(build.files(added), RowTransfer.All))
      finally build.remove(added)
    }

  private[jobs] def commit(
      on: JobTable,
      statement: String,
      added: Seq[IndexSegment],
      removed: Seq[IndexSegment]
  ): LanceTable = {
    val gone = removed.map(_.uuid).toSet
    val files = TaskFiles(segments = added.map(_.uuid))
    on.commit().change(files) {
      added.foreach { segment =>
        checkDisjoint(on.table, gone, segment)
        checkPresent(on.table, segment)
      }
      val trimmed = removed ++ unneededReuse(on.table, gone, added)
      on.table.commit(CreateIndex(added, trimmed), CommitInfo.by(statement))
    }
  }

  /** Returns the fragment reuse record if no index needs it any more. Single entries stay until
    * then. A compaction of pylance that runs at the same time fails without a retry if a commit
    * replaces the record together with other indices, so trimming would need a separate commit.
    * Removing the record causes no conflict.
    */
  private def unneededReuse(
      table: LanceTable,
      gone: UUID => Boolean,
      added: Seq[IndexSegment]
  ): Seq[IndexSegment] = {
    val (records, others) =
      (table.indices.filterNot(s => gone(s.uuid)) ++ added).partition(_.isFragmentReuse)
    if (records.isEmpty) Nil
    else {
      val reuse = table.fragmentReuse
      if (others.filterNot(_.isSystem).exists(reuse.isNeededBy)) Nil else records
    }
  }

  /** Checks that each fragment is in at most one segment of an index. */
  private def checkDisjoint(table: LanceTable, gone: UUID => Boolean, added: IndexSegment): Unit =
    named(table, added.name).filterNot(s => gone(s.uuid)).foreach { s =>
      if (s.bitmap.exists(b => added.bitmap.exists(RoaringBitmap.intersects(b, _))))
        throw new InvalidRequestException(
          s"the segment ${s.uuid} of the index ${s.name} covers fragments of a new one",
          Place(path = Some(table.path))
        )
    }

  /** Checks that the files exist. VACUUM with `delete_unverified` deletes uncommitted files. */
  private def checkPresent(table: LanceTable, added: IndexSegment): Unit = {
    val folder = IndexSegment.newFolder(table.root, added.uuid).root
    val listed = table.store.listNames(folder).toSet
    // A listing can miss new files.
    val missing =
      added.fileSizes.keys.find(n => !listed(n) && !table.store.exists(s"$folder/$n"))
    missing.foreach { name =>
      throw new NotFoundException(
        s"the file $name of a new segment of the index ${added.name}; VACUUM with delete_unverified deletes files " +
          "of a running build. Build the index again",
        Place(path = Some(folder))
      )
    }
  }

  /** Returns the path with the spelling of the table's column names. */
  private def resolved(table: LanceTable, path: FieldPath): FieldPath = {
    var level = table.schema.fields
    FieldPath(path.names.map { name =>
      val found =
        level.find(_.name == name).orElse(level.find(f => SQLConf.get.resolver(f.name, name)))
      level = found.fold(IndexedSeq.empty[Field])(_.children)
      found.fold(name)(_.name)
    })
  }

  private[jobs] def positions(table: LanceTable, ids: Option[Set[Long]]): Seq[Int] = {
    val all = table.fragments.map(_.id)
    ids.foreach(_.find(id => !all.contains(id)).foreach { id =>
      throw new InvalidRequestException(
        s"there is no fragment $id to index",
        Place(path = Some(table.path))
      )
    })
    all.indices.filter(i => ids.forall(_(all(i))))
  }

  private[jobs] def idsOf(table: LanceTable, positions: Seq[Int]): RoaringBitmap =
    RoaringBitmap.bitmapOf(positions.map(i => table.fragments(i).id.toInt): _*)
}

/** The result of an index job.
  *
  * @param fragmentsIndexed number of fragments whose rows were read
  * @param segments number of segments of the index after the job
  */
final private[spark] case class IndexOutcome(
    table: LanceTable,
    name: String,
    fragmentsIndexed: Long,
    segments: Long
) extends JobResult {
  def schema: StructType = IndexOutcome.schema

  def row: Row = Row(fragmentsIndexed, name, segments)
}

/** The schema of the result. */
private[spark] object IndexOutcome {
  val schema: StructType = new StructType()
    .add("fragments_indexed", LongType, nullable = false)
    .add("index_name", StringType, nullable = false)
    .add("segments", LongType, nullable = false)
}
