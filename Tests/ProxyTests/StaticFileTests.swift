import Foundation
import TestSupport
import Testing

/// What `aasa render` writes, served by nginx and copied by rclone with the files of `Config/static`.
@Suite struct StaticFileTests {
  private let scratch: TemporaryDirectory
  private let server: RunningServer
  private var site: String { scratch.path("site") }

  init() throws {
    scratch = try TemporaryDirectory()
    server = try ServedFile.server(database: scratch.path("aasa.db"))
    try render()
  }

  private func render() throws {
    let result = try Program.aasa("render", site, "--database", scratch.path("aasa.db"))
    try #require(result.status == 0, "\(result.errors)")
  }

  @Test(SystemProgram.need("nginx", "openssl")) func nginxAnswersAsTheServer() throws {
    let nginx = try StaticServer(scratch, site: site)
    let hosts = ServedFile.hosts + ["wild.example", ServedFile.unknownHost, "UNKNOWN.example"]
    for host in hosts {
      for path in ServedFile.paths + ServedFile.otherPaths + ["/", "/_headers", "/_wildcards.conf"]
      {
        let expected = try ServedFile.direct(server, "GET", host, path)
        let answer = try nginx.fetch(host, path)
        #expect(answer.status == expected.status, "\(host)\(path)")
        guard expected.status == 200 else { continue }
        #expect(answer.body == expected.body, "\(host)\(path)")
        for field in ["Content-Type", "Cache-Control", "X-Content-Type-Options", "Content-Length"] {
          #expect(answer[field] == expected[field], "\(field) of \(host)\(path)")
        }
      }
    }
    for host in ["..", ".aasa-render", "small.example/..", "_wildcards.conf"] {
      #expect(try [400, 404].contains(nginx.fetch(host, ServedFile.paths[0]).status), "\(host)")
    }
  }

  /// Debian 12's rclone has no `serve s3`, so the other side is a directory.
  @Test(SystemProgram.need("rclone")) func rcloneCopiesWhatIsServedAndDeletesWhatIsNot() throws {
    let copy = scratch.path("copy")
    func files(_ path: String) throws -> [String: Data] {
      var files: [String: Data] = [:]
      for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
        files[name] = FileManager.default.contents(atPath: "\(path)/\(name)")
      }
      return files
    }
    func upload() throws {
      let result = try Program.run(
        ConfigFile.path("static/upload"), [site, copy],
        environment: ["RCLONE_CONFIG": scratch.path("rclone.conf")])
      #expect(result.status == 0, "\(result.errors)")
      let served = try files(site).filter { name, _ in
        !name.hasPrefix(".aasa-render") && !name.hasPrefix("_") && !name.hasSuffix("/_headers")
      }
      #expect(try files(copy) == served)
    }
    try upload()
    #expect(try files(copy).count == 8 + 1)
    let path = "/v1/domains/small.example?accept=opens-nothing"
    #expect(try server.client().send("DELETE", path).status == 200)
    try render()
    try upload()
    #expect(try files(copy).keys.allSatisfy { !$0.hasPrefix("small.example") })
  }
}

/// nginx with `Config/static/nginx.conf` on a directory that `aasa render` wrote.
private final class StaticServer {
  private let process: ChildProcess
  private let port: UInt16

  init(_ scratch: TemporaryDirectory, site: String) throws {
    let certificate = try Certificate(names: ["aasa.example"], in: scratch)
    let (port, other) = (FreePort.find(), FreePort.find())
    self.port = port
    var file = try ConfigFile("static/nginx.conf")
    try file.dropLines(with: "[::]:")
    try file.replace("listen 80 ", with: "listen 127.0.0.1:\(port) ")
    try file.replace("listen 443 ", with: "listen 127.0.0.1:\(other) ")
    try file.replace("/srv/aasa", with: site)
    try file.replace("/etc/ssl/certs/aasa.crt", with: certificate.certificate)
    try file.replace("/etc/ssl/private/aasa.key", with: certificate.key)
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
      .map { "\($0)_temp_path \(scratch.path($0));" }.joined(separator: "\n")
    let configuration = try scratch.write(
      """
      daemon off;
      user \(NSUserName());
      pid \(scratch.path("nginx.pid"));
      events {}
      http {
      access_log off;
      \(temporary)
      \(file.text)
      }
      """, to: "nginx.conf")
    process = try ChildProcess(
      SystemProgram("nginx").path ?? "nginx", ["-e", "stderr", "-c", configuration],
      environment: Program.environment(), output: scratch.path("out"), errors: scratch.path("err"))
    guard becomesTrue({ FreePort.isListenedOn(port) || process.ending != nil }),
      process.ending == nil
    else { throw ProxyFailure(errors: try scratch.text("err")) }
  }

  func fetch(_ host: String, _ path: String) throws -> RawResponse {
    try Client(port: port, lines: ["Host: \(host)", "Connection: close"]).send("GET", path)
  }
}
