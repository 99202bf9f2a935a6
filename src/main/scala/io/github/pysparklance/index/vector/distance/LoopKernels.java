// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.distance;

import java.util.Arrays;

import io.github.pysparklance.core.LittleEndian;

/**
 * Kernels in plain Java. Sums of floats have eight parts, which the processor adds up in parallel:
 * the JIT compiler must not reorder a single sum. Hot code.
 */
class LoopKernels implements DistanceKernels {

  @Override
  public String name() {
    return "loops";
  }

  /** Index of the first element of result i. */
  static int start(int first, int[] positions, int i, int dimension) {
    return (first + (positions == null ? i : positions[i])) * dimension;
  }

  // float32

  @Override
  public void l2Float32(
      float[] query, int[] vectors, int first, int[] positions, int numVectors, float[] out) {
    for (int i = 0; i < numVectors; i++) {
      out[i] = l2(query, vectors, start(first, positions, i, query.length));
    }
  }

  @Override
  public void dotFloat32(
      float[] query, int[] vectors, int first, int[] positions, int numVectors, float[] out) {
    for (int i = 0; i < numVectors; i++) {
      out[i] = dot(query, vectors, start(first, positions, i, query.length));
    }
  }

  @Override
  public void dotAndNormFloat32(
      float[] query, int[] vectors, int first, int[] positions, int numVectors, float[] dots, float[] norms) {
    for (int i = 0; i < numVectors; i++) {
      int at = start(first, positions, i, query.length);
      dots[i] = dot(query, vectors, at);
      norms[i] = norm(vectors, at, query.length);
    }
  }

  private static float l2(float[] q, int[] v, int at) {
    float s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0, s6 = 0, s7 = 0;
    int i = 0;
    for (; i <= q.length - 8; i += 8) {
      int j = at + i;
      float d0 = q[i] - Float.intBitsToFloat(v[j]);
      float d1 = q[i + 1] - Float.intBitsToFloat(v[j + 1]);
      float d2 = q[i + 2] - Float.intBitsToFloat(v[j + 2]);
      float d3 = q[i + 3] - Float.intBitsToFloat(v[j + 3]);
      float d4 = q[i + 4] - Float.intBitsToFloat(v[j + 4]);
      float d5 = q[i + 5] - Float.intBitsToFloat(v[j + 5]);
      float d6 = q[i + 6] - Float.intBitsToFloat(v[j + 6]);
      float d7 = q[i + 7] - Float.intBitsToFloat(v[j + 7]);
      s0 += d0 * d0;
      s1 += d1 * d1;
      s2 += d2 * d2;
      s3 += d3 * d3;
      s4 += d4 * d4;
      s5 += d5 * d5;
      s6 += d6 * d6;
      s7 += d7 * d7;
    }
    for (; i < q.length; i++) {
      float d = q[i] - Float.intBitsToFloat(v[at + i]);
      s0 += d * d;
    }
    return ((s0 + s4) + (s1 + s5)) + ((s2 + s6) + (s3 + s7));
  }

  private static float dot(float[] q, int[] v, int at) {
    float s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0, s6 = 0, s7 = 0;
    int i = 0;
    for (; i <= q.length - 8; i += 8) {
      int j = at + i;
      s0 += q[i] * Float.intBitsToFloat(v[j]);
      s1 += q[i + 1] * Float.intBitsToFloat(v[j + 1]);
      s2 += q[i + 2] * Float.intBitsToFloat(v[j + 2]);
      s3 += q[i + 3] * Float.intBitsToFloat(v[j + 3]);
      s4 += q[i + 4] * Float.intBitsToFloat(v[j + 4]);
      s5 += q[i + 5] * Float.intBitsToFloat(v[j + 5]);
      s6 += q[i + 6] * Float.intBitsToFloat(v[j + 6]);
      s7 += q[i + 7] * Float.intBitsToFloat(v[j + 7]);
    }
    for (; i < q.length; i++) s0 += q[i] * Float.intBitsToFloat(v[at + i]);
    return ((s0 + s4) + (s1 + s5)) + ((s2 + s6) + (s3 + s7));
  }

