import Association
import Checking
import Store

/// What is sent for a delivery.
enum WebhookMessage {
  /// The request of an attempt.
  ///
  /// - Parameter time: When it is sent.
  static func request(_ claimed: ClaimedDelivery, at time: UnixTime) -> FetchRequest {
    let delivery = claimed.delivery
    let body = body(delivery, claimed.webhook.format)
    var request = FetchRequest(claimed.webhook.url)
    request.method = "POST"
    request.body = body
    request.fields = [
      ("Content-Type", "application/json"), ("webhook-id", delivery.message),
      ("webhook-timestamp", "\(time.seconds)"),
      ("webhook-signature", claimed.secret.signature(delivery.message, at: time, body)),
    ]
    return request
  }

  /// The content: the same bytes for each attempt.
  static func body(_ delivery: Delivery, _ format: Webhook.Format) -> [UInt8] {
    let json: JSON =
      switch format {
      case .standard:
        [
          "type": .string(delivery.event), "timestamp": .time(delivery.at),
          "data": .object(delivery.data),
        ]
      case .slack: ["text": .string(escaped(text(delivery)))]
      }
    return json.serialized()
  }

  /// What happened, for people.
  static func text(_ delivery: Delivery) -> String {
    if delivery.event == Delivery.digest { return digest(.object(delivery.data)) }
    return text(delivery.event, delivery.domain ?? "", .object(delivery.data))
  }

  private static func text(_ event: String, _ domain: String, _ data: JSON) -> String {
    let revision = data["revision"]?.integerValue.map { "revision \($0)" } ?? "a revision"
    guard let event = WebhookEvent(rawValue: event) else {
      // A later version's, while servers are upgraded one after the other.
      if event != Delivery.test { return "\(domain): \(event)" }
      let webhook = data["webhook"]?.stringValue ?? ""
      return "This is a test of the webhook \"\(webhook)\". It works."
    }
    switch event {
    case .revisionPublished:
      let changes = data["changes"]?.arrayValue?.compactMap(\.stringValue) ?? []
      let listed = changes.isEmpty ? "" : ": " + changes.joined(separator: "; ")
      return "\(domain): \(author(data)) published \(revision)\(reason(data))\(listed)."
    case .domainDisabled:
      return "\(domain): \(author(data)) disabled the domain\(reason(data)). Its files answer 404."
    case .domainDeleted:
      return "\(domain): \(author(data)) deleted the domain\(reason(data)). "
        + "Nothing is served for it any more."
    case .checkFailed:
      let errors = (data["findings"]?.arrayValue ?? []).filter { $0["severity"] == "error" }
      let messages = errors.compactMap { $0["message"]?.stringValue }
      var lines = ["\(domain): checks fail\(since(data["since"], " since"))."]
      lines += messages.prefix(3).map { "• \($0)" }
      if messages.count > 3 { lines.append("and \(messages.count - 3) more") }
      lines += [errors.first?["help"]?.stringValue].compactMap(\.self)
      return lines.joined(separator: "\n")
    case .checkRecovered:
      return "\(domain): checks succeed again\(since(data["failedSince"], "; they failed since"))."
    case .appleCollected:
      return "\(domain): Apple's CDN has fetched \(revision)."
    case .appleOverdue:
      let hours = data["hours"]?.integerValue.map { " for \($0.counted("hour"))" } ?? ""
      return "\(domain): Apple's CDN has not fetched \(revision)\(hours). "
        + "Devices still get an older file."
    case .certificateExpiring:
      let days = data["days"]?.integerValue.map { " in \($0.counted("day"))" } ?? " soon"
      return "\(domain): the certificate expires\(days)\(since(data["expires"], ", at"))."
    case .draftCreated:
      return "\(draft(data)): \(author(data)) asks for approval\(reason(data))."
    case .draftApproved:
      let change = data["change"]?.integerValue.map { ". It is change \($0)" } ?? ""
      return
        "\(draft(data)): \(data["approvedBy"]?.stringValue ?? "somebody") approved it\(change)."
    case .draftDeclined:
      let reason = data["declinedReason"]?.stringValue ?? ""
      return
        "\(draft(data)): \(data["declinedBy"]?.stringValue ?? "somebody") declined it: \(reason)"
    }
  }

  /// What happened in some time, a line for each cause.
  private static func digest(_ data: JSON) -> String {
    let count = data["events"]?.integerValue ?? 0
    var lines = ["\(count.counted("event"))\(since(data["from"], " since")):"]
    lines += (data["groups"]?.arrayValue ?? []).prefix(20).map { "• \(group($0))" }
    let more =
      (data["moreEvents"]?.integerValue ?? 0)
      + (data["groups"]?.arrayValue ?? []).dropFirst(20).reduce(0) {
        $0 + ($1["events"]?.integerValue ?? 0)
      }
    if more > 0 { lines.append("and \(more.counted("event")) with other causes") }
    return lines.joined(separator: "\n")
  }

  /// Events with one cause: as by itself if it is one, otherwise what they share, and where.
  private static func group(_ group: JSON) -> String {
    let type = group["type"]?.stringValue ?? ""
    let names = (group["domains"]?.arrayValue ?? []).compactMap(\.stringValue)
    if group["events"] == 1 {
      return text(type, names.first ?? "", group["example"] ?? [:])
    }
    let count = names.count + (group["moreDomains"]?.integerValue ?? 0)
    let rest = count - min(3, names.count)
    let places =
      names.prefix(3).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
    let cause = group["cause"] ?? [:]
    let what =
      switch WebhookEvent(rawValue: type) {
      case .revisionPublished: "\(author(cause)) published\(reason(cause))"
      case .domainDisabled: "\(author(cause)) disabled them\(reason(cause))"
      case .domainDeleted: "\(author(cause)) deleted them\(reason(cause))"
      case .checkFailed: "checks fail (\(cause["code"]?.stringValue ?? "unknown"))"
      case .checkRecovered: "checks succeed again"
      case .appleCollected: "Apple's CDN has fetched what they serve"
      case .appleOverdue: "Apple's CDN has not fetched what they serve"
      case .draftCreated, .draftApproved, .draftDeclined:
        "draft \(cause["draft"]?.integerValue ?? 0): \(type)"
      case .certificateExpiring: "the certificate expires\(since(cause["expires"], " at"))"
      case nil: type
      }
    return "\(count.counted("domain")): \(what): \(places)"
  }

  /// A draft with its first domains.
  private static func draft(_ data: JSON) -> String {
    let names = (data["domains"]?.arrayValue ?? []).compactMap(\.stringValue)
    let count = data["domainCount"]?.integerValue ?? names.count
    let listed = names.prefix(3).joined(separator: ", ")
    let more = count > 3 ? " and \(count - 3) more" : ""
    return "Draft \(data["draft"]?.integerValue ?? 0)\(listed.isEmpty ? "" : " (\(listed)\(more))")"
  }

  private static func author(_ data: JSON) -> String { data["author"]?.stringValue ?? "somebody" }

  private static func reason(_ data: JSON) -> String {
    let reason = data["reason"]?.stringValue ?? ""
    return reason.isEmpty ? "" : " (\(reason))"
  }

  private static func since(_ time: JSON?, _ words: String) -> String {
    time?.stringValue.map { "\(words) \($0)" } ?? ""
  }

  /// Slack's control characters (api.slack.com/reference/surfaces/formatting#escaping).
  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}
