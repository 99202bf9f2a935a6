// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction

import scala.io.Source
import scala.util.{Failure, Random, Success, Try, Using}

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.CommitConflictException
import io.github.pysparklance.table.transaction.conflict.Conflicts
import io.github.pysparklance.table.transaction.conflict.Conflicts.{
  Compatible,
  Incompatible,
  Retryable,
  Verdict
}
import io.github.pysparklance.table.transaction.operation.{
  ManifestBuilder,
  Operation,
  PlainOperation,
  UnknownOperation
}
import io.github.pysparklance.table.{LanceTable, proto}
import io.github.pysparklance.testkit.TestRun

/** One test for each pair of operations, from the lines of `conflicts/matrix.csv`, whose header
  * names its sources.
  */
class ConflictMatrixSuite extends AnyFunSuite {

  /** A line of the file; `verdict` is +, r or X. */
  private case class Line(ours: String, theirs: String, verdict: String, evidence: String)

  private val lines: IndexedSeq[Line] =
    Using.resource(Source.fromResource("conflicts/matrix.csv")(scala.io.Codec.UTF8)) {
      _.getLines().drop(1).map(parse).toIndexedSeq
    }

  /** Parses a line. Names contain commas in brackets. */
  private def parse(line: String): Line = {
    val cell = "\"([^\"]*)\"|([^,]+)".r
    cell.findAllMatchIn(line).map(m => Option(m.group(1)).getOrElse(m.group(2))).toSeq match {
      case Seq(ours, theirs, verdict, evidence) => Line(ours, theirs, verdict, evidence)
      case other => throw new IllegalArgumentException(s"$line: $other")
    }
  }

  private lazy val examples = OperationExamples.all.toMap
  private lazy val kinds = examples.map { case (name, o) => name -> o.name }

  private def sign(v: Verdict): String = v match {
    case Compatible => "+"
    case _: Retryable => "r"
    case _: Incompatible => "X"
  }

  test("every pair of examples is in the file") {
    val names = OperationExamples.all.map(_._1)
    val pairs = for (ours <- names if ours != "Unknown"; theirs <- names) yield ours -> theirs
    assert(lines.map(l => l.ours -> l.theirs).toSet == pairs.toSet)
    assert(lines.length == pairs.length)
    assert(lines.map(_.evidence).toSet == Set("observed", "source"))
    assert(lines.count(_.evidence == "observed") >= 1599)
  }

  lines.groupBy(l => kind(l.ours) -> kind(l.theirs)).toSeq.sortBy(_._1).foreach {
    case ((ours, theirs), pair) =>
      test(s"$ours over $theirs") {
        pair.foreach { l =>
          val found = Conflicts.check(
            examples(l.ours),
            examples(l.theirs),
            OperationExamples.schema,
            _ => false
          )
          assert(sign(found) == l.verdict, s"$l: $found")
        }
      }
  }

  private def kind(name: String): String = kinds(name)

  test("compatible operations can be committed, others explain why not") {
    val possible = lines.filterNot(l => OperationExamples.isOnlyJudged(l.ours))
    val seed = TestRun.seed
    val isLong = TestRun.isLong
    val chosen = if (isLong) possible else new Random(seed).shuffle(possible).take(300)
    chosen.foreach { l =>
      withClue(s"$l, seed $seed: ") {
        for (isStable <- Seq(false, true)) {
          val base = OperationExamples.table(isStable)
          // The examples have no row ids.
          val needsIds = Seq("Merge", "Rewrite", "UpdateColumns", "Update(", "Delete(")
          if (!isStable || !needsIds.exists(n => l.ours.startsWith(n) || l.theirs.startsWith(n)))
            checkCommit(base, l)
        }
      }
    }
    info(s"seed $seed, ${chosen.length} of ${lines.length} pairs were committed")
  }

  private def checkCommit(base: LanceTable, l: Line): Any = {
    val example = examples(l.theirs)
    val theirs = base.commit(
      if (OperationExamples.isOnlyJudged(l.theirs)) new OfOtherWriter(example) else example
    )
    assert(theirs.version == base.version + 1)
    Try(base.commit(examples(l.ours))) match {
      case Success(t) =>
        assert(l.verdict == "+" && t.version == base.version + 2)
        assert(t.latest.version == t.version)
        val reopened = OperationExamples.open(t.store)
        assert(reopened.fragments == t.fragments && reopened.schema == t.schema)
        assert(Operation.parse(t.file.transaction(t.root).get).name == examples(l.ours).name)
      case Failure(e: CommitConflictException) =>
        assert(e.conflictingVersion == theirs.version, e)
        assert(e.getMessage.contains(s"version ${theirs.version}"))
        if (dropsIndexed(l) || undoesMetadata(l)) assert(e.retryable)
        else assert((if (e.retryable) "r" else "X") == l.verdict, e)
        assert(base.latest.version == theirs.version)
      case Failure(e) =>
        assert(l.ours == "FieldMetadata(b)" && l.theirs == "Project(keeps,-b)", e)
    }
  }

  /** Both rule sets allow an index on a column that is dropped concurrently; here, it is rebuilt or
    * not.
    */
  private def dropsIndexed(l: Line): Boolean =
    l.theirs == "Project(keeps,-b)" && l.ours.startsWith("CreateIndex(")

  /** The rules of the format allow a change of columns to undo a change of their metadata. */
  private def undoesMetadata(l: Line): Boolean =
    l.ours.startsWith("Project") &&
      (l.theirs.startsWith("FieldMetadata") || l.theirs == "SchemaMetadata")

  /** An operation that only other writers commit, without its effect on the manifest. */
  final private class OfOtherWriter(operation: PlainOperation) extends PlainOperation {
    def name: String = operation.name
    private[table] def write(b: proto.Transaction.Builder): Unit =
      if (operation != UnknownOperation) operation.write(b)
    private[table] def build(m: ManifestBuilder): Unit = ()
  }
}
