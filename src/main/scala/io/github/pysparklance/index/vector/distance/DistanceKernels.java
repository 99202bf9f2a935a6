// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.distance;

/**
 * Loops that compare one query with many stored vectors. {@link LoopKernels} runs everywhere; a
 * subclass uses the Vector API of the JDK. Written in Java, as the subclass is compiled for a later
 * release of Java than the other classes.
 *
 * <p>Vectors lie back to back in one array, as the reader decodes them: {@code float} as the bits
 * of a float in an {@code int[]}, {@code double} as those in a {@code long[]}, both half-precision
 * types in a {@code short[]}, bytes in a {@code byte[]}. The dimension is the length of the query.
 * All methods share these parameters:
 *
 * <ul>
 *   <li>{@code first}: number of the vector at which counting starts; vector v begins at {@code v *
 *     dimension}
 *   <li>{@code positions}: which vectors, counted from {@code first}; null takes consecutive ones
 *   <li>{@code numVectors}: how many vectors
 *   <li>{@code out}: result i is that of vector {@code first + positions[i]}, or {@code first + i}
 * </ul>
 *
 * <p>{@code l2} is the sum of squared differences, {@code dot} the inner product, {@code
 * dotAndNorm} the inner product and the squared norm of the stored vector. Sums of floats are taken
 * in several parts, so that results differ in the last digits between implementations; sums of
 * bytes are exact. A vector with NaN yields NaN. Implementations have no state.
 */
public interface DistanceKernels {

  /** For logs and benchmarks: {@code loops} or the shape of the hardware vectors. */
  String name();

  void l2Float32(float[] query, int[] vectors, int first, int[] positions, int numVectors, float[] out);

  void dotFloat32(float[] query, int[] vectors, int first, int[] positions, int numVectors, float[] out);

  void dotAndNormFloat32(
      float[] query, int[] vectors, int first, int[] positions, int numVectors, float[] dots, float[] norms);

  /** For vectors that are held as floats rather than as their bits. */
  void l2(float[] query, float[] vectors, int first, int[] positions, int numVectors, float[] out);

  /** For vectors that are held as floats rather than as their bits. */
  void dot(float[] query, float[] vectors, int first, int[] positions, int numVectors, float[] out);

  /** Computes in double precision. */
  void l2Float64(double[] query, long[] vectors, int first, int[] positions, int numVectors, float[] out);

  /** Computes in double precision. */
  void dotFloat64(double[] query, long[] vectors, int first, int[] positions, int numVectors, float[] out);

  /** Computes in double precision. */
  void dotAndNormFloat64(
      double[] query, long[] vectors, int first, int[] positions, int numVectors, float[] dots, float[] norms);

  /** IEEE half precision, widened to floats. */
  void l2Float16(float[] query, short[] vectors, int first, int[] positions, int numVectors, float[] out);

  void dotFloat16(float[] query, short[] vectors, int first, int[] positions, int numVectors, float[] out);

  void dotAndNormFloat16(
      float[] query, short[] vectors, int first, int[] positions, int numVectors, float[] dots, float[] norms);

  /** The upper halves of floats, widened. */
  void l2BFloat16(float[] query, short[] vectors, int first, int[] positions, int numVectors, float[] out);

  void dotBFloat16(float[] query, short[] vectors, int first, int[] positions, int numVectors, float[] out);

  void dotAndNormBFloat16(
      float[] query, short[] vectors, int first, int[] positions, int numVectors, float[] dots, float[] norms);

  /** Bytes with a sign. */
  void l2Int8(byte[] query, byte[] vectors, int first, int[] positions, int numVectors, float[] out);

  void dotInt8(byte[] query, byte[] vectors, int first, int[] positions, int numVectors, float[] out);

  void dotAndNormInt8(
      byte[] query, byte[] vectors, int first, int[] positions, int numVectors, float[] dots, float[] norms);

  /** Bytes without a sign. */
  void l2UInt8(byte[] query, byte[] vectors, int first, int[] positions, int numVectors, float[] out);

  void dotUInt8(byte[] query, byte[] vectors, int first, int[] positions, int numVectors, float[] out);

  void dotAndNormUInt8(
      byte[] query, byte[] vectors, int first, int[] positions, int numVectors, float[] dots, float[] norms);

  /** The inner product of a query of floats and vectors of bytes without a sign. */
  void dotFloatUInt8(float[] query, byte[] vectors, int first, int[] positions, int numVectors, float[] out);

  /** Number of bits in which the vectors differ. */
  void hamming(byte[] query, byte[] vectors, int first, int[] positions, int numVectors, float[] out);

  /** Vectors in a panel, see {@link #products}. */
  int PANEL = 32;

  /**
   * Inner products of vectors with all vectors of a matrix, which is packed in panels. Panel p has
   * the vectors from {@code p * PANEL}: element d of its vector j is at {@code (p * dimension + d)
   * * PANEL + j}. The last panel is filled up.
   *
   * @param out the product of vector {@code first + i} and vector k of the matrix is at {@code i *
   *   numPanels * PANEL + k}
   */
  void products(
      float[] vectors, int first, int numVectors, int dimension, float[] panels, int numPanels, float[] out);

  /**
   * Finds the least score of each row of {@link #products}. The score of column k is {@code
   * offsets[k] + factor * product}. Of equal scores the first one counts. A row without a score
   * less than infinity has the number 0 and the score infinity.
   *
   * @param offsets one a column, {@code numPanels * PANEL}; infinity for columns that do not count
   * @param nearest gets the column of row i at {@code to + i}
   * @param scores gets the score of row i at i
   */
  void least(
      float[] products,
      int numRows,
      int numPanels,
      float[] offsets,
      float factor,
      int[] nearest,
      int to,
      float[] scores);

  /**
   * The inner product of a vector and its code, divided by the length of the code. The code of an
   * element x is {@code floor(factor * x)}, at most {@code most}, plus a half.
   *
   * @param vector elements of at least 0, whose products with the factor are less than 2^22
   */
  float direction(float[] vector, float factor, int most);

  /**
   * Squared distances of a vector to all entries of a codebook, element by element: element d of
   * entry e is at {@code from + d * numEntries + e}.
   *
   * @param at where the vector begins in its array
   * @param out gets the distance to entry e at {@code to + e}
   */
  void squares(
      float[] vector, int at, int dimension, float[] entries, int from, int numEntries, float[] out, int to);
}
