// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.hdfs.MiniDFSCluster
import org.apache.hadoop.test.MetricsAsserts

import io.github.pysparklance.storage.Storage
import io.github.pysparklance.storage.hadoop.HadoopConf

/** HDFS in this process with one data node, shared by all suites of a run. */
object Hdfs {
  private lazy val cluster: MiniDFSCluster = {
    val c = new Configuration()
    // The cluster empties it at the start.
    c.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, s"${sys.props("java.io.tmpdir")}/hdfs")
    // Delay of clients between checks for a complete block.
    c.setInt("dfs.client.block.write.locateFollowingBlock.initial.delay.ms", 10)
    // Small blocks, so that small files have several.
    c.setLong("dfs.blocksize", 1L << 20)
    new MiniDFSCluster.Builder(c).numDataNodes(1).build()
  }

  /** The address without a trailing slash. */
  lazy val uri: String = cluster.getURI.toString.stripSuffix("/")

  /** Number of synced blocks of the data node. */
  def fsyncCount: Long = {
    val metrics = cluster.getDataNodes.get(0).getMetrics.name
    MetricsAsserts.getLongCounter("FsyncCount", MetricsAsserts.getMetrics(metrics))
  }

  /** Storage on this HDFS. */
  lazy val storage: Storage = Storage(new HadoopConf(cluster.getConfiguration(0)))
}
