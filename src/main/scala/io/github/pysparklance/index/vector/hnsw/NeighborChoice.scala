// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.hnsw

/** Chooses the neighbors of a node: first candidates that are nearer to the node than to each other,
  * then the nearest of the other candidates.
  *
  * {{{
  *   diverse   nearer to the node than to all diverse candidates before it
  *   crowded   nearer to one of them
  * }}}
  * A later choice does not compare nodes again that an earlier choice found to be diverse. It only
  * compares them with the other candidates. Not thread-safe. Hot code: imperative.
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

  // Diverse nodes that were not diverse before.
  private val fresh = new Array[Int](mostChosen)
  private var numFresh = 0

  // Some of the nodes that a candidate is compared with, and their distances to it.
  private val compared = new Array[Int](comparedAtATime)
  private val between = new Array[Float](comparedAtATime)

  /** Number of chosen nodes. */
  def size: Int = count

  /** Chooses neighbors.
    *
    * @param candidates candidates, nearest first; nodes of the earlier choice keep its order at equal
    *   distances
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
    numFresh = 0
    var i = 0
    if (numCandidates <= limit)
      while (i < numCandidates) {
        choose(candidates(i), theirLengths(i), Unknown)
        i += 1
      }
    else {
      val isCrowded = new Array[Boolean](numCandidates)
      // A node that was diverse before may be crowded now, and then others may be diverse.
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

  /** Whether a candidate is nearer to the node than to all other nodes. Compares a few nodes at a
    * time, because one of the first is often nearer.
    *
    * @param length distance of the candidate to the node
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

  /** A node that was not compared with the other neighbors. */
  val Unknown: Byte = 0
  val Diverse: Byte = 1
  val Crowded: Byte = 2

  /** Number of nodes that a candidate is compared with at a time. */
  private val comparedAtATime = 4
}
