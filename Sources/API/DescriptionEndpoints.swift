import HTTP

/// `/openapi.json`: what this API is, for programs. It is served as it stands in the repository.
enum DescriptionEndpoints {
  static var all: [Endpoint] {
    [
      Endpoint(.get, "/openapi.json", .anybody) { _ in
        Response(
          .ok, fields: [Field("Content-Type", "application/json")],
          body: PackageResources.openapi_json)
      }
    ]
  }
}
