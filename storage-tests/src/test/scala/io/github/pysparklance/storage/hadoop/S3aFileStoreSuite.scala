// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.hadoop

import java.io.IOException
import java.net.InetSocketAddress
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{AccessDeniedException, Files}

import com.sun.net.httpserver.HttpServer

import io.github.pysparklance.storage.Storage
import io.github.pysparklance.storage.spi.{FileStore, Listing, UnconfirmedWriteException}
import io.github.pysparklance.testkit.{FileStoreSuite, MotoServer}

class S3aFileStoreSuite extends FileStoreSuite {
  override protected val numRaces = 5
  def store: FileStore = MotoServer.storage
  def path(name: String): String = s"s3a://${MotoServer.bucket}/${folder.getFileName}/$name"

  test("folders are listed by name, but S3 Express buckets are not") {
    val names = Seq("b", "a", "B", "a.b", "10", "9")
    names.foreach(n => store.replace(path(n), Array[Byte](1)))
    val parent = path("x").stripSuffix("/x")
    assert(store.listing(parent) == Listing.Ordered)
    assert(store.listInOrder(parent).map(_.name).toSeq == names.sorted)
    assert(store.listing("s3a://tables--use1-az4--x-s3/t") == Listing.Slow)
  }

  test("a lost conditional put is not an error, and the existing object stays") {
    assert(store.createIfAbsent(path("x"), Array[Byte](1)))
    assert(!store.createIfAbsent(path("x"), Array[Byte](2)))
    val in = store.open(path("x"))
    try assert(in.read(0, 1).toSeq == Seq[Byte](1))
    finally in.close()
  }

  /** A server that responds to each PUT with a status and an error code, and storage for it. */
  private def answering[A](status: Int, code: String)(body: FileStore => A): A = {
    val server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0)
    server.createContext(
      "/",
      { exchange =>
        exchange.getRequestBody.readAllBytes()
        val isPut = exchange.getRequestMethod == "PUT"
        val text = s"<Error><Code>$code</Code><Message>412</Message></Error>".getBytes(UTF_8)
        exchange.getResponseHeaders.add("x-amz-request-id", "412-PreconditionFailed")
        if (isPut) {
          exchange.sendResponseHeaders(status, text.length.toLong)
          exchange.getResponseBody.write(text)
        } else exchange.sendResponseHeaders(404, -1)
        exchange.close()
      }
    )
    server.start()
    try {
      val c = MotoServer.configuration
      c.set("fs.s3a.endpoint", s"http://127.0.0.1:${server.getAddress.getPort}")
      c.set("fs.s3a.attempts.maximum", "1")
      c.set("fs.s3a.retry.limit", "0")
      c.set("fs.s3a.retry.interval", "1ms")
      c.setBoolean("fs.s3a.impl.disable.cache", true)
      body(Storage(new HadoopConf(c)))
    } finally server.stop(0)
  }

  test("the result of a put depends on its status, not on the error message") {
    def put(s: FileStore) = s.createIfAbsent("s3a://tables/412/x.manifest", Array[Byte](1))
    answering(412, "PreconditionFailed")(s => assert(!put(s)))
    answering(409, "ConditionalRequestConflict")(s => assert(!put(s)))
    answering(403, "AccessDenied")(s => intercept[AccessDeniedException](put(s)))
    answering(400, "InvalidRequest") { s =>
      val e = intercept[IOException](put(s))
      assert(!e.isInstanceOf[UnconfirmedWriteException], e)
    }
    answering(500, "InternalError")(s => intercept[UnconfirmedWriteException](put(s)))
  }

  test("copies between storages") {
    val file = folder.resolve("x")
    Files.write(file, Array.tabulate[Byte](5000)(_.toByte))
    store.copy(file.toString, path("x"))
    store.copy(path("x"), folder.resolve("y").toString)
    assert(Files.readAllBytes(folder.resolve("y")).sameElements(Files.readAllBytes(file)))
  }

  test("many files are removed in few requests") {
    val names = (1 to 30).map(i => path(s"d/$i"))
    names.foreach(n => store.replace(n, Array[Byte](1)))
    store.deleteAll(names)
    assert(store.listFiles(path("d")).isEmpty)
  }
}
