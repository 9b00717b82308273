extension SiteAnswer {
  /// What the addresses of files at Apple's CDN have in front of the host.
  static let cdn = "app-site-association.cdn-apple.com/a/v1/"

  /// Whether a redirect leads to a file, or to a page in front of it.
  static func leadsToFile(_ url: ArraySlice<UInt8>) -> Bool {
    isFile(url.last == UInt8(ascii: "/") ? url.dropLast() : url)
      || names.contains { url.has("/.well-known/\($0)") }
  }

  static let names = ["apple-app-site-association", "assetlinks.json"]

  /// Whether a URL, or its path, is an address of a file.
  static func isFile(_ url: ArraySlice<UInt8>) -> Bool {
    // A path may have another address in its query.
    let isPath = url.first == UInt8(ascii: "/")
    let rest = isPath ? url : url.firstRange(of: "://").map { url[$0.upperBound...] } ?? url
    guard let slash = rest.firstIndex(of: UInt8(ascii: "/")) else { return false }
    return names.contains { name in
      ["/\(name)", "/.well-known/\(name)"].contains { path in
        rest[slash...].prefix { !"?#".utf8.contains($0) }.elementsEqual(path.utf8)
      }
    }
  }

  /// The file that a URL is meant for, if devices never ask at that URL: the name differs in case or has an extension, is in
  /// another directory, or is that of Android's file in the root of the site.
  static func misplacedFile(_ url: ArraySlice<UInt8>) -> String? {
    guard let scheme = url.firstRange(of: "://"), url.count < 2000 else { return nil }
    let rest = url[scheme.upperBound...].prefix { !"?#".utf8.contains($0) }
    // GitHub has the source of a site, and an archive has the address in its own.
    guard let slash = rest.firstIndex(of: UInt8(ascii: "/")), !rest.has("://"),
      !["github.com", "githubusercontent.com"].contains(where: rest[..<slash].has)
    else { return nil }
    let path = rest[slash...].value
    let parts = path.split(separator: "/")
    let last = parts.last?.lowercased() ?? ""
    guard
      let file = names.first(where: { [$0, "\($0).json", "\($0).txt"].contains(last) })
        ?? (path == "/.well-known/assetlinks" ? "assetlinks.json" : nil)
    else { return nil }
    let isInRoot = path == "/\(file)" && file != "assetlinks.json"
    return isInRoot || path == "/.well-known/\(file)" ? nil : file
  }
}
