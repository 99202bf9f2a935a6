// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.spi

import java.io.IOException

/** A conditional create whose outcome is unknown: the client got no response, or an error of the server that does not
  * rule out success. The file may exist already or appear later. Repeating the same create settles that.
  *
  * @param path of the file
  * @param cause the client's error
  */
final class UnconfirmedWriteException(path: String, cause: IOException)
    extends IOException(s"$path: storage did not confirm the write: ${cause.getMessage}", cause)
