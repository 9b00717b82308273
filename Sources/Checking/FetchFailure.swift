package import Association

extension Fetch.Failure {
  package var code: Finding.Code {
    switch self {
    case .url, .connection, .route, .header: .connectionFailed
    case .name, .timeout(.lookup): .dnsError
    case .privateAddress: .privateAddress
    case .timeout: .timeout
    case .tls: .tlsError
    }
  }

  /// What happened, as a part of a sentence that ends with a full stop.
  package var words: String {
    switch self {
    case .url(let words), .connection(let words), .route(let words), .name(let words): "\(words)."
    // Which one is nobody's business who cannot look it up.
    case .privateAddress: "the name has an address that is not public."
    case .timeout(let phase): "\(phase.words) in time."
    case .tls(let fault, let words): "\(fault.words ?? words)."
    case .header: "the header of the answer is larger than 64 KB."
    }
  }
}

extension Fetch.Phase {
  fileprivate var words: String {
    switch self {
    case .lookup: "the name was not resolved"
    case .proxy: "the proxy did not connect to the server"
    case .connection: "the server did not accept the connection"
    case .handshake:
      "the server accepted the connection, and did not finish the TLS handshake"
    case .answer: "the server accepted the connection, and did not answer"
    case .rest: "the server began to answer, and did not finish"
    }
  }

  fileprivate var help: String {
    switch self {
    case .lookup:
      "Check the name servers of the domain, and the DNS resolver of this machine: one of them does not answer."
    case .proxy: "Check checkProxy, and that the proxy may connect to the site on port 443."
    case .connection:
      "Check that the server is up, and that no firewall drops connections on port 443."
    case .handshake:
      "Something accepts connections on port 443 and does not finish TLS. Check the load balancer or proxy there: "
        + "its certificate, its targets, and whether it is overloaded."
    case .answer:
      "The connection works. Find out what holds the request back: a proxy whose upstream hangs, an overloaded "
        + "server, or a rule that slows bots down."
    case .rest:
      "The connection works. Find out what stops the answer on its way: a proxy that waits for the rest, a wrong "
        + "Content-Length, or a network that drops large packets."
    }
  }
}

extension Fetch.TLSFault {
  /// `nil` if only the library's words say it.
  fileprivate var words: String? {
    switch self {
    case .expired: "the certificate has expired"
    case .notYetValid: "the certificate is not valid yet"
    case .wrongName: "the certificate is for other names"
    case .incompleteChain: "the server does not send the intermediate certificate"
    case .privateRoot: "the certificate is from a private authority, or signs itself"
    case .other: nil
    }
  }
}

extension Fetch.Failure {
  /// What to do about it.
  var help: String {
    switch self {
    case .name: "Check the DNS records of the name."
    case .privateAddress:
      "Apple refuses such addresses. If the name is only seen so from here, set checkPlaces or allowPrivateAddresses."
    case .timeout(let phase): phase.help
    case .url: "Use an https URL whose host is a name."
    case .header: "Send fewer or shorter header fields: look at cookies and at what proxies add."
    case .connection: "Check that the server is up and speaks HTTPS on port 443."
    case .route: "Check the addresses of the name, and that this machine has a route to them."
    case .tls(let fault, _): fault.help
    }
  }

  /// The code of App Store Connect's `AppClipDomainStatus`.
  var appleCode: String? {
    switch self {
    case .name, .timeout(.lookup): "DNS_ERROR"
    case .timeout: "TIMEOUT"
    case .tls: "TLS_ERROR"
    case .connection, .route: "NETWORK_ERROR"
    case .url, .privateAddress, .header: nil
    }
  }
}

extension Fetch.TLSFault {
  fileprivate var help: String {
    switch self {
    case .expired: "Renew the certificate, and reload the server."
    case .notYetValid: "Check the clock of the machine that issued it, or wait."
    case .wrongName: "Get a certificate with this name in it."
    case .incompleteChain:
      "Send the whole chain: the certificate, then the intermediate ones (often called fullchain.pem)."
    case .privateRoot:
      "Get a certificate from a public authority: Apple and devices trust no other."
    case .other:
      "Check that the server has a certificate for this name and speaks TLS 1.2 or later."
    }
  }
}

extension FollowedFetch {
  /// What kind of redirects were followed; `nil` for none.
  package var redirectCode: Finding.Code? {
    if hops.count == 1 { return nil }
    let targets = hops.dropFirst().map(\.url)
    let host = { (url: String) in Matcher.storedHost(of: url) ?? "" }
    let site = { (url: String) in RegistrableName(host(url))?.text ?? host(url) }
    let own = site(hops[0].url)
    if targets.contains(where: { $0.hasPrefix("http:") }) { return .redirectInsecure }
    return targets.contains { site($0) != own } ? .redirectCrossSite : .redirectSameSite
  }
}
