import Association
import Testing

/// Answers of a site, or of Apple's CDN without its header.
@Suite struct SiteAnswerTests {
  private static let path = "/.well-known/apple-app-site-association"
  private static let file = "{\n  \"applinks\": {\"details\": []}\n}\n"
  private static let cdn = "% curl -s https://app-site-association.cdn-apple.com/a/v1/a.example\n"

  private static let get = "$ curl -i https://a.example\(path)\n"
  private static let found = "HTTP/2 200\n\n\(file)"

  private static let answers: [(text: String, row: String)] = [
    (
      "HTTP/1.1 302 Found\nServer: x\nLocation: https://www.a.example\(path)\n",
      "- - redirect-refused"
    ),
    (
      "$ curl -I https://a.example\(path)\nHTTP/2 308\nlocation: https://login.a.example/\n\nHTTP/2 200\n",
      "a.example - redirect-refused"
    ),
    ("HTTP/2 403\nserver: cloudflare\ncf-mitigated: challenge\n", "- - unusable-file"),
    ("\(get)HTTP/2 404\n", "a.example - unusable-file"),
    (
      "\(get)HTTP/2 200\ncontent-type: text/html\n\n<!doctype html>\n",
      "a.example - unusable-file"
    ),
    ("HTTP/1.1 200 OK\nServer: x\n\n\(file)", "- - cdn-has-file"),
    ("\(get)HTTP/1.1 200 OK\nContent-Type: text/plain\n\n\(file)", "a.example - unusable-file"),
    // `curl -v`, with the end of the header as a line of its own.
    (
      "* Connected\n> GET \(path) HTTP/2\n> Host: a.example\n>\n< HTTP/2 200 \n< server: x\n< \n\(file)",
      "a.example - cdn-has-file"
    ),
    // A proxy answers before the site.
    (
      "\(get)HTTP/1.1 200 Connection established\n\nHTTP/2 404\n\n<html>\n",
      "a.example - unusable-file"
    ),
    (
      "\(get)HTTP/2 103\n\n\(found)",
      "a.example - cdn-has-file"
    ),
    // Devices never ask without TLS.
    (
      "$ curl -siL http://a.example\(path)\nHTTP/1.1 301\nLocation: https://a.example\(path)\n\n\(found)",
      "a.example - cdn-has-file"
    ),
    (
      "> GET /apple-app-site-association HTTP/2\n> Host: a.example\n< HTTP/2 404\n> GET \(path) HTTP/2\n> Host: a.example\n< HTTP/2 200\n<\n\(file)",
      "a.example - cdn-has-file"
    ),
    (
      "me@mac ~ % curl -i a.example/apple-app-site-association\nHTTP/1.1 404\n\nme@mac ~ % curl -i `a.example\(path)`;\nHTTP/1.1 200\n\n\(file)",
      "a.example - cdn-has-file"
    ),
    (
      "$ curl -i https://www.a.example\(path)\ncurl: (6) Could not resolve host\n\(get)HTTP/2 404\n",
      "a.example - unusable-file"
    ),
    ("\(get)HTTP/2 405\n", "a.example - unusable-file"),
    ("HTTP/2 301\nlocation: /en\(path)\n", "- - redirect-refused"),
    ("HTTP/2 302\nlocation: /login?next=\(path)\n", "- - redirect-refused"),
    ("HTTP/2 301\nlocation: https://a.example\(path)/\n", "- - redirect-refused"),
    (
      "$ curl -i https://a.example/\nHTTP/2 403\ncf-mitigated: challenge\n\n\(get)\(found)",
      "a.example - cdn-has-file"
    ),
    // Answers for other addresses do not count.
    (
      "$ curl -i https://a.example/\nHTTP/2 403\n\n\(get)\(found)",
      "a.example - cdn-has-file"
    ),
    (
      "$ curl -i https://a.example/apple-app-site-association\nHTTP/2 404\n\n\(get)\(found)",
      "a.example - cdn-has-file"
    ),
    // Without the header.
    ("$ curl https://a.example\(path)\n\(file)", "a.example - cdn-has-file"),
    ("https://a.example\(path)\n\(file)", "a.example - cdn-has-file"),
    (
      "$ curl https://a.example\(path)\n<!DOCTYPE html><html><head>\n", "a.example - unusable-file"
    ),
    ("$ curl -s https://a.example\(path)\n404 page not found\n", "a.example - unusable-file"),
    ("$ curl https://a.example\(path)\nCannot GET \(path)\n", "a.example - unusable-file"),
    (
      "https://a.example\(path)\n<Error><Code>AccessDenied</Code></Error>\n",
      "a.example - unusable-file"
    ),
    // What `curl` says of the amount is no answer.
    (
      "$ curl -v https://a.example\(path)\n{ [122 bytes data]\n< HTTP/2 404\n",
      "a.example - unusable-file"
    ),
    (
      "$ curl https://a.example\(path)\n{\"statusCode\": 404, \"error\": \"Not Found\"}\n",
      "a.example - unusable-file"
    ),
    (
      "$ curl -so /dev/null -w '%{http_code}' https://a.example\(path)\n403\n",
      "a.example - unusable-file"
    ),
    (
      "$ curl -sI https://a.example\(path) | grep -i content-type\ncontent-type: text/plain; charset=utf-8\n",
      "a.example - unusable-file"
    ),
    ("$ http https://a.example\(path)\nHTTP/1.1 404 Not Found\n", "a.example - unusable-file"),
    (
      "\(get)HTTP/2 200\nx-forwarded-proto: https\n\n<html>\n", "a.example - unusable-file"
    ),
    // The tools of browsers.
    (
      "Request URL: https://a.example\(path)\nRequest Method: GET\nStatus Code: 301 Moved Permanently\n",
      "a.example - redirect-refused"
    ),
    (
      "Request URL\nhttps://a.example\(path)\nRequest Method\nGET\nStatus Code\n403 Forbidden\n",
      "a.example - unusable-file"
    ),
    // Only the header.
    (
      "$ curl -I https://a.example\(path)\nHTTP/2 200\ncontent-type: text/html; charset=utf-8\n",
      "a.example - unusable-file"
    ),
    (
      "$ curl -I https://a.example\(path)\nHTTP/2 200\ncontent-type: application/json\n",
      "a.example - cdn-has-file"
    ),
    // Apple's CDN takes a type that Google does not.
    (
      "$ curl -I https://a.example\(path)\nHTTP/2 200\ncontent-type: application/octet-stream\n",
      "a.example - cdn-has-file"
    ),
    (
      "$ curl -I https://a.example/.well-known/assetlinks.json\nHTTP/2 200\n"
        + "content-type: application/octet-stream\n",
      "a.example - unusable-file"
    ),
    // Other tools.
    (
      "--2026-03-01 10:00:00--  https://a.example\(path)\nHTTP request sent, awaiting response... 404 Not Found\n",
      "a.example - unusable-file"
    ),
    (
      "$ wget https://a.example\(path)\nHTTP request sent, awaiting response... 301 Moved Permanently\n"
        + "Location: https://www.a.example\(path) [following]\n"
        + "HTTP request sent, awaiting response... 200 OK\n",
      "a.example - redirect-refused"
    ),
    (
      "PS C:\\> Invoke-WebRequest https://a.example\(path)\n"
        + "Invoke-WebRequest : The remote server returned an error: (403) Forbidden.\n",
      "a.example - unusable-file"
    ),
    ("\(cdn)\(file)", "a.example - cdn-has-file"),
    ("\(cdn)Not Found\n", "a.example - cdn-failed"),
  ]

