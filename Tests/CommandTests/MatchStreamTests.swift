import Association
import TestSupport
import Testing

/// `aasa match -`: URLs from stdin, such as those of an access log.
@Suite struct MatchStreamTests {
  private let scratch: TemporaryDirectory
  private let file: String
  private let app = AssociationFile.app

  init() throws {
    scratch = try TemporaryDirectory()
    file = try scratch.write(AssociationFile.routes(["/a/*"]).serialized(), to: "file.json")
  }

  private func match(_ input: [UInt8]) throws -> Program.Result {
    try Program.aasa("match", "--file", file, "-", input: input)
  }

  private func start(output: String) throws -> ChildProcess {
    try ChildProcess(
      Program.aasa, ["match", "--file", file, "-"], environment: Program.environment(),
      input: .pipe, output: output, errors: scratch.path("err"))
  }

  @Test func lineEndsOfWindowsAndEmptyLinesDoNotCount() throws {
    let result = try match(Array("\r\n\nhttps://a.example/a/1\r\n\n\r\nhttps://a.example/a/2".utf8))
    #expect(result.status == 0)
    #expect(
      result.output
        == "match\t\(app)\thttps://a.example/a/1\nmatch\t\(app)\thttps://a.example/a/2\n")
  }

  @Test func nothingOnStdinIsFine() throws {
    let result = try match([])
    #expect(result.status == 0)
    #expect(result.output.isEmpty)
  }

  @Test func bytesThatAreNoTextAreAURLThatOpensNothing() throws {
    let lines: [[UInt8]] = [[0xFF, 0xFE], [0], [0xC3], Array("https://a.example/a/1".utf8)]
    let result = try match(Array(lines.joined(separator: [0x0A])))
    #expect(
      result.lines.map { $0.prefix { $0 != "\t" } } == [
        "no-match", "no-match", "no-match", "match",
      ])
    #expect(result.status == 1)
  }

  @Test(arguments: ["", "\nhttps://a.example/a/2\n"])
  func aLineThatIsTooLongIsSkipped(rest: String) throws {
    let line = [UInt8](repeating: UInt8(ascii: "a"), count: 3_000_000)
    let result = try match(Array("https://a.example/a/1\n".utf8) + line + Array(rest.utf8))
    #expect(result.status == 1)
    let urls = ["https://a.example/a/1"] + (rest.isEmpty ? [] : ["https://a.example/a/2"])
    #expect(result.output == urls.map { "match\t\(app)\t\($0)\n" }.joined())
    #expect(result.errors.contains("Skipped a line over 1048576 bytes"))
  }

  @Test func answersComeWhileStdinIsOpen() throws {
    let process = try start(output: scratch.path("out"))
    for number in 1...3 {
      try process.send(Array("https://a.example/a/\(number)\nhttps://a.exam".utf8))
      #expect(
        try becomesTrue {
          try scratch.text("out").hasSuffix("\thttps://a.example/a/\(number)\n")
        })
      try process.send(Array("ple/rest\n".utf8))
    }
    process.closeInput()
    #expect(try process.waitForEnd() == .exited(1))
    #expect(try scratch.text("out").split(separator: "\n").count == 6)
  }

  /// The memory that it needs is that of a few lines, not that of all.
  @Test func aMillionLinesTakeNoMoreMemoryThanAFew() throws {
    let process = try start(output: "/dev/null")
    let block = Array(
      (0..<1000).map { "https://a.example/a/article/\($0)?of=1000\n" }.joined().utf8)
    for _ in 0..<10 { try process.send(block) }
    let few = try peakMemory(of: process)
    for _ in 10..<1000 { try process.send(block) }
    let all = try peakMemory(of: process)
    process.closeInput()
    #expect(try process.waitForEnd(seconds: 60) == .exited(0))
    #expect(
      all < few + 8_000, "kilobytes after ten thousand lines: \(few), after a million: \(all)")
    #expect(all < 100_000)
  }

  /// The most memory that a process has had so far, in kilobytes (proc_pid_status(5)).
  private func peakMemory(of process: ChildProcess) throws -> Int {
    let status = try Program.run("cat", ["/proc/\(process.id)/status"]).output
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return try #require(line.flatMap { Int($0.filter(\.isNumber)) })
  }

  @Test func aReaderThatHasEnoughEndsIt() throws {
    let urls = try scratch.write(
      String(repeating: "https://a.example/a/1\n", count: 50_000), to: "urls")
    let result = try Program.run(
      "sh", ["-c", "\"$0\" match --file \"$1\" - < \"$2\" | head -n 1", Program.aasa, file, urls])
    #expect(result.output == "match\t\(app)\thttps://a.example/a/1\n")
    #expect(result.errors.isEmpty)
  }
}
