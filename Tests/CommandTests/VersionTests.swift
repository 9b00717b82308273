import Foundation
import Association
import TestSupport
import Testing

/// The version in the file `VERSION` is the one that people see everywhere.
@Suite struct VersionTests {
  private static let package = URL(filePath: #filePath).appending(path: "../../..").standardized
  private let version: String

  init() throws {
    version = try Self.text("VERSION").trimmingCharacters(in: .newlines)
  }

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: package.appending(path: path), encoding: .utf8)
  }

  @Test func itIsSemantic() {
    #expect(version.wholeMatch(of: /[0-9]+\.[0-9]+\.[0-9]+(-[a-z]+(\.[0-9]+)?)?/) != nil)
  }

  @Test func theProgramAndItsManualPageAndItsAPIHaveIt() throws {
    #expect(try Program.aasa("--version").output == "aasa \(version)\n")
    let page = try Program.aasa("reference", "man").output.replacing("\\-", with: "-")
    #expect(page.split(separator: "\n")[0].contains("\"aasa \(version)\""))
    let scratch = try TemporaryDirectory()
    let server = try RunningServer(database: scratch.path("aasa.db"))
    let description = try Client(port: server.adminPort, lines: ["Host: x"])
      .send("GET", "/openapi.json").json
    #expect(description["info"]?["version"]?.stringValue == version)
  }

  @Test(arguments: [
    "Config/docker/compose.yaml", "Config/docker/compose-postgresql.yaml",
    "Config/kubernetes/aasa.yaml", "Config/kubernetes/aasa-postgresql.yaml",
    "Config/kubernetes/pod.yaml",
  ])
  func theConfigurationOfContainersNamesIt(file: String) throws {
    let images = try Self.text(file).matches(of: /image: .*aasa:(.*)/)
    #expect(images.map { String($0.1) } == [version])
  }

  @Test(arguments: ["README.md", "docs/operations.md"])
  func theCommandThatInstallsThePackageNamesIt(page: String) throws {
    let packages = try Self.text(page).matches(of: /aasa_([^_ ]*)-1\+deb12_amd64\.deb/)
    let written = version.replacing("-", with: "~")
    #expect(!packages.isEmpty && packages.allSatisfy { String($0.1) == written })
  }

  @Test func theChangelogHasItsSection() throws {
    #expect(try Self.text("CHANGELOG.md").contains("\n## \(version)"))
  }

  @Test func theManualPageHasTheDateOfItsSources() throws {
    let page = try Program.run(
      Program.aasa, ["reference", "man"], environment: ["SOURCE_DATE_EPOCH": "86400"])
    #expect(page.output.hasPrefix(".TH AASA 1 \"1970-01-02\""))
  }
}
