import Glibc
import Association
import TestSupport
import Testing

/// Proxies that keep copies, and ask with a condition whether they are still good.
@Suite(ProxyKind.needs, SystemProgram.need("varnishd")) struct CachingTests {
  private let scratch: TemporaryDirectory
  private let server: RunningServer
  private let proxy: RunningProxy

  init() throws {
    scratch = try TemporaryDirectory()
    server = try ServedFile.server(database: scratch.path("aasa.db"))
    proxy = try RunningProxy(.nginx, before: [server], names: ServedFile.hosts) { directory in
      var change = ProxyChange()
      change.nginxDirectives = """
        keepalive_requests 100000;
        proxy_cache_path \(directory.path("cache")) keys_zone=files:1m;
        """
      let caching = """
        gzip off;
        proxy_cache files;
        proxy_cache_key $host$uri;
        proxy_cache_revalidate on;
        add_header X-Cache $upstream_cache_status always;
        """
      change.replaced = ("gzip off;", caching)
      return change
    }
  }

  /// Asks on a connection until nginx says that it did `cache`.
  private func answer(
    _ connection: RawConnection, _ cache: String, _ condition: String = ""
  ) throws -> RawResponse {
    var answer: RawResponse?
    _ = try becomesTrue {
      answer = try connection.exchange(
        "GET \(ServedFile.paths[0]) HTTP/1.1\r\nHost: large.example\r\n\(condition)\r\n")
      return answer?["X-Cache"] == cache
    }
    return try #require(answer)
  }

  /// Varnish asks with a condition, too, and keeps the connection.
  @Test func a304RenewsTheCopiesOfVarnish() throws {
    let port = FreePort.find()
    let configuration = try scratch.write(
      """
      vcl 4.1;
      backend default { .host = "127.0.0.1"; .port = "\(server.publicPort)"; }
      sub vcl_backend_response {
        set beresp.ttl = 1s;
        set beresp.grace = 0s;
        set beresp.keep = 1h;
        set beresp.http.X-Cache = "MISS";
        if (beresp.was_304) { set beresp.http.X-Cache = "REVALIDATED"; }
      }
      """, to: "varnish.vcl")
    let varnish = try ChildProcess(
      SystemProgram("varnishd").path ?? "varnishd",
      [
        "-F", "-n", scratch.path("varnish"), "-a", "127.0.0.1:\(port)", "-f", configuration,
        "-j", "none",
      ], environment: Program.environment([:]), output: scratch.path("out"),
      errors: scratch.path("err"))
    #expect(becomesTrue { FreePort.isListenedOn(port) })
    let expected = try ServedFile.direct(server, "GET", "large.example", ServedFile.paths[0])
    let connection = try RawConnection(port: port)
    for cache in ["MISS", "REVALIDATED", "REVALIDATED"] {
      let answer = try answer(connection, cache)
      #expect(answer.status == 200 && answer["X-Cache"] == cache)
      #expect(answer.body == expected.body, "\(cache)")
    }
    varnish.signal(SIGTERM)
    _ = try varnish.waitForEnd()
  }

  @Test func a304OfTheServerRenewsACopyAndDoesNotEmptyIt() throws {
    let cacheSeconds: JSON = ["cacheSeconds": 1]
    let change = try server.client().send("PATCH", "/v1/domains/large.example", json: cacheSeconds)
    #expect(change.status == 200)
    let expected = try ServedFile.direct(server, "GET", "large.example", ServedFile.paths[0])
    #expect(expected["Cache-Control"] == "public, max-age=1" && expected.body.count > 120_000)
    let connection = try RawConnection(port: proxy.httpPort)
    for cache in ["MISS", "HIT", "REVALIDATED", "HIT", "REVALIDATED", "HIT"] {
      let answer = try answer(connection, cache)
      #expect(answer.status == 200 && answer["X-Cache"] == cache)
      #expect(answer["Content-Length"] == "\(expected.body.count)")
      #expect(answer.body == expected.body, "\(cache)")
      #expect(answer["ETag"] == expected["ETag"])
    }
    let condition = "If-None-Match: \(expected["ETag"] ?? "")\r\n"
    for cache in ["REVALIDATED", "HIT"] {
      #expect(try answer(connection, cache, condition).status == 304)
      #expect(try answer(connection, "HIT").body == expected.body)
    }
  }
}
