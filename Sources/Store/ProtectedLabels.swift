package import Association

extension Store {
  /// The labels that protect their domains, in order.
  package func protectedLabels() throws -> [Label] {
    try read { try ProtectedLabelRows.all($0).sorted() }
  }
}

extension Transaction {
  /// Protects the domains that have a label, now and later, or ends that.
  ///
  /// - Returns: Whether anything changed.
  package func protect(_ label: Label, _ isProtected: Bool = true) throws -> Bool {
    if try ProtectedLabelRows.all(connection).contains(label) == isProtected { return false }
    if isDryRun { return true }
    try connection.run(
      isProtected
        ? "INSERT INTO protected_label (label, created_at) VALUES (?, ?)"
        : "DELETE FROM protected_label WHERE label = ?",
      [.text(label.text)] + (isProtected ? [.integer(now)] : []))
    try AuditRows.add(
      "\(isProtected ? "protect" : "end protection of") label \(label)", nil, by: context, now: now,
      connection)
    return true
  }
}

enum ProtectedLabelRows {
  static func all(_ connection: any Connection) throws -> Set<Label> {
    Set(try connection.all("SELECT label FROM protected_label") { Label(stored: $0.text(0)) })
  }
}
