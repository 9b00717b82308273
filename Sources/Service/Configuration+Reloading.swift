extension Configuration {
  /// What another configuration changes.
  public struct Difference: Sendable {
    /// The names of settings that changed and count at once.
    public internal(set) var applied: [String] = []
    /// Those that count when the program is started again.
    public internal(set) var needingRestart: [String] = []
  }

  /// Takes from another configuration what can change while a service runs.
  public mutating func take(_ other: Configuration) -> Difference {
    var difference = Difference()
    for setting in Self.settings {
      let (old, new) = (setting.text(self), setting.text(other))
      if old == new { continue }
      if setting.isTaken(from: old, to: new) {
        setting.copy(from: other, to: &self)
        difference.applied.append(setting.name)
      } else {
        difference.needingRestart.append(setting.name)
      }
    }
    return difference
  }
}