  @Test(arguments: answers)
  func anAnswerIsReadByItsStatusAndItsBody(text: String, row: String) {
    #expect(DeviceOutput.explained(text) == ["cdn-headers \(row)"])
  }

  @Test func aFileInAnAnswerIsForValidate() {
    for text in ["HTTP/2 200\n\n" + Self.file, Self.cdn + Self.file] {
      let output = DeviceOutput(Array(text.utf8))
      let verdict = output.rows.first.map { DeviceVerdict($0, of: output.kind) }
      #expect(verdict?.isFine == true && verdict?.nextStep.contains("aasa validate -") == true)
    }
  }

  @Test(arguments: [
    "HTTP/2 404\nserver: x\n", "HTTP/2 301\nlocation: https://a.example/shop\n", file,
    "HTTP/1.1 200 OK\n\n{\"status\": \"fine\"}\n", cdn,
    "$ curl -I https://a.example\(path)\nHTTP/2 405\n",
    "$ curl -i https://a.example/docs\nHTTP/2 302\nlocation: /docs/apple-app-site-association\n",
    "$ curl https://a.example/docs\n<html>\n", "$ curl https://a.example\(path)\n<intent-filter>\n",
    "See https://a.example\(path)\n<html>\n", "https://a.example\(path)\n[1] 4711\n",
    "Request URL: https://a.example/\nStatus Code: 404 Not Found\n",
    "http://a.example\(path)\nStatus Code: 301\n",
    "https://a.example\(path)\nStatus Code\n200 OK\n",
    "https://a.example\(path)\n{\"answer\": 42}\n", "https://a.example\(path)\n200\n",
    "$ wget https://a.example/a.zip\nHTTP request sent, awaiting response... 404 Not Found\n",
  ])
  func whatIsAboutNoFileIsNoAnswerForOne(text: String) {
    #expect(DeviceOutput(Array(text.utf8)).kind == .unknown)
  }

