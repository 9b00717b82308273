import API
import Association
import HTTP
import JSONValue

extension Log {
  /// Writes what the API tells.
  func write(_ event: AdminEvent) {
    switch event {
    case .answered(let request):
      if !request.isRoutine { write(.info, "Request.", request.fields) }
    case .failed(let requestID, let detail):
      write(
        .error, "Something failed that should not.",
        ["requestId": .string(requestID), "error": .string(detail)])
    }
  }
}

extension AnsweredRequest {
  /// Whether it is one of those that watchers send all the time, and all is well.
  fileprivate var isRoutine: Bool {
    status == .ok && ["/healthz", "/readyz", "/metrics"].contains(path)
  }

  fileprivate var fields: JSON.Object {
    var fields: JSON.Object = ["requestId": .string(id)]
    if !method.isEmpty { fields["method"] = .string(method) }
    if !path.isEmpty { fields["path"] = .string(path) }
    if let domain { fields["domain"] = .string(domain.text) }
    fields["status"] = .number(String(status.code))
    fields["milliseconds"] = .number(String((duration / .microseconds(1)).rounded() / 1000))
    if let token { fields["token"] = .string(token) }
    if !peer.isEmpty { fields["peer"] = .string(peer) }
    return fields
  }
}
