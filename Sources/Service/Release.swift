/// What this program is called among its versions.
public enum Release {
  /// As CHANGELOG.md has it.
  public static let version = "unreleased"
}