  private static float norm(int[] v, int at, int dimension) {
    float s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    int i = 0;
    for (; i <= dimension - 4; i += 4) {
      float v0 = Float.intBitsToFloat(v[at + i]);
      float v1 = Float.intBitsToFloat(v[at + i + 1]);
      float v2 = Float.intBitsToFloat(v[at + i + 2]);
      float v3 = Float.intBitsToFloat(v[at + i + 3]);
      s0 += v0 * v0;
      s1 += v1 * v1;
      s2 += v2 * v2;
      s3 += v3 * v3;
    }
    for (; i < dimension; i++) {
      float x = Float.intBitsToFloat(v[at + i]);
      s0 += x * x;
    }
    return (s0 + s2) + (s1 + s3);
  }

  // floats that are not held as bits

  @Override
  public void l2(float[] query, float[] vectors, int first, int[] positions, int numVectors, float[] out) {
    for (int i = 0; i < numVectors; i++) {
      out[i] = l2(query, vectors, start(first, positions, i, query.length));
    }
  }

  @Override
  public void dot(float[] query, float[] vectors, int first, int[] positions, int numVectors, float[] out) {
    for (int i = 0; i < numVectors; i++) {
      out[i] = dot(query, vectors, start(first, positions, i, query.length));
    }
  }

  /** In the order of the sum of the bits of floats, so that both agree to the last digit. */
  float l2(float[] q, float[] v, int at) {
    float s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0, s6 = 0, s7 = 0;
    int i = 0;
    for (; i <= q.length - 8; i += 8) {
      int j = at + i;
      float d0 = q[i] - v[j];
      float d1 = q[i + 1] - v[j + 1];
      float d2 = q[i + 2] - v[j + 2];
      float d3 = q[i + 3] - v[j + 3];
      float d4 = q[i + 4] - v[j + 4];
      float d5 = q[i + 5] - v[j + 5];
      float d6 = q[i + 6] - v[j + 6];
      float d7 = q[i + 7] - v[j + 7];
      s0 += d0 * d0;
      s1 += d1 * d1;
      s2 += d2 * d2;
      s3 += d3 * d3;
      s4 += d4 * d4;
      s5 += d5 * d5;
      s6 += d6 * d6;
      s7 += d7 * d7;
    }
    for (; i < q.length; i++) {
      float d = q[i] - v[at + i];
      s0 += d * d;
    }
    return ((s0 + s4) + (s1 + s5)) + ((s2 + s6) + (s3 + s7));
  }

  float dot(float[] q, float[] v, int at) {
    float s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0, s6 = 0, s7 = 0;
    int i = 0;
    for (; i <= q.length - 8; i += 8) {
      int j = at + i;
      s0 += q[i] * v[j];
      s1 += q[i + 1] * v[j + 1];
      s2 += q[i + 2] * v[j + 2];
      s3 += q[i + 3] * v[j + 3];
      s4 += q[i + 4] * v[j + 4];
      s5 += q[i + 5] * v[j + 5];
      s6 += q[i + 6] * v[j + 6];
      s7 += q[i + 7] * v[j + 7];
    }
    for (; i < q.length; i++) s0 += q[i] * v[at + i];
    return ((s0 + s4) + (s1 + s5)) + ((s2 + s6) + (s3 + s7));
  }

  float norm(float[] v, int dimension) {
    float s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    int i = 0;
    for (; i <= dimension - 4; i += 4) {
      s0 += v[i] * v[i];
      s1 += v[i + 1] * v[i + 1];
      s2 += v[i + 2] * v[i + 2];
      s3 += v[i + 3] * v[i + 3];
    }
    for (; i < dimension; i++) s0 += v[i] * v[i];
    return (s0 + s2) + (s1 + s3);
  }

  // float64

  @Override
  public void l2Float64(
      double[] query, long[] vectors, int first, int[] positions, int numVectors, float[] out) {
    for (int i = 0; i < numVectors; i++) {
      out[i] = (float) l2(query, vectors, start(first, positions, i, query.length));
    }
  }

  @Override
  public void dotFloat64(
      double[] query, long[] vectors, int first, int[] positions, int numVectors, float[] out) {
    for (int i = 0; i < numVectors; i++) {
      out[i] = (float) dot(query, vectors, start(first, positions, i, query.length));
    }
  }

