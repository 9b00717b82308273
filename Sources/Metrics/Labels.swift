/// The labels of a sample, in their order. Values come from small closed sets: each combination is a
/// time series that Prometheus keeps.
public struct Labels: Sendable, Hashable, ExpressibleByDictionaryLiteral {
  struct Label: Sendable, Hashable {
    let name: String
    let value: String
  }

  private(set) var all: [Label]

  /// No labels.
  public static let none: Labels = [:]

  /// Names, in the characters that Prometheus allows, with their values, which may be any text.
  public init(dictionaryLiteral elements: (String, String)...) {
    all = elements.map { Label(name: $0, value: $1) }
  }

  /// These labels and one more at the end.
  func with(_ name: String, _ value: String) -> Labels {
    var labels = self
    labels.all.append(Label(name: name, value: value))
    return labels
  }

  /// `{name="value",…}`, or nothing where there are none. A backslash, a quotation mark and a line
  /// feed in a value are escaped.
  var text: String {
    if all.isEmpty { return "" }
    let labels = all.map { "\($0.name)=\"\($0.value.escaped(quotes: true))\"" }
    return "{" + labels.joined(separator: ",") + "}"
  }
}

extension String {
  /// With what the text format escapes: a backslash, a line feed, and a quotation mark where asked for.
  /// By scalars, since a carriage return with a line feed is one character.
  func escaped(quotes: Bool) -> String {
    var text = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      switch scalar {
      case "\\": text.append(contentsOf: #"\\"#.unicodeScalars)
      case "\n": text.append(contentsOf: #"\n"#.unicodeScalars)
      case "\"" where quotes: text.append(contentsOf: #"\""#.unicodeScalars)
      default: text.append(scalar)
      }
    }
    return String(text)
  }
}
