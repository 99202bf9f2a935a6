// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.spi

import java.io.IOException

/** The outcome of a conditional create is unknown: the client got no response, or an error that
  * does not rule out success. The file may exist or appear later. Repeating the same create
  * resolves that.
  *
  * @param path path of the file
  * @param cause the client's error
  */
final class UnconfirmedWriteException(path: String, cause: IOException)
    extends IOException(s"$path: storage did not confirm the write: ${cause.getMessage}", cause)
