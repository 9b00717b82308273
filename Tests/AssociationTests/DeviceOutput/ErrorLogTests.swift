import Association
import Testing

/// What servers, and the frameworks behind them, write to their logs of requests for a file that failed.
@Suite struct ErrorLogTests {
  private static let path = "/.well-known/apple-app-site-association"

  private static func nginx(_ fault: String, path: String = path, level: String = "error") -> String
  {
    "2026/03/01 10:00:00 [\(level)] 12#12: *77 \(fault), client: 192.0.2.7, server: a.example, "
      + "request: \"GET \(path) HTTP/2.0\", host: \"www.a.example\"\n"
  }

  @Test(arguments: [
    (nginx("open() \"/var/www\(path)\" failed (2: No such file or directory)"), "404"),
    (nginx("open() \"/var/www\(path)\" failed (13: Permission denied)"), "403, Permission denied"),
    (
      nginx("access forbidden by rule", path: "/.well-known/assetlinks.json"),
      "403, forbidden by a rule"
    ),
    (
      nginx("connect() failed (111: Connection refused) while connecting to upstream"),
      "502, no answer from the server behind it"
    ),
    (
      nginx(
        "upstream timed out (110: Connection timed out) while reading response header from upstream"
      ),
      "504, no answer from the server behind it"
    ),
    // What a server behind it lacks, or may not do, is nothing of the file.
    (
      nginx(
        "connect() to 127.0.0.1:8080 failed (13: Permission denied) while connecting to upstream",
        level: "crit"),
      "502, no answer from the server behind it"
    ),
    (
      nginx(
        "connect() to unix:/run/fpm.sock failed (2: No such file or directory) while connecting to upstream",
        level: "crit"),
      "502, no answer from the server behind it"
    ),
    (
      nginx(
        "recv() failed (104: Connection reset by peer) while reading response header from upstream"),
      "502, no answer from the server behind it"
    ),
    (nginx("rewrite or internal redirection cycle while internally redirecting to \"/\""), "500"),
  ])
  func theErrorLogOfNginxNamesHostAndCause(log: String, error: String) {
    let output = DeviceOutput(log)
    #expect(output.lines == ["www.a.example - - error-status"])
    #expect(output.rows.first?.error == error)
  }

