// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance

import java.io.{PrintWriter, StringWriter}
import java.nio.file.Path
import java.util.spi.ToolProvider

import scala.collection.mutable

/** The rules for dependencies between layers, evaluated on dependencies between classes.
  *
  * A layer is a package below `io.github.pysparklance`. It may import only the layers that are
  * listed for it. Only a few packages may use Spark, Hadoop, or the generated messages. Packages
  * must not form cycles.
  */
object Layers {

  /** A dependency of a class on another class, both by binary name. */
  final case class Dependency(from: String, to: String)

  private val root = "io.github.pysparklance"

  /** Layers by name, with the other layers that they may import. All layers may import the root
    * package.
    */
  private val imports: Map[String, Set[String]] = Map(
    "" -> Set.empty[String],
    "core" -> Set.empty[String],
    "storage" -> Set("core"),
    "encoding" -> Set("core"),
    "file" -> Set("core", "storage", "encoding"),
    "table" -> Set("core", "storage", "encoding", "file"),
    "index" -> Set("core", "storage", "encoding", "file", "table"),
    "spark" -> Set("core", "storage", "encoding", "file", "table", "index")
  )

  /** External packages, with the packages below the root that may use them. */
  private val guests: Seq[(String, Set[String])] = Seq(
    "org.apache.spark" -> Set("spark"),
    "org.apache.hadoop" -> Set("storage.hadoop", "spark"),
    "com.google.protobuf" -> Set("encoding", "file", "table", "index"),
    s"$root.shaded.protobuf" -> Set("encoding", "file", "table", "index"),
    s"$root.encoding.proto" -> Set("encoding", "file", "table", "index"),
    s"$root.file.proto" -> Set("file", "table", "index"),
    s"$root.table.proto" -> Set("table", "index"),
    "software.amazon" -> Set("storage.dynamodb")
  )

  /** Returns all dependencies of the compiled classes below some folders, from `jdeps`. */
  def read(classes: Seq[Path]): Seq[Dependency] = {
    val jdeps = ToolProvider
      .findFirst("jdeps")
      .orElseThrow(() => new IllegalStateException("this JVM is no JDK: it has no jdeps"))
    val (out, err) = (new StringWriter, new StringWriter)
    val arguments = Seq("-verbose:class", "-filter:none") ++ classes.map(_.toString)
    val exit = jdeps.run(new PrintWriter(out, true), new PrintWriter(err, true), arguments: _*)
    if (exit != 0) throw new IllegalStateException(s"jdeps failed with $exit: $out $err")
    parse(out.toString)
  }

  /** Parses the lines `class -> class location` of `jdeps -verbose:class`. */
  def parse(output: String): Seq[Dependency] =
    output.linesIterator.collect { case Line(from, to) => Dependency(from, to) }.toSeq

  private val Line = """ {3}\s*(\S+)\s+-> (\S+)\s.*""".r

  /** Returns the violations of the rules, one line each.
    *
    * @param shims own classes in Spark's packages, which use package-private API
    */
  def violations(dependencies: Seq[Dependency], shims: Set[String] = Set.empty): Seq[String] = {
    val ours = dependencies.filterNot(d => shims.contains(outermost(d.from)))
    (strangers(ours) ++ climbs(ours) ++ trespasses(ours)).distinct.sorted ++ cycles(ours)
  }

  private def strangers(ours: Seq[Dependency]): Seq[String] = {
    val foreign = ours.map(_.from).distinct.filterNot(name => below(name, root))
    val unknown = ours.map(_.from).distinct.filter(name => below(name, root)).filterNot { name =>
      imports.contains(floor(name))
    }
    foreign.map(name => s"$name lies outside $root") ++
      unknown.map(name => s"$name lies on no known floor: '${floor(name)}'")
  }

  private def climbs(ours: Seq[Dependency]): Seq[String] =
    for {
      Dependency(from, to) <- ours
      if below(from, root) && below(to, root) && !below(to, s"$root.shaded")
      (lower, upper) = (floor(from), floor(to))
      if upper != lower && upper != "" && !imports.getOrElse(lower, Set.empty).contains(upper)
    } yield s"$from -> $to: '${name(lower)}' does not import '${name(upper)}'"

  private def trespasses(ours: Seq[Dependency]): Seq[String] =
    for {
      Dependency(from, to) <- ours
      (guest, hosts) <- guests
      if below(to, guest) && !hosts.exists(host => below(from, s"$root.$host"))
    } yield s"$from -> $to: $guest belongs to ${hosts.toSeq.sorted.mkString(", ")} only"

  /** Returns the cycles of packages, one line each, with the classes that form them. */
  private def cycles(ours: Seq[Dependency]): Seq[String] = {
    val edges = ours
      .filter(d => below(d.from, root) && below(d.to, root))
      .groupBy(d => (packageOf(d.from), packageOf(d.to)))
      .filterNot { case ((from, to), _) => from == to }
    val next = edges.keys.groupBy(_._1).map { case (from, to) =>
      from -> to.map(_._2)
    }.withDefaultValue(Nil)
    val reach =
      next.keys.map(start => start -> reachable(start, next)).toMap.withDefaultValue(Set())
    val inCycle = reach.keys.filter(p => reach(p).contains(p)).toSeq
    inCycle
      .groupBy(p => reach(p).filter(q => reach(q).contains(p)))
      .values
      .map { group =>
        val ties = edges.collect {
          case ((from, to), found) if group.contains(from) && group.contains(to) =>
            s"${found.head.from} -> ${found.head.to}"
        }
        s"cycle of ${group.sorted.mkString(", ")}: ${ties.toSeq.sorted.mkString("; ")}"
      }
      .toSeq
      .sorted
  }

  private def reachable(start: String, next: String => Iterable[String]): Set[String] = {
    val seen = mutable.Set.empty[String]
    val open = mutable.Queue(next(start).toSeq: _*)
    while (open.nonEmpty) {
      val p = open.dequeue()
      if (seen.add(p)) open ++= next(p)
    }
    seen.toSet
  }

  private def below(name: String, prefix: String): Boolean = name.startsWith(prefix + ".")

  private def packageOf(name: String): String = name.take(name.lastIndexOf('.'))

  private def outermost(name: String): String = name.takeWhile(_ != '$')

  private def floor(name: String): String =
    packageOf(name).stripPrefix(root).stripPrefix(".").takeWhile(_ != '.')

  private def name(floor: String): String = if (floor.isEmpty) "the root package" else floor
}
