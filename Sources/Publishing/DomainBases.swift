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

  /// - Parameter read: Reads the first of some domains, in the order of their names.
  mutating func basis(
    at index: Int, read: ([DomainName]) throws -> [DomainBasis]
  ) throws -> DomainBasis {
    if !range.contains(index) {
      // Never two batches in memory.
      bases = []
      bases = try read(Array(names[index...].prefix(most)))
      range = index..<index + bases.count
    }
    return bases[index - range.lowerBound]
  }
}
