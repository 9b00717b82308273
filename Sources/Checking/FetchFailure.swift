public import Association
public import Fetching

extension Fetch.Failure {
  /// The code of the finding.
  public var code: Finding.Code {
    switch self {
    case .url, .connection, .header: .connectionFailed
    case .name: .dnsError
    case .privateAddress: .privateAddress
    case .timeout: .timeout
    case .tls: .tlsError
    }
  }

  /// What happened, as a part of a sentence that ends with a full stop.
  public var words: String {
    switch self {
    case .url(let words), .connection(let words), .name(let words): "\(words)."
    case .privateAddress(let address):
      "the name has the address \(address), which is not public."
    case .timeout(connected: true):
      "the server accepted the connection, and did not answer in time."
    case .timeout(connected: false): "the server did not accept the connection in time."
    case .tls(let fault, let words): "\(fault.words ?? words)."
    case .header: "the header of the answer is larger than 64 KB."
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
