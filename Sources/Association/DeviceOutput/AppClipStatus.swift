/// The status of the domains of an App Clip, as App Store Connect's API answers it.
enum AppClipStatus {
  /// The most open objects that are kept, and objects within one of a domain.
  private static let most = (open: 64, height: 3)

  /// Reads the objects that have a domain, each for itself, so that a text whose ends are cut off has most of them.
  static func rows(in text: PastedText) -> DeviceRows {
    var found = DeviceRows()
    /// Where the open objects begin, and how many are within each other in them.
    var open: [(start: Int, height: Int)] = []
    var (isString, isEscaped) = (false, false)
    for index in text.flat.indices {
      let byte = text.flat[index]
      if isString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isString = false
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isString = !open.isEmpty
      case UInt8(ascii: "{"):
        if open.count == most.open { open.removeFirst() }
        open.append((index, 0))
      case UInt8(ascii: "}"):
        guard let (start, height) = open.popLast() else { continue }
        if let last = open.indices.last { open[last].height = max(open[last].height, height + 1) }
        if height <= most.height, let row = row(text.flat[start...index]) { found.add(row) }
      default: break
      }
    }
    return found
  }

  /// What keeps Apple from the file. Apple explains none of its codes: the causes are our reading.
  enum Cause {
    case answer, crossSiteRedirect, insecureRedirect, redirects
    case dns, tls, timeout, network
    case content, signature

    /// `nil` for codes that do not say a cause.
    init?(_ code: String) {
      switch code {
      case "BAD_HTTP_RESPONSE", "CANNOT_REACH_AASA_FILE": self = .answer
      case "CROSS_SITE_REDIRECTS_FORBIDDEN": self = .crossSiteRedirect
      case "INSECURE_REDIRECTS_FORBIDDEN": self = .insecureRedirect
      case "TOO_MANY_REDIRECTS": self = .redirects
      case "DNS_ERROR": self = .dns
      case "TLS_ERROR": self = .tls
      case "TIMEOUT": self = .timeout
      case "NETWORK_ERROR", "NETWORK_ERROR_TEMPORARY": self = .network
      case "BAD_JSON_CONTENT": self = .content
      case "BAD_PKCS7_SIGNATURE": self = .signature
      default: return nil
      }
    }

    var verdict: DeviceVerdict.Code {
      switch self {
      case .crossSiteRedirect, .insecureRedirect, .redirects: .redirectRefused
      case .tls: .certificateRefused
      case .content, .signature: .unusableFile
      case .answer, .dns, .timeout, .network: .cdnFailed
      }
    }

    /// What happened, as a sentence.
    var meaning: String {
      switch self {
      case .answer: "The site answered Apple, but not with the file."
      case .crossSiteRedirect: "The site redirected Apple to another site."
      case .insecureRedirect: "The site redirected Apple to an address without TLS."
      case .redirects: "The site redirected Apple again and again."
      case .dns: "Apple found no address of the name."
      case .tls: "Apple could not make a TLS connection, often because of the certificate."
      case .timeout: "The site did not answer Apple in time."
      case .network: "Apple could not connect to the site; that may pass by itself."
      case .content: "What Apple got is not JSON, often a page in place of the file."
      case .signature: "The signature of the file that Apple got is not valid."
      }
    }

    /// What a check finds then.
    var findings: String {
      switch self {
      case .answer: "`http-status` and `bot-blocked`"
      case .crossSiteRedirect: "`redirect-cross-site`"
      case .insecureRedirect: "`redirect-insecure`"
      case .redirects: "`too-many-redirects`"
      case .dns: "`dns-error`"
      case .tls: "`tls-error`"
      case .timeout: "`timeout` and `cdn-failed`"
      case .network: "`connection-failed` and `private-address`"
      case .content: "`html-answer`, `not-json` and `byte-order-mark`"
      case .signature: "`cms-signed`"
      }
    }
  }

  private static func row(_ object: ArraySlice<UInt8>) -> DeviceRow? {
    guard object.count <= DeviceOutput.longestValue, object.has(Marker.domain.rawValue) else {
      return nil
    }
    let json: JSON
    do throws(JSON.SyntaxError) {
      json = try JSON.parse(Array(object)).value
    } catch {
      return nil
    }
    guard let host = json["domain"]?.stringValue.flatMap({ Array($0.utf8)[...].host }) else {
      return nil
    }
    var row = DeviceRow(host: host, service: "appclips")
    row.state =
      json["isValid"]?.boolValue.map { $0 ? "valid" : "invalid" } ?? DeviceRow.unknownState
    row.error = json["errorCode"]?.stringValue
    row.lastChecked = json["lastUpdatedDate"]?.stringValue.flatMap(DeviceTime.read)
    return row
  }
}
