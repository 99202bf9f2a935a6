// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.distance

import scala.util.control.NonFatal

import io.github.pysparklance.core.Log

/** Chooses the implementation of [[DistanceKernels]] once for the process. */
object Kernels {
  private val log = Log(getClass)

  private val module = "jdk.incubator.vector"

  /** Plain loops, which run everywhere. */
  val loops: DistanceKernels = new LoopKernels

  /** The Vector API, if the process has its module. Spark's launcher adds it since Spark 4.0. */
  val vectorApi: Option[DistanceKernels] =
    if (!ModuleLayer.boot().findModule(module).isPresent) None
    else
      try {
        val byName = Class.forName(s"${getClass.getPackage.getName}.VectorApiKernels")
        val constructor = byName.getDeclaredConstructor()
        constructor.setAccessible(true)
        Some(constructor.newInstance().asInstanceOf[DistanceKernels])
      } catch {
        // Java 16 cannot load a class that was compiled for Java 17.
        case e @ (NonFatal(_) | _: LinkageError) =>
          log.debug(s"distances are computed without the Vector API: $e")
          None
      }

  /** The fastest implementation here. */
  val best: DistanceKernels = vectorApi.getOrElse(loops)
}
