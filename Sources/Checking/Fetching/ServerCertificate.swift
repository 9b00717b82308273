import CCurl

/// What a server's certificate says.
package struct ServerCertificate: Sendable, Equatable {
  /// The DNS names that it is for.
  package var names: [String] = []
  package var issuer = ""
  /// When it ends, in seconds since 1970.
  package var endsAt: Int64 = 0
  /// How many certificates the server sent.
  package var chainLength = 0

  package init() {}

  /// The first certificate of a chain, each as the lines `Name:value` that libcurl makes of it; nil without any.
  init?(_ chain: [[String]]) {
    guard let own = chain.first else { return nil }
    let value = { (name: String) in own.value(of: name) }
    names = (value("X509v3 Subject Alternative Name") ?? "").split(separator: ",")
      .map { $0.drop { $0 == " " } }.filter { $0.hasPrefix("DNS:") }
      .map { String($0.dropFirst(4)) }
    issuer = Self.name(in: value("Issuer") ?? "")
    endsAt = value("Expire date").map { Int64(curl_getdate($0, nil)) } ?? 0
    chainLength = chain.count
  }

  /// The organization or the common name of `C = US, O = Let's Encrypt, CN = R3`.
  private static func name(in text: String) -> String {
    let parts = text.split(separator: ",").map { $0.split(separator: "=", maxSplits: 1) }
    for key in ["CN", "O"] {
      let part = parts.last { $0.count == 2 && $0[0].filter { $0 != " " } == key }
      if let part { return String(part[1].drop { $0 == " " }) }
    }
    return text
  }
}

extension [String] {
  /// The value of a line of a certificate.
  func value(of name: String) -> String? {
    first { $0.hasPrefix(name + ":") }.map { String($0.dropFirst(name.utf8.count + 1)) }
  }
}

/// What OpenSSL refused a certificate for.
struct TLSFinding {
  let fault: Fetch.TLSFault

  /// - Parameters:
  ///   - verification: The code of `X509_verify_cert_error_string(3)`; 0 if only the name does not fit.
  ///   - chain: The certificates that the server sent.
  init(verification: Int, chain: [[String]]) {
    fault =
      switch verification {
      // libcurl compares the names itself, and leaves its initial value.
      case 0, 1, 62: .wrongName
      case 9: .notYetValid
      case 10: .expired
      // A certificate that signs itself, alone or at the end of the chain.
      case 18, 19: .privateRoot
      // Nothing that is trusted has issued the last one.
      case 2, 20, 21:
        chain.isEmpty ? .other : Self.isIncomplete(chain) ? .incompleteChain : .privateRoot
      default: .other
      }
  }

  /// Whether the last certificate says where its issuer's is, which public authorities do.
  private static func isIncomplete(_ chain: [[String]]) -> Bool {
    guard let last = chain.last, last.value(of: "Subject") != last.value(of: "Issuer") else {
      return false
    }
    return last.value(of: "Authority Information Access")?.contains("CA Issuers") ?? false
  }
}
