import Association
import FoundationEssentials
import HTTP

extension Log {
  /// Writes an event of the API.
  func write(_ event: AdminEvent) {
    switch event {
    case .answered(let request):
      if !request.isRoutine { write(.info, "Request.", request.fields) }
    case .failed(let requestID, let detail):
      write(
        .error, "Unexpected error.", ["requestId": .string(requestID), "error": .string(detail)])
    }
  }

  /// Writes a line of the access log.
  func write(_ access: PublicAccess) {
    let time = Date(timeIntervalSince1970: Double(access.milliseconds) / 1000)
    write(at: time, .info, "File request.", access.fields)
  }
}

extension AnsweredRequest {
  /// Whether it is a successful probe, which monitoring sends often, or a page for `aasa render`, which asks four times
  /// a second.
  fileprivate var isRoutine: Bool {
    status == .ok && (AdminAPI.probes.contains(path) || path == "/v1/served")
  }

  fileprivate var fields: JSON.Object {
    var fields: JSON.Object = ["requestId": .string(id)]
    if !method.isEmpty { fields["method"] = .string(method) }
    if !path.isEmpty { fields["path"] = .string(path) }
    if let domain { fields["domain"] = .string(domain.text) }
    fields["status"] = .number(String(status.code))
    fields["milliseconds"] = .number(String((duration / .microseconds(1)).rounded() / 1000))
    if let code { fields["code"] = .string(code) }
    if let token { fields["token"] = .string(token) }
    if !peer.isEmpty { fields["peer"] = .string(peer) }
    return fields
  }
}

extension PublicAccess {
  fileprivate var fields: JSON.Object {
    var fields: JSON.Object = [
      "method": .string(method), "path": .string(path), "host": .string(hostAsked),
    ]
    if hostSource != .host {
      fields["servedHost"] = .string(hostUsed)
      fields["hostFrom"] = .string(hostSource.rawValue)
    }
    if isForwardedHostIgnored { fields["forwardedHost"] = "ignored: not from a trusted proxy" }
    fields["status"] = .number(String(status))
    fields["bytes"] = .number(String(bytes))
    fields["fetcher"] = .string(fetcher.rawValue)
    if !userAgent.isEmpty { fields["userAgent"] = .string(userAgent) }
    if let peer { fields["peer"] = .string(peer.description) }
    return fields
  }
}
