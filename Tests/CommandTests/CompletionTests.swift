import FoundationEssentials
import TestSupport
import Testing

/// `aasa completion`, in the shells themselves.
@Suite struct CompletionTests {
  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  private func script(_ shell: String) throws -> String {
    let result = try Program.aasa("completion", shell)
    #expect(result.status == 0 && result.errors.isEmpty)
    return try scratch.write(result.bytes, to: "completion")
  }

  /// The scripts run the program that the line names.
  private static let environment = [
    "PATH": "\(Program.directory):\(ProcessInfo.processInfo.environment["PATH"] ?? "")"
  ]

  private static let lines: [(line: String, words: Set<String>)] = [
    ("aasa se", ["serve"]), ("aasa re", ["render", "restore", "replicas", "revisions"]),
    ("aasa token ", ["create", "list", "rotate", "revoke"]),
    ("aasa token create --ro", ["--role"]),
    ("aasa token create --role ", ["viewer", "editor", "admin"]),
    ("aasa serve --log-format ", ["text", "json"]), ("aasa serve --th", ["--threads"]),
    ("aasa serve --log-format=t", ["--log-format=text"]),
    ("aasa diff --prune --acc", ["--accept"]), ("aasa completion z", ["zsh"]),
    ("aasa match --file serve --expl", ["--explain"]),
    ("aasa help tok", ["token"]), ("aasa help token re", ["revoke"]),
  ]

  @Test(arguments: lines)
  func bashCompletes(line: String, words: Set<String>) throws {
    let test = """
      source "$0"
      COMP_WORDS=($1); [[ $1 == *' ' ]] && COMP_WORDS+=('')
      COMP_CWORD=$(( ${#COMP_WORDS[@]} - 1 ))
      _aasa
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    let result = try Program.run(
      "bash", ["-c", test, try script("bash"), line], environment: Self.environment)
    #expect(result.errors.isEmpty)
    #expect(Set(result.lines) == words)
  }

  /// Bash makes words of `=` and of what is next to it.
  @Test func bashCompletesTheValueBehindAnEqualsSign() throws {
    let result = try Program.aasa("complete", "--", "serve", "--log-format", "=", "t")
    #expect(result.output == "text\t--log-format\n")
  }

  @Test(arguments: [["import", ""], ["serve", "--database", ""], ["backup", "--force", "a"]])
  func pathsAreLeftToTheShell(words: [String]) throws {
    let result = try Program.run(Program.aasa, ["complete", "--"] + words)
    #expect(result.status == 1 && result.output.isEmpty && result.errors.isEmpty)
  }

  @Test(SystemProgram.need("fish"), arguments: lines)
  func fishCompletes(line: String, words: Set<String>) throws {
    let result = try Program.run(
      "fish", ["--no-config", "-c", "source \(try script("fish")); complete -C '\(line)'"],
      environment: Self.environment.merging(["HOME": scratch.url.path]) { $1 })
    #expect(result.errors.isEmpty)
    #expect(Set(result.lines.map { String($0.prefix { $0 != "\t" }) }) == words)
  }

  /// The functions of zsh that take what the script offers only work on a terminal, so they print here.
  @Test(SystemProgram.need("zsh"), arguments: lines + [("aasa import ", ["a file"])])
  func zshCompletes(line: String, words: Set<String>) throws {
    let test = """
      compdef() { : }
      _describe() { print -rl -- "${(@)${(@P)2}%%:*}" }
      _files() { print 'a file' }
      source $1
      words=(${(s: :)2}); [[ $2 == *' ' ]] && words+=('')
      CURRENT=$#words
      _aasa
      """
    let result = try Program.run(
      "zsh", ["-f", "-c", test, "zsh", try script("zsh"), line], environment: Self.environment)
    #expect(result.errors.isEmpty && Set(result.lines) == words, "\(result)")
  }
}
