// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.changes

import scala.util.Random

import org.scalacheck.Gen
import org.scalacheck.rng.Seed
import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.Field
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.model.{
  Change,
  Changes => ModelChanges,
  Cleanup,
  DeleteBranch,
  ModelField,
  ModelState,
  ModelVersion,
  OurTable,
  Side,
  StaleAppend,
  StaleCompact,
  StaleDelete,
  StaleUpdate
}
import io.github.pysparklance.testkit.{Pylance, TemporaryFolder, TestRun}

/** Random histories, each from a seed of its own. For random versions a < b of a branch, the
  * changes of a + 1 to b applied to the rows of a must give the rows of b, with and without net
  * changes. Columns that were added in between, without values, are null in the rows of a.
  *
  * With the variable `PYSPARK_LANCE_HISTORY` it is the one of that seed. `PYSPARK_LANCE_HISTORIES`
  * sets their number.
  */
class ChangeHistorySuite extends AnyFunSuite with TemporaryFolder {
  private val long = TestRun.isLong
  private val numSteps = if (long) 30 else 20
  private val numRanges = if (long) 30 else 15
  private val store = Storage.local

  for (pylance <- Seq(false, true))
    test(
      s"changes turn one version into another, ${if (pylance) "with pylance" else "ours alone"}"
    ) {
      if (pylance) Pylance.run("result = 1")
      val only = sys.env.get("PYSPARK_LANCE_HISTORY").map(_.toLong)
      val n = TestRun.histories(if (pylance) 2 else 5, 300)
      val seeds = only.map(Seq(_)).getOrElse(Seq.iterate(TestRun.seed, n)(_ + 1))
      val histories = seeds.map { seed =>
        val history = new History(seed, pylance)
        try history.run()
        catch {
          case e: Throwable => throw new AssertionError(s"PYSPARK_LANCE_HISTORY=$seed: $e", e)
        }
        history
      }
      val numCompared = histories.map(_.numCompared).sum
      val numWider = histories.map(_.numWider).sum
      info(s"seed ${seeds.head}, ${seeds.length} histories, $numCompared ranges, " +
        s"$numWider of them with added columns")
      if (only.isEmpty) {
        assert(!long || numWider > 0)
        assert(histories.flatMap(_.kinds).toSet ==
          Set("insert", "delete", "update_preimage", "update_postimage"))
      }
    }

  final private class History(seed: Long, pylance: Boolean) {
    private val random = new Random(seed)
    private val path = folder.resolve(s"t$seed-$pylance").toString
    private val ours = new OurTable(path)
    private var done = Vector.empty[String]

    /** The kinds of changes that were found. */
    var kinds = Set.empty[String]

    /** The number of ranges that were compared, and of those in which columns were added. */
    var numCompared, numWider = 0

    private def generated[A](gen: Gen[A]): A =
      gen.pureApply(Gen.Parameters.default, Seed(random.nextLong()))

    private def side(sides: Seq[Side]): Side =
      if (!pylance) Side.Ours else sides(random.nextInt(sides.length))

    private def python(code: String, arguments: Map[String, Any]): Unit =
      Pylance.run(
        s"from table_model import *\nresult = None\n$code",
        (arguments + ("path" -> path)).toSeq: _*
      ): Unit

    def run(): Unit = {
      val configuration = generated(ModelChanges.configurations)
      var state = ModelState(configuration)
      val rows =
        ModelState(configuration, Map.empty).newRows(ModelVersion.newFields, configuration.rows, 0)
      ours.create(configuration, rows)
      (1 to numSteps).foreach { _ =>
        next(state).foreach { change =>
          state = apply(change, state)
        }
      }
      try state.branches.keys.foreach(branch => (1 to numRanges).foreach(_ => check(state, branch)))
      catch {
        case e: Throwable =>
          throw new AssertionError(s"$e\n$configuration\n${done.mkString("\n")}", e)
      }
    }

    /** A possible change. Clean-up would leave few versions to compare. */
    private def next(state: ModelState): Option[Change] =
      Iterator.continually(generated(ModelChanges.next(state))).take(50).find {
        case _: Cleanup | _: DeleteBranch | _: StaleAppend | _: StaleDelete | _: StaleUpdate |
            _: StaleCompact =>
          false
        case c => (pylance || c.sides.contains(Side.Ours)) && c.isPossible(state)
      }

