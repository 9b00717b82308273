/// The version of this program.
public enum Release {
  /// As in CHANGELOG.md.
  public static let version = "unreleased"
}
