/// Numbers that look random and are the same in every run (SplitMix64).
package struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  /// Numbers that depend on the seed alone.
  package init(seed: UInt64) { state = seed }

  /// The next number.
  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Whether a one in `count` chance comes true.
  package mutating func once(in count: UInt64) -> Bool { next() % count == 0 }

  /// One of the elements.
  package mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int(next() % UInt64(elements.count))]
  }

  /// Some of the elements in a random order, at least `least`.
  package mutating func some<Element>(of elements: [Element], atLeast least: Int = 1) -> [Element] {
    let count = Int.random(in: least...max(least, elements.count), using: &self)
    return Array(elements.shuffled(using: &self).prefix(count))
  }
}
