public import HTTP

/// The public listener: answers GET and HEAD of the two paths of an association file for each host
/// in a table, and nothing else.
public final class PublicListener: Sendable {
  private let listener: Listener

  /// Limits that fit requests without bodies.
  public static let defaultLimits = Limits(
    connections: 10_000, idleSeconds: 30, headerBytes: 4096, bodyBytes: 0)

  /// Listens.
  ///
  /// - Parameters:
  ///   - address: Where to listen.
  ///   - inherited: A socket that listens already, in the place of one at the address.
  ///   - hosts: What is served, also when it changes later.
  ///   - daemons: How many threads serve: one for each processor that is to.
  ///   - limits: What clients may take.
  /// - Throws: `ListenerError`.
  public init(
    on address: SocketAddress, inherited: InheritedSocket? = nil, serving hosts: HostTable,
    daemons: Int = 1,
    limits: Limits = PublicListener.defaultLimits
  ) throws(ListenerError) {
    let refusal = PublicAnswers.headerTooLarge(limit: limits.headerBytes)
    let answers: PublicAnswers
    do throws(PreparedResponse.Failure) {
      answers = try PublicAnswers()
    } catch {
      throw ListenerError(reason: .libraryRefused, address: address)
    }
    listener = try Listener(
      on: address, inherited: inherited, daemons: daemons, limits: limits, headerRefusal: refusal
    ) {
      let handler = PublicHandler(hosts, answers)
      return { request in handler.answer(request) }
    }
  }

  /// Where it listens, with the port that it got if any free one was asked for.
  public var address: SocketAddress { listener.address }

  /// The port that it listens on.
  public var port: UInt16 { listener.port }

  /// Takes no further connections, lets requests that have begun end within a time, then closes
  /// every connection. Returns when all threads have ended.
  public func stop(within seconds: Double = 10) { listener.stop(within: seconds) }
}
