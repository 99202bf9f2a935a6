// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.maintenance

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core.{
  CommitConflictException,
  InvalidRequestException,
  RowRange,
  UnsupportedFeatureException
}
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.columns.LocalTasks
import io.github.pysparklance.table.manifest.{DataFile, FeatureFlags, Fragment, IndexSegment}
import io.github.pysparklance.table.proto.FragmentReuseIndexDetails.Group
import io.github.pysparklance.table.reuse.{FragmentReuse, RowMoves}
import io.github.pysparklance.table.rowid.RowLineage
import io.github.pysparklance.table.scan.FragmentScan
import io.github.pysparklance.table.transaction.operation.{
  FragmentReuseRecord,
  ReserveFragments,
  Rewrite,
  RewriteGroup,
  RewrittenIndex
}
import io.github.pysparklance.table.{LanceTable, UncommittedFiles}

/** The work of a compaction, as independent tasks whose results are committed together or in part.
  *
  * @param readVersion the version that it is based on
  */
final case class CompactionPlan(readVersion: Long, tasks: IndexedSeq[CompactionTask])

/** Merges small fragments, and rewrites fragments with many deleted rows. Does not change any row.
  *
  * {{{
  *   plan ---> task.run, anywhere ---> results ---> commit
  *                                                    ReserveFragments, then one Rewrite of the version that was read
  * }}}
  * Conflicts with concurrent deletions and updates in the same fragments, but not with appends. The
  * old files remain until a clean-up.
  *
  * Source: format page of the table, "Compaction".
  *
  * @param table the version to compact
  * @param remapper rebuilds indices; without one, tables without stable row ids keep fragments that
  *   indices cover, unless the remap of indices is deferred
  */
final class Compaction(table: LanceTable, remapper: IndexRemapper = IndexRemapper.none) {
  private val store: FileStore = table.store
  private lazy val segments = table.indices.filterNot(_.isSystem)
  private lazy val reuse = FragmentReuse.of(store, table.root, table.manifest, table.indices)

  /** Compacts with the configuration of the table.
    *
    * @return the new version, or this one if there is nothing to do
    * @throws CommitConflictException if a concurrent commit changed the same fragments; nothing was
    *   committed
    */
  def run(): (LanceTable, CompactionMetrics) = run(CompactionOptions.of(table.manifest.config))

  /** Compacts with options.
    *
    * @param threads number of parallel tasks
    */
  def run(options: CompactionOptions, threads: Int = 1): (LanceTable, CompactionMetrics) = {
    val tasks = plan(options).tasks
    val results = LocalTasks.run(tasks, threads)(_.run(store)) { r =>
      UncommittedFiles.remove(store, table.path, r.newFragments)
    }
    try {
      val metrics = results.map(_.metrics).foldLeft(CompactionMetrics())(_ + _)
      (commit(results, options), metrics)
    } catch {
      // The commit failed, and no other commit references these files.
      case e: CommitConflictException =>
        results.foreach(r => UncommittedFiles.remove(store, table.path, r.newFragments))
        throw e
    }
  }

  /** Plans a compaction.
    *
    * @throws UnsupportedFeatureException if rewriting the table needs an unsupported feature, or
    *   the options request a file version of another family
    */
  def plan(options: CompactionOptions): CompactionPlan = {
    table.checkWritable()
    val version = fileVersion(options)
    checkReuse(options)
    // Indices that lose the fragments anyway do not restrict their merging.
    val coverage = segments.filterNot(remapper.isLeftBehind).map(covered)
    val held = if (table.hasStableRowIds || options.deferIndexRemap) new RoaringBitmap else heldBack
    segments.foreach(s => held.or(remapper.pinnedFragments(s)))
    val live = table.schema.flatten.map(_.id).toSet
    val candidates = table.fragments.zipWithIndex.map { case (f, i) =>
      val rows = table.physicalRows(f)
      Candidate(
        i,
        rows,
        rows - table.liveRows(f),
        coverage.indices.filter(c => coverage(c).contains(f.id.toInt)).toSet,
        options.excludedFragmentIds(f.id) || held.contains(f.id.toInt),
        isPinned(f, live),
        sourceBytes(f, live)
      )
    }
    val tasks = CompactionBins.of(candidates, options).map(task(_, version, options))
    CompactionPlan(table.version, tasks)
  }

  private def task(
      bin: IndexedSeq[Candidate],
      version: FileVersion,
      options: CompactionOptions
  ): CompactionTask = CompactionTask(
    table.path,
    table.version,
    table.schema,
    version,
    table.hasStableRowIds,
    bin.map { c =>
      val f = table.fragments(c.position)
      FragmentScan(
        if (table.hasStableRowIds) f else f.withoutLineage,
        f.files.map(table.pathOf),
        table.deletionPath(f),
        RowRange(0, c.physicalRows),
        table.blobBases,
        hasStableRowIds = table.hasStableRowIds,
        place = table.place
      )
    },
    bin.map(_.liveRows).sum,
    options
  )

  private def fileVersion(options: CompactionOptions): FileVersion = {
    val v = options.dataStorageVersion.getOrElse(table.fileVersion)
    if ((v == FileVersion.V0_1) != (table.fileVersion == FileVersion.V0_1))
      throw new InvalidRequestException(
        s"compaction: files of version ${v.text} in a table of version ${table.fileVersion.text}"
      )
    v
  }

  private def checkReuse(options: CompactionOptions): Unit = {
    if (table.manifest.flags.reads(FeatureFlags.taggedFragmentReuse))
      throw new UnsupportedFeatureException("compacting a table with tagged fragment reuse")
    if (options.deferIndexRemap && table.hasStableRowIds)
      throw new UnsupportedFeatureException(
        "deferring indices (defer_index_remap) with stable row ids"
      )
  }

