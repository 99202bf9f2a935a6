// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.hdfs.MiniDFSCluster
import org.apache.hadoop.test.MetricsAsserts

import io.github.pysparklance.storage.Storage
import io.github.pysparklance.storage.hadoop.HadoopConf

/** HDFS in this process, with one data node, for all suites of a run. */
object Hdfs {
  private lazy val cluster: MiniDFSCluster = {
    val c = new Configuration()
    // Emptied by the cluster when it starts.
    c.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, s"${sys.props("java.io.tmpdir")}/hdfs")
    // Clients wait so long before they ask again whether a block has arrived.
    c.setInt("dfs.client.block.write.locateFollowingBlock.initial.delay.ms", 10)
    // Small blocks, so that small files have several.
    c.setLong("dfs.blocksize", 1L << 20)
    new MiniDFSCluster.Builder(c).numDataNodes(1).build()
  }

  /** Its address, no slash at the end. */
  lazy val uri: String = cluster.getURI.toString.stripSuffix("/")

  /** How often its data node synced a block. */
  def fsyncCount: Long = {
    val metrics = cluster.getDataNodes.get(0).getMetrics.name
    MetricsAsserts.getLongCounter("FsyncCount", MetricsAsserts.getMetrics(metrics))
  }

  /** Storage that finds it. */
  lazy val storage: Storage = Storage(new HadoopConf(cluster.getConfiguration(0)))
}
