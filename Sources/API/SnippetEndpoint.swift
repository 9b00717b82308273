import APITypes
import Association
import HTTP
import JSONValue
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
      answers: .ok("The snippets.", "Snippets", Example.snippets)
    ) { call in
      let domain = try store.domain(call.domain()).domain
      return .json(.ok, SnippetResource.json(Snippets(of: domain)))
    }
  }
}

extension Example {
  fileprivate static let snippets = """
    {
      "entitlements": [{
        "app": "ABCDE12345.com.example.app",
        "associatedDomains": ["applinks:example.com", "applinks:*.example.com"],
        "plist": "<key>com.apple.developer.associated-domains</key>\\n<array>\\n\\t<string>applinks:example.com</string>\\n\\t<string>applinks:*.example.com</string>\\n</array>\\n"
      }],
      "intentFilter": null, "intentFilterFromAndroid15": null,
      "mobileconfig": "<?xml version=\\"1.0\\" encoding=\\"UTF-8\\"?>\\n…",
      "notes": ["Devices look for the file of *.go.example.com at go.example.com, which is not a name of the domain. Add it as an alias."]
    }
    """
}