  private static let otherLines: [String] = [
    // A number is a status if the command asks for it, and a status is below 600.
    "$ curl -s https://a.example\(path) | wc -c\n582\n",
    "$ curl -so f -w '%{http_code}' https://a.example\(path)\n612\n",
    // What another command prints.
    "$ curl -so f https://a.example\(path)\n$ cat index.html\n<!DOCTYPE html>\n",
    "me@mac ~ % curl -so f https://a.example\(path)\nme@mac ~ % cat index.html\n<!DOCTYPE html>\n",
    "$ curl -so f https://a.example\(path)\n$ cat config.json\n{\"error\": \"Not Found\"}\n",
    // What people write below an address.
    "https://a.example\(path)\n\n404 is not what I get here, it opens fine in the browser\n",
    "https://a.example\(path)\nContent-Type: should be application/json, I think\n",
    "https://a.example\(path)\nThat is what I get for it.\n<html>\n",
    // Devices never ask without TLS.
    "$ curl http://a.example\(path)\n<html>\n<head><title>301 Moved Permanently</title></head>\n",
  ]

  @Test(arguments: otherLines)
  func whatStandsBelowACommandMayBeNoAnswer(text: String) {
    #expect(DeviceOutput(Array(text.utf8)).kind == .unknown, "\(text)")
  }

  @Test(arguments: [
    ("301 Moved Permanently", "redirected", nil), ("302 Found", "redirected", nil),
    ("404 Not Found", "error-status", "404"), ("Shop", "page", nil),
    ("404 reasons to buy", "page", nil),
  ])
  func theTitleOfAServersPageHasTheStatus(title: String, state: String, error: String?) {
    let text =
      "$ curl https://a.example\(Self.path)\n<html>\n<head><title>\(title)</title></head>\n"
    let row = DeviceOutput(Array(text.utf8)).rows.first
    #expect(row?.state == state && row?.error == error, "\(text)")
  }

  @Test func theTableOfCurlIsNoPrompt() {
    let text =
      "$ curl https://a.example\(Self.path)\n  % Total    % Received % Xferd  Average Speed   Time\n"
      + "100   582  100   582    0     0   3880      0 --:--:-- --:--:-- --:--:--  3906\n\(Self.file)"
    #expect(DeviceOutput.explained(text) == ["cdn-headers a.example - cdn-has-file"])
  }

  // MARK: - Access logs

  private static let missing = logged(404, agent: "Mozilla/5.0")
  private static let missingInRoot = logged(404, "/apple-app-site-association", agent: "curl/8")
  private static let seen = logged(200, agent: "Mozilla/5.0")

  private static func logged(
    _ status: Int, _ path: String = path, host: String = "", client: String = "192.0.2.7",
    agent: String = "AASA-Bot/1.0.0"
  ) -> String {
    "\(host)\(client) - - [01/Mar/2026:10:00:00 +0000] \"GET \(path) HTTP/1.1\" \(status) 15 \"-\" \"\(agent)\"\n"
  }

