import Synchronization

/// The public listener: answers GET and HEAD requests for the paths of association files, for each
/// host in a table.
package final class PublicListener: Sendable {
  private let listener: Listener
  private let handlers: [PublicHandler]
  private let current: CurrentSettings
  private let accessQueue: AccessQueue?

  /// Limits for requests without bodies. Ten thousand idle connections leave room for others.
  package static let defaultLimits = Limits(
    connections: 16_384, idleSeconds: 30, headerBytes: 4096, bodyBytes: 0)

  /// Listens.
  ///
  /// - Parameters:
  ///   - address: Where to listen.
  ///   - inherited: A listening socket to use instead of the address.
  ///   - hosts: What is served. It may change at any time.
  ///   - daemons: The number of serving threads; each can keep one processor busy.
  ///   - limits: The limits for clients.
  ///   - certificates: For HTTPS; `nil` for plain HTTP.
  ///   - settings: What may change later.
  ///   - log: Writes a line of the access log. Called with one line at a time, on a thread that may
  ///     block.
  package init(
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
      let memory = ConnectionMemory(headerLimit: limits.headerBytes)
      let handler = PublicHandler(hosts, answers, memory, current, accessQueue)
      handlers.append(handler)
      return DirectAnswers(
        answer: { handler.answer($0) }, noteHeaderTooLarge: { handler.noteHeaderTooLarge($0) },
        noteUnreadHeader: { handler.noteUnreadHeader() })
    }
    self.handlers = handlers
    self.current = current
    self.accessQueue = accessQueue
    listener.exempt(settings.trustedProxies)
  }

  /// Changes the settings for all later requests.
  package func apply(_ settings: PublicSettings) {
    current.replace(by: settings)
    listener.exempt(settings.trustedProxies)
  }

  /// The counts of all threads together.
  package var counts: PublicCounts {
    var counts = PublicCounts()
    for handler in handlers { counts.add(handler.counters) }
    counts.openConnections = listener.openConnections
    counts.droppedAccessLines = accessQueue?.droppedLines ?? 0
    return counts
  }

  /// From now on, accepts connections before any data has arrived on them. If the listener is
  /// stopped a second later, no client is reset that has connected but not sent its request yet.
  package func prepareToStop() { listener.prepareToStop() }

  /// Where it listens, with the actual port if port 0 was requested.
  package var address: SocketAddress { listener.address }

  package var port: UInt16 { listener.port }

  /// Shuts down gracefully: stops accepting connections, waits a limited time for unfinished
  /// requests, then closes every connection. Returns when all threads have ended.
  package func stop(within seconds: Double = 10) {
    listener.stop(within: seconds)
    accessQueue?.finish(within: 1)
  }
}

/// The settings that may change while the public listener runs.
package struct PublicSettings: Sendable, Equatable {
  /// The proxies whose `Forwarded` and `X-Forwarded-Host` are trusted. From all other clients these
  /// fields are ignored.
  ///
  /// Such a proxy must set one of the two itself, or remove both, so that no client-supplied value
  /// passes through. The last element, written by the nearest proxy, is used. If both fields are
  /// present, they must name the same host.
  package var trustedProxies: [AddressRange]
  /// Each thread logs one in this number of requests; 0 turns the access log off.
  package var accessLogInterval: Int

  /// By default no proxy is trusted and nothing is logged.
  package init(trustedProxies: [AddressRange] = [], accessLogInterval: Int = 0) {
    self.trustedProxies = trustedProxies
    self.accessLogInterval = accessLogInterval
  }
}

/// The current settings. Serving threads check a version number, and take a lock only when it
/// changes.
final class CurrentSettings: Sendable {
  private let number = Atomic(0)
  private let settings: Mutex<PublicSettings>

  init(_ settings: PublicSettings) { self.settings = Mutex(settings) }

  func replace(by new: PublicSettings) {
    settings.withLock { $0 = new }
    number.add(1, ordering: .releasing)
  }

  /// The settings, if their version differs from this one.
  func newer(than seen: Int) -> (number: Int, settings: PublicSettings)? {
    let number = number.load(ordering: .acquiring)
    return number == seen ? nil : (number, settings.withLock { $0 })
  }
}
