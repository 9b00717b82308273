import Association

/// Answers public requests on one thread. It allocates only for answers that are not kept yet,
/// hosts outside ASCII and lines of the access log.
final class PublicHandler: @unchecked Sendable {
  // Unchecked is sound: only the daemon's thread uses what changes.

  let counters = RequestCounters()
  private let hosts: HostTable.Reader
  private let answers: PublicAnswers
  private let current: CurrentSettings
  private let accessQueue: AccessQueue?
  private var settingsNumber = -1
  private var trustedProxies: [AddressRange] = []
  private var accessLogInterval = 0
  private var requestsUntilLogged = 0

  init(
    _ hosts: HostTable, _ answers: PublicAnswers, _ current: CurrentSettings,
    _ accessQueue: AccessQueue?
  ) {
    self.hosts = HostTable.Reader(hosts)
    self.answers = answers
    self.current = current
    self.accessQueue = accessQueue
  }

  func answer(_ request: borrowing DirectRequest) -> DirectRequest.Queued {
    followSettings()
    let fetcher = FetcherClass(request.fields)
    var choice = HostChoice()
    let answer = answer(request, fetcher, &choice)
    counters.add(answer.outcome, fetcher)
    if accessLogInterval > 0 { log(request, choice, answer.outcome, fetcher, answer.bytes) }
    return answer.queued
  }

  /// Counts and logs a request that is answered 431.
  func noteHeaderTooLarge(_ request: borrowing DirectRequest) {
    followSettings()
    let fetcher = FetcherClass(request.fields)
    counters.add(.headerTooLarge, fetcher)
    guard accessLogInterval > 0 else { return }
    log(request, HostChoice(), .headerTooLarge, fetcher, answers.headerTooLargeBytes)
  }

  /// Counts a request that was answered 431 for its target and whose fields never came. It is not in the
  /// access log.
  func noteUnreadHeader() { counters.add(.headerTooLarge, .other) }

  private func followSettings() {
    guard let (number, settings) = current.newer(than: settingsNumber) else { return }
    settingsNumber = number
    trustedProxies = settings.trustedProxies
    accessLogInterval = accessQueue == nil ? 0 : max(0, settings.accessLogInterval)
    requestsUntilLogged = 1
  }

  private func log(
    _ request: borrowing DirectRequest, _ choice: HostChoice, _ outcome: PublicOutcome,
    _ fetcher: FetcherClass, _ bytes: Int
  ) {
    requestsUntilLogged -= 1
    if requestsUntilLogged > 0 { return }
    requestsUntilLogged = accessLogInterval
    accessQueue?.add(PublicAccess(request, choice, outcome, fetcher, bytes: bytes))
  }
}

extension PublicHandler {
  /// The queued answer, its outcome for the counts, and the size of its body.
  private typealias Answer = (queued: DirectRequest.Queued, outcome: PublicOutcome, bytes: Int)

  private func queue(
    _ response: borrowing PreparedResponse, _ outcome: PublicOutcome,
    _ request: borrowing DirectRequest
  ) -> Answer {
    (request.answer(response), outcome, response.contentBytes)
  }

  private func answer(
    _ request: borrowing DirectRequest, _ fetcher: FetcherClass, _ choice: inout HostChoice
  ) -> Answer {
    switch request.fault {
    case .malformedHeader: return queue(answers.malformedHeader, .malformedRequest, request)
    case .malformedTarget: return queue(answers.malformedTarget, .malformedRequest, request)
    case .unclearLength: return queue(answers.unclearLength, .malformedRequest, request)
    case nil: break
    }
    let target = PublicTarget(request.target)
    if target.path == .malformed {
      return queue(answers.malformedTarget, .malformedRequest, request)
    }
    return withUnsafeTemporaryAllocation(
      byteCount: RequestedHost.bufferBytes, alignment: 1
    ) { buffer in
      answer(request, fetcher, target, &choice, buffer)
    }
  }