  @Test(arguments: [
    (
      "AH01630: client denied by server configuration: /var/www/html\(path)",
      "403, forbidden by a rule"
    ),
    ("AH00132: file permissions deny server access: /srv\(path)", "403, Permission denied"),
    ("[core:info] AH00128: File does not exist: /var/www/html\(path)", "404"),
    (
      "ActionController::RoutingError (No route matches [GET] \"/apple-app-site-association\"):",
      "404"
    ),
    ("Not Found: \(path)", "404"), ("Cannot GET \(path)", "404"),
    ("No route found for \"GET https://a.example\(path)\"", "404"),
    ("** (Phoenix.Router.NoRouteError) no route found for GET \(path) (Web.Router)", "404"),
    ("NotFoundHttpException: The route .well-known/assetlinks.json could not be found.", "404"),
    ("NoResourceFoundException: No static resource .well-known/assetlinks.json.", "404"),
    ("NotFoundHttpException: The route apple-app-site-association could not be found.", "404"),
    ("HTTPError: 404 Client Error: Not Found for url: https://a.example\(path)", "404"),
    ("The controller for path '\(path)' was not found", "404"),
    ("GET https://a.example\(path) 404 (Not Found)", "404"), ("GET \(path) 404 in 52ms", "404"),
    ("GET \(path) 500 3.021 ms - 150", "500"), ("GET \(path) 404 in 1.4s", "404"),
    ("WARNING:tornado.access:404 GET \(path) (127.0.0.1) 0.50ms", "404"),
    ("GET https://a.example\(path) net::ERR_ABORTED 404 (Not Found)", "404"),
    ("[GIN] 2026/03/01 - 10:00:00 | 404 | 1.2µs | 192.0.2.7 | GET \"\(path)\"", "404"),
    ("10:00:00 | 404 | 0s | 192.0.2.7 | GET | \(path) | Cannot GET", "404"),
    ("method=GET path=\(path) format=*/* status=404 duration=1.2", "404"),
    ("{timestamp=Sun Mar 01, status=404, error=Not Found, path=\(path)}", "404"),
    ("[info]: GET \(path) 404 5ms", "404"), ("worker 204 GET \(path) 404 3ms", "404"),
    ("[2026-03-01 10:00:00.000] http: GET \(path) (5 ms) 404", "404"),
    ("[10:00:00 INF] HTTP GET \(path) responded 404 in 1.2345 ms", "404"),
    ("[W 260301 10:00:00 web:2348] 404 GET \(path) (127.0.0.1) 0.50ms", "404"),
    ("[2026-03-01T10:00:00.000Z] \"GET \(path)\" Error (404): \"Not found\"", "404"),
    ("Exception: Cannot GET:\(path)", "404"),
    ("[NOTICE] File not found [/home/a/public_html\(path)]", "404"),
    (
      "(13)Permission denied: AH00035: access to \(path) denied (filesystem path '/var/www/.well-known') because search "
        + "permissions are missing", "403, Permission denied"
    ),
    ("127.0.0.1:54321 [404]: GET \(path) - No such file or directory", "404"),
    ("Mar 1 10:00:00 |WARN | SERVER GET (404) \(path) host=\"127.0.0.1:8004\"", "404"),
    ("Error: No route matches URL \"\(path)\"", "404"),
    ("SvelteKitError: Not found: \(path)", "404"),
    ("[404] Cannot find any path matching \(path).", "404"),
    ("   >> No matching routes for GET \(path).", "404"),
    ("{\"message\":\"Route GET:\(path) not found\",\"error\":\"Not Found\"}", "404"),
    ("<p>The requested URL \(path) was not found on this server.</p>", "404"),
    ("Message The requested resource [\(path)] is not available", "404"),
    ("[2026-03-01 10:00:00] ERROR `\(path)' not found.", "404"),
    ("Request finished HTTP/2 GET https://localhost:5001\(path) - - - 404 0 - 1.2ms", "404"),
    (
      "HTTP request for Digital Asset Links JSON file https://a.example/.well-known/assetlinks.json fails. HTTP response "
        + "code: 403 [AppLinksAutoVerify]", "403"
    ),
    (
      "Digital Asset Links JSON file https://a.example/.well-known/assetlinks.json is not found on the host",
      "404"
    ),
  ])
  func otherServersAndFrameworksAreReadByTheirSentences(log: String, error: String) {
    let output = DeviceOutput(log)
    #expect(output.kind == .cdnHeaders && output.rows.map(\.error) == [error], "\(output.rows)")
  }

  @Test(arguments: [
    ("\u{1B}[0mGET \(path) \u{1B}[33m404\u{1B}[0m 3.456 ms - 187\u{1B}[0m", true),
    ("\u{1B}[2K\u{1B}[1GGET \(path) \u{1B}[01;31m\u{1B}[K404\u{1B}[m\u{1B}[K in 52ms", true),
    ("web_1 | \\u001b[32mGET\\u001b[39m \(path) #033[1m404#033[m in 52ms", true),
    ("[0mGET \(path) [33m404[0m 3.456 ms - 187", true),
    ("[5m]GET \(path) 404 3ms", false), ("[m GET \(path) [33mm] 3ms", false),
  ])
  func theColorsOfATerminalAreNoPartOfALine(log: String, isRead: Bool) {
    #expect(DeviceOutput(log).rows.map(\.error) == (isRead ? ["404"] : []))
  }

