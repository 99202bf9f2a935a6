// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.distance;

import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * Kernels by the Vector API of the JDK. Compiled for Java 17 apart from the other classes, and
 * loaded by name where the module {@code jdk.incubator.vector} is present. It inherits the other
 * kernels. Hot code.
 */
final class VectorApiKernels extends LoopKernels {
  private static final VectorSpecies<Float> F = FloatVector.SPECIES_PREFERRED;
  private static final VectorSpecies<Integer> I = IntVector.SPECIES_PREFERRED;
  private static final VectorSpecies<Double> D = DoubleVector.SPECIES_PREFERRED;
  private static final VectorSpecies<Long> L = LongVector.SPECIES_PREFERRED;
  private static final int W = F.length();

  /** For the last elements of a vector, after the wide steps. */
  private static final VectorSpecies<Float> F4 = FloatVector.SPECIES_128;

  private static final VectorSpecies<Integer> I4 = IntVector.SPECIES_128;

  VectorApiKernels() {}

  @Override
  public String name() {
    return "Vector API, " + F.vectorBitSize() + " bits";
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
      dotAndNorm(query, vectors, start(first, positions, i, query.length), i, dots, norms);
    }
  }

  private static FloatVector floats(int[] v, int at) {
    return IntVector.fromArray(I, v, at).reinterpretAsFloats();
  }

  private static FloatVector fourFloats(int[] v, int at) {
    return IntVector.fromArray(I4, v, at).reinterpretAsFloats();
  }

  private static float l2(float[] q, int[] v, int at) {
    int n = q.length;
    int i = 0;
    float sum = 0;
    if (n >= W) {
      FloatVector a = FloatVector.zero(F);
      FloatVector b = a;
      FloatVector c = a;
      FloatVector d = a;
      for (; i <= n - 4 * W; i += 4 * W) {
        FloatVector x = FloatVector.fromArray(F, q, i).sub(floats(v, at + i));
        FloatVector y = FloatVector.fromArray(F, q, i + W).sub(floats(v, at + i + W));
        FloatVector z = FloatVector.fromArray(F, q, i + 2 * W).sub(floats(v, at + i + 2 * W));
        FloatVector w = FloatVector.fromArray(F, q, i + 3 * W).sub(floats(v, at + i + 3 * W));
        a = x.fma(x, a);
        b = y.fma(y, b);
        c = z.fma(z, c);
        d = w.fma(w, d);
      }
      for (; i <= n - W; i += W) {
        FloatVector x = FloatVector.fromArray(F, q, i).sub(floats(v, at + i));
        a = x.fma(x, a);
      }
      sum = a.add(b).add(c.add(d)).reduceLanes(VectorOperators.ADD);
    }
    if (i <= n - 4) {
      FloatVector a = FloatVector.zero(F4);
      for (; i <= n - 4; i += 4) {
        FloatVector x = FloatVector.fromArray(F4, q, i).sub(fourFloats(v, at + i));
        a = x.fma(x, a);
      }
      sum += a.reduceLanes(VectorOperators.ADD);
    }
    for (; i < n; i++) {
      float x = q[i] - Float.intBitsToFloat(v[at + i]);
      sum += x * x;
    }
    return sum;
  }

  private static float dot(float[] q, int[] v, int at) {
    int n = q.length;
    int i = 0;
    float sum = 0;
    if (n >= W) {
      FloatVector a = FloatVector.zero(F);
      FloatVector b = a;
      FloatVector c = a;
      FloatVector d = a;
      for (; i <= n - 4 * W; i += 4 * W) {
        a = FloatVector.fromArray(F, q, i).fma(floats(v, at + i), a);
        b = FloatVector.fromArray(F, q, i + W).fma(floats(v, at + i + W), b);
        c = FloatVector.fromArray(F, q, i + 2 * W).fma(floats(v, at + i + 2 * W), c);
        d = FloatVector.fromArray(F, q, i + 3 * W).fma(floats(v, at + i + 3 * W), d);
      }
      for (; i <= n - W; i += W) a = FloatVector.fromArray(F, q, i).fma(floats(v, at + i), a);
      sum = a.add(b).add(c.add(d)).reduceLanes(VectorOperators.ADD);
    }
    if (i <= n - 4) {
      FloatVector a = FloatVector.zero(F4);
      for (; i <= n - 4; i += 4) a = FloatVector.fromArray(F4, q, i).fma(fourFloats(v, at + i), a);
      sum += a.reduceLanes(VectorOperators.ADD);
    }
    for (; i < n; i++) sum += q[i] * Float.intBitsToFloat(v[at + i]);
    return sum;
  }

  private static void dotAndNorm(
      float[] q, int[] v, int at, int result, float[] dots, float[] norms) {
    int n = q.length;
    int i = 0;
    float dot = 0;
    float norm = 0;
    if (n >= W) {
      FloatVector a = FloatVector.zero(F);
      FloatVector b = a;
      FloatVector c = a;
      FloatVector d = a;
      for (; i <= n - 2 * W; i += 2 * W) {
        FloatVector x = floats(v, at + i);
        FloatVector y = floats(v, at + i + W);
        a = FloatVector.fromArray(F, q, i).fma(x, a);
        b = FloatVector.fromArray(F, q, i + W).fma(y, b);
        c = x.fma(x, c);
        d = y.fma(y, d);
      }
      for (; i <= n - W; i += W) {
        FloatVector x = floats(v, at + i);
        a = FloatVector.fromArray(F, q, i).fma(x, a);
        c = x.fma(x, c);
      }
      dot = a.add(b).reduceLanes(VectorOperators.ADD);
      norm = c.add(d).reduceLanes(VectorOperators.ADD);
    }
    for (; i < n; i++) {
      float x = Float.intBitsToFloat(v[at + i]);
      dot += q[i] * x;
      norm += x * x;
    }
    dots[result] = dot;
    norms[result] = norm;
  }

  // floats that are not held as bits, in the order of those that are

  @Override
  float l2(float[] q, float[] v, int at) {
    int n = q.length;
    int i = 0;
    float sum = 0;
    if (n >= W) {
      FloatVector a = FloatVector.zero(F);
      FloatVector b = a;
      FloatVector c = a;
      FloatVector d = a;
      for (; i <= n - 4 * W; i += 4 * W) {
        FloatVector x = FloatVector.fromArray(F, q, i).sub(FloatVector.fromArray(F, v, at + i));
        FloatVector y =
            FloatVector.fromArray(F, q, i + W).sub(FloatVector.fromArray(F, v, at + i + W));
        FloatVector z =
            FloatVector.fromArray(F, q, i + 2 * W).sub(FloatVector.fromArray(F, v, at + i + 2 * W));
        FloatVector w =
            FloatVector.fromArray(F, q, i + 3 * W).sub(FloatVector.fromArray(F, v, at + i + 3 * W));
        a = x.fma(x, a);
        b = y.fma(y, b);
        c = z.fma(z, c);
        d = w.fma(w, d);
      }
      for (; i <= n - W; i += W) {
        FloatVector x = FloatVector.fromArray(F, q, i).sub(FloatVector.fromArray(F, v, at + i));
        a = x.fma(x, a);
      }
      sum = a.add(b).add(c.add(d)).reduceLanes(VectorOperators.ADD);
    }
    if (i <= n - 4) {
      FloatVector a = FloatVector.zero(F4);
      for (; i <= n - 4; i += 4) {
        FloatVector x = FloatVector.fromArray(F4, q, i).sub(FloatVector.fromArray(F4, v, at + i));
        a = x.fma(x, a);
      }
      sum += a.reduceLanes(VectorOperators.ADD);
    }
    for (; i < n; i++) {
      float x = q[i] - v[at + i];
      sum += x * x;
    }
    return sum;
  }

  @Override
  float dot(float[] q, float[] v, int at) {
    int n = q.length;
    int i = 0;
    float sum = 0;
    if (n >= W) {
      FloatVector a = FloatVector.zero(F);
      FloatVector b = a;
      FloatVector c = a;
      FloatVector d = a;
      for (; i <= n - 4 * W; i += 4 * W) {
        a = FloatVector.fromArray(F, q, i).fma(FloatVector.fromArray(F, v, at + i), a);
        b = FloatVector.fromArray(F, q, i + W).fma(FloatVector.fromArray(F, v, at + i + W), b);
        c =
            FloatVector.fromArray(F, q, i + 2 * W)
                .fma(FloatVector.fromArray(F, v, at + i + 2 * W), c);
        d =
            FloatVector.fromArray(F, q, i + 3 * W)
                .fma(FloatVector.fromArray(F, v, at + i + 3 * W), d);
      }
      for (; i <= n - W; i += W) {
        a = FloatVector.fromArray(F, q, i).fma(FloatVector.fromArray(F, v, at + i), a);
      }
      sum = a.add(b).add(c.add(d)).reduceLanes(VectorOperators.ADD);
    }
    if (i <= n - 4) {
      FloatVector a = FloatVector.zero(F4);
      for (; i <= n - 4; i += 4) {
        a = FloatVector.fromArray(F4, q, i).fma(FloatVector.fromArray(F4, v, at + i), a);
      }
      sum += a.reduceLanes(VectorOperators.ADD);
    }
    for (; i < n; i++) sum += q[i] * v[at + i];
    return sum;
  }

  @Override
  float norm(float[] v, int dimension) {
    int i = 0;
    float sum = 0;
    if (dimension >= W) {
      FloatVector a = FloatVector.zero(F);
      FloatVector b = a;
      for (; i <= dimension - 2 * W; i += 2 * W) {
        FloatVector x = FloatVector.fromArray(F, v, i);
        FloatVector y = FloatVector.fromArray(F, v, i + W);
        a = x.fma(x, a);
        b = y.fma(y, b);
      }
      for (; i <= dimension - W; i += W) {
        FloatVector x = FloatVector.fromArray(F, v, i);
        a = x.fma(x, a);
      }
      sum = a.add(b).reduceLanes(VectorOperators.ADD);
    }
    for (; i < dimension; i++) sum += v[i] * v[i];
    return sum;
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

  private static DoubleVector doubles(long[] v, int at) {
    return LongVector.fromArray(L, v, at).reinterpretAsDoubles();
  }

  private static double l2(double[] q, long[] v, int at) {
    int n = q.length;
    int w = D.length();
    int i = 0;
    DoubleVector a = DoubleVector.zero(D);
    DoubleVector b = a;
    for (; i <= n - 2 * w; i += 2 * w) {
      DoubleVector x = DoubleVector.fromArray(D, q, i).sub(doubles(v, at + i));
      DoubleVector y = DoubleVector.fromArray(D, q, i + w).sub(doubles(v, at + i + w));
      a = x.fma(x, a);
      b = y.fma(y, b);
    }
    double sum = a.add(b).reduceLanes(VectorOperators.ADD);
    for (; i < n; i++) {
      double x = q[i] - Double.longBitsToDouble(v[at + i]);
      sum += x * x;
    }
    return sum;
  }

  private static double dot(double[] q, long[] v, int at) {
    int n = q.length;
    int w = D.length();
    int i = 0;
    DoubleVector a = DoubleVector.zero(D);
    DoubleVector b = a;
    for (; i <= n - 2 * w; i += 2 * w) {
      a = DoubleVector.fromArray(D, q, i).fma(doubles(v, at + i), a);
      b = DoubleVector.fromArray(D, q, i + w).fma(doubles(v, at + i + w), b);
    }
    double sum = a.add(b).reduceLanes(VectorOperators.ADD);
    for (; i < n; i++) sum += q[i] * Double.longBitsToDouble(v[at + i]);
    return sum;
  }

  // half precision

  private static final VectorSpecies<Short> H =
      VectorSpecies.of(short.class, jdk.incubator.vector.VectorShape.forBitSize(
          Math.max(64, I.vectorBitSize() / 2)));

  /** Whether half as many bits as a wide vector has make a shape. */
  private static final boolean WIDENS = H.length() == I.length();

  @Override
  void widenBFloat16(short[] from, int at, float[] wide) {
    int i = 0;
    if (WIDENS) {
      for (; i <= wide.length - W; i += W) {
        IntVector bits =
            (IntVector) ShortVector.fromArray(H, from, at + i)
                .convertShape(VectorOperators.S2I, I, 0);
        bits.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats().intoArray(wide, i);
      }
    }
    for (; i < wide.length; i++) wide[i] = Float.intBitsToFloat(from[at + i] << 16);
  }

  @Override
  void widenFloat16(short[] from, int at, float[] wide) {
    int i = 0;
    if (WIDENS) {
      float scale = Float.intBitsToFloat((127 + 112) << 23);
      for (; i <= wide.length - W; i += W) {
        IntVector bits =
            (IntVector) ShortVector.fromArray(H, from, at + i)
                .convertShape(VectorOperators.S2I, I, 0);
        IntVector magnitude = bits.and(0x7fff).lanewise(VectorOperators.LSHL, 13);
        IntVector sign = bits.and(0x8000).lanewise(VectorOperators.LSHL, 16);
        IntVector scaled = magnitude.reinterpretAsFloats().mul(scale).reinterpretAsInts();
        IntVector value =
            scaled.blend(
                magnitude.or(0x7f800000), magnitude.compare(VectorOperators.GE, 0x0f800000));
        value.or(sign).reinterpretAsFloats().intoArray(wide, i);
      }
    }
    for (; i < wide.length; i++) wide[i] = float16(from[at + i]);
  }

  // bytes

  private static final VectorSpecies<Byte> B =
      VectorSpecies.of(byte.class, jdk.incubator.vector.VectorShape.forBitSize(
          Math.max(64, I.vectorBitSize() / 4)));

  /** Whether a quarter of the bits of a wide vector makes a shape. */
  private static final boolean WIDENS_BYTES = B.length() == I.length();

  /** Bytes as integers. */
  private static IntVector signed(byte[] from, int at) {
    return (IntVector) ByteVector.fromArray(B, from, at).convertShape(VectorOperators.B2I, I, 0);
  }

  private static IntVector unsigned(byte[] from, int at) {
    // Java 17 fails to extend by zeros where that is not compiled to an instruction.
    return signed(from, at).and(0xff);
  }

  /** Whether sums of bytes are computed here. The sums of the lanes of longer vectors might
   * overflow.
   */
  private static boolean takes(byte[] query) {
    return WIDENS_BYTES && query.length <= CHUNK;
  }

  /**
   * @param mask of each number, which removes the sign
   */
  private static int[] widened(byte[] query, int mask) {
    int[] wide = new int[query.length];
    int i = 0;
    for (; i <= wide.length - W; i += W) signed(query, i).and(mask).intoArray(wide, i);
    for (; i < wide.length; i++) wide[i] = query[i] & mask;
    return wide;
  }

  /** From r on, a mask of the last r lanes. */
  private static final int[] LAST = new int[2 * W];

  static {
    java.util.Arrays.fill(LAST, W, 2 * W, -1);
  }

  @Override
  public void l2Int8(
      byte[] query, byte[] vectors, int first, int[] positions, int numVectors, float[] out) {
    if (!takes(query)) super.l2Int8(query, vectors, first, positions, numVectors, out);
    else {
      int n = query.length;
      int[] wide = widened(query, -1);
      for (int r = 0; r < numVectors; r++) {
        int at = start(first, positions, r, n);
        IntVector a = IntVector.zero(I);
        IntVector b = a;
        int i = 0;
        for (; i <= n - 2 * W; i += 2 * W) {
          IntVector x = IntVector.fromArray(I, wide, i).sub(signed(vectors, at + i));
          IntVector y = IntVector.fromArray(I, wide, i + W).sub(signed(vectors, at + i + W));
          a = a.add(x.mul(x));
          b = b.add(y.mul(y));
        }
        for (; i <= n - W; i += W) {
          IntVector x = IntVector.fromArray(I, wide, i).sub(signed(vectors, at + i));
          a = a.add(x.mul(x));
        }
        int sum = a.add(b).reduceLanes(VectorOperators.ADD);
        for (; i < n; i++) {
          int d = wide[i] - vectors[at + i];
          sum += d * d;
        }
        out[r] = sum;
      }
    }
  }

  @Override
  public void l2UInt8(
      byte[] query, byte[] vectors, int first, int[] positions, int numVectors, float[] out) {
    int n = query.length;
    if (!takes(query) || n < W) super.l2UInt8(query, vectors, first, positions, numVectors, out);
    else {
      int[] wide = widened(query, 0xff);
      // The last lanes are compared together with lanes that were compared before, which are
      // masked.
      boolean hasRest = n % W != 0;
      IntVector mask = IntVector.fromArray(I, LAST, n % W);
      for (int r = 0; r < numVectors; r++) {
        int at = start(first, positions, r, n);
        IntVector a = IntVector.zero(I);
        IntVector b = a;
        int i = 0;
        for (; i <= n - 2 * W; i += 2 * W) {
          IntVector x = IntVector.fromArray(I, wide, i).sub(unsigned(vectors, at + i));
          IntVector y = IntVector.fromArray(I, wide, i + W).sub(unsigned(vectors, at + i + W));
          a = a.add(x.mul(x));
          b = b.add(y.mul(y));
        }
        if (i <= n - W) {
          IntVector x = IntVector.fromArray(I, wide, i).sub(unsigned(vectors, at + i));
          a = a.add(x.mul(x));
        }
        if (hasRest) {
          IntVector x =
              IntVector.fromArray(I, wide, n - W).sub(unsigned(vectors, at + n - W)).and(mask);
          b = b.add(x.mul(x));
        }
        out[r] = a.add(b).reduceLanes(VectorOperators.ADD);
      }
    }
  }

  @Override
  public void dotInt8(
      byte[] query, byte[] vectors, int first, int[] positions, int numVectors, float[] out) {
    if (!takes(query)) super.dotInt8(query, vectors, first, positions, numVectors, out);
    else {
      int n = query.length;
      int[] wide = widened(query, -1);
      for (int r = 0; r < numVectors; r++) {
        int at = start(first, positions, r, n);
        IntVector a = IntVector.zero(I);
        int i = 0;
        for (; i <= n - W; i += W) {
          a = a.add(IntVector.fromArray(I, wide, i).mul(signed(vectors, at + i)));
        }
        int sum = a.reduceLanes(VectorOperators.ADD);
        for (; i < n; i++) sum += wide[i] * vectors[at + i];
        out[r] = sum;
      }
    }
  }

  @Override
  public void dotUInt8(
      byte[] query, byte[] vectors, int first, int[] positions, int numVectors, float[] out) {
    if (!takes(query)) super.dotUInt8(query, vectors, first, positions, numVectors, out);
    else {
      int n = query.length;
      int[] wide = widened(query, 0xff);
      for (int r = 0; r < numVectors; r++) {
        int at = start(first, positions, r, n);
        IntVector a = IntVector.zero(I);
        int i = 0;
        for (; i <= n - W; i += W) {
          a = a.add(IntVector.fromArray(I, wide, i).mul(unsigned(vectors, at + i)));
        }
        int sum = a.reduceLanes(VectorOperators.ADD);
        for (; i < n; i++) sum += wide[i] * (vectors[at + i] & 0xff);
        out[r] = sum;
      }
    }
  }

  @Override
  public void dotFloatUInt8(
      float[] query, byte[] vectors, int first, int[] positions, int numVectors, float[] out) {
    if (!WIDENS_BYTES) super.dotFloatUInt8(query, vectors, first, positions, numVectors, out);
    else {
      int n = query.length;
      for (int r = 0; r < numVectors; r++) {
        int at = start(first, positions, r, n);
        FloatVector a = FloatVector.zero(F);
        FloatVector b = a;
        int i = 0;
        for (; i <= n - 2 * W; i += 2 * W) {
          a = FloatVector.fromArray(F, query, i).fma(floats(unsigned(vectors, at + i)), a);
          b = FloatVector.fromArray(F, query, i + W).fma(floats(unsigned(vectors, at + i + W)), b);
        }
        for (; i <= n - W; i += W) {
          a = FloatVector.fromArray(F, query, i).fma(floats(unsigned(vectors, at + i)), a);
        }
        float sum = a.add(b).reduceLanes(VectorOperators.ADD);
        for (; i < n; i++) sum += query[i] * (vectors[at + i] & 0xff);
        out[r] = sum;
      }
    }
  }

  private static FloatVector floats(IntVector numbers) {
    return (FloatVector) numbers.convert(VectorOperators.I2F, 0);
  }

  // matrices

  @Override
  public void products(
      float[] vectors, int first, int numVectors, int dimension, float[] panels, int numPanels, float[] out) {
    if (PANEL % (2 * W) != 0) {
      super.products(vectors, first, numVectors, dimension, panels, numPanels, out);
    } else {
      int stride = numPanels * PANEL;
      for (int p = 0; p < numPanels; p++) {
        int panel = p * dimension * PANEL;
        int i = 0;
        for (; i <= numVectors - 4; i += 4) {
          for (int j = 0; j < PANEL; j += 2 * W) {
            int to = i * stride + p * PANEL + j;
            four(vectors, (first + i) * dimension, dimension, panels, panel + j, out, to, stride);
          }
        }
        for (; i < numVectors; i++) {
          for (int j = 0; j < PANEL; j += 2 * W) {
            one(vectors, (first + i) * dimension, dimension, panels, panel + j, out, i * stride + p * PANEL + j);
          }
        }
      }
    }
  }

  /** Products of four vectors with two registers of a panel: the sums stay in registers. */
  private static void four(
      float[] v, int at, int dimension, float[] panels, int panel, float[] out, int to, int stride) {
    FloatVector a0 = FloatVector.zero(F);
    FloatVector a1 = a0;
    FloatVector b0 = a0;
    FloatVector b1 = a0;
    FloatVector c0 = a0;
    FloatVector c1 = a0;
    FloatVector d0 = a0;
    FloatVector d1 = a0;
    for (int d = 0; d < dimension; d++) {
      FloatVector x = FloatVector.fromArray(F, panels, panel + d * PANEL);
      FloatVector y = FloatVector.fromArray(F, panels, panel + d * PANEL + W);
      FloatVector q = FloatVector.broadcast(F, v[at + d]);
      a0 = q.fma(x, a0);
      a1 = q.fma(y, a1);
      q = FloatVector.broadcast(F, v[at + dimension + d]);
      b0 = q.fma(x, b0);
      b1 = q.fma(y, b1);
      q = FloatVector.broadcast(F, v[at + 2 * dimension + d]);
      c0 = q.fma(x, c0);
      c1 = q.fma(y, c1);
      q = FloatVector.broadcast(F, v[at + 3 * dimension + d]);
      d0 = q.fma(x, d0);
      d1 = q.fma(y, d1);
    }
    a0.intoArray(out, to);
    a1.intoArray(out, to + W);
    b0.intoArray(out, to + stride);
    b1.intoArray(out, to + stride + W);
    c0.intoArray(out, to + 2 * stride);
    c1.intoArray(out, to + 2 * stride + W);
    d0.intoArray(out, to + 3 * stride);
    d1.intoArray(out, to + 3 * stride + W);
  }

  private static void one(
      float[] v, int at, int dimension, float[] panels, int panel, float[] out, int to) {
    FloatVector a0 = FloatVector.zero(F);
    FloatVector a1 = a0;
    for (int d = 0; d < dimension; d++) {
      FloatVector q = FloatVector.broadcast(F, v[at + d]);
      a0 = q.fma(FloatVector.fromArray(F, panels, panel + d * PANEL), a0);
      a1 = q.fma(FloatVector.fromArray(F, panels, panel + d * PANEL + W), a1);
    }
    a0.intoArray(out, to);
    a1.intoArray(out, to + W);
  }

  /** Columns whose numbers are exact as floats. */
  private static final int MOST_COLUMNS = 1 << 24;

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
    if (PANEL % (2 * W) != 0 || stride > MOST_COLUMNS) {
      super.least(products, numRows, numPanels, offsets, factor, nearest, to, scores);
    } else {
      float[] numbers = new float[W];
      for (int j = 0; j < W; j++) numbers[j] = j;
      FloatVector lanes = FloatVector.fromArray(F, numbers, 0);
      for (int i = 0; i < numRows; i++) {
        nearest[to + i] = least(products, i * stride, stride, offsets, factor, lanes, scores, i);
      }
    }
  }

  /** Numbers of columns are kept as floats, so that they have the same mask as the scores. */
  private static int least(
      float[] products,
      int at,
      int stride,
      float[] offsets,
      float factor,
      FloatVector lanes,
      float[] scores,
      int row) {
    FloatVector a = FloatVector.broadcast(F, Float.POSITIVE_INFINITY);
    FloatVector b = a;
    FloatVector aColumns = lanes;
    FloatVector bColumns = lanes.add(W);
    FloatVector columns = lanes;
    for (int k = 0; k < stride; k += 2 * W) {
      FloatVector x =
          FloatVector.fromArray(F, offsets, k).add(FloatVector.fromArray(F, products, at + k).mul(factor));
      FloatVector y =
          FloatVector.fromArray(F, offsets, k + W).add(FloatVector.fromArray(F, products, at + k + W).mul(factor));
      VectorMask<Float> isLess = x.compare(VectorOperators.LT, a);
      a = a.blend(x, isLess);
      aColumns = aColumns.blend(columns, isLess);
      columns = columns.add(W);
      isLess = y.compare(VectorOperators.LT, b);
      b = b.blend(y, isLess);
      bColumns = bColumns.blend(columns, isLess);
      columns = columns.add(W);
    }
    float score = a.min(b).reduceLanes(VectorOperators.MIN);
    scores[row] = score;
    if (score == Float.POSITIVE_INFINITY) return 0;
    // the first column of all lanes with this score
    FloatVector none = FloatVector.broadcast(F, Float.POSITIVE_INFINITY);
    FloatVector first = none.blend(aColumns, a.compare(VectorOperators.EQ, score));
    FloatVector second = none.blend(bColumns, b.compare(VectorOperators.EQ, score));
    return (int) first.min(second).reduceLanes(VectorOperators.MIN);
  }

  /** Sums with this number are rounded to whole numbers. */
  private static final float WHOLE = 1 << 23;

  @Override
  public float direction(float[] vector, float factor, int most) {
    FloatVector products = FloatVector.zero(F);
    FloatVector squares = products;
    int i = 0;
    for (; i <= vector.length - W; i += W) {
      FloatVector x = FloatVector.fromArray(F, vector, i);
      FloatVector scaled = x.mul(factor);
      FloatVector rounded = scaled.add(WHOLE).sub(WHOLE);
      FloatVector floor = rounded.blend(rounded.sub(1f), rounded.compare(VectorOperators.GT, scaled));
      FloatVector code = floor.min(most).add(0.5f);
      products = code.fma(x, products);
      squares = code.fma(code, squares);
    }
    return direction(
        vector,
        i,
        factor,
        most,
        products.reduceLanes(VectorOperators.ADD),
        squares.reduceLanes(VectorOperators.ADD));
  }

  @Override
  public void squares(
      float[] vector, int at, int dimension, float[] entries, int from, int numEntries, float[] out, int to) {
    if (numEntries % W != 0) super.squares(vector, at, dimension, entries, from, numEntries, out, to);
    else {
      for (int e = 0; e < numEntries; e += W) {
        FloatVector sum = FloatVector.zero(F);
        for (int d = 0; d < dimension; d++) {
          FloatVector x =
              FloatVector.broadcast(F, vector[at + d])
                  .sub(FloatVector.fromArray(F, entries, from + d * numEntries + e));
          sum = x.fma(x, sum);
        }
        sum.intoArray(out, to + e);
      }
    }
  }
}
