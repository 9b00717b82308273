import Association
import HTTP

/// Answers public requests on one thread, without allocating: but for hosts outside ASCII.
final class PublicHandler: Sendable {
  private let hosts: HostTable.Reader
  private let answers: PublicAnswers

  init(_ hosts: HostTable, _ answers: PublicAnswers) {
    self.hosts = HostTable.Reader(hosts)
    self.answers = answers
  }

  func answer(_ request: borrowing DirectRequest) -> DirectRequest.Queued {
    switch request.fault {
    case .malformedTarget: return request.answer(answers.malformedTarget)
    case .unclearLength: return request.answer(answers.unclearLength)
    case nil: break
    }
    let target = PublicTarget(request.target)
    switch target.path {
    case .malformed: return request.answer(answers.malformedTarget)
    case .unknown, .associationFile: break
    }
    return withUnsafeTemporaryAllocation(
      byteCount: RequestedHost.bufferBytes, alignment: 1
    ) { buffer in
      answer(request, target, buffer)
    }
  }

  private func answer(
    _ request: borrowing DirectRequest, _ target: PublicTarget,
    _ buffer: UnsafeMutableRawBufferPointer
  ) -> DirectRequest.Queued {
    let lines = request.fields.host
    if lines.count > 1 { return request.answer(answers.repeatedHost) }
    if lines.count == 0 && !(request.isVersion10 && target.authority != nil) {
      return request.answer(answers.missingHost)
    }
    // The authority of an absolute target counts; a malformed Host field beside it is refused all
    // the same (RFC 9112 section 3.2).
    if target.authority != nil, lines.count == 1,
      case .malformed = RequestedHost(lines.value, into: buffer)
    {
      return request.answer(answers.malformedHost)
    }
    let host = RequestedHost(target.authority ?? lines.value, into: buffer)
    if case .malformed = host { return request.answer(answers.malformedHost) }
    guard target.path == .associationFile else { return request.answer(answers.unknownPath) }
    switch host {
    case .name(let count):
      return answer(request, UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    case .international(let bytes):
      return answerInternational(request, bytes)
    case .other, .malformed:
      return request.answer(answers.unknownHost)
    }
  }

  /// Rare: clients convert names before they ask. The host is converted as a published name is.
  private func answerInternational(
    _ request: borrowing DirectRequest, _ host: UnsafeRawBufferPointer
  ) -> DirectRequest.Queued {
    guard let text = String(validating: host, as: UTF8.self) else {
      return request.answer(answers.malformedHost)
    }
    do throws(ValidationError) {
      var name = try DomainName(text).text
      return name.withUTF8 { answer(request, UnsafeRawBufferPointer($0)) }
    } catch {
      return request.answer(answers.malformedHost)
    }
  }

  private func answer(
    _ request: borrowing DirectRequest, _ name: UnsafeRawBufferPointer
  ) -> DirectRequest.Queued {
    hosts.withDocument(of: name) { document in
      guard let document else { return request.answer(answers.unknownHost) }
      guard Self.isGETOrHEAD(request.method) else {
        return request.answer(answers.methodNotAllowed)
      }
      if request.fields.hasBody { return request.answer(answers.bodyNotAllowed) }
      switch RequestConditions(request, document.validators) {
      case .passes: return request.answer(document.full)
      case .notModified: return request.answer(document.notModified)
      case .failed: return request.answer(answers.preconditionFailed)
      }
    }
  }

  private static func isGETOrHEAD(_ method: UnsafeRawBufferPointer) -> Bool {
    method.equals("GET") || method.equals("HEAD")
  }
}
