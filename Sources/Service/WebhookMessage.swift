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
    let data = JSON.object(delivery.data)
    let domain = delivery.domain ?? ""
    let revision = data["revision"]?.integerValue.map { "revision \($0)" } ?? "a revision"
    guard let event = WebhookEvent(rawValue: delivery.event) else {
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
    }
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