  @Override
  public void dotAndNormFloat64(
      double[] query, long[] vectors, int first, int[] positions, int numVectors, float[] dots, float[] norms) {
    for (int i = 0; i < numVectors; i++) {
      int at = start(first, positions, i, query.length);
      double norm = 0;
      for (int j = 0; j < query.length; j++) {
        double v = Double.longBitsToDouble(vectors[at + j]);
        norm += v * v;
      }
      dots[i] = (float) dot(query, vectors, at);
      norms[i] = (float) norm;
    }
  }

  private static double l2(double[] q, long[] v, int at) {
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    int i = 0;
    for (; i <= q.length - 4; i += 4) {
      double d0 = q[i] - Double.longBitsToDouble(v[at + i]);
      double d1 = q[i + 1] - Double.longBitsToDouble(v[at + i + 1]);
      double d2 = q[i + 2] - Double.longBitsToDouble(v[at + i + 2]);
      double d3 = q[i + 3] - Double.longBitsToDouble(v[at + i + 3]);
      s0 += d0 * d0;
      s1 += d1 * d1;
      s2 += d2 * d2;
      s3 += d3 * d3;
    }
    for (; i < q.length; i++) {
      double d = q[i] - Double.longBitsToDouble(v[at + i]);
      s0 += d * d;
    }
    return (s0 + s2) + (s1 + s3);
  }

  private static double dot(double[] q, long[] v, int at) {
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    int i = 0;
    for (; i <= q.length - 4; i += 4) {
      s0 += q[i] * Double.longBitsToDouble(v[at + i]);
      s1 += q[i + 1] * Double.longBitsToDouble(v[at + i + 1]);
      s2 += q[i + 2] * Double.longBitsToDouble(v[at + i + 2]);
      s3 += q[i + 3] * Double.longBitsToDouble(v[at + i + 3]);
    }
    for (; i < q.length; i++) s0 += q[i] * Double.longBitsToDouble(v[at + i]);
    return (s0 + s2) + (s1 + s3);
  }

  // half precision: each vector is widened and then compared as floats

  @Override
  public void l2Float16(
      float[] query, short[] vectors, int first, int[] positions, int numVectors, float[] out) {
    float[] wide = new float[query.length];
    for (int i = 0; i < numVectors; i++) {
      widenFloat16(vectors, start(first, positions, i, query.length), wide);
      out[i] = l2(query, wide, 0);
    }
  }

  @Override
  public void dotFloat16(
      float[] query, short[] vectors, int first, int[] positions, int numVectors, float[] out) {
    float[] wide = new float[query.length];
    for (int i = 0; i < numVectors; i++) {
      widenFloat16(vectors, start(first, positions, i, query.length), wide);
      out[i] = dot(query, wide, 0);
    }
  }

  @Override
  public void dotAndNormFloat16(
      float[] query, short[] vectors, int first, int[] positions, int numVectors, float[] dots, float[] norms) {
    float[] wide = new float[query.length];
    for (int i = 0; i < numVectors; i++) {
      widenFloat16(vectors, start(first, positions, i, query.length), wide);
      dots[i] = dot(query, wide, 0);
      norms[i] = norm(wide, wide.length);
    }
  }

  @Override
  public void l2BFloat16(
      float[] query, short[] vectors, int first, int[] positions, int numVectors, float[] out) {
    float[] wide = new float[query.length];
    for (int i = 0; i < numVectors; i++) {
      widenBFloat16(vectors, start(first, positions, i, query.length), wide);
      out[i] = l2(query, wide, 0);
    }
  }

  @Override
  public void dotBFloat16(
      float[] query, short[] vectors, int first, int[] positions, int numVectors, float[] out) {
    float[] wide = new float[query.length];
    for (int i = 0; i < numVectors; i++) {
      widenBFloat16(vectors, start(first, positions, i, query.length), wide);
      out[i] = dot(query, wide, 0);
    }
  }

  @Override
  public void dotAndNormBFloat16(
      float[] query, short[] vectors, int first, int[] positions, int numVectors, float[] dots, float[] norms) {
    float[] wide = new float[query.length];
    for (int i = 0; i < numVectors; i++) {
      widenBFloat16(vectors, start(first, positions, i, query.length), wide);
      dots[i] = dot(query, wide, 0);
      norms[i] = norm(wide, wide.length);
    }
  }