  /** Returns the fragments of indices that cannot be rebuilt. */
  private def heldBack: RoaringBitmap = {
    val out = new RoaringBitmap
    // The pages of an index with a deferred remap contain old row addresses.
    val isDrained = reuse.versions.isEmpty
    segments
      .filterNot(s => remapper.isLeftBehind(s) || isDrained && remapper.canRemap(s))
      .foreach(s => out.or(covered(s)))
    out
  }

  /** Returns the fragments that a segment covers now. If its coverage was not recorded, returns all
    * fragments.
    */
  private def covered(s: IndexSegment): RoaringBitmap = s.bitmap match {
    case Some(b) => reuse.coverage(b)
    case None =>
      val all = new RoaringBitmap
      table.fragments.foreach(f => all.add(f.id.toInt))
      all
  }

  /** Whether a file is kept only for its row lineage, while its columns are no longer in the
    * schema.
    */
  private def isPinned(f: Fragment, live: Set[Int]): Boolean = f.files.exists { file =>
    !file.fields.exists(live) && file.fields.exists(RowLineage.fields) &&
    file.fields.exists(id => id >= 0 || id == DataFile.tombstone)
  }

  private def sourceBytes(f: Fragment, live: Set[Int]): Option[Long] =
    f.files.filter(_.fields.exists(live)).foldLeft(Option(0L)) { (sum, file) =>
      sum.flatMap(s => Some(file.fileSizeBytes).filter(_ > 0).map(s + _))
    }

  /** Replaces old fragments by new ones.
    *
    * @param results results of some or all tasks of one plan; the other tasks cannot be committed
    *   afterwards
    * @return the new version, or this one if there is nothing to do
    * @throws CommitConflictException if a concurrent commit changed the same fragments; nothing was
    *   committed, and the new files remain
    */
  def commit(results: Seq[CompactionResult], options: CompactionOptions): LanceTable =
    if (results.isEmpty) table
    else {
      results.find(_.readVersion != table.version).foreach { r =>
        throw new InvalidRequestException(
          s"compaction: results are for version ${r.readVersion}, but the table is opened at version " +
            s"${table.version}; open the former"
        )
      }
      val groups = withIds(results, options.properties)
      val isDeferred = options.deferIndexRemap && concernsIndices(groups)
      val (indices, record) =
        if (table.hasStableRowIds) (Nil, None)
        else if (isDeferred) (
          Nil,
          Some(new ReuseRecord(groups.map(g =>
            FragmentReuse.group(moves(g), g.oldFragments, g.newFragments)
          )))
        )
        else if (options.deferIndexRemap) (Nil, None)
        else (UncommittedFiles.removedOnFailure(remapper.discard())(remapped(groups)), None)
      UncommittedFiles.removedOnFailure(remapper.discard()) {
        table.commit(Rewrite(groups, indices, record), options.properties)
      }
    }

  /** Reserves the ids first, so that indices can reference the new fragments before these are
    * committed.
    */
  private def withIds(
      results: Seq[CompactionResult],
      properties: Map[String, String]
  ): Seq[RewriteGroup] = {
    val n = results.map(_.newFragments.length.toLong).sum
    val highest =
      if (n == 0) 0L
      else table.commit(ReserveFragments(n), properties).manifest.maxFragmentId.get
    val replaced = results.iterator.flatMap(_.oldFragments).map(_.id).toSet
    val current =
      table.fragments.iterator.filter(f => replaced(f.id)).map(f => f.id -> f).toMap
    var next = highest - n + 1
    results.map { r =>
      RewriteGroup(
        r.oldFragments.map(f => current.getOrElse(f.id, f)),
        r.newFragments.map { f =>
          val numbered = Fragment(f.message.toBuilder.setId(next).build())
          next += 1
          numbered
        }
      )
    }
  }

  private def concernsIndices(groups: Seq[RewriteGroup]): Boolean = {
    val known = reuse.newFragments
    segments.foreach(s => known.or(covered(s)))
    groups.exists(_.oldFragments.exists(f => known.contains(f.id.toInt)))
  }

  private def remapped(groups: Seq[RewriteGroup]): Seq[RewrittenIndex] = {
    val old = groups.flatMap(_.oldFragments.map(_.id.toInt))
    val touched =
      segments.filter(s => !remapper.isLeftBehind(s) && old.exists(covered(s).contains))
    if (touched.isEmpty) Nil
    else {
      touched.find(s => !remapper.canRemap(s)).foreach { s =>
        throw new UnsupportedFeatureException(
          s"compacting fragments of the index ${s.name}, which cannot be rebuilt; set " +
            "defer_index_remap"
        )
      }
      val all = groups.map(moves)
      touched.map(remapper.remap(table, _, all))
    }
  }

  private def moves(g: RewriteGroup): RowMoves = RowMoves(
    g.oldFragments.map { f =>
      val rows = RoaringBitmap.bitmapOfRange(0L, table.physicalRows(f))
      table.deletionVector(f).deletedIn(RowRange(
        0,
        table.physicalRows(f)
      )).foreach(rows.remove)
      f.id -> rows
    },
    g.newFragments.map(f => f.id -> f.physicalRows.getOrElse(0L))
  )

  /** Adds a compaction to the record of the latest version. */
  final private class ReuseRecord(
      groups: Seq[Group]
  ) extends FragmentReuseRecord {
    private[table] def entry(present: Option[IndexSegment], version: Long): IndexSegment = {
      val known = FragmentReuse.of(store, table.root, table.manifest, present.toSeq)
      FragmentReuse.entry(store, table.root, known, groups, version)
    }
  }
}
