// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.jobs

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core.{
  InvalidRequestException,
  Log,
  Place,
  UnsupportedFeatureException
}
import io.github.pysparklance.index.vector.build.VectorDefinition
import io.github.pysparklance.index.vector.segment.StoredSegment
import io.github.pysparklance.index.vector.{VectorIndex, VectorIndices}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.manifest.IndexSegment

/** Optimizes vector indices.
  *
  * New rows are encoded with the model of the latest segment. If the table has changed by more than
  * a given factor since its training, another model is trained. Segments of this model are merged
  * partition by partition, without reading vectors again. The rows of segments with other models,
  * or in layouts that are not written any more, are encoded again.
  */
private[jobs] object VectorOptimization {
  private val log = Log(getClass)

  /** @param segments all segments of the index */
  def run(on: JobTable, segments: Seq[IndexSegment], refresh: IndexRefresh): IndexOutcome = {
    val table = on.table
    val name = segments.head.name
    val indices = new VectorIndices(table)
    val index = indices.open(segments.head.fields.head, name).getOrElse(
      throw new UnsupportedFeatureException(
        s"optimizing the index $name, which cannot be read; create it again",
        Place(path = Some(table.path))
      )
    )
    val build = new VectorBuild(on, VectorDefinition.of(table, index))
    val stored = index.segments.map(_._1).sortBy(s => (s.datasetVersion, s.createdAtMillis))
      .flatMap(s =>
        StoredSegment.open(indices.filesOf(s), index.column.elementType).map(s -> _)
      )
    if (refresh.retrain || stored.isEmpty) retrained(on, build, index, segments)
    else {
      val base = baseOf(stored.map(_._2))
      if (refresh.retrainFactor.isDefined && base.model.meanLoss.isEmpty) {
        val message =
          s"the index $name of ${table.path} does not record the mean distance to its centroids, which " +
            "retrain_factor needs: run OPTIMIZE INDEX once with retrain = true"
        if (refresh.isNamed) throw new InvalidRequestException(message)
        log.warn(s"$message. Other indices are optimized")
        IndexOutcome(table, name, 0L, segments.length.toLong)
      } else if (refresh.retrainFactor.exists(f => build.growth(base.model).exists(_ > f)))
        retrained(on, build, index, segments)
      else new Merge(on, build, indices, segments, stored, base, refresh).run()
    }
  }

  /** Returns the segment whose model new rows use: the model of the latest segment. Of the segments
    * with this model, prefers the first that records the mean distance to the centroids. Later ones
    * may be empty, or may record the distances of new rows.
    *
    * @param stored the latest last
    */
  private def baseOf(stored: Seq[StoredSegment]): StoredSegment =
    stored.find(s => s.model.meanLoss.isDefined && s.model.isSame(stored.last.model))
      .getOrElse(stored.last)

  private def retrained(
      on: JobTable,
      build: VectorBuild,
      index: VectorIndex,
      segments: Seq[IndexSegment]
  ): IndexOutcome = {
    val fragments = on.table.fragments.indices
    val built = build.run(fragments)
    committed(
      on,
      build,
      index.name,
      built,
      IndexJob.idsOf(on.table, fragments),
      segments,
      fragments.length,
      1L
    )
  }

  private def committed(
      on: JobTable,
      build: VectorBuild,
      name: String,
      built: BuiltSegment,
      coverage: RoaringBitmap,
      removed: Seq[IndexSegment],
      fragments: Int,
      segments: Long
  ): IndexOutcome = {
    val segment = build.definition.segment(built.uuid, on.table, coverage, built.files)
    val changed = IndexJob.commit(on, "OPTIMIZE INDEX", Seq(segment), removed)
    IndexOutcome(changed, name, fragments.toLong, segments)
  }

  /** @param stored segments that can be merged, the latest last
    * @param base segment with the model of new rows
    */
  final private class Merge(
      on: JobTable,
      build: VectorBuild,
      indices: VectorIndices,
      segments: Seq[IndexSegment],
      stored: Seq[(IndexSegment, StoredSegment)],
      base: StoredSegment,
      refresh: IndexRefresh
  ) {
    private val table: LanceTable = on.table
    private val mergeable =
      stored.filter(_._2.model.isSame(base.model)).map { case (s, _) => s.uuid }.toSet

    /** Fragments of each segment. The first segment that covers a fragment has it. */
    private val covered = {
      val taken = new RoaringBitmap
      stored.map { case (s, _) =>
        val own = RoaringBitmap.andNot(indices.covered(s), taken)
        taken.or(own)
        s.uuid -> own
      }.toMap
    }

    private def coverage(s: IndexSegment): RoaringBitmap =
      covered.getOrElse(s.uuid, new RoaringBitmap)

    def run(): IndexOutcome = {
      val known = new RoaringBitmap
      covered.values.foreach(known.or)
      val all = IndexJob.idsOf(table, table.fragments.indices)
      val unindexed = RoaringBitmap.andNot(all, known)
      // An entry with a row id can be outdated because of a later segment, which pylance ignores.
      val number = refresh.segmentsToMerge.filterNot(_ => table.hasStableRowIds)
      val chosen = number.fold(stored)(stored.takeRight(_)).map(_._1.uuid).toSet
      val merged = segments.filter { s =>
        chosen(s.uuid) || !covered.contains(s.uuid) ||
        s.bitmap.exists(RoaringBitmap.intersects(_, unindexed))
      }
      lazy val reuse = table.fragmentReuse
      val isWorthwhile = !unindexed.isEmpty || merged.length > 1 ||
        merged.exists(s => s.bitmap.forall(_ != coverage(s)) || reuse.isNeededBy(s))
      if (!isWorthwhile)
        IndexOutcome(table, segments.head.name, 0L, segments.length.toLong)
      else {
        val (same, others) = merged.partition(s => mergeable(s.uuid))
        val encoded = unindexed.clone()
        others.foreach(s => encoded.or(coverage(s)))
        val fragments =
          table.fragments.indices.filter(i => encoded.contains(table.fragments(i).id.toInt))
        val sources = same.filterNot(coverage(_).isEmpty).map(s => indices.source(s, coverage(s)))
        val built = build.extend(base, fragments, sources)
        merged.foreach(s => encoded.or(coverage(s)))
        committed(
          on,
          build,
          segments.head.name,
          built,
          encoded,
          merged,
          fragments.length,
          segments.length - merged.length + 1L
        )
      }
    }
  }
}
