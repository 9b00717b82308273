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

  private static let lines: [(line: String, words: Set<String>)] = [
    ("aasa se", ["serve"]), ("aasa re", ["restore"]),
    ("aasa token ", ["create", "list", "revoke"]),
    ("aasa token create --ro", ["--role"]),
    ("aasa token create --role ", ["viewer", "editor", "admin"]),
    ("aasa serve --log-format ", ["text", "json"]), ("aasa serve --th", ["--threads"]),
    ("aasa diff --prune --acc", ["--accept"]), ("aasa completion z", ["zsh"]),
    ("aasa match --file serve --expl", ["--explain"]),
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
    let result = try Program.run("bash", ["-c", test, try script("bash"), line])
    #expect(result.errors.isEmpty)
    #expect(Set(result.lines) == words)
  }

  @Test func bashLeavesFilesToReadline() throws {
    let test =
      "source \"$0\"; COMP_WORDS=(aasa import ''); COMP_CWORD=2; _aasa; echo ${#COMPREPLY[@]}"
    #expect(try Program.run("bash", ["-c", test, try script("bash")]).output == "0\n")
  }

  @Test(SystemProgram.need("fish"), arguments: lines)
  func fishCompletes(line: String, words: Set<String>) throws {
    let result = try Program.run(
      "fish", ["--no-config", "-c", "source \(try script("fish")); complete -C '\(line)'"],
      environment: ["HOME": scratch.url.path])
    #expect(result.errors.isEmpty)
    #expect(Set(result.lines.map { String($0.prefix { $0 != "\t" }) }) == words)
  }

  /// The functions of zsh that take what the script offers only work on a terminal, so they print here.
  @Test(SystemProgram.need("zsh"), arguments: lines)
  func zshOffers(line: String, words: Set<String>) throws {
    let test = """
      compdef() { : }
      compadd() { print -rl -- "$@" }
      _describe() { print -rl -- "${(@)${(@P)2}%%:*}" }
      _arguments() { for spec; print -rl -- ${${${spec#\\*}%%\\[*}:#[0-9*]*} ${(s: :)${(M)spec%\\(*\\)}//[()]/} }
      source $1
      words=(${(s: :)2}); [[ $2 == *' ' ]] && words+=('')
      CURRENT=$#words
      _aasa
      """
    let result = try Program.run("zsh", ["-f", "-c", test, "zsh", try script("zsh"), line])
    #expect(result.errors.isEmpty && words.isSubset(of: result.lines), "\(result)")
  }
}
