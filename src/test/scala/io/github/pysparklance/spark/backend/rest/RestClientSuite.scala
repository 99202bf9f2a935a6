// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.backend.rest

import java.net.URI
import java.nio.file.{Files, Path}
import java.security.KeyStore
import java.util.Base64

import com.sun.net.httpserver.{HttpExchange, HttpsConfigurator, HttpsServer}
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{
  InvalidRequestException,
  LanceException,
  StorageException,
  UnsupportedFeatureException
}
import io.github.pysparklance.testkit.NamespaceServer.Answer
import io.github.pysparklance.testkit.{LogCapture, NamespaceServer, TemporaryFolder}

/** Requests, responses, errors, and retries of the REST client, and the names in its URLs. */
class RestClientSuite extends AnyFunSuite with TemporaryFolder {
  private val token = "very-secret-token"

  private def serving(test: (NamespaceServer, RestOptions) => Any): Unit = {
    val server = new NamespaceServer(folder.toString)
    val headers = Map("Authorization" -> s"Bearer $token", "x-team" -> "blue")
    try test(server, RestOptions(URI.create(server.uri), headers, maxRetries = 3)): Unit
    finally server.close()
  }

  /** The beginning of a text in UTF-32, with a number that is not a character. */
  private val invalidUtf32 =
    Array[Byte](0, 0, 0, '{', 0x7f, 0x7f, 0x7f, 0x7f)

  private def busy(status: Int) =
    Answer.text(status, """{"code": 17, "error": "busy"}""", "Retry-After" -> "0")

  private def failure(body: => Any): RestException = intercept[RestException](body)

  test("headers, identifiers, and pages") {
    serving { (server, options) =>
      val service = new RestService(options)
      val odd = "a b/ü%?#+&=\n.."
      service.createNamespace(Seq(odd), Map("k" -> "v"))
      service.createNamespace(Seq(odd, "n"), Map.empty)
      (1 to 7).foreach(i => service.declare(Seq(odd, s"t$i"), None))
      server.pageSize = 3
      server.forgetRequests()
      assert(service.tables(Seq(odd), withDeclared = true) == (1 to 7).map(i => s"t$i"))
      assert(service.tables(Seq(odd), withDeclared = false).isEmpty)
      assert(server.requests.flatMap(_.query.get("page_token")) == Seq("3", "6"))
      val first = server.requests.head
      assert(first.path == "/v1/namespace/a%20b%2F%C3%BC%25%3F%23%2B%26%3D%0A../table/list")
      assert(
        first.headers("authorization") == s"Bearer $token" && first.headers("x-team") == "blue"
      )
      assert(service.namespaces(Nil) == Seq(odd) && service.namespaces(Seq(odd)) == Seq("n"))
      assert(service.namespaceProperties(Seq(odd)) == Map("k" -> "v"))
      assert(service.namespaceExists(Seq(odd)) && !service.namespaceExists(Seq("other")))
      assert(service.describe(Seq("other", "t")).isEmpty)
      val dotted = new RestService(options.copy(delimiter = "."))
      assert(!dotted.namespaceExists(Seq("a", "b")) && server.requests.last.path.contains("/a.b/"))
      assert(server.requests.last.query("delimiter") == ".")
    }
  }

  test("names without an identifier are rejected before a request") {
    serving { (server, options) =>
      val service = new RestService(options)
      for (name <- Seq("", ".", "..", "a$b", "\ud800"))
        intercept[InvalidRequestException](service.describe(Seq("n", name)))
      assert(server.requests.isEmpty)
    }
  }

  test("repeated pages end the list with an error") {
    serving { (server, options) =>
      val page = Answer.text(200, """{"tables": ["a"], "page_token": "same"}""")
      server.next(Seq.fill(3)(page): _*)
      assert(failure(new RestService(options).tables(Nil, true)).getMessage.contains("repeat"))
    }
  }

