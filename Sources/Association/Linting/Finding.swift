public import JSONValue

/// One thing that is wrong, or may be, with an association file.
public struct Finding: Sendable, Equatable {
  /// How bad it is.
  public enum Severity: String, Sendable, CaseIterable, Comparable {
    /// Worth knowing; changes nothing on a device.
    case note
    /// Probably not what was meant. Does not stop publication.
    case warning
    /// Does not do on a device what it says. Stops publication unless the code is accepted.
    case error

    /// A note is less than a warning, a warning less than an error.
    public static func < (left: Severity, right: Severity) -> Bool {
      allCases.firstIndex(of: left) ?? 0 < allCases.firstIndex(of: right) ?? 0
    }
  }

  /// What kind of finding it is: a stable word such as `duplicate-key`.
  public let code: Code
  /// How bad it is here.
  public let severity: Severity
  /// Where in the file.
  public let pointer: JSONPointer
  /// What will happen on a device.
  public let message: String
  /// What to do about it.
  public let help: String

  /// A finding of this code at its usual severity, or at another one.
  public init(
    _ code: Code, severity: Severity? = nil, at pointer: JSONPointer, _ message: String,
    help: String
  ) {
    self.code = code
    self.severity = severity ?? code.severity
    self.pointer = pointer
    self.message = message
    self.help = help
  }
}
