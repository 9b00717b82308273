/// Patterns, or a URL, that would take too much memory or time.
package struct TooComplex: Error, Sendable, Equatable, CustomStringConvertible {
  /// The route at which the limit was reached; the root if it is not a single route's.
  package let pointer: JSONPointer
  /// What is too large, with the limit.
  package let message: String
  package let help: String

  /// The route, if there is one, and the message.
  package var description: String { pointer == .root ? message : "\(pointer): \(message)" }

  /// The error as a finding, which keeps the document from being published.
  package var finding: Finding { Finding(.tooComplex, at: pointer, message, help: help) }
}

extension TooComplex {
  static func tooLong(_ url: Span<UInt8>) -> TooComplex {
    TooComplex(
      pointer: .root,
      message: "The URL has \(url.count) bytes; the limit is \(MatchingBudget.mostURLBytes).",
      help: "Try a shorter URL.")
  }

  /// The error for a URL that took too many steps.
  ///
  /// - Parameter pointer: The last route that was tried.
  static func tooSlow(_ url: Span<UInt8>, at pointer: JSONPointer) -> TooComplex {
    let start = String(decoding: (0..<min(url.count, 400)).map { url[$0] }, as: UTF8.self)
    return TooComplex(
      pointer: pointer, message: "Resolving the URL \(start.quoted) takes too many steps.",
      help: "Use fewer `*`, `?` and variables in one pattern, or a shorter URL.")
  }
}

/// The work that resolving URLs may still do, in steps: bytes compared and states visited. A step
/// takes 1 to 10 nanoseconds.
///
/// The limits on patterns keep a document from taking much memory, but not every URL from taking
/// long: the work for one grows with its length times the length of the patterns. So it is counted.
package struct MatchingBudget: Sendable {
  package static let stepsPerURL = 20_000_000
  /// The longest URL, in bytes.
  package static let mostURLBytes = 16_384

  /// Negative once the budget was too small.
  var steps: Int
  /// What finding out which undocumented rules take part may still take. Without it, an explanation names none.
  var stepsForUndocumented = stepsPerURL
  /// What looking for the route that people meant may still take. Without it, an explanation names the closest one.
  var stepsForNearMisses = stepsPerURL / 4

  /// A budget for one URL, or for several together.
  package init(steps: Int = stepsPerURL) { self.steps = steps }

  /// Takes work into account that others did.
  package mutating func spend(_ steps: Int) { self.steps -= steps }
}

/// The limits on the routes of a document. All are far above what files in service need.
enum PatternLimits {
  static let routes = 20_000
  /// The characters of a pattern with all values of its variables.
  static let perPattern = 262_144
  /// The characters of all patterns with all values of their variables.
  static let perDocument = 33_554_432
  /// The characters of all patterns as they are written, those that routes inherit from `defaults`
  /// included.
  static let written = 1_048_576
}

extension AppLinks {
  /// Why nothing may be made of the patterns; `nil` if the document is within the limits.
  var complexity: TooComplex? {
    if isTooLarge {
      return TooComplex(
        pointer: .root,
        message:
          "The document is not read: it has more than \(ReadDocument.limits.values) values or "
          + "\(ReadDocument.longestText) bytes of text. Devices ignore what is over 128 KB.",
        help: "Merge routes with wildcards or variables, or move apps to other domains.")
    }
    if entries.reduce(0, { $0 + $1.routes.count }) > PatternLimits.routes {
      return TooComplex(
        pointer: Self.pointer,
        message: "The document has more than \(PatternLimits.routes) routes, the limit.",
        help: "Merge routes with wildcards or variables.")
    }
    var (size, written) = (0, 0)
    for route in entries.lazy.flatMap(\.routes) {
      for (name, pattern) in route.namedPatterns {
        size += pattern.size
        written += pattern.text.utf8.count + name.utf8.count + 1
        if pattern.size > PatternLimits.perPattern {
          return TooComplex(
            pointer: route.pointer,
            message: "With all values of its variables, the pattern \(pattern.text.quoted) has "
              + "\(pattern.size) characters; the limit is \(PatternLimits.perPattern).",
            help: "Use fewer variables in this pattern, or variables with fewer values.")
        }
        if size > PatternLimits.perDocument {
          return TooComplex(
            pointer: route.pointer,
            message: "With all values of their variables, the patterns up to this route have more "
              + "than \(PatternLimits.perDocument) characters, the limit for a document.",
            help: "Use variables with many values in fewer routes.")
        }
        if written > PatternLimits.written {
          return TooComplex(
            pointer: route.pointer,
            message: "With those from `defaults`, the patterns up to this route have more than "
              + "\(PatternLimits.written) characters, the limit for a document.",
            help: "Move long patterns from `defaults` to the routes that need them.")
        }
      }
    }
    return nil
  }
}
