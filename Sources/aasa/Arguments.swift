/// The words behind a command: options with values, flags without, and operands.
struct Arguments {
  /// Wrong usage, as a sentence. The program ends with 64 (EX_USAGE in sysexits.h).
  struct Wrong: Error {
    let message: String
  }

  private(set) var values: [String: [String]] = [:]
  private(set) var operands: [String] = []

  /// Splits words. `--name value` and `--name=value` are the same; what follows `--` are operands.
  ///
  /// - Parameters:
  ///   - options: The options that have a value.
  ///   - flags: Those that have none. An option that is among both may have one: `--name=value`.
  init(_ words: some Sequence<String>, options: [String], flags: [String] = []) throws(Wrong) {
    var rest = Array(words)[...]
    while let word = rest.popFirst() {
      if word == "--" {
        operands += rest
        return
      }
      guard word.hasPrefix("-") && word != "-" else {
        operands.append(word)
        continue
      }
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts[0])
      if flags.contains(name) && parts.count == 1 {
        values[name, default: []].append("")
      } else if options.contains(name) {
        guard let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() else {
          throw Wrong(message: "\(name) needs a value.")
        }
        values[name, default: []].append(value)
      } else {
        let known = Set(options + flags).sorted().joined(separator: ", ")
        throw Wrong(message: "There is no option \(word) here. There are \(known).")
      }
    }
  }

  /// The value of an option; the last one where it is repeated.
  func value(_ name: String) -> String? { values[name]?.last }

  /// Whether a flag is there.
  func has(_ name: String) -> Bool { values[name] != nil }

  /// The value of an option that must be there.
  func required(_ name: String) throws(Wrong) -> String {
    guard let value = value(name) else { throw Wrong(message: "\(name) is missing.") }
    return value
  }
}
