// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim;

import java.util.UUID;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.OutputMode;

/** Accesses running streaming queries, which Spark restricts to its own packages in Scala. */
public final class StreamQuery {
  private StreamQuery() {}

  /** Returns the output mode of the running query with an id, or null if it is unknown. */
  public static OutputMode outputMode(SparkSession session, String id) {
    Object query =
        Classic.session(session)
            .sharedState()
            .activeStreamingQueries()
            .get(UUID.fromString(id));
    if (query == null) {
      return null;
    }
    try {
      // The package of this class differs between Spark versions.
      return (OutputMode) query.getClass().getMethod("outputMode").invoke(query);
    } catch (ReflectiveOperationException e) {
      return null;
    }
  }
}