  @Test(arguments: [
    (logged(403), "- - unusable-file"), (logged(301), "- - redirect-refused"),
    (logged(200), "- - cdn-has-file"), (logged(304), "- - cdn-has-file"),
    (logged(404, host: "a.example:443 "), "a.example - unusable-file"),
    // The last answer counts, and that to the address that devices ask for first.
    (logged(404) + logged(200), "- - cdn-has-file"),
    (logged(404, "/apple-app-site-association") + logged(200), "- - cdn-has-file"),
    (logged(404, "/apple-app-site-association"), "- - unusable-file"),
    // What fails comes before what does not.
    (
      logged(404, host: "a.example ") + logged(200, host: "b.example "), "a.example - unusable-file"
    ),
    (
      logged(200) + logged(403, "/.well-known/assetlinks.json", agent: "GoogleAssociationService"),
      "- - unusable-file"
    ),
    // The name of a client is none of a site.
    (logged(404, client: "crawler.example"), "- - unusable-file"),
    (
      logged(403, "/.well-known/assetlinks.json", agent: "GoogleAssociationService"),
      "- - unusable-file"
    ),
    (logged(403, agent: "swcd (unknown version) CFNetwork/1240.0.4"), "- - unusable-file"),
    // What is not there is there for nobody.
    (logged(404, agent: "-"), "- - unusable-file"),
    (logged(502, agent: "curl/8.5.0"), "- - unusable-file"),
    (logged(404, agent: "curl/8.5.0") + logged(200), "- - cdn-has-file"),
    ("\(logged(200))\(missing)", "- - cdn-has-file"),
  ])
  func theLogOfAServerSaysWhatAppleOrGoogleGot(log: String, row: String) {
    #expect(DeviceOutput.explained(log) == ["cdn-headers \(row)"])
    let text = DeviceVerdict(DeviceOutput(Array(log.utf8)).rows[0], of: .cdnHeaders).message
    #expect(!text.contains("\"\""), "\(text)")
  }

  @Test(arguments: [
    // Others may be refused, or redirected to HTTPS.
    logged(403, agent: "curl/8.5.0"), logged(301, agent: "curl/8.5.0"),
    logged(200, agent: "curl/8.5.0"), logged(404, "/favicon.ico"),
    logged(200, "/.well-known/assetlinks.json", agent: "GoogleAssociationService"),
    // Mended since, or only missing where devices ask last.
    "\(missing)\(seen)", "\(seen)\(missingInRoot)",
    "AASA-Bot/1.0.0 asks for the file", "GET \(path) 404 AASA-Bot/1.0.0",
  ])
  func aLineThatTellsNothingOfTheFileIsNotExplained(log: String) {
    #expect(DeviceOutput(Array(log.utf8)).kind == .unknown)
  }

  @Test func whatAppleGotCountsMoreThanWhatOthersGotLater() {
    let log = Self.logged(403) + Self.logged(404, agent: "x")
    #expect(DeviceOutput(Array(log.utf8)).rows.map(\.error) == ["403"])
  }

  @Test func theVerdictOnALogNamesTheFile() {
    let log =
      Self.logged(200)
      + Self.logged(404, "/.well-known/assetlinks.json", agent: "GoogleAssociationService")
    let text = DeviceVerdict(DeviceOutput(Array(log.utf8)).rows[0], of: .cdnHeaders).message
    #expect(text.contains("404 for `assetlinks.json`"), "\(text)")
  }

  /// The same refusal of Apple's bot at a.example, as other servers log it.
  @Test(arguments: [
    "{\"server\": \"b.example\", \"host\": \"a.example\", \"request\": \"GET \(path) HTTP/2.0\", \"status\": \"403\", "
      + "\"ua\": \"AASA-Bot/1.0.0\", \"http_referer\": \"https://c.example/apple-app-site-association\"}\n{\"a\": 1}\n",
    "{\"request\": {\"method\": \"GET\", \"host\": \"a.example\", \"uri\": \"\(path)\", \"headers\": "
      + "{\"User-Agent\": [\"AASA-Bot/1.0.0\"]}}, \"status\": 403}\n",
    "{\"DownstreamStatus\": 403, \"OriginStatus\": 200, \"RequestHost\": \"a.example\", \"RequestPath\": \"\(path)\", "
      + "\"request_User-Agent\": \"AASA-Bot/1.0.0\"}\n",
    "[\n  {\n    \"httpRequest\": {\n      \"requestUrl\": \"https://a.example\(path)\",\n      \"status\": 403,\n"
      + "      \"userAgent\": \"AASA-Bot/1.0.0\"\n    }\n  }\n]\n",
    "{\"url.path\": \"\(path)\", \"http.response.status_code\": 403, \"http.request.host\": \"a.example\", "
      + "\"user_agent.original\": \"AASA-Bot/1.0.0\"}\n",
    "web-1  | {\"host\": \"a.example\", \"uri\": \"\(path)\", \"status\": 403, \"ua\": \"AASA-Bot/1.0.0\"}\n",
    "#Fields: date cs-host cs-method cs-uri-stem cs(User-Agent) sc-status\n"
      + "2026-03-01 a.example GET \(path) AASA-Bot/1.0.0 403\n",
    "#Fields: date\tcs(Host)\tcs-uri-stem\tsc-status\tcs(User-Agent)\tx-host-header\n"
      + "2026-03-01\tx1.cdn.example\t\(path)\t403\tAASA-Bot/1.0.0\ta.example\n",
    "https 2026-03-01T10:00:00Z lb/1 192.0.2.7:44 10.0.0.6:80 0.01 0.02 0.03 403 403 0 57 "
      + "\"GET https://a.example:443\(path) HTTP/1.1\" \"AASA-Bot/1.0.0\" TLSv1.3\n",
  ])
  func theLogOfAnyServerSaysWhatAppleGot(log: String) {
    #expect(DeviceOutput.explained(log) == ["cdn-headers a.example - unusable-file"], "\(log)")
    #expect(DeviceOutput(Array(log.utf8)).rows.first?.error == "403")
  }

