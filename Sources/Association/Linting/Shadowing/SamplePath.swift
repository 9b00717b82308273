/// A path that a route surely matches, with whatever query and fragment, if its only condition is a
/// pattern of plain text, stars and question marks: nearly all are of that kind, and need no automaton
/// to be told from others that begin otherwise.
struct SamplePath {
  /// With a slash at the start, and none at the end unless it is the only character.
  let text: String
  private let prefix: PathPrefix

  init?(_ route: AppLinks.Route) {
    guard route.isFreeBesidesPath, let path = Self.path(route.path?.pathTokens ?? [.anyRun]) else {
      return nil
    }
    text = String(decoding: path, as: UTF8.self)
    prefix = PathPrefix(whole: path)
  }

  /// Whether a route with this prefix may match the path.
  func mayMatch(_ other: PathPrefix) -> Bool { other.mayMeet(prefix) }

  /// The shortest path that the tokens match in every way to compare it; `nil` where they are not
  /// plain.
  private static func path(_ tokens: [Pattern.Token]) -> [UInt8]? {
    var path: [UInt8] = []
    for (index, token) in tokens.enumerated() {
      switch token {
      case .literal(let literal):
        for scalar in literal {
          guard scalar.isASCII, isPlain(UInt8(scalar.value)) else { return nil }
          path.append(UInt8(scalar.value))
        }
      case .anyOne: path.append(UInt8(ascii: "x"))
      // A star takes the slash that every path begins with, and a segment where it is all of one.
      case .anyRun where index == 0: path.append(UInt8(ascii: "/"))
      case .anyRun where path.last == UInt8(ascii: "/") && index + 1 < tokens.count:
        path.append(UInt8(ascii: "x"))
      case .anyRun: break
      case .one, .values, .nothing: return nil
      }
    }
    while path.count > 1, path.last == UInt8(ascii: "/") { path.removeLast() }
    return isNormal(path) ? path : nil
  }

  /// Slashes and what RFC 3986 section 2.3 calls unreserved, which is never escaped.
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "-")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "~"):
      true
    default: false
    }
  }

  /// Whether nobody takes the path for another: without empty segments, and none begins with a dot.
  private static func isNormal(_ path: [UInt8]) -> Bool {
    zip(path, path.dropFirst()).allSatisfy { first, second in
      first != UInt8(ascii: "/") || second != first && second != UInt8(ascii: ".")
    }
  }
}

extension AppLinks.Route {
  /// Whether the route matches whatever query and fragment.
  fileprivate var isFreeBesidesPath: Bool {
    let isQueryFree =
      switch query {
      case .any, .ignored: true
      case .whole(let pattern): pattern.isStar
      case .items: false
      }
    return isQueryFree && fragment?.isStar ?? true
  }
}
