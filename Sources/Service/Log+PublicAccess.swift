import Association
import FoundationEssentials
import HTTP
import JSONValue
import WellKnown

extension Log {
  /// Writes a line of the access log.
  func write(_ access: PublicAccess) {
    let time = Date(timeIntervalSince1970: Double(access.milliseconds) / 1000)
    write(at: time, .info, "File request.", access.fields)
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
    if isForwardedHostIgnored { fields["forwardedHost"] = "ignored: not of a trusted proxy" }
    fields["status"] = .number(String(status))
    fields["bytes"] = .number(String(bytes))
    fields["fetcher"] = .string(fetcher.rawValue)
    if !userAgent.isEmpty { fields["userAgent"] = .string(userAgent) }
    if let peer { fields["peer"] = .string(peer.description) }
    return fields
  }
}
