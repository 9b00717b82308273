/// A text that equals only one with the same scalars. Swift's own `==` treats a composed and a decomposed letter as equal,
/// so an edit from one to the other would be no change.
@propertyWrapper
package struct ExactText<Value: ExactlyComparable>: Sendable, Equatable {
  package var wrappedValue: Value

  package init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

  package static func == (left: ExactText, right: ExactText) -> Bool {
    left.wrappedValue.isExactly(right.wrappedValue)
  }
}

/// A text, or perhaps one.
package protocol ExactlyComparable: Sendable {
  /// Whether both have the same scalars.
  func isExactly(_ other: Self) -> Bool
}

extension String: ExactlyComparable {
  package func isExactly(_ other: String) -> Bool { sameScalars(self, other) }
}

extension String?: ExactlyComparable {
  package func isExactly(_ other: String?) -> Bool {
    guard let self, let other else { return self == nil && other == nil }
    return sameScalars(self, other)
  }
}
