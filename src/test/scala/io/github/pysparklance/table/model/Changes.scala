// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.model

import org.scalacheck.Gen

import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.table.maintenance.CompactionMode

/** Generates random tables and changes. */
object Changes {

  val configurations: Gen[ModelConfiguration] = for {
    version <- Gen.oneOf(FileVersion.V2_0, FileVersion.V2_1, FileVersion.V2_2)
    stable <- Gen.prob(0.6)
    by <- Gen.oneOf(Side.both)
    rows <- Gen.choose(1, 12)
    rowsPerFile <- Gen.choose(2, 6)
  } yield ModelConfiguration(version, stable, by, rows, rowsPerFile)

  private val condition: Gen[Condition] = for {
    modulus <- Gen.frequency(8 -> Gen.choose(2L, 9L), 1 -> Gen.const(1L))
    remainder <- Gen.choose(0L, modulus - 1)
  } yield Condition(modulus, remainder)

  private val kind: Gen[Kind] = Gen.oneOf(Kind.Number, Kind.Small, Kind.Text)
  private val newColumn: Gen[String] = Gen.oneOf("c0", "c1", "c2", "c3")
  private val tag: Gen[String] = Gen.oneOf("t1", "t2", "v1.0")
  private val factor: Gen[Long] = Gen.choose(2L, 99L)

  private val entries: Gen[Map[String, Option[String]]] = for {
    keys <- Gen.atLeastOne("k1", "k2", "k3")
    values <- Gen.listOfN(keys.length, Gen.option(Gen.oneOf("a", "b", "c d")))
  } yield keys.zip(values).toMap

  private def on(s: ModelState, branch: String): Gen[Change] = {
    val present = Gen.oneOf(s(branch).fields.map(_.name).filter(_ != "id") :+ "v")
    val version = Gen.oneOf(s.branches(branch).versions.map(_.version))
    def rows[A](make: (String, Int, Int, Int) => A): Gen[A] = for {
      n <- Gen.choose(1, 9)
      perFile <- Gen.choose(2, 9)
      salt <- Gen.choose(0, 999)
    } yield make(branch, n, perFile, salt)
    val updateRows: Gen[UpdateRows] = Gen.zip(condition, present, factor).map { case (w, c, f) =>
      UpdateRows(branch, w, c, f)
    }
    val delete: Gen[Change] = condition.map(Delete(branch, _))
    val meanwhile: Gen[Change] = Gen.oneOf(rows(Append), delete, updateRows)
    val compact = Gen.oneOf(CompactionMode.Reencode, CompactionMode.TryBinaryCopy)
      .map(Compact(branch, _))
    Gen.frequency(
      12 -> rows(Append),
      4 -> Gen.zip(meanwhile, rows(Append)).map { case (m, a) => StaleAppend(branch, m, a) },
      6 -> Gen.zip(meanwhile, condition).map { case (m, w) => StaleDelete(branch, m, w) },
      2 -> rows(Overwrite),
      8 -> delete,
      8 -> updateRows,
      5 -> Gen.zip(condition, present, factor).map { case (w, c, f) =>
        UpdateColumn(branch, w, c, f)
      },
      4 -> Gen.zip(newColumn, kind, factor).map { case (c, k, f) => AddColumn(branch, c, k, f) },
      2 -> Gen.zip(newColumn, kind).map { case (c, k) => AddNullColumn(branch, c, k) },
      3 -> present.map(DropColumn(branch, _)),
      3 -> Gen.zip(present, newColumn).map { case (c, to) => RenameColumn(branch, c, to) },
      3 -> present.map(WidenColumn(branch, _)),
      4 -> compact,
      3 -> Gen.zip(rows(Append), compact).map { case (a, c) => StaleCompact(branch, a, c) },
      4 -> Gen.zip(meanwhile, updateRows).map { case (m, u) => StaleUpdate(branch, m, u) },
      2 -> present.map(CreateIndex(branch, _)),
      2 -> version.map(Restore(branch, _)),
      3 -> Gen.zip(Gen.oneOf(Gen.oneOf("config", "table", "schema"), present), entries).map {
        case (of, e) => SetMetadata(branch, of, e)
      },
      3 -> version.map(LookBack(branch, _)),
      2 -> Gen.zip(tag, version).map { case (t, v) => SetTag(t, branch, v) },
      1 -> tag.map(DeleteTag),
      1 -> Gen.zip(Gen.oneOf("b1", "team/b2"), version).map { case (b, v) =>
        CreateBranch(b, branch, v)
      },
      1 -> Gen.const(DeleteBranch(branch)),
      1 -> Gen.const(Cleanup(branch))
    )
  }

  /** Generates a change that is possible now. */
  def next(s: ModelState): Gen[Change] = {
    val branch = Gen.oneOf(s.branches.keys.toSeq.sorted)
    Gen.frequency(2 -> Gen.const("main"), 1 -> branch).flatMap(on(s, _)).retryUntil(_.isPossible(s))
  }
}