  private func answer(
    _ request: borrowing DirectRequest, _ fetcher: FetcherClass, _ target: PublicTarget,
    _ choice: inout HostChoice, _ buffer: UnsafeMutableRawBufferPointer
  ) -> Answer {
    let lines = request.fields.host
    if lines.count > 1 { return queue(answers.repeatedHost, .malformedRequest, request) }
    if lines.count == 0 && !(request.isVersion10 && target.authority != nil) {
      return queue(answers.missingHost, .malformedRequest, request)
    }
    choice.host = target.authority ?? lines.value
    let forwards = request.fields.forwarded.count + request.fields.forwardedHost.count > 0
    if forwards && !takeForwardedHost(request, &choice) {
      return queue(answers.unclearForwardedHost, .malformedRequest, request)
    }
    // A malformed Host field is refused even if another host takes precedence: the authority of an
    // absolute target (RFC 9112 section 3.2), or the host that a proxy was asked for.
    if forwards || target.authority != nil, lines.count == 1,
      case .malformed = RequestedHost(lines.value, into: buffer)
    {
      return queue(answers.malformedHost, .malformedRequest, request)
    }
    let host = RequestedHost(choice.host, into: buffer)
    if case .malformed = host { return queue(answers.malformedHost, .malformedRequest, request) }
    guard case .document(let kind) = target.path else {
      return queue(answers.unknownPath, .unknownPath, request)
    }
    switch host {
    case .name(let count):
      return answer(request, fetcher, UnsafeRawBufferPointer(rebasing: buffer[..<count]), kind)
    case .international(let bytes):
      return answerInternational(request, fetcher, bytes, kind)
    case .other, .malformed:
      return queue(answers.unknownHost, .unknownHost, request)
    }
  }

  /// Uses the host that a trusted proxy was asked for; false if it is ambiguous.
  private func takeForwardedHost(
    _ request: borrowing DirectRequest, _ choice: inout HostChoice
  ) -> Bool {
    guard !trustedProxies.isEmpty, let peer = request.peer,
      trustedProxies.contains(where: { $0.contains(peer) })
    else {
      choice.isForwardedIgnored = true
      return true
    }
    switch ForwardedHost(request.fields.forwarded, request.fields.forwardedHost) {
    case .absent: break
    case .host(let host, let source): (choice.host, choice.source) = (host, source)
    case .unclear: return false
    }
    return true
  }

  /// Rare, since clients convert names before they send requests. The host is converted like a
  /// published name.
  private func answerInternational(
    _ request: borrowing DirectRequest, _ fetcher: FetcherClass, _ host: UnsafeRawBufferPointer,
    _ kind: DocumentKind
  ) -> Answer {
    guard let text = String(validating: host, as: UTF8.self) else {
      return queue(answers.malformedHost, .malformedRequest, request)
    }
    do throws(ValidationError) {
      var name = try DomainName(text).text
      return name.withUTF8 { answer(request, fetcher, UnsafeRawBufferPointer($0), kind) }
    } catch {
      return queue(answers.malformedHost, .malformedRequest, request)
    }
  }

  private func answer(
    _ request: borrowing DirectRequest, _ fetcher: FetcherClass, _ name: UnsafeRawBufferPointer,
    _ kind: DocumentKind
  ) -> Answer {
    hosts.withDocument(of: name) { first in
      guard let first else { return queue(answers.unknownHost, .unknownHost, request) }
      // Nearly every request is for Apple's file, which is the first one.
      guard let document = first.kind == kind ? first : first.next?.first(of: kind) else {
        return queue(answers.noDocument, .noDocument, request)
      }
      document.prefetchAnswer(isConditional: request.fields.ifNoneMatch.count > 0)
      let isGET = request.method.equals("GET")
      guard isGET || request.method.equals("HEAD") else {
        return queue(answers.methodNotAllowed, .methodNotAllowed, request)
      }
      if request.fields.hasBody {
        return queue(answers.bodyNotAllowed, .bodyNotAllowed, request)
      }
      let queued: DirectRequest.Queued?
      let outcome: PublicOutcome
      switch Conditions(of: request, document.validators) {
      case .passed: (queued, outcome) = (document.answer(request), .ok)
      case .notModified: (queued, outcome) = (document.answerNotModified(request), .notModified)
      case .failed: return queue(answers.preconditionFailed, .preconditionFailed, request)
      }
      guard let queued else { return queue(answers.outOfMemory, .outOfMemory, request) }
      if kind != .apple { counters.add(kind) }
      if isGET { hosts.count(fetcher, of: document) }
      return (queued, outcome, outcome == .ok ? document.bytes : 0)
    }
  }
}