  @Test func aLoggedRedirectSaysWhereItLeads() {
    let log =
      "{\"uri\": \"\(Self.path)\", \"agent\": \"AASA-Bot/1.0.0\", \"status\": 308, \"resp_headers\": "
      + "{\"Location\": [\"https://www.a.example/\"]}}\n"
    let row = DeviceOutput(Array(log.utf8)).rows.first
    #expect(row?.state == "redirected" && row?.error == "https://www.a.example/")
  }

  @Test func aPlaceOnEarthIsNoTargetOfARedirect() {
    let log =
      "{\"resource\": {\"labels\": {\"location\": \"us-central1\"}}, \"uri\": \"\(Self.path)\", "
      + "\"agent\": \"AASA-Bot/1.0.0\", \"status\": 301}\n"
    let row = DeviceOutput(Array(log.utf8)).rows.first
    #expect(row?.state == "redirected" && row?.error == nil, "\(row?.error ?? "")")
  }

  @Test func theHostAndTheStatusOfALogAreThoseOfTheRequest() {
    let log =
      "{\"kubernetes\": {\"host\": \"node-1.example\"}, \"status\": \"info\", \"http\": {\"status_code\": 403, "
      + "\"host\": \"a.example\", \"uri\": \"\(Self.path)\", \"agent\": \"AASA-Bot/1.0.0\"}}\n"
    #expect(DeviceOutput.explained(log) == ["cdn-headers a.example - unusable-file"])
    let alone = log.replacing("\"host\": \"a.example\", ", with: "")
    #expect(DeviceOutput.explained(alone) == ["cdn-headers - - unusable-file"])
    let beside = log.replacing("\"kubernetes\"", with: "\"collector\"")
    #expect(DeviceOutput.explained(beside) == ["cdn-headers a.example - unusable-file"])
  }

