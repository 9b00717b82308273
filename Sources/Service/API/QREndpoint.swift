import Association
import HTTP

/// `/v1/qr`.
enum QREndpoint {
  static let code = Endpoint(
    .get, "/v1/qr", .anyToken, query: [.link],
    "getQRCode", .answers, "Draw a QR code of a link",
    description: "Scanning it with a phone opens the link as a tap does.",
    answers: Answer(
      status: .ok, description: "The image, black on white.", mediaType: "image/svg+xml",
      schema: .string)
  ) { call in
    let url = call.query(.link) ?? ""
    guard isLink(url) else {
      throw Problem(
        .malformedURL,
        "\"url\" is not an https URL in ASCII: \(url.quoted). Percent-encode other characters, "
          + "as in https://example.com/caf%C3%A9.")
    }
    return Response(
      .ok, fields: [HeaderField("Content-Type", "image/svg+xml")],
      body: Array(try QRCode(url).svg.utf8))
  }

  /// The pattern of the parameter `link`.
  private static func isLink(_ text: String) -> Bool {
    let scheme = "https://"
    guard text.hasPrefix(scheme), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      return false
    }
    return text.dropFirst(scheme.count).first.map { !"/?#".contains($0) } ?? false
  }
}
