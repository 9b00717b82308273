import Association
import HTTP
import Store

/// `/v1/webhooks`.
struct WebhookEndpoints: Sendable {
  let store: Store

  var all: [Endpoint] {
    let (path, one) = ("/v1/webhooks", "/v1/webhooks/{webhook}")
    let links = ["getWebhook", "testWebhook", "listDeliveries", "deleteWebhook"]
    return [
      Endpoint(
        .get, path, .role(.admin),
        "listWebhooks", .webhooks, "List webhooks",
        answers: .ok(
          "All webhooks, without their secrets.",
          .named("Webhooks", .object([Member("items", .list(of: "Webhook"))])))
      ) { _ in
        .json(
          .ok, ["items": .array(try store.webhooks().map { .object(WebhookResource.json($0)) })])
      },
      Endpoint(
        .get, one, .role(.admin),
        "getWebhook", .webhooks, "Read a webhook",
        answers: .ok("The webhook, without its secret.", "Webhook")
      ) { call in .json(.ok, .object(WebhookResource.json(try store.webhook(Self.name(call))))) },
      Endpoint(
        .put, one, .role(.admin), effect: .change,
        "putWebhook", .webhooks, "Add or replace a webhook",
        description:
          "Deliveries that are pending go to the new URL, at once. A webhook that begins to receive `check.failed` "
          + "gets it at once for each domain whose checks fail already.",
        body: .json("WebhookInput"), problems: [.malformedPath],
        answers: .ok("The webhook existed.", "ChangedWebhook", links: links),
        .created(
          "The webhook is new. Its secret is never shown again.", "ChangedWebhook", links: links),
        handle: put),
      Endpoint(
        .delete, one, .role(.admin), effect: .change,
        "deleteWebhook", .webhooks, "Delete a webhook with its deliveries",
        answers: .deleted
      ) { call in
        try store.write(call.context()) { try $0.deleteWebhook(Self.name(call)) }
        return Response(.noContent)
      },
      Endpoint(
        .get, "\(one)/deliveries", .role(.admin), query: .numberedPage + [.deliveryStatus],
        "listDeliveries", .webhooks, "List what was sent to a webhook, and what will be",
        description: "Deliveries are deleted 30 days after they end.",
        answers: .ok("A page, newest first.", "WebhookDeliveries"),
        handle: listDeliveries),
      Endpoint(
        .post, "\(one)/test", .role(.admin), effect: .change,
        "testWebhook", .webhooks, "Send a test to a webhook",
        description:
          "It is sent like any event, with the type `webhook.test`: the list of deliveries shows "
          + "the result.",
        problems: [.webhookDisabled],
        answers: .created(
          "The delivery, which is pending.", "WebhookDelivery", links: ["listDeliveries"]),
        handle: test),
    ]
  }

  private static func name(_ call: Call) -> String { call.parameters["webhook"] ?? "" }

  private func put(_ call: Call) throws -> Response {
    let name = try call.newName("webhook", longest: Webhook.longestName)
    let new = try Faults.collecting(in: try call.json()) { WebhookResource.read($0, name) }
    let context = try call.context()
    let put = try store.write(context) { try $0.put(new.webhook, secret: new.secret) }
    return .json(
      put.isNew ? .created : .ok,
      WebhookResource.json(put.webhook, showing: context.isDryRun ? nil : put.secret), to: context)
  }

  private func listDeliveries(_ call: Call) throws -> Response {
    let page = try call.page()
    let deliveries = try store.deliveries(
      of: Self.name(call), call.word(.deliveryStatus, Delivery.Status.self),
      before: call.numberAfter(page.after).map(Int64.init), limit: page.limit + 1)
    return .page(
      deliveries, limit: page.limit, item: { .object(WebhookResource.json($0)) },
      cursor: { String($0.id) })
  }

  private func test(_ call: Call) throws -> Response {
    let context = try call.context()
    let delivery = try store.write(context) { try $0.testWebhook(Self.name(call)) }
    return .json(.created, WebhookResource.json(delivery), to: context)
  }
}
