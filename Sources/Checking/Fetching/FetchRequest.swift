import HTTP

/// A request to another machine.
package struct FetchRequest: Sendable {
  /// An http or https URL. A host that is an IP address is refused unless the policy's places or allowed
  /// addresses name it.
  package var url: String
  package var method = "GET"
  /// Header fields besides `User-Agent`.
  package var fields: [(name: String, value: String)] = []
  package var body: [UInt8]?
  /// The `User-Agent`.
  package var agent = "aasa"
  /// The limit for all of it, in milliseconds.
  package var milliseconds = 5_000
  /// The limit of the content, in bytes. A longer one is cut, which the result says.
  package var bytes = 131_072
  /// Whether the result has the server's certificate also if it is valid. Reading it takes time.
  package var readsCertificate = false
  /// Whether the policy's places hold. A connection for a request without places is kept for later ones, as
  /// for a service that is often asked.
  package var usesPlaces = true
  /// Where the host of the URL is, of several places that it has; `nil` for the first that answers.
  package var place: Fetcher.Place?
  /// Whether only the addresses of the host are looked up. It connects to none of them.
  var isLookup = false

  package init(_ url: String) { self.url = url }
}

/// What came of a request.
package struct Fetch: Sendable {
  /// The address that it connected to; `nil` if it did not.
  package var address: String?
  /// The port that it connected to; 0 if it did not.
  package var port = 0
  /// Of a lookup: the addresses that the policy allows.
  var addresses: [IPAddress] = []
  package var milliseconds = 0
  /// The certificate of the server, also if it was refused; `nil` without TLS.
  package var certificate: ServerCertificate?
  /// The answer or the failure.
  package var result: Result<Answer, Failure> = .failure(
    .connection("libcurl cannot be initialized"))

  package init() {}

  /// An answer with any status.
  package struct Answer: Sendable {
    package var status = 0
    /// The header fields in their order.
    package var fields: [(name: String, value: String)] = []
    /// The content, decoded from any content coding, up to the limit.
    package var body: [UInt8] = []
    private var droppedSize: Int?
    /// Whether the content was longer than the limit.
    package var isCut = false
    /// Of a redirect: the absolute URL that it leads to.
    package var redirect: String?

    package init() {}

    /// The size of the content in bytes.
    package var size: Int { droppedSize ?? body.count }

    /// Forgets the content, except its size.
    package mutating func dropBody() {
      droppedSize = size
      body = []
    }

    /// The value of the first field of a name, in any case.
    package subscript(name: String) -> String? {
      fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }
  }

  /// Why there is no answer.
  package enum Failure: Error, Sendable, Equatable {
    /// The URL is none, or has a host that is refused.
    case url(String)
    /// The name has no address; libcurl's words.
    case name(String)
    /// Every address of the name is refused; the first of them.
    case privateAddress(String)
    /// No connection, or it ended early; the words of libcurl and the system.
    case connection(String)
    /// This machine has no route to the address, as without IPv6; the words of libcurl and the system.
    case route(String)
    /// The time is over.
    case timeout(Phase)
    /// The certificate or the handshake is refused.
    case tls(TLSFault, String)
    /// The header is over 64 KB.
    case header
  }

  /// What a request waits for.
  package enum Phase: Sendable, Equatable, CaseIterable {
    /// The addresses of the name.
    case lookup
    /// The proxy, for its connection to the site.
    case proxy
    case connection
    /// The end of the TLS handshake.
    case handshake
    /// The first byte of the answer.
    case answer
    /// The rest of the answer.
    case rest
  }

  /// What is wrong with TLS.
  package enum TLSFault: Sendable, Equatable {
    case expired, notYetValid, wrongName, incompleteChain, privateRoot
    /// Anything else, such as a failed handshake.
    case other
  }
}
