# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Runs moto's S3 and DynamoDB on loopback for the Scala tests of storage.

Prints `ready PORT`, and serves requests until standard input ends. It serves one request at a time:
moto checks for an object and puts it in two steps, which must not interleave for conditional puts.
"""

import os
import sys
import threading

from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import WSGIRequestHandler, make_server


class Quiet(WSGIRequestHandler):
    """Writes no line for each request."""

    def log_request(self, code="-", size="-"):
        """Nothing."""


def main():
    """Serves until the parent process ends."""
    application = DomainDispatcherApplication(create_backend_app)
    server = make_server("127.0.0.1", 0, application, threaded=False, request_handler=Quiet)
    os.environ["MOTO_PORT"] = str(server.port)
    print(f"ready {server.port}", flush=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.buffer.read()


if __name__ == "__main__":
    main()