  test("pages that never end, and names and tokens that fill the memory, are errors") {
    serving { (server, options) =>
      def page(name: String, token: Any) =
        Answer.text(200, s"""{"tables": [$name], "page_token": "$token"}""")
      def failed(limits: RestService.Limits, pages: Answer*): String = {
        server.forgetRequests()
        server.next(pages: _*)
        val e = failure(new RestService(options, limits).tables(Nil, withDeclared = true))
        assert(server.requests.length == pages.length)
        e.getMessage
      }
      val defaults = RestService.Limits()
      assert(defaults.pages == 10000 && defaults.characters == (64L << 20))
      val few = RestService.Limits(names = 3, pages = 5, characters = 1000)
      assert(failed(few, (1 to 5).map(page("", _)): _*).contains("more than 5 pages of tables"))
      assert(failed(few, page("\"a\", \"b\", \"c\", \"d\"", 1)).contains("3 names of tables"))
      val long = "x" * 600
      assert(failed(few, page(s"\"$long\"", 1), page(s"\"$long\"", 2)).contains("1000 characters"))
      assert(failed(few, page("", long), page("", long + 1)).contains("1000 characters"))
      server.next((1 to 4).map(page("", _)) :+ Answer.text(200, """{"tables": ["a"]}"""): _*)
      assert(new RestService(options, few).tables(Nil, withDeclared = true) == Seq("a"))
    }
  }

  test("requests are repeated if the service is busy, others only if that is safe") {
    serving { (server, options) =>
      val service = new RestService(options)
      server.next(busy(503), busy(429))
      service.createNamespace(Seq("n"), Map.empty)
      assert(server.requests.length == 3)
      server.next(busy(500), busy(502), busy(504))
      assert(service.namespaceExists(Seq("n")))
      server.forgetRequests()
      server.next(Answer.text(503, "upstream connect error"))
      assert(failure(service.createNamespace(Seq("m"), Map.empty)).status == 503)
      assert(server.requests.length == 1)
      server.forgetRequests()
      server.next(Answer.text(500, """{"code": 18, "error": "broken"}"""))
      assert(failure(service.createNamespace(Seq("m"), Map.empty)).status == 500)
      assert(server.requests.length == 1)
      server.next(Seq.fill(4)(busy(503)): _*)
      val lasting = failure(service.namespaceExists(Seq("n")))
      assert(lasting.has(RestException.ServiceUnavailable))
      assert(lasting.translated.isInstanceOf[StorageException])
      assert(server.requests.length == 5)
    }
  }

  test("an unreachable service is an error that names it") {
    val closed = new NamespaceServer(folder.toString)
    closed.close()
    val options = RestOptions(URI.create(closed.uri), maxRetries = 1)
    assert(failure(new RestService(options).namespaces(Nil)).getMessage.contains(closed.uri))
  }

  test("a response that exceeds the time limit is an error") {
    serving { (server, options) =>
      server.next(Answer(200, pauseMillis = 60000))
      val service = new RestService(options.copy(timeoutMillis = 100, maxRetries = 0))
      val e = failure(service.namespaces(Nil))
      assert(e.getMessage.contains("timed out") || e.getMessage.contains("100 ms"), e.getMessage)
    }
  }

  test("large, malformed, and untyped responses are errors without their content") {
    serving { (server, options) =>
      val service = new RestService(options.copy(maxRetries = 0))
      server.next(Answer(200, new Array[Byte]((16 << 20) + 1)))
      assert(failure(service.namespaces(Nil)).getMessage.contains("more than 16777216 bytes"))
      for (
        body <- Seq(
          "{secret-in-text",
          """{"location": "/t", "storage_options": {"k": {"secret": 1}}}""",
          """{"location": 7}""",
          """{"storage_options": {}}""",
          """{"location": "/t", "storage_options": {"expires_at_millis": "secret"}}""",
          """{"location": "/t", "location": "/u"}""",
          """{"location": "/t"} {}"""
        )
      ) {
        server.next(Answer.text(200, body))
        val e = failure(service.describe(Seq("t")))
        assert(!e.getMessage.contains("secret") && e.getCause == null, body)
      }
      server.forgetRequests()
      server.next(Answer(200, invalidUtf32))
      val e = failure(new RestService(options).describe(Seq("t")))
      assert(e.getMessage.contains("the response is not JSON") && server.requests.length == 1)
    }
  }

