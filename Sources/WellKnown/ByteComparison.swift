import Glibc

extension UnsafeRawBufferPointer {
  /// Whether both have the same bytes.
  func equals(_ other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count else { return false }
    guard let start = baseAddress, let otherStart = other.baseAddress else { return count == 0 }
    return memcmp(start, otherStart, count) == 0
  }

  /// Whether the first bytes are those of a text.
  func begins(with text: StaticString) -> Bool {
    count >= text.utf8CodeUnitCount
      && UnsafeRawBufferPointer(rebasing: prefix(text.utf8CodeUnitCount)).equals(text)
  }

  /// Whether these are the bytes of a text.
  func equals(_ text: StaticString) -> Bool {
    equals(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }
}
