package import Association
package import Store

/// A webhook, and what is delivered to it, in JSON.
package enum WebhookResource {
  /// A webhook as a request gives it.
  package struct Put: Sendable {
    package fileprivate(set) var webhook: Webhook
    /// `nil` to keep the one that there is, or to make one.
    package fileprivate(set) var secret: WebhookSecret?
  }

  private static let longestURL = 2000

  private static let fields: [Field<Put>] = [
    Field("name", .string, \.webhook.name, "The name of the webhook."),
    Field(
      "url", .webhookURL(longest: longestURL), \.webhook.url,
      "Where events are sent: an `https` URL, or an `http` URL whose host is an IP address. Such a host, and a private "
        + "address behind a name, must be in the setting `allowPrivateAddresses`.", .required),
    Field(
      "events", .list(of: .word("WebhookEvent")), \.webhook.events,
      "The events that are sent; empty for all. Default: all."),
    Field(
      "domains", .list(of: .alias, limit: 100), \.webhook.domains,
      "The domains whose events are sent; empty for all. Default: all."),
    Field(
      "format", .word("WebhookFormat"), \.webhook.format,
      "`standard` is what standardwebhooks.com specifies, `slack` a text for an incoming webhook of Slack. "
        + "Default: `standard`."),
    Field(
      "digestSeconds", .integer(in: Webhook.digestSecondsRange), \.webhook.digestSeconds,
      "How long events are collected, from the first one on, and then sent as one message of the type `digest`, grouped "
        + "by cause. Default: each event is sent by itself, at once."),
    Field(
      "enabled", .bool, \.webhook.isEnabled,
      "Whether events are sent. Events that happen while it is false are not sent later. Default: true."
    ),
    Field(
      "goneAt", .time, \.webhook.goneAt,
      "When the target answered 410, which set `enabled` to false.", [.optional, .readOnly]),
    Field("createdAt", .time, \.webhook.createdAt, "When it was created.", .readOnly),
    Field("updatedAt", .time, \.webhook.updatedAt, "When it last changed.", .readOnly),
  ]

  private static let secret = Field<Put>(
    "secret",
    .json([
      "type": "string", "pattern": .string("^\(WebhookSecret.prefix)[A-Za-z0-9+/]+={0,2}$"),
    ]),
    "The key of the signatures: `whsec_` and 24 to 64 bytes in base64. If it is left out, a webhook keeps "
      + "its secret, and a new one gets a random secret.", .optional,
    write: { $0.secret.map { .string($0.text) } }, read: { $1.secret = $0.webhookSecret })

  private static let deliveryFields: [Field<Delivery>] = [
    Field(
      "id", .row, \.id,
      "The number of the event: the same for each webhook that receives it, and higher for later ones."
    ),
    Field(
      "message", .string, \.message,
      "The `webhook-id`: the same for each attempt, and for each webhook that gets the event."),
    Field(
      "event", .string, \.event,
      "What happened; `webhook.test` for a test, `digest` for several events."),
    Field(
      "domain", .domainText, \.domain,
      "The domain that the event is about; left out for a test and a digest."),
    Field("data", .anyObject, \.data, "The `data` of what is sent."),
    Field("at", .time, \.at, "When it happened."),
    Field(
      "status", .word("DeliveryStatus"), \.status,
      "`pending`: it will be attempted; `delivered`: the target answered 2xx; `failed`: given up."),
    Field("attempts", .count, \.attempts, "How often it was attempted."),
    Field("attemptedAt", .time, \.attemptedAt, "When it was last attempted."),
    Field(
      "nextAt", .time, \.dueAt,
      "When the next attempt is due. Left out once it has ended, while an earlier delivery for the domain is pending, and before the server has taken up the event."
    ),
    Field("milliseconds", .count, \.milliseconds, "How long the last attempt took."),
    Field("answer", .count, \.answer, "The HTTP status of the last attempt."),
    Field("error", .string, \.error, "Why the last attempt failed.", unless: \.isEmpty),
  ]

  static let schemas: JSON.Object = [
    "Webhook": fields.members().schema(),
    "WebhookInput": (fields + [secret]).members().schema(for: .request),
    "ChangedWebhook":
      ((fields + [secret]).members() + .dryRun).schema(
        "A webhook. It has its secret only if this request set it."),
    "WebhookDelivery": (deliveryFields.members() + .dryRun).schema(),
  ]

  package static func json(_ webhook: Webhook) -> JSON.Object {
    fields.json(of: Put(webhook: webhook))
  }

  /// A webhook after it was put, with the secret that it got.
  package static func json(_ webhook: Webhook, showing secret: WebhookSecret?) -> JSON.Object {
    (fields + [self.secret]).json(of: Put(webhook: webhook, secret: secret))
  }

  package static func json(_ delivery: Delivery) -> JSON.Object {
    deliveryFields.json(of: delivery)
  }

  /// Reads a webhook whose name is in the path.
  package static func read(_ body: BodyValue, _ name: String) -> Put? {
    var put = Put(webhook: Webhook(name: name))
    let isComplete = body.read(fields + [secret], into: &put)
    body.check(name: put.webhook.name, isThatOfPath: name)
    return isComplete ? put : nil
  }
}

