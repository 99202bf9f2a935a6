// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.hnsw

/** Chooses the neighbors of a node: candidates that are nearer to the node than to each other, then
  * the nearest of the others.
  *
  * {{{
  *   diverse   nearer to the node than to all diverse candidates before it
  *   crowded   nearer to one of them
  * }}}
  * Chosen nodes that are candidates again are not compared with each other again: only with
  * candidates that were not diverse before. Not thread-safe. Hot code: imperative.
  *
  * Source: Malkov and Yashunin, 2016, algorithm 4.
  *
  * @param mostChosen neighbors that are chosen, at most
  */
final private[hnsw] class NeighborChoice(distances: NodeDistances, mostChosen: Int) {
  import NeighborChoice._

  /** The chosen nodes: diverse ones by distance, then others by distance. */
  val nodes: Array[Int] = new Array[Int](mostChosen)

  /** The distances of [[nodes]]. */
  val lengths: Array[Float] = new Array[Float](mostChosen)

  /** Whether each of [[nodes]] is diverse or crowded. */
  val kinds: Array[Byte] = new Array[Byte](mostChosen)

  private var count = 0

  // diverse nodes that were not diverse before
  private val fresh = new Array[Int](mostChosen)
  private var numFresh = 0

  // some of the nodes that a candidate is compared with, and their distances to it
  private val compared = new Array[Int](comparedAtATime)
  private val between = new Array[Float](comparedAtATime)

  /** Number of chosen nodes. */
  def size: Int = count

  /** Chooses neighbors.
    *
    * @param candidates nearest first. At the same distance, nodes of that choice keep its order
    * @param theirLengths their distances
    * @param theirKinds kinds by an earlier choice, all of whose nodes are candidates; null: unknown
    * @param limit neighbors to choose, at most
    */
  def run(
      candidates: Array[Int],
      theirLengths: Array[Float],
      theirKinds: Array[Byte],
      numCandidates: Int,
      limit: Int
  ): Unit = {
    count = 0
    numFresh = 0
    var i = 0
    if (numCandidates <= limit)
      while (i < numCandidates) {
        choose(candidates(i), theirLengths(i), Unknown)
        i += 1
      }
    else {
      val isCrowded = new Array[Boolean](numCandidates)
      // whether a node is crowded that was diverse before: others may be diverse now
      var isRevised = false
      while (i < numCandidates && count < limit) {
        val kind = if (theirKinds == null) Unknown else theirKinds(i)
        val isDiverse =
          if (kind == Diverse) isNearer(candidates(i), theirLengths(i), fresh, numFresh)
          else
            (kind == Unknown || isRevised) &&
            isNearer(candidates(i), theirLengths(i), nodes, count)
        if (isDiverse) {
          choose(candidates(i), theirLengths(i), Diverse)
          if (kind != Diverse) {
            fresh(numFresh) = candidates(i)
            numFresh += 1
          }
        } else {
          isCrowded(i) = true
          isRevised ||= kind == Diverse
        }
        i += 1
      }
      i = 0
      while (i < numCandidates && count < limit) {
        if (isCrowded(i)) choose(candidates(i), theirLengths(i), Crowded)
        i += 1
      }
    }
  }

  private def choose(node: Int, length: Float, kind: Byte): Unit = {
    nodes(count) = node
    lengths(count) = length
    kinds(count) = kind
    count += 1
  }

  /** Whether a candidate is nearer to the node than to all others. Compares a few at a time, as one
    * of the first is often nearer.
    *
    * @param length its distance to the node
    */
  private def isNearer(
      candidate: Int,
      length: Float,
      others: Array[Int],
      numOthers: Int
  ): Boolean = numOthers == 0 || {
    distances.select(candidate)
    var isNearest = true
    var from = 0
    while (isNearest && from < numOthers) {
      val some = math.min(comparedAtATime, numOthers - from)
      System.arraycopy(others, from, compared, 0, some)
      distances.fill(compared, some, between)
      var i = 0
      while (i < some && !(between(i) < length)) i += 1
      isNearest = i == some
      from += some
    }
    isNearest
  }
}

private[hnsw] object NeighborChoice {

  /** Not compared with the other neighbors. */
  val Unknown: Byte = 0
  val Diverse: Byte = 1
  val Crowded: Byte = 2

  /** Nodes that a candidate is compared with at a time. */
  private val comparedAtATime = 4
}