  @Test(arguments: [
    "heroku[router]: at=info method=GET path=\"\(path)\" host=www.a.example fwd=\"192.0.2.7\" status=404 bytes=9",
    "www.a.example\(path):1 Failed to load resource: the server responded with a status of 404 ()",
    "Failed to load resource: the server responded with a status of 404 (Not Found) https://www.a.example\(path)",
    "$ curl https://www.a.example\(path)\n{\"status\":404,\"error\":\"Not Found\",\"path\":\"\(path)\"}\n"
      + "$ curl https://b.example\(path)\n[{\"relation\": []}]",
    "$ curl https://www.a.example\(path)\n{\"message\":\"Route GET:\(path) not found\",\"error\":\"Not Found\"}\n"
      + "$ curl https://b.example\(path)\n[{\"relation\": []}]",
    "$ curl https://www.a.example\(path)\nNot Found - Request ID: 01HRX\n",
    "HTTP Error 404.0 - Not Found\nRequested URL    https://www.a.example:443\(path)\n",
  ])
  func aLogOrAPageThatNamesTheSiteSaysWhich(log: String) {
    let output = DeviceOutput(log)
    #expect(output.lines == ["www.a.example - - error-status"])
    #expect(output.rows.first?.error == "404")
  }

  @Test(arguments: [
    ("$ curl -s https://a.example\(path)\nerror code: 1020\n", "403"),
    ("$ curl -s https://a.example\(path)\nerror code: 1015\n", "429"),
    ("$ curl -s https://a.example\(path)\nerror code: 521\n", "521"),
    ("$ curl -s https://a.example\(path)\nerror code: 1016\n", "530"),
    ("$ curl -s https://a.example\(path)\nerror code: 1033\n", "530"),
    (
      "ModSecurity: Access denied with code 403 (phase 1). [hostname \"a.example\"] [uri \"\(path)\"]",
      "403, forbidden by a rule"
    ),
    (
      "{\"action\": \"BLOCK\", \"httpRequest\": {\"uri\": \"\(path)\", \"host\": \"a.example\", \"headers\": [{\"value\": "
        + "\"AASA-Bot/1.0.0\"}]}}", "403"
    ),
    (
      "{\"action\": \"BLOCK\", \"responseCodeSent\": 429, \"httpRequest\": {\"uri\": \"\(path)\", \"host\": "
        + "\"a.example\", \"headers\": [{\"value\": \"AASA-Bot/1.0.0\"}]}}", "429"
    ),
  ])
  func aFirewallThatRefusesIsAnError(text: String, error: String) {
    let output = DeviceOutput(text)
    #expect(output.lines == ["a.example - - error-status"])
    #expect(output.rows.first?.error == error)
  }

  @Test func theMachineOfADeveloperIsNoDomain() {
    for host in ["localhost:3000", "192.168.1.5"] {
      let output = DeviceOutput("GET http://\(host)\(Self.path) 404 (Not Found)")
      #expect(output.rows.map(\.host) == [nil])
    }
  }

  @Test func eachCauseHasItsRemedy() {
    let remedies = [
      ("access forbidden by rule", "exception"),
      ("open() failed (13: Permission denied)", "read the file"),
      ("connect() failed while connecting to upstream", "behind the proxy"),
      ("open() failed (2: No such file or directory)", "begin with a dot"),
    ]
    for (fault, remedy) in remedies {
      let output = DeviceOutput(Self.nginx(fault))
      let next = output.rows.first.map { DeviceVerdict($0, of: output.kind).nextStep } ?? ""
      #expect(next.contains(remedy), "\(next)")
    }
  }

  /// S3 does not tell strangers what is not there.
  @Test func whatS3RefusesMayBeMissing() {
    for answer in [
      "HTTP/2 403\ncontent-type: application/xml\nserver: AmazonS3\n",
      "HTTP/1.1 403 Forbidden\n\n<?xml version=\"1.0\"?>\n<Error><Code>AccessDenied</Code></Error>\n",
    ] {
      let output = DeviceOutput("$ curl -i https://a.example\(Self.path)\n\(answer)")
      let next = output.rows.first.map { DeviceVerdict($0, of: output.kind).nextStep } ?? ""
      #expect(next.contains("S3") && next.contains("not there"), "\(next)")
    }
  }

