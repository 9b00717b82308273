import TestSupport
import Testing

/// A program that stands in front of aasa, with its files of `Config`.
enum ProxyKind: String, CaseIterable, CustomTestStringConvertible {
  case nginx
  case caddy
  case haproxy
  case traefik

  var testDescription: String { rawValue }

  /// What a test of all of them needs.
  static var needs: ConditionTrait {
    SystemProgram.need("nginx", "caddy", "haproxy", "traefik", "curl", "openssl")
  }

  /// Fields that the proxy adds for itself.
  var addedFields: Set<String> { self == .nginx ? ["server"] : [] }

  /// Where in a directory of its own the certificate is that clients trust.
  var trustedCertificate: String {
    self == .caddy ? "caddy/pki/authorities/local/root.crt" : "certificate.pem"
  }

  /// The words behind the program's name.
  func arguments(configuration: String) -> [String] {
    switch self {
    case .nginx: ["-e", "stderr", "-c", configuration]
    case .caddy: ["run", "--adapter", "caddyfile", "--config", configuration]
    case .haproxy: ["-db", "-f", configuration]
    case .traefik: ["--configFile=\(configuration)"]
    }
  }

  /// The configuration for these ports.
  func configuration(_ setup: ProxySetup) throws -> String {
    switch self {
    case .nginx: try setup.nginx()
    case .caddy: try setup.caddy()
    case .haproxy: try setup.haproxy()
    case .traefik: try setup.traefik()
    }
  }
}

extension ProxyKind {
  /// What its own answers have where it does not know a path yet: Traefik listens before it has read its
  /// routes.
  var ownAnswer: String? { self == .traefik ? "404 page not found" : nil }
}

/// What a test wants otherwise than the files of `Config` say.
struct ProxyChange {
  /// Where the proxy is nginx: directives for all of it.
  var nginxDirectives = ""
  /// In the part that sends requests to aasa: a text, and what comes in its place.
  var replaced: (old: String, new: String)?
  /// Where the proxy is Caddy: the example for the dashboard instead, with what comes beside it.
  var dashboardAndMore: String?

  fileprivate func apply(to file: inout ConfigFile) throws {
    if let replaced { try file.replace(replaced.old, with: replaced.new) }
  }
}

/// What a test puts into a file of `Config`.
struct ProxySetup {
  let servers: [RunningServer]
  let httpPort: UInt16
  let httpsPort: UInt16
  let directory: TemporaryDirectory
  let certificate: Certificate
  let change: ProxyChange

  private func addresses(separator: String, _ line: (Int, RunningServer) -> String) -> String {
    servers.enumerated().map { line($0.offset + 1, $0.element) }.joined(separator: separator)
  }

  /// The files are for `http` of nginx's main file, which this is.
  fileprivate func nginx() throws -> String {
    var locations = try ConfigFile("nginx/aasa-locations.conf")
    try change.apply(to: &locations)
    let snippet = try directory.write(locations.text, to: "aasa-locations.conf")
    var site = try ConfigFile("nginx/aasa.conf")
    try site.dropLines(with: "[::]:")
    try site.replace("listen 80 ", with: "listen 127.0.0.1:\(httpPort) ")
    try site.replace("listen 443 ", with: "listen 127.0.0.1:\(httpsPort) ")
    try site.replace("/etc/nginx/snippets/aasa-locations.conf", with: snippet)
    try site.replace("/etc/ssl/certs/aasa.crt", with: certificate.certificate)
    try site.replace("/etc/ssl/private/aasa.key", with: certificate.key)
    try site.replace(
      "server 127.0.0.1:8080 max_fails=0;",
      with: addresses(separator: "\n") { "server 127.0.0.1:\($1.publicPort) max_fails=0;" })
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
      .map { "\($0)_temp_path \(directory.path($0));" }.joined(separator: "\n")
    return """
      daemon off;
      pid \(directory.path("nginx.pid"));
      worker_processes 2;
      events {}
      http {
      access_log off;
      \(temporary)
      \(change.nginxDirectives)
      \(site.text)
      }
      """
  }

  /// Certificates are those of Caddy's own authority, which needs no network.
  fileprivate func caddy() throws -> String {
    let options = """

      {
      \thttp_port \(httpPort)
      \thttps_port \(httpsPort)
      \tdefault_bind 127.0.0.1
      \tadmin off
      \tskip_install_trust

      """
    if let more = change.dashboardAndMore {
      var file = try ConfigFile("caddy/dashboard.Caddyfile")
      try change.apply(to: &file)
      try file.replace("dashboard.example.com {", with: "dashboard.example.com {\n\ttls internal")
      try file.replace("127.0.0.1:8081", with: "127.0.0.1:\(servers[0].adminPort)")
      return "\(options)}\n\(file.text)\n\(more)"
    }
    var file = try ConfigFile("caddy/Caddyfile")
    try file.replace("\n{\n", with: options)
    try change.apply(to: &file)
    try file.replace("\ttls {\n", with: "\ttls internal {\n")
    try file.replace(
      "127.0.0.1:8080", with: addresses(separator: " ") { "127.0.0.1:\($1.publicPort)" })
    try file.replace("127.0.0.1:8081", with: "127.0.0.1:\(servers[0].adminPort)")
    return file.text
  }

  fileprivate func haproxy() throws -> String {
    var file = try ConfigFile("haproxy/haproxy.cfg")
    try change.apply(to: &file)
    try file.replace("bind :::80 v4v6\n", with: "bind 127.0.0.1:\(httpPort)\n")
    try file.replace("bind :::443 v4v6 ", with: "bind 127.0.0.1:\(httpsPort) ")
    try file.replace("/etc/haproxy/certificates/", with: certificate.pair)
    try file.replace(
      "    server aasa1 127.0.0.1:8080 check port 8081 ",
      with: addresses(separator: " inter 1s fastinter 200ms fall 2 rise 1\n") {
        "    server aasa\($0) 127.0.0.1:\($1.publicPort) check port \($1.adminPort) "
      })
    return file.text
  }

  /// The file is for the file provider of the static configuration, which this is.
  fileprivate func traefik() throws -> String {
    var file = try ConfigFile("traefik/aasa.yaml")
    try change.apply(to: &file)
    try file.replace(
      "          - url: http://127.0.0.1:8080",
      with: addresses(separator: "\n") { "          - url: http://127.0.0.1:\($1.publicPort)" })
    try file.replace("/etc/traefik/certificates/example.com.crt", with: certificate.certificate)
    try file.replace("/etc/traefik/certificates/example.com.key", with: certificate.key)
    let routes = try directory.write(file.text, to: "aasa.yaml")
    return """
      global: {checkNewVersion: false, sendAnonymousUsage: false}
      entryPoints:
        web: {address: "127.0.0.1:\(httpPort)"}
        websecure: {address: "127.0.0.1:\(httpsPort)"}
      providers: {file: {filename: "\(routes)"}}
      """
  }
}
