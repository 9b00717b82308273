import Association
import Testing

@testable import Service
@testable import Store

/// What chats show of an event.
@Suite struct WebhookMessageTests {
  private static let findings: JSON = [
    ["severity": "error", "message": "One.", "help": "Mend it."],
    ["severity": "note", "message": "None."], ["severity": "error", "message": "Two."],
    ["severity": "error", "message": "Three."], ["severity": "error", "message": "Four."],
  ]

  private static let events: [(WebhookEvent, JSON.Object, String)] = [
    (
      .revisionPublished,
      ["revision": 3, "author": "anna", "reason": "sale", "changes": ["one", "two"]],
      "a.example: anna published revision 3 (sale): one; two."
    ),
    (
      .domainDisabled, ["author": "anna", "reason": ""],
      "a.example: anna disabled the domain. Its files answer 404."
    ),
    (
      .domainDeleted, ["author": "anna", "reason": "sold"],
      "a.example: anna deleted the domain (sold). Nothing is served for it any more."
    ),
    (
      .checkFailed, ["since": "2026-01-31T00:00:00Z", "findings": findings],
      "a.example: checks fail since 2026-01-31T00:00:00Z.\n• One.\n• Two.\n• Three.\nand 1 more\nMend it."
    ),
    (
      .checkRecovered, ["failedSince": "2026-01-31T00:00:00Z"],
      "a.example: checks succeed again; they failed since 2026-01-31T00:00:00Z."
    ),
    (.appleCollected, ["revision": 3], "a.example: Apple's CDN has fetched revision 3."),
    (
      .appleOverdue, ["revision": 3, "hours": 1],
      "a.example: Apple's CDN has not fetched revision 3 for 1 hour. Devices still get an older file."
    ),
    (
      .certificateExpiring, ["days": 7, "expires": "2026-01-31T00:00:00Z"],
      "a.example: the certificate expires in 7 days, at 2026-01-31T00:00:00Z."
    ),
    (
      .draftCreated,
      ["draft": 4, "author": "anna", "reason": "sale", "domains": ["a.example"], "domainCount": 1],
      "Draft 4 (a.example): anna asks for approval (sale)."
    ),
    (
      .draftApproved,
      [
        "draft": 4, "domains": ["a.example", "b.example", "c.example"], "domainCount": 5,
        "approvedBy": "boris", "change": 9,
      ],
      "Draft 4 (a.example, b.example, c.example and 2 more): boris approved it. It is change 9."
    ),
    (
      .draftDeclined,
      ["draft": 4, "domains": [], "declinedBy": "boris", "declinedReason": "Too early."],
      "Draft 4: boris declined it: Too early."
    ),
  ]

  @Test(arguments: events)
  func eachEventHasItsSentence(event: WebhookEvent, data: JSON.Object, text: String) {
    var delivery = Delivery()
    (delivery.event, delivery.domain, delivery.data) = (event.rawValue, "a.example", data)
    #expect(WebhookMessage.text(delivery) == text)
  }

  @Test func anEventOfALaterVersionIsNoTest() {
    var delivery = Delivery()
    (delivery.event, delivery.domain) = ("domain.renamed", "a.example")
    #expect(WebhookMessage.text(delivery) == "a.example: domain.renamed")
    (delivery.event, delivery.data) = (Delivery.test, ["webhook": "ops"])
    #expect(WebhookMessage.text(delivery).contains("This is a test of the webhook \"ops\""))
  }

  @Test func noEventIsWithoutASentence() {
    #expect(Set(Self.events.map(\.0)) == Set(WebhookEvent.allCases))
  }
}
