/// How a public request was answered.
public enum PublicOutcome: String, Sendable, CaseIterable {
  /// 200
  case ok
  /// 304
  case notModified = "not-modified"
  /// 404: no file is published for the host.
  case unknownHost = "unknown-host"
  /// 404: neither of the two paths.
  case unknownPath = "unknown-path"
  /// 405
  case methodNotAllowed = "method-not-allowed"
  /// 412
  case preconditionFailed = "precondition-failed"
  /// 400: the target, the host or the length of the body.
  case malformedRequest = "malformed-request"
  /// 431
  case headerTooLarge = "header-too-large"
  /// 413
  case bodyNotAllowed = "body-not-allowed"
  /// 503: there was no memory for the answer.
  case outOfMemory = "out-of-memory"

  /// The status of the answer.
  public var status: Int {
    switch self {
    case .ok: 200
    case .notModified: 304
    case .unknownHost, .unknownPath: 404
    case .methodNotAllowed: 405
    case .preconditionFailed: 412
    case .malformedRequest: 400
    case .headerTooLarge: 431
    case .bodyNotAllowed: 413
    case .outOfMemory: 503
    }
  }

  /// Its place among all outcomes, for tables of numbers.
  var index: Int {
    switch self {
    case .ok: 0
    case .notModified: 1
    case .unknownHost: 2
    case .unknownPath: 3
    case .methodNotAllowed: 4
    case .preconditionFailed: 5
    case .malformedRequest: 6
    case .headerTooLarge: 7
    case .bodyNotAllowed: 8
    case .outOfMemory: 9
    }
  }
}
