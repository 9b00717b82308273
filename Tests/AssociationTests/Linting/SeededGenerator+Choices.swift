extension SeededGenerator {
  /// One of the choices.
  mutating func pick<Choice>(_ choices: [Choice]) -> Choice {
    choices[Int(next() % UInt64(choices.count))]
  }

  /// True once in so many times.
  mutating func once(in count: UInt64) -> Bool { next() % count == 0 }
}
