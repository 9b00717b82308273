import FoundationEssentials
import TestSupport

/// A proxy in front of servers, on ports that were free. It is killed when nobody refers to it.
final class RunningProxy: Sendable {
  let kind: ProxyKind
  let httpPort: UInt16
  let httpsPort: UInt16
  /// Where it keeps its files.
  let directory: TemporaryDirectory
  private let process: ChildProcess

  /// Starts it, and returns when it listens.
  init(
    _ kind: ProxyKind, before servers: [RunningServer], names: [String] = [],
    change: (TemporaryDirectory) -> ProxyChange = { _ in ProxyChange() }
  ) throws {
    self.kind = kind
    var errors = ""
    // Another test may take a port meanwhile.
    for _ in 1...3 {
      let directory = try TemporaryDirectory()
      let certificate = try Certificate(names: names + ["aasa.example"], in: directory)
      let setup = ProxySetup(
        servers: servers, httpPort: FreePort.find(), httpsPort: FreePort.find(),
        directory: directory, certificate: certificate, change: change(directory))
      let process = try Self.start(kind, setup)
      if Self.listens(process, setup) && Self.knowsItsRoutes(kind, setup) {
        (httpPort, httpsPort) = (setup.httpPort, setup.httpsPort)
        (self.directory, self.process) = (directory, process)
        return
      }
      errors = try directory.text("err") + directory.text("out")
    }
    throw ProxyFailure(errors: errors)
  }

  private static func start(_ kind: ProxyKind, _ setup: ProxySetup) throws -> ChildProcess {
    let directory = setup.directory
    // Traefik wants the extension.
    let file = try directory.write(kind.configuration(setup), to: "configuration.yaml")
    let home = directory.url.path
    return try ChildProcess(
      SystemProgram(kind.rawValue).path ?? kind.rawValue, kind.arguments(configuration: file),
      environment: Program.environment([
        "HOME": home, "XDG_DATA_HOME": home, "XDG_CONFIG_HOME": home,
      ]),
      output: directory.path("out"), errors: directory.path("err"))
  }

  private static func listens(_ process: ChildProcess, _ setup: ProxySetup) -> Bool {
    var open: Set<UInt16> = []
    _ = becomesTrue {
      for port in [setup.httpPort, setup.httpsPort] where FreePort.isListenedOn(port) {
        open.insert(port)
      }
      return open.count == 2 || process.ending != nil
    }
    return open.count == 2 && process.ending == nil
  }

  private static func knowsItsRoutes(_ kind: ProxyKind, _ setup: ProxySetup) -> Bool {
    guard let ownAnswer = kind.ownAnswer else { return true }
    let request = "GET \(ServedFile.paths[0]) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    return becomesTrue {
      let answer = try? RawConnection(port: setup.httpPort).exchange(request)
      return answer.map { !$0.text.contains(ownAnswer) } ?? false
    }
  }

  /// The file with the certificate that clients trust.
  var trustedCertificate: String { directory.path(kind.trustedCertificate) }

  /// A client that verifies certificates.
  var client: ProxyClient { ProxyClient(proxy: self) }

  /// What it has written about itself.
  func log() throws -> String { try directory.text("err") + directory.text("out") }
}
