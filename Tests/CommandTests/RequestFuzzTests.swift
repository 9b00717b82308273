import FoundationEssentials
import TestSupport
import Testing

/// Mutated requests against both listeners; `make fuzz-http` sends a million.
@Suite(SystemProgram.need("python3")) struct RequestFuzzTests {
  @Test func mutatedRequestsAreAnsweredOrRefusedAndLeaveNothingBehind() throws {
    let scratch = try TemporaryDirectory()
    let file = try scratch.write(#"{"applinks":{"details":[]}}"#, to: "file")
    let database = scratch.path("aasa.db")
    let imported = try Program.aasa(
      "import", "--database", database, "--domain", "example.com", file)
    try #require(imported.status == 0, "\(imported.errors)")
    let server = try RunningServer(database: database)
    let settings = ProcessInfo.processInfo.environment
    let script =
      #filePath.split(separator: "/").dropLast(2).map { "/\($0)" }.joined() + "/Requests/fuzz.py"
    let result = try Program.run(
      "/usr/bin/env",
      [
        "python3", "-B", script, "--public", "\(server.publicPort)", "--admin",
        "\(server.adminPort)", "--process", "\(server.process.id)", "--token",
        try server.firstToken(), "--requests", settings["FUZZ_REQUESTS"] ?? "20000", "--seed",
        settings["FUZZ_SEED"] ?? "1",
      ], seconds: 7200)
    print(result.output)
    #expect(result.status == 0, "\(result.errors)")
  }
}
