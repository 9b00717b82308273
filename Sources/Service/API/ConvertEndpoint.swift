import Association
import HTTP
import Publishing
import Store

/// `/v1/domains/{domain}/convert`.
struct ConvertEndpoint: Sendable {
  let publisher: Publisher

  var convert: Endpoint {
    var body = Body.json("Conversion")
    body.isRequired = false
    return Endpoint(
      .post, "/v1/domains/{domain}/convert", .role(.editor), effect: .publication,
      "convertDomain", .domains, "Write a domain in Apple's modern form",
      description:
        "Writes every entry as `appIDs` and `components` instead of `appID` and `paths`, and "
        + "publishes the result. With `dryRun=true`, `diff` shows beforehand whether any URL resolves "
        + "differently. iOS 12 and earlier read only `paths`.",
      body: body,
      answers: .ok("The domain.", "ConvertedDomain"), handle: handle)
  }

  private func handle(_ call: Call) throws -> Response {
    if !call.request.body.isEmpty {
      _ = try Faults.collecting(in: try call.json()) { input in
        input.object(["format"])?["format"].map { $0.word(Target.self) } ?? .modern
      }
    }
    var remarks: [ModernForm.Remark] = []
    return try publisher.edit(call, "convert to the modern form") { domain in
      let modern = ModernForm(domain.associationFile)
      domain.associationFile = modern.document
      domain.format = .modern
      remarks = modern.remarks
    } answer: { stored in
      var members: JSON.Object = ["domain": DomainResource.json(stored)]
      members.set(
        "remarks", more: "moreRemarks",
        Excerpt(of: remarks) {
          ["pointer": .string($0.pointer.description), "message": .string($0.message)]
        })
      return members
    }
  }

  /// The forms that a domain can be converted to.
  private enum Target: String, CaseIterable {
    case modern
  }
}
