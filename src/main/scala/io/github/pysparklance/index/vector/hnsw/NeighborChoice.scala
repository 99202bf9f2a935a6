// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.hnsw

/** Chooses the neighbors of a node: first candidates that are nearer to the node than to each
  * other, then the nearest of the other candidates.
  *
  * {{{
  *   diverse   nearer to the node than to all diverse candidates before it
  *   crowded   nearer to one of them
  * }}}
  * Chosen nodes that are candidates again are not compared with each other again: only with
  * candidates that were not diverse before. Distances are symmetric. Not thread-safe. Hot code:
  * imperative.
  *
  * Source: Malkov and Yashunin, 2016, algorithm 4.
  *
  * @param mostChosen maximum number of neighbors to choose
  */
final private[hnsw] class NeighborChoice(distances: NodeDistances, mostChosen: Int) {
  import NeighborChoice._

  /** The chosen nodes: first diverse nodes by distance, then other nodes by distance. */
  val nodes: Array[Int] = new Array[Int](mostChosen)

  /** The distances of [[nodes]]. */
  val lengths: Array[Float] = new Array[Float](mostChosen)

  /** Whether each of [[nodes]] is diverse or crowded. */
  val kinds: Array[Byte] = new Array[Byte](mostChosen)

  private var count = 0

  // whether each candidate is nearer to a diverse node that was not diverse before than to the node
  private var isNearFresh = new Array[Boolean](64)
  private var isCrowded = new Array[Boolean](64)

  // some of the nodes that a candidate is compared with, and their distances to it
  private var compared = new Array[Int](64)
  private var between = new Array[Float](64)

  /** Number of chosen nodes. */
  def size: Int = count

  /** Chooses neighbors.
    *
    * @param candidates candidates, nearest first; nodes of the earlier choice keep its order at
    *   equal distances
    * @param theirLengths distances of the candidates
    * @param theirKinds kinds by an earlier choice whose nodes are all candidates; null if unknown
    * @param limit maximum number of neighbors to choose
    */
  def run(
      candidates: Array[Int],
      theirLengths: Array[Float],
      theirKinds: Array[Byte],
      numCandidates: Int,
      limit: Int
  ): Unit = {
    count = 0
    var i = 0
    if (numCandidates <= limit)
      while (i < numCandidates) {
        choose(candidates(i), theirLengths(i), Unknown)
        i += 1
      }
    else {
      if (isNearFresh.length < numCandidates) reserve(2 * numCandidates)
      java.util.Arrays.fill(isNearFresh, 0, numCandidates, false)
      java.util.Arrays.fill(isCrowded, 0, numCandidates, false)
      // whether a node is crowded that was diverse before: others may be diverse now
      var isRevised = false
      while (i < numCandidates && count < limit) {
        val kind = if (theirKinds == null) Unknown else theirKinds(i)
        val isDiverse =
          if (kind == Diverse) !isNearFresh(i)
          else (kind == Unknown || isRevised) && isNearer(candidates(i), theirLengths(i))
        if (isDiverse) {
          choose(candidates(i), theirLengths(i), Diverse)
          if (theirKinds != null && kind != Diverse)
            compareWithOthers(candidates, theirLengths, i, numCandidates)
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

  /** Compares a diverse node with all candidates behind it: the distances from one node are
    * computed together.
    */
  private def compareWithOthers(
      candidates: Array[Int],
      theirLengths: Array[Float],
      diverse: Int,
      numCandidates: Int
  ): Unit = {
    val from = diverse + 1
    val others = numCandidates - from
    if (others > 0) {
      distances.select(candidates(diverse))
      System.arraycopy(candidates, from, compared, 0, others)
      distances.fill(compared, others, between)
      var i = 0
      while (i < others) {
        if (between(i) < theirLengths(from + i)) isNearFresh(from + i) = true
        i += 1
      }
    }
  }

  /** Whether a candidate is nearer to the node than to all chosen nodes. Compares a few at a time,
    * as one of the first is often nearer.
    *
    * @param length distance of the candidate to the node
    */
  private def isNearer(candidate: Int, length: Float): Boolean = count == 0 || {
    distances.select(candidate)
    var isNearest = true
    var from = 0
    while (isNearest && from < count) {
      val some = math.min(comparedAtATime, count - from)
      System.arraycopy(nodes, from, compared, 0, some)
      distances.fill(compared, some, between)
      var i = 0
      while (i < some && !(between(i) < length)) i += 1
      isNearest = i == some
      from += some
    }
    isNearest
  }

  private def reserve(numCandidates: Int): Unit = {
    isNearFresh = new Array[Boolean](numCandidates)
    isCrowded = new Array[Boolean](numCandidates)
    compared = new Array[Int](numCandidates)
    between = new Array[Float](numCandidates)
  }
}

private[hnsw] object NeighborChoice {

  /** A node that was not compared with the other neighbors. */
  val Unknown: Byte = 0
  val Diverse: Byte = 1
  val Crowded: Byte = 2

  /** Number of nodes that a candidate is compared with at a time. */
  private val comparedAtATime = 4
}