  test("errors have the text of the service, without secrets and control characters") {
    serving { (server, options) =>
      val service = new RestService(options.copy(maxRetries = 0))
      def answered(status: Int, code: Int, text: String): LanceException = {
        server.next(Answer.text(status, s"""{"code": $code, "error": "$text"}"""))
        failure(service.createNamespace(Seq("n"), Map.empty)).translated
      }
      val invalid =
        answered(400, 13, s"bad\\u001b[31m name\\nBearer $token aws_secret_access_key=abc123")
      assert(invalid.isInstanceOf[InvalidRequestException])
      assert(invalid.getMessage.contains("bad\\u001B[31m name\\n"))
      assert(!invalid.getMessage.contains(token) && !invalid.getMessage.contains("abc123"))
      val blank = options.copy(headers = options.headers + ("x-blank" -> "      ") + ("x" -> ""))
      assert(blank.withoutSecrets(s"a      b $token") == "a      b (redacted)")
      assert(answered(403, 15, "no").getMessage.contains("rights"))
      assert(answered(401, 16, "no").getMessage.contains("token"))
      assert(answered(406, 0, "no").isInstanceOf[UnsupportedFeatureException])
      assert(answered(409, 14, "late").getMessage.contains("run it again"))
      assert(answered(500, 18, "x" * 5000).getMessage.length < 1000)
      server.next(Answer.text(404, "<html>nginx</html>"))
      assert(failure(service.namespaceExists(Seq("n"))).getMessage.contains("is uri the URL"))
    }
  }

  test("redirects are followed on the same host only") {
    serving { (server, options) =>
      val service = new RestService(options)
      service.createNamespace(Seq("n"), Map.empty)
      def redirect(to: String) = Answer(307, headers = Map("Location" -> to))
      server.next(redirect("/v1/namespace/n/exists?moved=1"))
      assert(service.namespaceExists(Seq("n")) && server.requests.last.query.contains("moved"))
      val other = new NamespaceServer(folder.toString)
      try {
        server.next(redirect(other.uri + "/v1/namespace/n/exists"))
        assert(
          failure(service.namespaceExists(Seq("n"))).getMessage.contains("gets no credentials")
        )
        assert(other.requests.isEmpty)
      } finally other.close()
      server.next(Seq.fill(6)(redirect("/v1/again")): _*)
      assert(failure(service.namespaceExists(Seq("n"))).getMessage.contains("more than 5 times"))
    }
  }

  test("options are checked, and messages do not contain their secrets") {
    def parsed(options: (String, String)*) =
      RestOptions(Map("impl" -> "rest", "uri" -> "https://h/base/") ++ options)
    def rejected(options: (String, String)*): String = {
      val e = intercept[LanceException](parsed(options: _*))
      assert(!e.getMessage.contains("wJalr"))
      e.getMessage
    }
    val all = parsed("token" -> "wJalr", "header.x-key" -> "wJalr", "request_timeout" -> "5s")
    assert(all.uri == URI.create("https://h/base") && all.timeoutMillis == 5000)
    assert(all.headers == Map("Authorization" -> "Bearer wJalr", "x-key" -> "wJalr"))
    assert(!all.toString.contains("wJalr"))
    assert(RestOptions.isSecret("Token") && RestOptions.isSecret("headers.x-key"))
    assert(rejected("tokn" -> "wJalr").contains("no option tokn"))
    assert(rejected("delimitr" -> ":").contains("did you mean delimiter?"))
    assert(rejected("root" -> "/x").contains("the service chooses"))
    assert(rejected("tls.assert_hostname" -> "false").contains("host names are always checked"))
    assert(rejected("headers.x" -> "wJalr\r\ny: z").contains("the header x"))
    assert(rejected("headers.Host" -> "x").contains("set by the HTTP client"))
    assert(rejected("token" -> "wJalr", "headers.authorization" -> "wJalr").contains("twice"))
    assert(rejected("tls.certFile" -> "/c").contains("together"))
    for (
      uri <- Seq(
        "ftp://h",
        "http://u:wJalr@h",
        "http:///x",
        "https://h/?a=1",
        "h:80",
        "https://h/a/../b"
      )
    )
      assert(rejected("uri" -> uri).startsWith("option uri"), uri)
    assert(parsed(
      "storage.fs.s3a.endpoint" -> "x",
      "parent" -> "a",
      "batchSize" -> "9"
    ).headers.isEmpty)
    val warned = LogCapture(parsed("uri" -> "http://far.example.com", "token" -> "wJalr"): Unit)
    assert(
      warned.exists(_.text.contains("without encryption")) && !warned.mkString.contains("wJalr")
    )
    val upper = LogCapture(parsed("uri" -> "HTTP://far.example.com", "token" -> "wJalr"): Unit)
    assert(upper.exists(_.text.contains("without encryption")))
    assert(parsed("uri" -> "HTTPS://h/A/").uri == URI.create("https://h/A"))
    for (host <- Seq("127.0.0.1:1", "LOCALHOST"))
      assert(LogCapture(parsed("uri" -> s"http://$host", "token" -> "x"): Unit).isEmpty)
  }

