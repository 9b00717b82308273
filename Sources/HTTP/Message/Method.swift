/// A request method (RFC 9110 section 9), compared with case.
public struct Method: Sendable, Hashable, CustomStringConvertible {
  /// The method as the client wrote it.
  public let name: String

  /// A method of any name.
  public init(_ name: String) { self.name = name }

  /// `GET`
  public static let get = Method("GET")
  /// `HEAD`
  public static let head = Method("HEAD")
  /// `POST`
  public static let post = Method("POST")
  /// `PUT`
  public static let put = Method("PUT")
  /// `PATCH`
  public static let patch = Method("PATCH")
  /// `DELETE`
  public static let delete = Method("DELETE")
  /// `OPTIONS`
  public static let options = Method("OPTIONS")

  /// The method's name.
  public var description: String { name }

  /// By bytes: `String` compares by canonical equivalence.
  public static func == (left: Method, right: Method) -> Bool {
    left.name.utf8.elementsEqual(right.name.utf8)
  }

  /// By bytes, as `==`.
  public func hash(into hasher: inout Hasher) {
    for byte in name.utf8 { hasher.combine(byte) }
  }
}
