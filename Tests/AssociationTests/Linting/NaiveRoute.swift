import Foundation
import Association

/// A route that is matched as the rules read, with recursion and by trying every value: too slow for
/// use, and independent of the engine.
struct NaiveRoute {
  enum Query {
    case any
    case whole(String)
    case items([(name: String, pattern: String)])
  }

  var path: String?
  var query = Query.any
  var fragment: String?
  var isExclusion = false
  var isCaseSensitive = true
  var isPercentEncoded = true
  var variables: [(name: String, values: [String])] = []

  /// The route as an element of `components`.
  var json: JSON {
    var object: JSON.Object = [:]
    object["/"] = path.map(JSON.string)
    switch query {
    case .any: break
    case .whole(let pattern): object["?"] = .string(pattern)
    case .items(let items):
      var inner: JSON.Object = [:]
      for item in items { inner[item.name] = .string(item.pattern) }
      object["?"] = .object(inner)
    }
    object["#"] = fragment.map(JSON.string)
    if isExclusion { object["exclude"] = true }
    if !isCaseSensitive { object["caseSensitive"] = false }
    if !isPercentEncoded { object["percentEncoded"] = false }
    return .object(object)
  }

  func matches(_ url: String) -> Bool {
    let afterHost = url.dropFirst("https://example.com".count)
    let beforeFragment = afterHost.prefix { $0 != "#" }
    let path = beforeFragment.prefix { $0 != "?" }
    return matches(
      path: String(path), query: String(beforeFragment.dropFirst(path.count + 1)),
      fragment: String(afterHost.dropFirst(beforeFragment.count + 1)))
  }

  func matches(path: String, query: String, fragment: String) -> Bool {
    matches(path: path) && matches(query: query) && matches(fragment: fragment)
  }

  func matches(path text: String) -> Bool {
    guard let path else { return true }
    var text = compared(text.isEmpty ? "/" : text)
    while text.count > 1, text.last == "/" { text.removeLast() }
    return expanded(path).contains { pattern in
      var pattern = pattern
      if pattern.first != "*" {
        while pattern.first == "/" { pattern.removeFirst() }
        pattern.insert("/", at: 0)
      }
      let covers = { (pattern: [Unicode.Scalar]) in
        Self.glob(Self.withoutTrailingSlashes(pattern)[...], text[...])
      }
      pattern = Self.withoutTrailingSlashes(pattern)
      let isParent = pattern.suffix(2) == ["/", "*"]
      return covers(pattern) || isParent && covers(pattern.dropLast(2))
    }
  }

  func matches(query text: String) -> Bool {
    switch query {
    case .any: return true
    case .whole(let pattern): return covers(pattern, compared(text))
    case .items(let items):
      var parts = text.split(separator: "&", omittingEmptySubsequences: false)
      if parts.last == "" { parts.removeLast() }
      let given = parts.map { item in
        let name = item.prefix { $0 != "=" }
        return (compared(String(name)), compared(String(item.dropFirst(name.count + 1))))
      }
      return items.allSatisfy { name, pattern in
        let values = given.filter { $0.0 == folded(Array(name.unicodeScalars)) }.map(\.1)
        return (values.isEmpty ? [[]] : values).allSatisfy { covers(pattern, $0) }
      }
    }
  }

  func matches(fragment text: String) -> Bool {
    fragment.map { covers($0, compared(text)) } ?? true
  }

  private func covers(_ pattern: String, _ text: [Unicode.Scalar]) -> Bool {
    expanded(pattern).contains { Self.glob($0[...], text[...]) }
  }

  /// The text decoded and folded as the route asks. Only ASCII is escaped in the tests.
  private func compared(_ text: String) -> [Unicode.Scalar] {
    var rest = Array(text.unicodeScalars)[...]
    var result: [Unicode.Scalar] = []
    while let scalar = rest.popFirst() {
      let digits = rest.prefix(2).map(String.init).joined()
      if !isPercentEncoded, scalar == "%", let byte = UInt8(digits, radix: 16), digits.count == 2 {
        result.append(Unicode.Scalar(byte))
        rest = rest.dropFirst(2)
      } else {
        result.append(scalar)
      }
    }
    return folded(result)
  }

  private func folded(_ text: [Unicode.Scalar]) -> [Unicode.Scalar] {
    isCaseSensitive ? text : text.map { $0.properties.lowercaseMapping.unicodeScalars.first ?? $0 }
  }

  /// The pattern with every choice of values, each run of stars as one.
  private func expanded(_ pattern: String) -> [[Unicode.Scalar]] {
    var patterns = [pattern]
    for variable in variables {
      let name = "$(\(variable.name))"
      while patterns.contains(where: { $0.contains(name) }) {
        patterns = patterns.flatMap { pattern in
          guard let range = pattern.range(of: name) else { return [pattern] }
          return variable.values.map { pattern.replacingCharacters(in: range, with: $0) }
        }
      }
    }
    return patterns.map { pattern in
      var result: [Unicode.Scalar] = []
      for scalar in folded(Array(pattern.unicodeScalars)) where scalar != "*" || result.last != "*"
      {
        result.append(scalar)
      }
      return result
    }
  }

  private static func withoutTrailingSlashes(_ pattern: [Unicode.Scalar]) -> [Unicode.Scalar] {
    var pattern = pattern
    while pattern.count > 1, pattern.last == "/" { pattern.removeLast() }
    return pattern
  }

  private static func glob(
    _ pattern: ArraySlice<Unicode.Scalar>, _ text: ArraySlice<Unicode.Scalar>
  ) -> Bool {
    guard let first = pattern.first else { return text.isEmpty }
    let rest = pattern.dropFirst()
    if first == "*" { return glob(rest, text) || !text.isEmpty && glob(pattern, text.dropFirst()) }
    guard let character = text.first, first == "?" || first == character else { return false }
    return glob(rest, text.dropFirst())
  }
}
