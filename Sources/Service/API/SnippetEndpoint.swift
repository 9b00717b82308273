import Association
import HTTP
import Store

/// `/v1/domains/{domain}/snippets`.
struct SnippetEndpoint: Sendable {
  let store: Store

  var snippets: Endpoint {
    Endpoint(
      .get, "/v1/domains/{domain}/snippets", .role(.viewer),
      "getSnippets", .domains, "Generate what the domain's apps need",
      description:
        "The domain's files name the apps; each app must name the domain, too. These snippets go into "
        + "the apps' projects; they cover the domain and its current aliases.",
      answers: .ok("The snippets.", "Snippets")
    ) { call in
      let domain = try store.domain(call.domain()).domain
      return .json(.ok, SnippetResource.json(Snippets(of: domain)))
    }
  }
}