  test("TLS with a private certificate authority and a client certificate") {
    val store = certificate()
    val password = "changeit".toCharArray
    val keys = javax.net.ssl.KeyManagerFactory.getInstance("PKIX")
    keys.init(store, password)
    val trusted = javax.net.ssl.TrustManagerFactory.getInstance("PKIX")
    trusted.init(store)
    val context = javax.net.ssl.SSLContext.getInstance("TLS")
    context.init(keys.getKeyManagers, trusted.getTrustManagers, null)
    val server = HttpsServer.create(
      new java.net.InetSocketAddress(java.net.InetAddress.getByName("localhost"), 0),
      0
    )
    server.setHttpsConfigurator(new HttpsConfigurator(context) {
      override def configure(p: com.sun.net.httpserver.HttpsParameters): Unit = {
        val needing = context.getDefaultSSLParameters
        needing.setNeedClientAuth(true)
        p.setSSLParameters(needing)
      }
    })
    server.createContext(
      "/",
      (e: HttpExchange) => {
        val body = """{"namespaces": ["n"]}""".getBytes
        e.sendResponseHeaders(200, body.length.toLong)
        e.getResponseBody.write(body)
        e.close()
      }
    )
    server.start()
    try {
      val cert = pem("cert.pem", "CERTIFICATE", store.getCertificate("k").getEncoded)
      val key = pem("key.pem", "PRIVATE KEY", store.getKey("k", password).getEncoded)
      val uri = URI.create(s"https://localhost:${server.getAddress.getPort}")
      def asked(tls: TlsFiles) =
        new RestService(RestOptions(uri, tls = tls, maxRetries = 0)).namespaces(Nil)
      assert(asked(TlsFiles(Some(cert), Some(cert), Some(key))) == Seq("n"))
      assert(failure(asked(TlsFiles())).getMessage.contains("SSLHandshakeException"))
      failure(asked(TlsFiles(Some(cert))))
      val swapped =
        intercept[InvalidRequestException](asked(TlsFiles(Some(key), Some(cert), Some(key))))
      assert(swapped.getMessage.contains("certificates in PEM"))
      val wrong =
        intercept[InvalidRequestException](asked(TlsFiles(Some(cert), Some(cert), Some(cert))))
      assert(wrong.getMessage.contains("PKCS#8"))
    } finally server.stop(0)
  }

  /** A certificate of localhost that signs itself. Java has no API for that. */
  private def certificate(): KeyStore = {
    val file = folder.resolve("keys.p12")
    val keytool = Path.of(sys.props("java.home"), "bin", "keytool").toString
    val made = new ProcessBuilder(
      Seq(keytool, "-genkeypair", "-alias", "k", "-keyalg", "EC", "-dname", "CN=localhost") ++
        Seq("-ext", "san=dns:localhost", "-validity", "3650", "-storetype", "PKCS12") ++
        Seq("-keystore", file.toString, "-storepass", "changeit"): _*
    ).redirectErrorStream(true).start()
    val said = new String(made.getInputStream.readAllBytes())
    assert(made.waitFor() == 0, said)
    val keys = KeyStore.getInstance("PKCS12")
    val in = Files.newInputStream(file)
    try keys.load(in, "changeit".toCharArray)
    finally in.close()
    val all = KeyStore.getInstance("PKCS12")
    all.load(null, null)
    all.setKeyEntry(
      "k",
      keys.getKey("k", "changeit".toCharArray),
      "changeit".toCharArray,
      keys.getCertificateChain("k")
    )
    all.setCertificateEntry("ca", keys.getCertificate("k"))
    all
  }

  private def pem(name: String, kind: String, bytes: Array[Byte]): String = {
    val text = Base64.getMimeEncoder.encodeToString(bytes)
    Files.writeString(
      folder.resolve(name),
      s"-----BEGIN $kind-----\n$text\n-----END $kind-----\n"
    ).toString
  }
}
