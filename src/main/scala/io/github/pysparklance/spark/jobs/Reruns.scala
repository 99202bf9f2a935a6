// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.jobs

import org.apache.spark.sql.AnalysisException

import io.github.pysparklance.core.CommitConflictException
import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.table.transaction.Retry

/** Runs a job again where somebody else's commit stood in the way of its own, and nothing was committed. */
private[spark] object Reruns {

  /** @param job from the look-up of the table's newest version to the commit
    * @throws AnalysisException the last conflict, or one that running again does not help
    */
  def apply[A](job: => A): A = LanceErrors.translated {
    Retry()(()) { _ =>
      try job
      catch {
        case e: AnalysisException =>
          throw LanceErrors.find[CommitConflictException](e).getOrElse(e)
      }
    }
  }
}
