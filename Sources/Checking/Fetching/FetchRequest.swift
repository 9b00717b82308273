import HTTP

/// A request to another machine.
public struct FetchRequest: Sendable {
  /// An http or https URL. A host that is an IP address is refused unless the policy's places or allowed
  /// addresses name it.
  public var url: String
  /// The method.
  public var method = "GET"
  /// Header fields besides `User-Agent`.
  public var fields: [(name: String, value: String)] = []
  /// The content.
  public var body: [UInt8]?
  /// The `User-Agent`.
  public var agent = "aasa"
  /// The limit for all of it, in milliseconds.
  public var milliseconds = 5_000
  /// The limit of the content, in bytes. A longer one is cut, which the result says.
  public var bytes = 131_072
  /// Whether the result has the server's certificate also if it is valid. Reading it takes time.
  public var readsCertificate = false
  /// Whether the policy's places hold. A connection for a request without places is kept for later ones, as
  /// for a service that is often asked.
  public var usesPlaces = true
  /// Where the host of the URL is, of several places that it has; `nil` for the first that answers.
  public var place: Fetcher.Place?
  /// Whether only the addresses of the host are looked up. It connects to none of them.
  var isLookup = false

  /// A request.
  public init(_ url: String) { self.url = url }
}

/// What came of a request.
public struct Fetch: Sendable {
  /// The address that it connected to; `nil` if it did not.
  public var address: String?
  /// The port that it connected to; 0 if it did not.
  public var port = 0
  /// Of a lookup: the addresses that the policy allows.
  var addresses: [IPAddress] = []
  /// How long it took.
  public var milliseconds = 0
  /// The certificate of the server, also if it was refused; `nil` without TLS.
  public var certificate: ServerCertificate?
  /// The answer or the failure.
  public var result: Result<Answer, Failure> = .failure(
    .connection("libcurl cannot be initialized"))

  /// Nothing yet.
  public init() {}

  /// An answer with any status.
  public struct Answer: Sendable {
    /// The HTTP status.
    public var status = 0
    /// The header fields in their order.
    public var fields: [(name: String, value: String)] = []
    /// The content, decoded from any content coding, up to the limit.
    public var body: [UInt8] = []
    private var droppedSize: Int?
    /// Whether the content was longer than the limit.
    public var isCut = false
    /// Of a redirect: the absolute URL that it leads to.
    public var redirect: String?

    /// An answer.
    public init() {}

    /// The size of the content in bytes.
    public var size: Int { droppedSize ?? body.count }

    /// Forgets the content, except its size.
    public mutating func dropBody() {
      droppedSize = size
      body = []
    }

    /// The value of the first field of a name, in any case.
    public subscript(name: String) -> String? {
      fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }
  }

  /// Why there is no answer.
  public enum Failure: Error, Sendable, Equatable {
    /// The URL is none, or has a host that is refused.
    case url(String)
    /// The name has no address; libcurl's words.
    case name(String)
    /// Every address of the name is refused; the first of them.
    case privateAddress(String)
    /// No connection, or it ended early; the words of libcurl and the system.
    case connection(String)
    /// The time is over.
    case timeout(Phase)
    /// The certificate or the handshake is refused.
    case tls(TLSFault, String)
    /// The header is over 64 KB.
    case header
  }

  /// What a request waits for.
  public enum Phase: Sendable, Equatable, CaseIterable {
    /// The addresses of the name.
    case lookup
    /// The proxy, for its connection to the site.
    case proxy
    /// The connection.
    case connection
    /// The end of the TLS handshake.
    case handshake
    /// The first byte of the answer.
    case answer
    /// The rest of the answer.
    case rest
  }

  /// What is wrong with TLS.
  public enum TLSFault: Sendable, Equatable {
    case expired, notYetValid, wrongName, incompleteChain, privateRoot
    /// Anything else, such as a failed handshake.
    case other
  }
}
