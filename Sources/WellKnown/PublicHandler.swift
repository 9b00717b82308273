import Association
import HTTP

/// Answers public requests on one thread, without allocating: but for hosts outside ASCII.
final class PublicHandler: Sendable {
  /// What was queued, and what it is counted as.
  private typealias Answer = (queued: DirectRequest.Queued, outcome: PublicOutcome)

  let counters = RequestCounters()
  private let hosts: HostTable.Reader
  private let answers: PublicAnswers

  init(_ hosts: HostTable, _ answers: PublicAnswers) {
    self.hosts = HostTable.Reader(hosts)
    self.answers = answers
  }

  func answer(_ request: borrowing DirectRequest) -> DirectRequest.Queued {
    let fetcher = FetcherClass(userAgent: request.fields.userAgent.value)
    let answer = answer(request, fetcher)
    counters.add(answer.outcome, fetcher)
    return answer.queued
  }

  /// Counts a request that is answered 431.
  func noteHeaderTooLarge(_ request: borrowing DirectRequest) {
    counters.add(.headerTooLarge, FetcherClass(userAgent: request.fields.userAgent.value))
  }

  private func answer(_ request: borrowing DirectRequest, _ fetcher: FetcherClass) -> Answer {
    switch request.fault {
    case .malformedTarget: return (request.answer(answers.malformedTarget), .malformedRequest)
    case .unclearLength: return (request.answer(answers.unclearLength), .malformedRequest)
    case nil: break
    }
    let target = PublicTarget(request.target)
    if target.path == .malformed {
      return (request.answer(answers.malformedTarget), .malformedRequest)
    }
    return withUnsafeTemporaryAllocation(
      byteCount: RequestedHost.bufferBytes, alignment: 1
    ) { buffer in
      answer(request, fetcher, target, buffer)
    }
  }

  private func answer(
    _ request: borrowing DirectRequest, _ fetcher: FetcherClass, _ target: PublicTarget,
    _ buffer: UnsafeMutableRawBufferPointer
  ) -> Answer {
    let lines = request.fields.host
    if lines.count > 1 { return (request.answer(answers.repeatedHost), .malformedRequest) }
    if lines.count == 0 && !(request.isVersion10 && target.authority != nil) {
      return (request.answer(answers.missingHost), .malformedRequest)
    }
    // The authority of an absolute target counts; a malformed Host field beside it is refused all
    // the same (RFC 9112 section 3.2).
    if target.authority != nil, lines.count == 1,
      case .malformed = RequestedHost(lines.value, into: buffer)
    {
      return (request.answer(answers.malformedHost), .malformedRequest)
    }
    let host = RequestedHost(target.authority ?? lines.value, into: buffer)
    if case .malformed = host {
      return (request.answer(answers.malformedHost), .malformedRequest)
    }
    guard target.path == .associationFile else {
      return (request.answer(answers.unknownPath), .unknownPath)
    }
    switch host {
    case .name(let count):
      return answer(request, fetcher, UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    case .international(let bytes):
      return answerInternational(request, fetcher, bytes)
    case .other, .malformed:
      return (request.answer(answers.unknownHost), .unknownHost)
    }
  }

  /// Rare: clients convert names before they ask. The host is converted as a published name is.
  private func answerInternational(
    _ request: borrowing DirectRequest, _ fetcher: FetcherClass, _ host: UnsafeRawBufferPointer
  ) -> Answer {
    guard let text = String(validating: host, as: UTF8.self) else {
      return (request.answer(answers.malformedHost), .malformedRequest)
    }
    do throws(ValidationError) {
      var name = try DomainName(text).text
      return name.withUTF8 { answer(request, fetcher, UnsafeRawBufferPointer($0)) }
    } catch {
      return (request.answer(answers.malformedHost), .malformedRequest)
    }
  }

  private func answer(
    _ request: borrowing DirectRequest, _ fetcher: FetcherClass, _ name: UnsafeRawBufferPointer
  ) -> Answer {
    hosts.withDocument(of: name) { document in
      guard let document else { return (request.answer(answers.unknownHost), .unknownHost) }
      let isGET = request.method.equals("GET")
      guard isGET || request.method.equals("HEAD") else {
        return (request.answer(answers.methodNotAllowed), .methodNotAllowed)
      }
      if request.fields.hasBody {
        return (request.answer(answers.bodyNotAllowed), .bodyNotAllowed)
      }
      let conditions = RequestConditions(request, document.validators)
      if case .failed = conditions {
        return (request.answer(answers.preconditionFailed), .preconditionFailed)
      }
      if isGET { hosts.count(fetcher, of: document) }
      if case .notModified = conditions {
        return (request.answer(document.notModified), .notModified)
      }
      return (request.answer(document.full), .ok)
    }
  }
}
