// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.model

import java.nio.file.{Files, Path}
import java.util.UUID

import scala.jdk.CollectionConverters._
import scala.util.{Failure, Success, Try}

import org.scalacheck.commands.Commands
import org.scalacheck.{Gen, Prop}

import io.github.pysparklance.storage.local.LocalFileStore
import io.github.pysparklance.testkit.Pylance

/** Random histories of a table on the model, this connector, and pylance. Both write to the same
  * table, and each change is made by one of them. After each change, both must agree with the
  * model.
  *
  * @param folder folder for the tables
  */
final class TableCommands(folder: Path) extends Commands {
  type State = ModelState

  /** The table on disk with its expected state. */
  final class Sut(val path: String, var state: ModelState) {
    private val ours = new OurTable(path)
    private var failed = false

    private def python(code: String, arguments: (String, Any)*) =
      Pylance.run(
        s"from table_model import *\nresult = None\n$code",
        arguments :+ ("path" -> path): _*
      )

    def create(): Unit = {
      val s = state.configuration
      val rows = ModelState(s, Map.empty).newRows(ModelVersion.newFields, s.rows, 0)
      s.by match {
        case Side.Ours => ours.create(s, rows)
        case Side.Pylance =>
          python(
            "create(path, arrow(fields, rows), rows_per_file, file_version, stable_row_ids)",
            Change.rows(ModelVersion.newFields, rows).toSeq ++ Seq(
              "rows_per_file" -> s.rowsPerFile,
              "file_version" -> s.fileVersion.toString,
              "stable_row_ids" -> s.stableRowIds
            ): _*
          ): Unit
      }
      compare("main", None)
    }

    /** Applies a change and compares the views; does nothing after the first difference. */
    def apply(change: Change, side: Side, first: Side): Unit = if (!failed) {
      failed = true
      change match {
        case StaleAppend(branch, meanwhile, _) => stale(branch, meanwhile, first)(change, side)
        case StaleDelete(branch, meanwhile, _) => stale(branch, meanwhile, first)(change, side)
        case StaleUpdate(branch, meanwhile, _) => stale(branch, meanwhile, first)(change, side)
        case StaleCompact(branch, meanwhile, _) => stale(branch, meanwhile, first)(change, side)
        case _ => run(change, side)
      }
      state = change.model(state)
      val (branch, version) = change.shown
      compare(branch, version)
      failed = false
    }

    private def run(change: Change, side: Side): Unit = side match {
      case Side.Ours => change.ours(ours, state)
      case Side.Pylance =>
        val (code, arguments) = change.pylance(state)
        python(code, arguments.toSeq: _*): Unit
    }

    private def stale(branch: String, meanwhile: Change, first: Side)(
        change: Change,
        side: Side
    ): Unit = side match {
      case Side.Ours => ours.holding(branch)(run(meanwhile, first))(run(change, side))
      case Side.Pylance =>
        python("hold(path, branch)", "branch" -> branch): Unit
        run(meanwhile, first)
        val (code, arguments) = change.pylance(state)
        python(s"with held(): $code", arguments.toSeq: _*): Unit
    }

    private def compare(branch: String, version: Option[Long]): Unit = {
      val b = state.branches(branch)
      val expected = state.references ++ version.fold(b.latest)(b(_)).view
      def check(who: String, found: Vector[String]): Unit =
        ModelView.difference(expected, found).foreach { d =>
          throw new AssertionError(s"$who sees other things (-: expected, +: found):\n$d")
        }
      check("this connector", ours.references ++ ours.view(branch, version))
      val seen = python(
        "result = [*references(path), *view(path, branch, version)]",
        "branch" -> branch,
        "version" -> version
      )
      check("pylance", seen.elements.asScala.map(_.asText).toVector)
    }
  }

  /** A change by one of the sides.
    *
    * @param first the side that makes the first change, if there are two
    */
  final class Step(change: Change, side: Side, first: Side) extends Command {
    type Result = Unit
    def run(sut: Sut): Unit = sut(change, side, first)
    def nextState(s: ModelState): ModelState = change.model(s)
    def preCondition(s: ModelState): Boolean = change.isPossible(s)
    def postCondition(s: ModelState, result: Try[Unit]): Prop = result match {
      case Success(_) => Prop.proved
      case Failure(e) => Prop.falsified :| s"$this: $e"
    }
    override def toString: String = change match {
      case _: StaleAppend | _: StaleDelete | _: StaleUpdate | _: StaleCompact =>
        s"$side (after $first) $change"
      case _ => s"$side $change"
    }
  }

  @scala.annotation.nowarn("msg=Traversable") // a ScalaCheck type for Scala 2.12
  def canCreateNewSut(
      newState: State,
      initSuts: Traversable[State],
      runningSuts: Traversable[Sut]
  ): Boolean = true

  def initialPreCondition(state: State): Boolean = true

  def newSut(state: State): Sut = {
    val sut = new Sut(folder.resolve(UUID.randomUUID.toString).toString, state)
    sut.create()
    sut
  }

  def destroySut(sut: Sut): Unit =
    if (Files.exists(Path.of(sut.path))) LocalFileStore.deleteFolder(sut.path): Unit

  def genInitialState: Gen[State] = Changes.configurations.map(ModelState(_))

  def genCommand(state: State): Gen[Command] =
    for {
      change <- Changes.next(state)
      side <- Gen.oneOf(change.sides)
      first <- Gen.oneOf(Side.both)
    } yield new Step(change, side, first)
}
