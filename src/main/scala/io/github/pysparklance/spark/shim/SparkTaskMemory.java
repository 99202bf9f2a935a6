// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim;

import io.github.pysparklance.file.scheduling.TaskMemory;
import org.apache.spark.TaskContext;
import org.apache.spark.memory.MemoryConsumer;
import org.apache.spark.memory.MemoryMode;
import org.apache.spark.memory.TaskMemoryManager;

/**
 * Registers the heap that a scan uses with the memory manager of its Spark task. It cannot be
 * spilled. Spark restricts the manager to its own packages in Scala, but not in Java.
 */
public final class SparkTaskMemory extends MemoryConsumer implements TaskMemory {

  private SparkTaskMemory(TaskMemoryManager manager) {
    super(manager, MemoryMode.ON_HEAP);
  }

  /** Returns the memory of a task. */
  public static TaskMemory of(TaskContext task) {
    return new SparkTaskMemory(task.taskMemoryManager());
  }

  @Override
  public long acquire(long bytes) {
    return acquireMemory(bytes);
  }

  @Override
  public void release(long bytes) {
    freeMemory(bytes);
  }

  @Override
  public long spill(long size, MemoryConsumer trigger) {
    return 0L;
  }
}