    private def apply(change: Change, state: ModelState): ModelState = {
      val by = side(change.sides)
      done :+= s"$by $change"
      by match {
        case Side.Ours => change.ours(ours, state)
        case Side.Pylance =>
          val (code, arguments) = change.pylance(state)
          python(code, arguments)
      }
      change.model(state)
    }

    private def check(state: ModelState, branch: String): Unit = {
      val versions = state.branches(branch).versions
      if (versions.length > 1) {
        val a = random.nextInt(versions.length - 1)
        val b = a + 1 + random.nextInt(versions.length - a - 1)
        val (from, to) = (versions(a), versions(b))
        val known = versions.slice(a, b + 1)
        val stable = to.fields.filter(f => known.forall(hasField(_, f)))
        val added = if (stable.exists(_.name == "id")) to.fields.filter(isAdded(known, _)) else Nil
        val columns = (stable ++ added).map(_.id)
        numCompared += 1
        if (added.nonEmpty) numWider += 1
        val t = ours.at(branch, Some(to.version))
        val feed = new ChangeFeed(t)
        val range =
          feed.range(ChangeBound.Version(from.version + 1), Some(ChangeBound.Version(to.version)))
        val fields = columns.map(id => t.schema.byId(id).get).toIndexedSeq
        val (start, end) = (rows(from, columns), rows(to, columns))
        for {
          net <- Seq(false, true)
          // The values of other columns repeat.
          keys <- Seq(Nil, Seq("id")) ++ stable.map(_.name).filter(_ != "id").take(1).map(Seq(_))
          if keys.forall(k => fields.exists(_.name == k))
        } {
          val clue = s"$branch $range, net $net, keys $keys"
          try {
            val found = changed(feed.read(range, net, keys), fields)
            val applied = ChangeRows.applied(start, found)
            kinds ++= found.map(_.change)
            assert(applied == ChangeRows.counts(end), clue)
            if (keys.forall(_ == "id")) checkPairs(found, fields, clue): Unit
            if (net && keys == Seq("id")) checkNet(found, fields, clue)
          } catch { case e: Throwable => throw new AssertionError(s"$clue: $e", e) }
        }
      }
    }

    private def hasField(v: ModelVersion, f: ModelField): Boolean =
      v.fields.exists(o => o.id == f.id && o.name == f.name && o.kind == f.kind)

    /** Whether a column was added in a range, and had no values then: a feed has no changes for
      * values with which a column is added. A widened column has another id and the same name.
      */
    private def isAdded(versions: Seq[ModelVersion], f: ModelField): Boolean = {
      val (before, after) =
        versions.span(!_.fields.exists(o => o.id == f.id || o.name == f.name))
      before.nonEmpty && after.forall(hasField(_, f)) &&
      after.head.liveRows.forall(!_.cells.contains(f.id))
    }

    private def changed(changes: Changes, fields: IndexedSeq[Field]): IndexedSeq[ChangeRow] =
      ChangeRows(store, changes, Some(fields)).map(r => r.copy(values = r.values.map(plain)))

    private def plain(value: Any): Any = value match {
      case bytes: Seq[_] => new String(bytes.map(_.asInstanceOf[Byte]).toArray)
      case n: Int => n.toLong
      case other => other
    }

    private def rows(v: ModelVersion, columns: Seq[Int]): Seq[Seq[Any]] =
      v.liveRows.map(r => columns.map(c => r.cells.get(c).map(plain).orNull))

    /** Each preimage has a postimage of the same key. Rows have one version each unless changes are
      * net.
      */
    private def checkPairs(rows: Seq[ChangeRow], fields: Seq[Field], clue: String): Assertion = {
      val key = fields.indexWhere(_.name == "id")
      def keys(change: String) =
        rows.filter(_.change == change).map(_.values(key)).sortBy(_.toString)
      assert(key < 0 || keys("update_preimage") == keys("update_postimage"), clue)
    }

    /** At most one change for each key. */
    private def checkNet(rows: Seq[ChangeRow], fields: Seq[Field], clue: String): Unit = {
      val key = fields.indexWhere(_.name == "id")
      rows.groupBy(_.values(key)).foreach { case (k, changes) =>
        val kinds = changes.map(_.change).sorted
        assert(
          kinds == Seq("insert") || kinds == Seq("delete") ||
            kinds == Seq("update_postimage", "update_preimage"),
          s"$clue, key $k: $changes"
        )
      }
    }
  }
}
