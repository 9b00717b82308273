/// Numbers for byte strings, so that equal ones are told by a number.
final class Interning {
  private var numbers: [Bytes: Int] = [:]

  /// Hashed in one piece, which an array is not.
  private struct Bytes: Hashable {
    let bytes: [UInt8]

    func hash(into hasher: inout Hasher) {
      bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
  }

  /// The number of these bytes.
  func number(of bytes: [UInt8]) -> Int {
    let key = Bytes(bytes: bytes)
    if let number = numbers[key] { return number }
    numbers[key] = numbers.count
    return numbers.count - 1
  }
}