  void widenFloat16(short[] from, int at, float[] wide) {
    for (int i = 0; i < wide.length; i++) wide[i] = float16(from[at + i]);
  }

  void widenBFloat16(short[] from, int at, float[] wide) {
    for (int i = 0; i < wide.length; i++) wide[i] = Float.intBitsToFloat(from[at + i] << 16);
  }

  /** Scales the exponent of a float that was assembled with that of a half, which is right for
   * subnormal numbers as well.
   */
  private static final float HALF_SCALE = Float.intBitsToFloat((127 + 112) << 23);

  static float float16(short bits) {
    int magnitude = (bits & 0x7fff) << 13;
    int sign = (bits & 0x8000) << 16;
    if (magnitude >= 0x0f800000) return Float.intBitsToFloat(sign | magnitude | 0x7f800000);
    return Float.intBitsToFloat(sign | Float.floatToRawIntBits(Float.intBitsToFloat(magnitude) * HALF_SCALE));
  }

  // bytes: exact

  @Override
  public void l2Int8(
      byte[] query, byte[] vectors, int first, int[] positions, int numVectors, float[] out) {
    for (int i = 0; i < numVectors; i++) {
      int at = start(first, positions, i, query.length);
      long sum = 0;
      for (int from = 0; from < query.length; from += CHUNK) {
        int until = Math.min(query.length, from + CHUNK);
        int part = 0;
        for (int j = from; j < until; j++) {
          int d = query[j] - vectors[at + j];
          part += d * d;
        }
        sum += part;
      }
      out[i] = sum;
    }
  }

  @Override
  public void dotInt8(
      byte[] query, byte[] vectors, int first, int[] positions, int numVectors, float[] out) {
    for (int i = 0; i < numVectors; i++) {
      out[i] = dotInt8(query, 0, vectors, start(first, positions, i, query.length), query.length);
    }
  }

  @Override
  public void dotAndNormInt8(
      byte[] query, byte[] vectors, int first, int[] positions, int numVectors, float[] dots, float[] norms) {
    for (int i = 0; i < numVectors; i++) {
      int at = start(first, positions, i, query.length);
      dots[i] = dotInt8(query, 0, vectors, at, query.length);
      norms[i] = dotInt8(vectors, at, vectors, at, query.length);
    }
  }

  private static long dotInt8(byte[] a, int aAt, byte[] b, int bAt, int dimension) {
    long sum = 0;
    for (int from = 0; from < dimension; from += CHUNK) {
      int until = Math.min(dimension, from + CHUNK);
      int part = 0;
      for (int j = from; j < until; j++) part += a[aAt + j] * b[bAt + j];
      sum += part;
    }
    return sum;
  }

  @Override
  public void l2UInt8(
      byte[] query, byte[] vectors, int first, int[] positions, int numVectors, float[] out) {
    for (int i = 0; i < numVectors; i++) {
      int at = start(first, positions, i, query.length);
      long sum = 0;
      for (int from = 0; from < query.length; from += CHUNK) {
        int until = Math.min(query.length, from + CHUNK);
        int part = 0;
        for (int j = from; j < until; j++) {
          int d = (query[j] & 0xff) - (vectors[at + j] & 0xff);
          part += d * d;
        }
        sum += part;
      }
      out[i] = sum;
    }
  }

  @Override
  public void dotUInt8(
      byte[] query, byte[] vectors, int first, int[] positions, int numVectors, float[] out) {
    for (int i = 0; i < numVectors; i++) {
      out[i] = dotUInt8(query, 0, vectors, start(first, positions, i, query.length), query.length);
    }
  }

  @Override
  public void dotAndNormUInt8(
      byte[] query, byte[] vectors, int first, int[] positions, int numVectors, float[] dots, float[] norms) {
    for (int i = 0; i < numVectors; i++) {
      int at = start(first, positions, i, query.length);
      dots[i] = dotUInt8(query, 0, vectors, at, query.length);
      norms[i] = dotUInt8(vectors, at, vectors, at, query.length);
    }
  }

  private static long dotUInt8(byte[] a, int aAt, byte[] b, int bAt, int dimension) {
    long sum = 0;
    for (int from = 0; from < dimension; from += CHUNK) {
      int until = Math.min(dimension, from + CHUNK);
      int part = 0;
      for (int j = from; j < until; j++) part += (a[aAt + j] & 0xff) * (b[bAt + j] & 0xff);
      sum += part;
    }
    return sum;
  }

