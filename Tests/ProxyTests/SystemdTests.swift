import Foundation
import TestSupport
import Testing

/// The units of systemd, as far as they can be looked at where systemd does not run.
@Suite(SystemProgram.need("systemd-analyze")) struct SystemdTests {
  private let scratch: TemporaryDirectory
  private let units = ["aasa.service", "aasa-public.socket", "aasa-admin.socket"]

  /// The units name a program and a user that need not be there.
  init() throws {
    scratch = try TemporaryDirectory()
    for unit in units {
      var file = try ConfigFile("systemd/\(unit)")
      if unit == "aasa.service" {
        try file.replace("/usr/bin/aasa", with: Program.aasa)
        try file.replace("User=aasa", with: "User=daemon")
        try file.replace("Group=aasa", with: "Group=daemon")
      }
      try scratch.write(file.text, to: unit)
    }
  }

  private func analyze(_ arguments: String...) throws -> Program.Result {
    try Program.run("systemd-analyze", arguments)
  }

  @Test func systemdUnderstandsAllOfThem() throws {
    let result = try Program.run(
      "systemd-analyze", ["verify", "--man=no"] + units.map { scratch.path($0) })
    #expect(result.status == 0)
    #expect(result.errors == "")
  }

  @Test func theServiceIsExposedToLittle() throws {
    let service = scratch.path("aasa.service")
    let result = try analyze("security", "--offline=yes", "--threshold=20", service)
    #expect(result.status == 0, "\(result.output)")
  }
}
