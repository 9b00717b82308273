import Association
import HTTP
import TestSupport
import Testing

/// People without the app get a redirect or a page, and machines never do.
@Suite struct FallbackTests {
  static let iPhone =
    "User-Agent: Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15"
  static let android = "User-Agent: Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36"
  static let desktop = "User-Agent: Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/140.0"
  private static let store = "https://apps.apple.com/de/app/example/id123456789"
  private static let play = "https://play.google.com/store/apps/details?id=com.example.app"

  private static func fallback(
    apple: String? = nil, android: String? = nil, page: FallbackPage? = nil
  ) throws -> Fallback {
    Fallback(
      web: try LinkTarget("https://www.example.com{path}{query}"),
      apple: try apple.map { try LinkTarget($0) }, android: try android.map { try LinkTarget($0) },
      page: page)
  }

  private static let page = FallbackPage(
    title: FallbackText([
      .init("en", "Get the app"), .init("de", "Hol dir die App"), .init("ar", "حمّل التطبيق"),
    ]),
    text: FallbackText([
      .init("en", "It's \"here\" & free"), .init("de", "Hier"), .init("ar", "هنا"),
    ]),
    button: FallbackText([.init("en", "Website"), .init("de", "Website"), .init("ar", "موقع")]))

  private func serving(
    _ fallback: Fallback?, routes: [Route] = [], daemons: Int = 1,
    log: (@Sendable (PublicAccess) -> Void)? = nil
  ) throws -> Serving {
    let serving = try Serving(
      daemons: daemons, settings: PublicSettings(accessLogInterval: log == nil ? 0 : 1), log: log)
    var domain = Domain(name: try DomainName("go.example.com"))
    domain.fallback = fallback
    domain.associationFile.entries = [
      Entry(apps: [AppIdentifier(stored: "ABCDE12345.com.example.app")], routes: routes)
    ]
    let served = try ServedFallback.text(of: domain).map { try ServedFallback(text: $0) }
    serving.hosts.update(
      adding: [
        ServedDocument(
          names: try ["go.example.com", "link.example.com", "*.go.example.com"].map {
            try Alias($0)
          },
          content: Content(Array("{}".utf8)),
          digest: try #require(DocumentDigest(hexadecimal: Serving.digest)),
          publishedAt: Serving.published, cacheSeconds: 60, domain: 7, revision: 1, fallback: served
        )
      ])
    return serving
  }

  private func ask(
    _ serving: Serving, _ target: String = "/a?b=c", method: String = "GET",
    host: String = "go.example.com", as agent: String = desktop, _ line: String = "X: y"
  ) throws -> RawResponse {
    try serving.answer(method, target, host: host, agent, line)
  }

