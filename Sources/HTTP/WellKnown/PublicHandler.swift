import Association
import Glibc

/// Answers public requests on one thread. It allocates only for answers that are not kept yet,
/// hosts outside ASCII and lines of the access log.
final class PublicHandler: @unchecked Sendable {
  // Unchecked is sound: only the daemon's thread uses what changes.

  let counters = RequestCounters()
  private let hosts: HostTable.Reader
  private let answers: PublicAnswers
  private let memory: ConnectionMemory
  private let current: CurrentSettings
  private let accessQueue: AccessQueue?
  private var settingsNumber = -1
  private var trustedProxies: [AddressRange] = []
  private var accessLogInterval = 0
  private var requestsUntilLogged = 0

  init(
    _ hosts: HostTable, _ answers: PublicAnswers, _ memory: ConnectionMemory,
    _ current: CurrentSettings, _ accessQueue: AccessQueue?
  ) {
    self.hosts = HostTable.Reader(hosts)
    self.answers = answers
    self.memory = memory
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
    if target.path == .unknown {
      if hosts.hasFallbacks, let path = target.other {
        return answer(request, path, host, UnsafeRawBufferPointer(buffer))
      }
      return queue(answers.unknownPath, .unknownPath, request)
    }
    switch host {
    case .name(let count):
      return answer(request, fetcher, UnsafeRawBufferPointer(rebasing: buffer[..<count]), target)
    case .international(let bytes):
      return withName(of: bytes) { answer(request, fetcher, $0, target) }
        ?? queue(answers.malformedHost, .malformedRequest, request)
    case .other, .malformed:
      return target.path == .named
        ? queue(answers.unknownPath, .unknownPath, request)
        : queue(answers.unknownHost, .unknownHost, request)
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
  /// published name; `nil` if it is malformed.
  private func withName(
    of host: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Answer
  ) -> Answer? {
    guard let text = String(validating: host, as: UTF8.self) else { return nil }
    do throws(ValidationError) {
      var name = try DomainName(text).text
      return name.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    } catch {
      return nil
    }
  }

  private func answer(
    _ request: borrowing DirectRequest, _ fetcher: FetcherClass, _ name: UnsafeRawBufferPointer,
    _ target: PublicTarget
  ) -> Answer {
    guard case .document(let kind) = target.path else {
      return answer(request, fetcher, name, named: target.name)
    }
    return hosts.withDocument(of: name) { first in
      guard let first else { return queue(answers.unknownHost, .unknownHost, request) }
      // Nearly every request is for Apple's file, which is the first one.
      guard let document = first.kindIndex == kind ? first : first.next?.first(of: kind) else {
        return queue(answers.noDocument, .noDocument, request)
      }
      return answer(request, fetcher, document)
    }
  }

  /// Answers a request below `/.well-known/` for a name that no rendered document has. What the host does not have is
  /// an unknown path, as for hosts that have nothing.
  private func answer(
    _ request: borrowing DirectRequest, _ fetcher: FetcherClass, _ host: UnsafeRawBufferPointer,
    named name: UnsafeRawBufferPointer
  ) -> Answer {
    hosts.withDocument(of: host) { first in
      guard let document = first?.first(named: name) else {
        return queue(answers.unknownPath, .unknownPath, request)
      }
      return answer(request, fetcher, document)
    }
  }

  private func answer(
    _ request: borrowing DirectRequest, _ fetcher: FetcherClass, _ document: ServedDocument
  ) -> Answer {
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
    if document.isRedirect {
      guard let queued = document.answerRedirect(request) else {
        return queue(answers.outOfMemory, .outOfMemory, request)
      }
      return (queued, .redirected, 0)
    }
    switch Conditions(of: request, document.validators) {
    case .passed: (queued, outcome) = (document.answer(request), .ok)
    case .notModified: (queued, outcome) = (document.answerNotModified(request), .notModified)
    case .failed: return queue(answers.preconditionFailed, .preconditionFailed, request)
    }
    guard let queued else { return queue(answers.outOfMemory, .outOfMemory, request) }
    if document.kindIndex != 0 { counters.add(document.kindIndex) }
    if isGET { hosts.count(fetcher, of: document) }
    return (queued, outcome, outcome == .ok ? document.bytes : 0)
  }
}

// MARK: - People without an app

extension PublicHandler {
  /// Answers a request for a path that is no document's.
  private func answer(
    _ request: borrowing DirectRequest, _ path: UnsafeRawBufferPointer, _ host: RequestedHost,
    _ buffer: UnsafeRawBufferPointer
  ) -> Answer {
    switch host {
    case .name(let count):
      return answer(request, path, UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    case .international(let bytes):
      return withName(of: bytes) { answer(request, path, $0) }
        ?? queue(answers.malformedHost, .malformedRequest, request)
    case .other, .malformed: return queue(answers.unknownPath, .unknownPath, request)
    }
  }

  private func answer(
    _ request: borrowing DirectRequest, _ path: UnsafeRawBufferPointer,
    _ name: UnsafeRawBufferPointer
  ) -> Answer {
    hosts.withDocument(of: name) { document in
      guard let people = document?.fallback else {
        return queue(answers.unknownPath, .unknownPath, request)
      }
      let device = ServedFallback.Device(userAgent: request.fields.userAgent.value)
      return request.readQuery { query in
        let link = LinkTarget.Request(path: path, query: query)
        guard let answer = people.fallback.answer(to: link, from: device) else {
          return queue(answers.unknownPath, .unknownPath, request)
        }
        guard request.method.equals("GET") || request.method.equals("HEAD") else {
          return queue(answers.methodNotAllowed, .methodNotAllowed, request)
        }
        if request.fields.hasBody {
          return queue(answers.bodyNotAllowed, .bodyNotAllowed, request)
        }
        let queued: Answer?
        switch answer {
        case .redirect(let target):
          queued = redirect(request, to: target, for: link, device, keptBy: people)
        case .routeRedirect(let target):
          queued = redirect(request, to: target, for: link, device)
        case .page(let page):
          queued = show(page, people.fallback.links, at: link, on: name, device, request)
        }
        return queued ?? queue(answers.outOfMemory, .outOfMemory, request)
      }
    }
  }

  /// Counts somebody without the app. A check from outside is nobody.
  private func count(
    _ outcome: PublicOutcome, _ device: ServedFallback.Device, _ request: borrowing DirectRequest
  ) {
    if !request.fields.isCheck { counters.addFallback(outcome, device) }
  }

  /// Redirects to a target; `nil` if there is no memory for it.
  ///
  /// - Parameter people: Where the answer is kept, if it is the same for everybody with the device.
  private func redirect(
    _ request: borrowing DirectRequest, to target: LinkTarget, for link: LinkTarget.Request,
    _ device: ServedFallback.Device, keptBy people: AnswersForPeople? = nil
  ) -> Answer? {
    let room = memory.room(besides: request) - PublicAnswers.redirectBytes
    if let people, !target.hasPlaceholder, target.text.utf8.count < room {
      let queued = people.redirect(request, on: device) { () throws(PreparedResponse.Failure) in
        try answers.redirect(to: target.url(for: link))
      }
      guard let queued else { return nil }
      count(.redirect, device, request)
      return (queued, .redirect, answers.redirectBody.count)
    }
    let url = target.url(for: link)
    if url.count > room { return queue(answers.targetTooLong, .targetTooLong, request) }
    do throws(PreparedResponse.Failure) {
      let response = try answers.redirect(to: url)
      count(.redirect, device, request)
      return queue(response, .redirect, request)
    } catch {
      return nil
    }
  }

  /// Answers with a page; `nil` if there is no memory for it.
  private func show(
    _ page: FallbackPage, _ links: Fallback?, at link: LinkTarget.Request,
    on host: UnsafeRawBufferPointer, _ device: ServedFallback.Device,
    _ request: borrowing DirectRequest
  ) -> Answer? {
    var accepted = ""
    _ = request.anyLine(of: "Accept-Language") { line in
      accepted += (accepted.isEmpty ? "" : ",") + String(decoding: line.prefix(512), as: UTF8.self)
      return false
    }
    let html = PageForPeople(page, links, at: link, on: host, accepted).html
    do throws(PreparedResponse.Failure) {
      let response = try PreparedResponse(
        .ok, fields: PageForPeople.fields, content: Content(html))
      count(.page, device, request)
      return queue(response, .page, request)
    } catch {
      return nil
    }
  }
}

extension ServedFallback.Device {
  /// The device that a User-Agent names. Since iPadOS 13, iPads ask for pages like a Mac.
  init(userAgent: UnsafeRawBufferPointer) {
    self =
      if ["iPhone", "iPad", "iPod"].contains(where: { userAgent.contains($0) }) {
        .apple
      } else if userAgent.contains("Android") {
        .android
      } else {
        .other
      }
  }
}

extension UnsafeRawBufferPointer {
  fileprivate func contains(_ text: StaticString) -> Bool {
    guard var rest = baseAddress else { return false }
    let end = rest + count - text.utf8CodeUnitCount + 1
    // Sound: memchr reads only up to the last place where the text fits, and memcmp as much as fits there.
    while rest < end, let found = memchr(rest, CInt(text.utf8Start.pointee), end - rest) {
      if memcmp(found, text.utf8Start, text.utf8CodeUnitCount) == 0 { return true }
      rest = UnsafeRawPointer(found) + 1
    }
    return false
  }
}