  @Test(arguments: [
    nginx("access forbidden by rule", path: "/.well-known/acme-challenge/a"),
    nginx(
      "an upstream response is buffered to a temporary file while reading upstream", level: "warn"),
    "Not Found: /favicon.ico\n", "cat: apple-app-site-association: No such file or directory\n",
    "Cannot GET /\n", "The route /docs/apple-app-site-association-guide could not be found.\n",
    "GET \(path) 200 in 5ms\n", "GET \(path) 401 in 5ms\n", "GET \(path) 512 bytes\n",
    "GET \(path) 404 when forms are missing\n", "test: GET \(path) 404 (expected)\n",
    "See Digital Asset Links JSON file \(path) and HTTP response code: 404",
    "method=GET path=\(path) status=401\n",
    "method=GET path=/a status=404 referer=https://a.example\(path)\n",
    "| Request | Status | Note |\n| GET `\(path)` | 404 | without a file |\n",
    "{\"path\": \"\(path)\", \"status\": 404}",
    "Expected 404 GET \(path) to be there\n", "\"GET \(path)\" Error (passed)\n",
    "10:15:30:404 GET \(path) 12ms\n", "app.js:500 GET \(path) 12ms\n",
    "GET \(path) 404 s\n", "GET \(path) (123 ms) passed\n", "GET \(path) 12ms 512 bytes\n",
    "GET \(path) (cached) 410 bytes 3ms\n", "[12345] 500 GET \(path) 200 3ms\n",
    "path=/favicon.ico http_referer=https://a.example\(path) status=404\n",
    "path=/login next=\(path) status=500\n", "method=POST path=\(path) status=404\n",
    "[GIN] 2026/03/01 - 10:00:00 | 500 | 1.2ms | 192.0.2.7 | GET \"/a?url=https://a.example\(path)\"\n",
    "10:00:00 | 404 | 0s | 192.0.2.7 | GET | /favicon.ico | https://a.example\(path)\n",
    "Host not found: https://a.example\(path)\n", "Module not found: \(path)\n",
    "Package name not found: https://a.example\(path) lists com.other\n",
    "See https://a.example\(path) first.\nurllib: HTTP Error 403: Forbidden\n",
    "$ curl https://a.example\(path)\nerror code: 1101\n",
    "{\"action\": \"ALLOW\", \"a\": {\"action\": \"BLOCK\"}, \"uri\": \"\(path)\", \"b\": \"AASA-Bot\"}",
    "{\"action\": \"BLOCK\", \"uri\": \"\(path)\"}",
    "Route GET:\(path) is registered\n", "The requested URL \(path) answers.\n",
    "HTTP Error 404.0 - Not Found\nRequested URL https://a.example/favicon.ico\n",
    "GET \(path) 404 in 5ms\nGET \(path) 200 in 5ms\n", "GET /favicon.ico 404 in 5ms\n",
    "aasa: apple-app-site-association does not exist\n", "File Not Found: assetlinks.json\n",
    "The route \(path) answers with the file.\n",
    // Not what nginx answers.
    nginx(
      "FastCGI sent in stderr: \"PHP message: PHP Deprecated: a\" while reading response header from upstream"
    ),
    nginx(
      "client prematurely closed connection, so upstream connection is closed too while sending request to upstream",
      level: "info"),
    nginx("upstream server temporarily disabled while connecting to upstream", level: "warn"),
    nginx(
      "client timed out (110: Connection timed out) while sending response to client", level: "info"
    ),
    nginx("upstream timed out (110: Connection timed out) while reading upstream"),
    // Files of that name elsewhere.
    "npm ERR! 404 Not Found: https://registry.npmjs.org/assetlinks.json\n",
    "Cannot GET /wiki/assetlinks.json\n", "Not Found: /static\(path)\n",
    "No route matches [GET] \"/admin/apple-app-site-association\"\n",
    "client denied by server configuration: /srv/backup/assetlinks.json\n",
    "No static resource wiki/assetlinks.json.\n",
  ])
  func otherRequestsAndFilesAreNotExplained(log: String) {
    #expect(DeviceOutput(log).kind == .unknown, "\(log)")
  }
}