  @Test func peopleAreSentWhereTheDomainSaysByTheirDevice() throws {
    let serving = try serving(try Self.fallback(apple: Self.store, android: Self.play))
    for (agent, location) in [
      (Self.iPhone, Self.store), (Self.android, Self.play),
      (Self.desktop, "https://www.example.com/a?b=c"), ("X-Y: z", "https://www.example.com/a?b=c"),
      ("User-Agent: Mozilla/5.0 (iPad; CPU OS 12_0 like Mac OS X)", Self.store),
      ("User-Agent: Mozilla/5.0 (iPod touch; CPU)", Self.store),
    ] {
      for method in ["GET", "HEAD"] {
        let answer = try ask(serving, method: method, as: agent)
        #expect(answer.status == 302)
        #expect(answer["Location"] == location)
        #expect(answer["Vary"] == "User-Agent")
        #expect(answer["Cache-Control"] == "private, no-cache")
        #expect(answer.body.count < 100 && answer.body.isEmpty == (method == "HEAD"))
      }
    }
    #expect(
      try ask(self.serving(try Self.fallback()), as: Self.iPhone)["Location"]
        == "https://www.example.com/a?b=c")
  }

  @Test(arguments: [
    "go.example.com", "link.example.com", "a.go.example.com", "LINK.example.com:8443",
  ])
  func aliasesAnswerLikeTheirDomain(host: String) throws {
    let answer = try ask(try serving(try Self.fallback()), host: host)
    #expect(answer["Location"] == "https://www.example.com/a?b=c")
  }

  @Test func everythingElseStaysNotFound() throws {
    let serving = try serving(try Self.fallback())
    #expect(Serving.code(try ask(serving, host: "example.com")) == "unknown-path")
    #expect(Serving.code(try ask(serving, host: "other.example")) == "unknown-path")
    #expect(Serving.code(try ask(serving, host: "192.0.2.1")) == "unknown-path")
    #expect(Serving.code(try ask(try self.serving(nil))) == "unknown-path")
    #expect(try ask(serving, Serving.path).status == 200)
  }

  @Test(arguments: [
    "/%2ewell-known/x", "/./.well-known/x", "/x/../.well-known/x", "/.well-known%2fx",
    "/.WELL-KNOWN%2Fx", "/.well-known", "/.well-known/", "/.well-known/x",
    "/.well-known/acme-challenge/y",
    "/.well-known/assetlinks.json/", "//.well-known/x", "/.Well-Known/security.txt",
    "/apple-app-site-association/", "/apple-app-site-association/x", "//apple-app-site-association",
    "/APPLE-APP-SITE-ASSOCIATION", "http://go.example.com/.well-known/x", "*", "go.example.com",
  ]) func whatMachinesAskForIsNeverRedirected(target: String) throws {
    for fallback in [try Self.fallback(), try Self.fallback(page: Self.page)] {
      let answer = try ask(try serving(fallback), target)
      #expect(answer.status == 404 && answer["Location"] == nil, "\(target): \(answer.statusLine)")
    }
  }

  @Test(arguments: [
    ("/", "/"), ("/.well-knownx", "/.well-knownx"),
    ("/apple-app-site-association.json", "/apple-app-site-association.json"),
    ("/a//b", "/a//b"), ("//evil.example/", "//evil.example/"), ("/\\evil", "/%5Cevil"),
    ("/..//evil.example", "/..//evil.example"), ("/@evil", "/@evil"), ("/%0d%0aX:y", "/%0d%0aX:y"),
    ("/%zz", "/%25zz"),
    ("/?", "/"), ("/?a=b&c=d=e+f;g", "/?a=b&c=d=e+f;g"), ("/?a&&=&b==", "/?a&&=&b=="),
    ("/?x?y", "/?x?y"),
    ("/?a[]=\"", "/?a%5B%5D=%22"), ("http://go.example.com/x?y=z", "/x?y=z"),
    ("http://go.example.com", "/"),
    ("/a#b", "/a%23b"),
  ]) func thePathAndTheQueryArriveAsTheyWereAsked(target: String, expected: String) throws {
    let answer = try ask(try serving(try Self.fallback()), target)
    #expect(answer["Location"] == "https://www.example.com" + expected)
  }

  @Test func aLinkOfAnyLengthIsAnsweredAndTheConnectionGoesOn() throws {
    let serving = try serving(try Self.fallback())
    for path in ["a", "\\", "%zz"] {
      for count in stride(from: 100, through: 5_000, by: 350) {
        let connection = try serving.connect()
        let target = "/" + String(repeating: path, count: count / path.utf8.count)
        try connection.send("GET \(target)?a=b&c HTTP/1.1\r\nHost: go.example.com\r\n\r\n")
        let answer = try connection.readResponse()
        #expect([302, 414, 431].contains(answer.status), "\(count) of \(path)")
        if answer.status == 302 {
          #expect(answer["Location"]?.hasSuffix("?a=b&c") == true)
          #expect(answer["Location"]?.hasPrefix("https://www.example.com/") == true)
        }
        if answer.status == 431 { continue }
        let next = try connection.exchange("GET /x HTTP/1.1\r\nHost: go.example.com\r\n\r\n")
        #expect(next["Location"] == "https://www.example.com/x")
      }
    }
    #expect(serving.listener.counts.requests(.targetTooLong, .other) > 0)
  }

  @Test func manyFieldsLeaveLessRoomAndEveryLinkIsStillAnswered() throws {
    let serving = try serving(try Self.fallback())
    for fields in stride(from: 0, through: 120, by: 20) {
      for count in stride(from: 100, through: 3_000, by: 290) {
        let connection = try serving.connect()
        let lines = (0..<fields).map { "x\($0): y\r\n" }.joined()
        let target = "/" + String(repeating: "\\", count: count)
        try connection.send("GET \(target) HTTP/1.1\r\nHost: go.example.com\r\n\(lines)\r\n")
        #expect([302, 414, 431].contains(try connection.readResponse().status))
      }
    }
  }

  @Test func onlyReadingIsAnswered() throws {
    let serving = try serving(try Self.fallback())
    let post = try ask(serving, method: "POST")
    #expect(post.status == 405 && post["Allow"] == "GET, HEAD" && post["Location"] == nil)
    #expect(try ask(serving, as: Self.desktop, "Content-Length: 5").status == 413)
  }

  // MARK: Routes

  @Test func aRouteWithItsOwnTargetWinsInTheOrderOfTheFile() throws {
    let target = { (path: String) in try LinkTarget("https://\(path).example.com{path}") }
    let serving = try serving(
      try Self.fallback(apple: Self.store, page: Self.page),
      routes: [
        Route(path: "/plain/*"),
        Route(path: "/sale/old/*", exclude: true, fallback: try target("old")),
        Route(path: "/sale/*", fallback: try target("sale")),
        Route(
          path: "/q", query: .items([Route.Query.Item(name: "v", value: "2*")]),
          fallback: try target("q")),
        Route(path: "/sale/never", fallback: try target("never")),
      ])
    for (path, host) in [
      ("/sale/a", "sale"), ("/sale/old/a", "old"), ("/sale/never", "sale"), ("/q?v=22", "q"),
    ] {
      let answer = try ask(serving, path, as: Self.iPhone)
      #expect(answer["Location"]?.hasPrefix("https://\(host).example.com/") == true, "\(path)")
    }
    for path in ["/plain/a", "/q?v=3", "/other"] {
      #expect(try ask(serving, path).status == 200, "\(path)")
    }
  }

  @Test func aRouteMayHaveATargetWhereTheDomainHasNone() throws {
    let serving = try serving(
      nil, routes: [Route(path: "/a", fallback: try LinkTarget("https://www.example.com/x"))])
    #expect(try ask(serving, "/a")["Location"] == "https://www.example.com/x")
    #expect(Serving.code(try ask(serving, "/b")) == "unknown-path")
  }

  @Test func aTargetThatIsTheSameForEverybodyIsSentToEverybody() throws {
    let serving = try serving(
      Fallback(
        web: try LinkTarget("https://WWW.example.com"), apple: try LinkTarget(Self.store),
        android: try LinkTarget("https://www.example.com{path}")))
    for path in ["/a", "/b?c=d"] {
      #expect(try ask(serving, path, as: Self.desktop)["Location"] == "https://www.example.com/")
      #expect(try ask(serving, path, as: Self.iPhone)["Location"] == Self.store)
      #expect(
        try ask(serving, path, as: Self.android)["Location"]
          == "https://www.example.com" + path.prefix { $0 != "?" })
    }
  }

  @Test func aLinkThatTakesTooLongToMatchGetsWhatTheDomainHas() throws {
    let slow = try (0..<100).map { index in
      Route(
        query: .items([Route.Query.Item(name: "x\(index)", value: "y")]),
        fallback: try LinkTarget("https://www.example.com/no"))
    }
    let last = Route(path: "/a*", fallback: try LinkTarget("https://last.example.com"))
    let serving = try serving(try Self.fallback(), routes: slow + [last])
    #expect(try ask(serving, "/a?b=c")["Location"] == "https://last.example.com/")
    let link = "/a?" + String(repeating: "b=c&", count: 750)
    #expect(try ask(serving, link)["Location"] == "https://www.example.com" + link)
  }

  // MARK: The page

  @Test func thePageHasEveryLinkAndNothingThatRuns() throws {
    let serving = try serving(
      try Self.fallback(apple: Self.store, android: Self.play, page: Self.page))
    let answer = try ask(serving, "/a,b?c=\"d\"&e='", as: Self.iPhone, "Accept-Language: en")
    #expect(answer.status == 200)
    #expect(answer["Content-Type"] == "text/html; charset=utf-8")
    #expect(answer["Vary"] == "Accept-Language" && answer["Cache-Control"] == "private, no-cache")
    let policy = try #require(answer["Content-Security-Policy"])
    #expect(
      policy.hasPrefix("default-src 'none'; style-src 'sha256-") && !policy.contains("unsafe"))
    let html = answer.text
    for part in [
      #"<html lang="en" dir="ltr">"#, "<h1>Get the app</h1>",
      "It&#39;s &quot;here&quot; &amp; free",
      #"<a class="button" href="https://www.example.com/a,b?c=%22d%22&amp;e=&#39;">Website</a>"#,
      #"<a href="\#(Self.store)">App Store</a>"#, #"<a href="\#(Self.play)">Google Play</a>"#,
      #"<meta name="apple-itunes-app" content="app-id=123456789, app-argument=https://go.example.com/a%2Cb?c=%22d%22&amp;e=&#39;">"#,
    ] {
      #expect(html.contains(part), "\(part) is not in \(html)")
    }
    #expect(!html.contains("<script") && !html.contains("javascript:"))
    #expect(try ask(serving, method: "HEAD").body.isEmpty)
  }

  @Test(arguments: [
    ("de-CH, en;q=0.1", #"lang="de" dir="ltr""#, "Hol dir die App"),
    ("ar", #"lang="ar" dir="rtl""#, "حمّل التطبيق"),
    ("fr", #"lang="en" dir="ltr""#, "Get the app"),
  ]) func thePageIsInThePersonsLanguage(accepted: String, root: String, title: String) throws {
    let serving = try serving(try Self.fallback(page: Self.page))
    let html = try ask(serving, "/", as: Self.desktop, "Accept-Language: \(accepted)").text
    #expect(html.contains("<html \(root)>") && html.contains("<title>\(title)</title>"), "\(html)")
    #expect(!html.contains("apple-itunes-app") && !html.contains("<ul>"))
  }

  @Test(arguments: [
    "\"><script>alert(1)</script>", "'-alert(1)-'", "</a><a/href=//evil>", "&quot;&#x22;",
  ])
  func aLinkCannotAddMarkup(query: String) throws {
    let serving = try serving(try Self.fallback(apple: Self.store, page: Self.page))
    let html = try ask(serving, "/?" + query).text
    #expect(html.count { $0 == "<" } == (try ask(serving, "/?a").text.count { $0 == "<" }))
    #expect(html.count { $0 == "\"" } == (try ask(serving, "/?a").text.count { $0 == "\"" }))
  }

  // MARK: Nobody is recorded

  @Test func answersAreCountedByKindAndDevice() throws {
    let serving = try serving(try Self.fallback())
    for agent in [Self.iPhone, Self.iPhone, Self.android, Self.desktop] {
      _ = try ask(serving, as: agent)
    }
    // A check of a domain is nobody.
    _ = try ask(serving, as: Self.iPhone, "X-Aasa-Check: 1")
    let counts = serving.listener.counts
    #expect(ServedFallback.Device.allCases.map { counts.fallbacks(.redirect, $0) } == [2, 1, 1])
    #expect(counts.fallbacks(.page, .apple) == 0 && counts.requests(.redirect, .other) == 5)
    #expect(counts.requests(for: .apple) == 0)
    let page = try self.serving(try Self.fallback(page: Self.page))
    _ = try ask(page, as: Self.android)
    #expect(page.listener.counts.fallbacks(.page, .android) == 1)
    #expect(page.listener.counts.requests(for: .apple) == 0)
  }

  @Test func theAccessLogHasNothingAboutPeople() throws {
    let lines = AccessLogTests.Lines()
    let serving = try serving(try Self.fallback(), log: { lines.add($0) })
    _ = try ask(serving, "/invitation/secret", as: Self.iPhone)
    _ = try ask(serving, "/invitation/" + String(repeating: "\\", count: 3_900))
    _ = try ask(serving, Serving.path, as: Self.iPhone)
    serving.listener.stop()
    #expect(lines.all.map(\.outcome) == [.redirect, .targetTooLong, .ok])
    for line in lines.all.dropLast() {
      #expect(line.path.isEmpty && line.userAgent.isEmpty && line.peer == nil)
    }
    #expect(lines.all.last?.path == Serving.path)
  }
}
