import FoundationEssentials
import Glibc

/// How text looks on stdout: with colours on a terminal, without them elsewhere and where `NO_COLOR`
/// is set (no-color.org).
struct Style {
  /// The codes of ECMA-48 (SGR).
  enum Colour: String {
    case red = "31"
    case green = "32"
    case yellow = "33"
    case faint = "2"
  }

  private let isColoured: Bool

  /// The style for stdout as it is.
  init() {
    let environment = ProcessInfo.processInfo.environment
    isColoured =
      Terminal.isTerminal(STDOUT_FILENO) && (environment["NO_COLOR"] ?? "").isEmpty
      && environment["TERM"] != "dumb"
  }

  /// The text in a colour. What it holds cannot steer the terminal.
  func paint(_ text: String, _ colour: Colour?) -> String {
    let text = Self.harmless(text)
    guard isColoured, let colour else { return text }
    return "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m"
  }

  /// The text with a replacement for each control character.
  static func harmless(_ text: String) -> String {
    let isControl = { (scalar: Unicode.Scalar) in scalar.properties.generalCategory == .control }
    guard text.unicodeScalars.contains(where: isControl) else { return text }
    var harmless = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { harmless.append(isControl(scalar) ? "\u{FFFD}" : scalar) }
    return String(harmless)
  }
}
