/// What a token may do: each role may do all that the one before it may.
public enum Role: String, Sendable, CaseIterable, Comparable {
  /// Read.
  case viewer
  /// Change domains and apps.
  case editor
  /// Everything, tokens among it.
  case admin

  /// A viewer is less than an editor, an editor less than an admin.
  public static func < (left: Role, right: Role) -> Bool {
    (allCases.firstIndex(of: left) ?? 0) < (allCases.firstIndex(of: right) ?? 0)
  }
}
