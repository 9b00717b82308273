public import JSONValue

extension Finding {
  /// The finding as the API and `--json` write it.
  public var json: JSON {
    [
      "code": .string(code.rawValue), "severity": .string(severity.rawValue),
      "pointer": .string(pointer.description), "message": .string(message), "help": .string(help),
    ]
  }
}

extension Linter.Report {
  /// Whether there is no error.
  public var isValid: Bool { !findings.contains { $0.severity == .error } }

  /// The report as the API and `--json` write it.
  ///
  /// - Parameter size: How many bytes the file has.
  public func json(size: Int) -> JSON {
    [
      "valid": .bool(isValid), "bytes": .integer(size), "findings": .array(findings.map(\.json)),
    ]
  }
}
