/// How much work a question may still cost, in steps of some ten nanoseconds.
///
/// Some questions about patterns have no fast answer. They are given up when the effort is spent, so
/// that no file makes the linter slow.
final class Effort {
  /// What is left of it; questions are given up below 1.
  var remaining = 0

  var isSpent: Bool { remaining <= 0 }

  func spend(_ steps: Int) { remaining -= steps }
}