  @Test(arguments: ["timestamp", "ts"])
  func theLatestRequestOfALogCountsWhateverItsOrder(name: String) {
    func request(_ status: Int, at second: Int) -> JSON {
      [
        name: name == "ts"
          ? .number("1772359\(second).5") : .string("2026-03-01T10:00:\(second).5Z"),
        "uri": .string(Self.path), "agent": "AASA-Bot/1.0.0", "status": .number("\(status)"),
      ]
    }
    for requests in [
      [request(200, at: 12), request(404, at: 11)],
      [request(404, at: 11), request(200, at: 12)],
    ] as [[JSON]] {
      #expect(
        DeviceOutput.explained(JSON.array(requests).text) == ["cdn-headers - - cdn-has-file"])
    }
  }

  @Test(arguments: [
    logged(200) + logged(404).replacing(":10:00:00", with: ":09:00:00"),
    logged(404).replacing("01/Mar", with: "28/Feb") + logged(200),
    // The later one by the time zone.
    logged(200) + logged(404).replacing("10:00:00 +0000", with: "11:59:00 +0200"),
    "#Fields: date time cs-uri-stem cs(User-Agent) sc-status\n"
      + "2026-03-01 10:00:00 \(path) AASA-Bot/1.0.0 200\n2026-03-01 09:00:00 \(path) AASA-Bot/1.0.0 404\n",
  ])
  func theLatestLineOfALogCountsWhateverItsOrder(log: String) {
    #expect(DeviceOutput.explained(log) == ["cdn-headers - - cdn-has-file"], "\(log)")
  }

  @Test(arguments: [
    "{\"uri\": \"\(path)\", \"agent\": \"curl\", \"status\": 403}\n",
    "{\"uri\": \"\(path)\", \"agent\": \"AASA-Bot/1.0.0\"}\n",
    "{\"referer\": \"https://a.example\(path)\", \"agent\": \"AASA-Bot/1.0.0\", \"status\": 403}\n",
    "{\"uri\": \"\(path)\", \"agent\": \"AASA-Bot/1.0.0\", \"status\": 403\n",
    "#Fields: date cs-uri-stem sc-status\n2026-03-01 \(path) 403\n",
  ])
  func whatIsNoSuchRequestInALogIsNotExplained(log: String) {
    #expect(DeviceOutput(Array(log.utf8)).kind == .unknown, "\(log)")
  }

  // MARK: - No answer

  @Test(arguments: [
    ("curl: (6) Could not resolve host: a.example\n", "never-downloaded", "public DNS records"),
    (
      "$ curl -sI https://a.example\(path)\ncurl: (7) Failed to connect: No route to host\n",
      "never-downloaded",
      "firewalls"
    ),
    (
      "$ curl https://a.example\(path)\ncurl: (60) SSL certificate problem: certificate has expired\n",
      "certificate-refused", "certificate of a public authority"
    ),
    (
      "$ curl https://a.example\(path)\ncurl: (35) Recv failure: Connection reset by peer\n",
      "never-downloaded", "proxy or firewall"
    ),
    (
      "$ curl -f https://a.example\(path)\ncurl: (22) The requested URL returned error: 404\n",
      "unusable-file", "`/.well-known/"
    ),
    (
      "$ curl https://a.example\(path)\ncurl: (7) Failed to connect to proxy.corp.example port 3128 after 1 ms\n",
      "never-downloaded", "without that proxy"
    ),
    (
      "$ curl https://app-site-association.cdn-apple.com/a/v1/a.example\n"
        + "curl: (6) Could not resolve host: app-site-association.cdn-apple.com\n",
      "never-downloaded", "another network"
    ),
  ])
  func whatKeepsCurlFromTheSiteIsExplained(text: String, code: String, next: String) {
    #expect(DeviceOutput.explained(text) == ["cdn-headers a.example - \(code)"])
    let verdict = DeviceVerdict(DeviceOutput(Array(text.utf8)).rows[0], of: .cdnHeaders)
    #expect(verdict.nextStep.contains(next), "\(verdict.nextStep)")
  }

  @Test(arguments: [
    "$ curl -L https://a.example\(path)\ncurl: (47) Maximum (50) redirects followed\n",
    "$ curl https://a.example\(path)\ncurl: (23) Failure writing output to destination\n",
    "$ curl https://a.example\(path)\ncurl: (77) error setting certificate file: /etc/ca.pem\n",
    "$ curl https://a.example\(path)\ncurl: (58) could not load PEM client certificate\n",
    "curl: (22) The requested URL returned error: 404\n",
    "curl: (7) Failed to connect to proxy.corp.example port 3128 after 1 ms\n",
    "curl: (5) Could not resolve proxy: proxy.corp.example\n",
    "curl: (6) Could not resolve host: digitalassetlinks.googleapis.com\n",
    "$ curl https://b.example/releases\ncurl: (6) Could not resolve host: b.example\n",
  ])
  func whatElseCurlComplainsOfIsNoAnswerOfTheSite(text: String) {
    #expect(DeviceOutput(Array(text.utf8)).kind == .unknown, "\(text)")
  }

  @Test func appleCDNOutOfReachIsNotTheSites() {
    let text = "curl: (6) Could not resolve host: app-site-association.cdn-apple.com\n"
    let verdict = DeviceVerdict(DeviceOutput(Array(text.utf8)).rows[0], of: .cdnHeaders)
    #expect(verdict.actor == .user && verdict.message.contains("your network"), "\(verdict)")
  }

  @Test func anAddressThatIsNotThereLeadsToThePath() {
    let text = "$ curl -i https://a.example\(Self.path)\nHTTP/2 404\n"
    let verdict = DeviceVerdict(DeviceOutput(Array(text.utf8)).rows[0], of: .cdnHeaders)
    #expect(verdict.nextStep.contains(Self.path), "\(verdict.nextStep)")
  }
}