  @Override
  public void dotFloatUInt8(
      float[] query, byte[] vectors, int first, int[] positions, int numVectors, float[] out) {
    for (int i = 0; i < numVectors; i++) {
      int at = start(first, positions, i, query.length);
      float s0 = 0, s1 = 0, s2 = 0, s3 = 0;
      int j = 0;
      for (; j <= query.length - 4; j += 4) {
        s0 += query[j] * (vectors[at + j] & 0xff);
        s1 += query[j + 1] * (vectors[at + j + 1] & 0xff);
        s2 += query[j + 2] * (vectors[at + j + 2] & 0xff);
        s3 += query[j + 3] * (vectors[at + j + 3] & 0xff);
      }
      for (; j < query.length; j++) s0 += query[j] * (vectors[at + j] & 0xff);
      out[i] = (s0 + s1) + (s2 + s3);
    }
  }

  /** The sum of this many products of bytes is less than 2^31. */
  static final int CHUNK = 1 << 15;

  @Override
  public void hamming(
      byte[] query, byte[] vectors, int first, int[] positions, int numVectors, float[] out) {
    for (int i = 0; i < numVectors; i++) {
      int at = start(first, positions, i, query.length);
      int bits = 0;
      int j = 0;
      for (; j <= query.length - 8; j += 8) {
        bits += Long.bitCount(
            LittleEndian.getLong(query, j)
                ^ LittleEndian.getLong(vectors, at + j));
      }
      for (; j < query.length; j++) bits += Integer.bitCount((query[j] ^ vectors[at + j]) & 0xff);
      out[i] = bits;
    }
  }

  @Override
  public void products(
      float[] vectors, int first, int numVectors, int dimension, float[] panels, int numPanels, float[] out) {
    float[] sums = new float[PANEL];
    float[] row = new float[PANEL];
    for (int p = 0; p < numPanels; p++) {
      for (int i = 0; i < numVectors; i++) {
        int at = (first + i) * dimension;
        Arrays.fill(sums, 0f);
        for (int d = 0; d < dimension; d++) {
          System.arraycopy(panels, (p * dimension + d) * PANEL, row, 0, PANEL);
          addProducts(vectors[at + d], row, sums);
        }
        System.arraycopy(sums, 0, out, (i * numPanels + p) * PANEL, PANEL);
      }
    }
  }

  /** The JIT compiler turns this loop into SIMD instructions, as both arrays have the same index.
   */
  private static void addProducts(float factor, float[] row, float[] sums) {
    for (int j = 0; j < PANEL; j++) sums[j] += factor * row[j];
  }

  @Override
  public void least(
      float[] products,
      int numRows,
      int numPanels,
      float[] offsets,
      float factor,
      int[] nearest,
      int to,
      float[] scores) {
    int stride = numPanels * PANEL;
    for (int i = 0; i < numRows; i++) {
      int at = i * stride;
      int best = 0;
      float score = Float.POSITIVE_INFINITY;
      for (int k = 0; k < stride; k++) {
        float s = offsets[k] + factor * products[at + k];
        if (s < score) {
          score = s;
          best = k;
        }
      }
      nearest[to + i] = best;
      scores[i] = score;
    }
  }

  @Override
  public float direction(float[] vector, float factor, int most) {
    return direction(vector, 0, factor, most, 0, 0);
  }

  /** Completes the sums of the elements before {@code from}. */
  static float direction(float[] vector, int from, float factor, int most, float product, float square) {
    for (int i = from; i < vector.length; i++) {
      float code = Math.min((int) (factor * vector[i]), most) + 0.5f;
      product += code * vector[i];
      square += code * code;
    }
    return product / (float) Math.sqrt(square);
  }

  @Override
  public void squares(
      float[] vector, int at, int dimension, float[] entries, int from, int numEntries, float[] out, int to) {
    Arrays.fill(out, to, to + numEntries, 0f);
    for (int d = 0; d < dimension; d++) {
      float value = vector[at + d];
      int first = from + d * numEntries;
      for (int e = 0; e < numEntries; e++) {
        float difference = value - entries[first + e];
        out[to + e] += difference * difference;
      }
    }
  }
}
