import Association
import Store

/// Domains to edit, which are read some at a time in their order.
struct FormerDomains {
  private let names: [DomainName]
  private let most: Int
  private var range = 0..<0
  private var domains: [FormerDomain] = []

  /// - Parameter isSparse: Whether only few of them are asked for.
  init(_ names: [DomainName], isSparse: Bool = false) {
    self.names = names
    most = isSparse ? 1 : 128
  }

  /// - Parameter read: Reads the first of some domains, in the order of their names.
  mutating func domain(
    at index: Int, read: ([DomainName]) throws -> [FormerDomain]
  ) throws -> FormerDomain {
    if !range.contains(index) {
      // Never two batches in memory.
      domains = []
      domains = try read(Array(names[index...].prefix(most)))
      range = index..<index + domains.count
    }
    return domains[index - range.lowerBound]
  }
}
