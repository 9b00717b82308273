import Association
import HTTP
import Store

/// `/v1/domains/{domain}/snippets`, and `/v1/apps/{app}/snippets`.
struct SnippetEndpoints: Sendable {
  /// The number of domains whose entries an app gets.
  private static let mostDomains = 1000

  let store: Store

  var all: [Endpoint] { [domainSnippets, appSnippets] }

  private var appSnippets: Endpoint {
    Endpoint(
      .get, "/v1/apps/{app}/snippets", .role(.viewer), isFilteredByToken: true, isHeavy: true,
      "getAppSnippets", .apps, "Generate what an app needs for all its domains",
      description:
        "The associated domains of the app: every name of every enabled domain whose files name it. A token "
        + "that is limited to domains gets those of its domains.",
      answers: .ok("The associated domains.", "AppSnippets")
    ) { call in
      let app = try Call.name(call.parameters["app"] ?? "", AppIdentifier.init(_:))
      _ = try store.app(app)
      var names = try store.domains(using: app)
      if !call.scope.isEverything {
        names = names.filter(Set(try store.domainNames(within: call.scope)).contains)
      }
      // Whether others have it is not for those who are limited to domains.
      if names.isEmpty && !call.scope.isEverything { throw StoreError.notFound(.app(app.id)) }
      var snippets = AppSnippets(app: app, moreDomains: max(0, names.count - Self.mostDomains))
      for name in names.prefix(Self.mostDomains) {
        if call.request.clientHasGone() { throw StoreError.busy }
        snippets.add(try store.domain(name).domain)
      }
      return .json(.ok, SnippetResource.json(snippets))
    }
  }

  private var domainSnippets: Endpoint {
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
