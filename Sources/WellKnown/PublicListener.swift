public import Certificates
public import HTTP

/// The public listener: answers GET and HEAD of the two paths of an association file for each host
/// in a table, and nothing else.
public final class PublicListener: Sendable {
  private let listener: Listener
  private let handlers: [PublicHandler]
  private let current: CurrentSettings
  private let accessQueue: AccessQueue?

  /// Limits that fit requests without bodies: 10,000 idle connections are far from all.
  public static let defaultLimits = Limits(
    connections: 16_384, idleSeconds: 30, headerBytes: 4096, bodyBytes: 0)

  /// Listens.
  ///
  /// - Parameters:
  ///   - address: Where to listen.
  ///   - inherited: A socket that listens already, in the place of one at the address.
  ///   - hosts: What is served, also when it changes later.
  ///   - daemons: How many threads serve: one for each processor that is to.
  ///   - limits: What clients may take.
  ///   - certificates: What it speaks HTTPS with; plain HTTP without.
  ///   - settings: What may change later.
  ///   - log: Takes lines of the access log, one after the other, on a thread that may wait.
  /// - Throws: `ListenerError`.
  public init(
    on address: SocketAddress, inherited: InheritedSocket? = nil, serving hosts: HostTable,
    daemons: Int = 1, limits: Limits = PublicListener.defaultLimits,
    certificates: CertificateDirectory? = nil, settings: PublicSettings = PublicSettings(),
    log: (@Sendable (PublicAccess) -> Void)? = nil
  ) throws(ListenerError) {
    let refusal = PublicAnswers.headerTooLarge(limit: limits.headerBytes)
    let answers: PublicAnswers
    do throws(PreparedResponse.Failure) {
      answers = try PublicAnswers(headerLimit: limits.headerBytes)
    } catch {
      throw ListenerError(reason: .libraryRefused, address: address)
    }
    let current = CurrentSettings(settings)
    let accessQueue = log.map { AccessQueue(write: $0) }
    var handlers: [PublicHandler] = []
    listener = try Listener(
      on: address, inherited: inherited, daemons: daemons, limits: limits,
      certificates: certificates, headerRefusal: refusal
    ) {
      let handler = PublicHandler(hosts, answers, current, accessQueue)
      handlers.append(handler)
      return DirectAnswers(
        answer: { handler.answer($0) }, noteHeaderTooLarge: { handler.noteHeaderTooLarge($0) },
        noteUnreadHeader: { handler.noteUnreadHeader() })
    }
    self.handlers = handlers
    self.current = current
    self.accessQueue = accessQueue
  }

  /// Changes settings from the next request on.
  public func apply(_ settings: PublicSettings) { current.replace(by: settings) }

  /// What was answered since the start, by all threads together, and what is open now.
  public var counts: PublicCounts {
    var counts = PublicCounts()
    for handler in handlers { counts.add(handler.counters) }
    counts.openConnections = listener.openConnections
    counts.droppedAccessLines = accessQueue?.droppedLines ?? 0
    return counts
  }

  /// Takes connections before anything has come on them, from now on: when the listener is stopped a
  /// second later, no client is reset that has connected and not asked yet.
  public func prepareToStop() { listener.prepareToStop() }

  /// Where it listens, with the port that it got if any free one was asked for.
  public var address: SocketAddress { listener.address }

  /// The port that it listens on.
  public var port: UInt16 { listener.port }

  /// Takes no further connections, lets requests that have begun end within a time, then closes
  /// every connection. Returns when all threads have ended.
  public func stop(within seconds: Double = 10) {
    listener.stop(within: seconds)
    accessQueue?.finish(within: 1)
  }
}
