// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.hadoop

import org.apache.hadoop.util.VersionInfo

/** The Hadoop version on the class path. All Hadoop modules must have the same version. */
object HadoopVersion {

  /** The version, such as `3.4.2`. */
  def current: String = VersionInfo.getVersion
}
