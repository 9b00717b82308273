import Association
import Store

/// Domains to edit as they are stored, which are read some at a time in their order.
struct FormerDomains {
  private let names: [DomainName]
  private let most: Int
  private var range = 0..<0
  /// The number of those before the next one.
  private var done = 0
  private var domains: [FormerDomain] = []
  /// Those after them, if they have been read.
  private var next: Result<[FormerDomain], any Error>?

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
      // Not both in memory.
      domains = []
      let isNext = index == range.upperBound
      domains = try (isNext ? next : nil)?.get() ?? read(names(from: index))
      next = nil
      range = index..<index + domains.count
    }
    done = index + 1
    return domains[index - range.lowerBound]
  }

  /// The names of those to read next; none while as many are left of those that were read.
  func upcoming(left: Int) -> [DomainName] {
    if most == 1 || next != nil || range.upperBound - done >= left { return [] }
    return names(from: range.upperBound)
  }

  /// Takes what reading `upcoming` gave.
  mutating func take(_ read: Result<[FormerDomain], any Error>) { next = read }

  private func names(from index: Int) -> [DomainName] { Array(names[index...].prefix(most)) }
}
