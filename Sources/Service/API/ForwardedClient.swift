import HTTP

extension ProxyTrust {
  /// The address of the client that sent a request, for the audit log: the nearest that is no trusted proxy,
  /// according to what the proxies say. It is the peer's address if they say nothing that can be understood, or if
  /// `Forwarded` and `X-Forwarded-For` differ: a proxy may pass on the one that it does not write.
  func client(of request: RequestHead) -> String {
    guard covers(request.peer) else { return request.peer }
    let chains = [Self.standardChain, Self.commonChain].map { $0(request.fields) }
      .filter { !$0.isEmpty }
    let clients = Set(chains.map { nearestClient(in: $0) })
    return clients.count == 1 ? clients.first.flatMap(\.self) ?? request.peer : request.peer
  }

  /// What shares of limits are counted by: the client's address, of IPv6 its network of 64 bits. It is nil for a
  /// trusted proxy that does not say whom it asks for, since that may be many clients.
  func sharer(of request: RequestHead) -> String? {
    guard let address = IPAddress(client(of: request)),
      !proxies.contains(where: { $0.contains(address) })
    else { return nil }
    return address.client.description
  }

  /// The last address that no trusted proxy has, since each proxy adds who asked it; nil if the last one that can be
  /// believed is none.
  private func nearestClient(in chain: [Substring]) -> String? {
    var client: String?
    for node in chain.reversed() {
      guard let address = Self.address(node) else { break }
      client = address.description
      if !proxies.contains(where: { $0.contains(address) }) { break }
    }
    return client
  }

  private static func commonChain(_ fields: Fields) -> [Substring] {
    fields.values(of: "X-Forwarded-For").flatMap { $0.split(separator: ",") }
  }

  /// The `for` of each element (RFC 7239 section 4); an empty text for an element without one.
  private static func standardChain(_ fields: Fields) -> [Substring] {
    fields.values(of: "Forwarded").flatMap { $0.split(separator: ",") }.map { element in
      let pair = element.split(separator: ";").map { $0.trimming { $0 == " " || $0 == "\t" } }
        .first { $0.lowercased().hasPrefix("for=") }
      return pair.map { Substring($0.dropFirst("for=".count)) } ?? ""
    }
  }

  /// The address of `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1` or `"[2001:db8::1]:80"`.
  private static func address(_ node: Substring) -> IPAddress? {
    let text = String(node.trimming { $0 == " " || $0 == "\t" || $0 == "\"" })
    if text.hasPrefix("[") {
      return text.firstIndex(of: "]").flatMap { IPAddress(String(text[..<$0].dropFirst())) }
    }
    if let address = IPAddress(text) { return address }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    return parts.count == 2 ? IPAddress(String(parts[0])) : nil
  }
}