extension BodyValue {
  fileprivate var webhookSecret: WebhookSecret? {
    guard let text = string else { return nil }
    if let secret = WebhookSecret(text) { return secret }
    // What was sent is not repeated.
    let lengths = WebhookSecret.lengths
    fault(
      .malformedSecret,
      "A secret is \"\(WebhookSecret.prefix)\" and \(lengths.lowerBound) to \(lengths.upperBound) bytes in "
        + "base64. Make one with: echo \"\(WebhookSecret.prefix)$(openssl rand -base64 32)\"")
    return nil
  }

  /// A URL that events are sent to.
  fileprivate func webhookURL(longest: Int) -> String? {
    guard let text = text(longest: longest) else { return nil }
    guard let reason = Self.urlFault(text) else { return text }
    fault(.malformedURL, reason)
    return nil
  }

  private static func urlFault(_ text: String) -> String? {
    let bytes = Array(text.utf8)
    guard bytes.allSatisfy({ (0x21...0x7E).contains($0) && !"\"<>\\^`{|}".utf8.contains($0) })
    else { return "A URL has only ASCII characters, and no spaces. Escape others with \"%\"." }
    let isSecure = text.hasPrefix("https://")
    guard isSecure || text.hasPrefix("http://") else {
      return "The URL must begin with https://, or with http:// and an IP address."
    }
    if text.contains("#") { return "The URL must not have a fragment (\"#\")." }
    let authority = text.dropFirst(isSecure ? 8 : 7).prefix { !"/?".contains($0) }
    if authority.contains("@") {
      return "The URL must not have a user or a password. The signature proves who sends."
    }
    var host = authority
    if let colon = authority.lastIndex(of: ":"), !authority.hasSuffix("]") {
      host = authority[..<colon]
      guard let port = UInt16(authority[authority.index(after: colon)...]), port > 0 else {
        return "The port must be a number from 1 to 65535."
      }
    }
    if isAddress(host) { return nil }
    if !isSecure {
      return
        "http:// is only for an IP address such as http://10.0.0.5:9000/. Use https:// for a name."
    }
    do throws(ValidationError) {
      _ = try DomainName(String(host))
      return nil
    } catch {
      return error.message
    }
  }

  /// Whether a host is an address in the usual spelling. Only connecting shows whether it is allowed.
  private static func isAddress(_ host: Substring) -> Bool {
    if host.hasPrefix("["), host.hasSuffix("]") {
      let inner = host.dropFirst().dropLast()
      return inner.contains(":") && inner.allSatisfy { $0.isHexDigit || ":.".contains($0) }
    }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts.allSatisfy { UInt8($0).map(String.init) == String($0) }
  }
}

extension Coding<String> {
  fileprivate static func webhookURL(longest: Int) -> Coding {
    Coding(
      .json([
        "type": "string", "format": "uri", "pattern": "^https?://[^/?#@]+([/?][^#]*)?$",
        "maxLength": .integer(longest),
      ]),
      read: { $0.webhookURL(longest: longest) }, write: { .string($0) })
  }

  /// The name of a domain in an answer.
  fileprivate static var domainText: Coding { string(.domain) }
}

extension Coding<JSON.Object> {
  fileprivate static var anyObject: Coding {
    Coding(.object, read: { $0.members }, write: { .object($0) })
  }
}
