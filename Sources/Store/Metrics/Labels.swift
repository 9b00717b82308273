/// The labels of a sample, in order. Take values from small closed sets: Prometheus keeps a time series
/// per combination.
package struct Labels: Sendable, Hashable, ExpressibleByDictionaryLiteral {
  struct Label: Sendable, Hashable {
    let name: String
    let value: String
  }

  private(set) var all: [Label]

  package static let none: Labels = [:]

  /// Names in the characters that Prometheus allows; values may be any text.
  package init(dictionaryLiteral elements: (String, String)...) {
    all = elements.map { Label(name: $0, value: $1) }
  }

  /// These labels and another one at the end.
  func with(_ name: String, _ value: String) -> Labels {
    var labels = self
    labels.all.append(Label(name: name, value: value))
    return labels
  }

  /// `{name="value",…}`, empty without labels.
  var text: String {
    if all.isEmpty { return "" }
    let labels = all.map { "\($0.name)=\"\($0.value.escaped(quotes: true))\"" }
    return "{" + labels.joined(separator: ",") + "}"
  }
}

extension String {
  /// Escapes backslashes, line feeds and, in label values, quotation marks. Works on scalars,
  /// because a carriage return with a line feed is one character.
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
