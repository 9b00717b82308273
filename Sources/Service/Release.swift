/// What this program is called among its versions.
enum Release {
  /// As CHANGELOG.md has it.
  static let version = "unreleased"
}
