/// Numbers for byte strings, so that equal ones are told by a number.
final class Interning {
  private var numbers: [[UInt8]: Int] = [:]

  /// The number of these bytes.
  func number(of bytes: [UInt8]) -> Int {
    if let number = numbers[bytes] { return number }
    numbers[bytes] = numbers.count
    return numbers.count - 1
  }
}
