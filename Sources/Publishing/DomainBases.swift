import Association
import Store

/// Domains to edit, which are read some at a time in their order.
struct DomainBases {
  private let names: [DomainName]
  private let most: Int
  private var range = 0..<0
  private var bases: [DomainBasis] = []

  /// - Parameter isSparse: Whether only few of them are asked for.
  init(_ names: [DomainName], isSparse: Bool = false) {
    self.names = names
    most = isSparse ? 1 : 128
  }

  /// - Parameter read: Reads domains, in the order of their names.
  mutating func basis(
    at index: Int, read: ([DomainName]) throws -> [DomainBasis]
  ) throws -> DomainBasis {
    if !range.contains(index) {
      let next = index..<min(index + most, names.count)
      bases = try read(Array(names[next]))
      range = next
    }
    return bases[index - range.lowerBound]
  }
}
