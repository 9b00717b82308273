import Association

/// The page for people without an app. It has no script, and loads nothing.
struct PageForPeople {
  let html: [UInt8]

  /// - Parameters:
  ///   - links: Where its links lead.
  ///   - request: The link that somebody has followed, which the App Store's banner hands to the app.
  ///   - host: The host of that link.
  ///   - accepted: The languages that the browser accepts.
  init(
    _ page: FallbackPage, _ links: Fallback?, at request: LinkTarget.Request,
    on host: UnsafeRawBufferPointer, _ accepted: String
  ) {
    let language = LanguageTag.best(of: page.languages, for: accepted)
    let root =
      language.map {
        #" lang="\#($0.escaped)" dir="\#(LanguageTag.direction($0))""#
      } ?? ""
    let title = page.title.text(in: language).escaped
    var html = """
      <!doctype html>
      <html\(root)>
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">

      """
    if let app = links?.appStoreID {
      html += """
        <meta name="apple-itunes-app" content="app-id=\(app), app-argument=\(Self.link(request, host))">

        """
    }
    html += """
      <title>\(title)</title>
      <style>\(Self.style)</style>
      </head>
      <body>
      <main>
      <h1>\(title)</h1>
      <p>\(page.text.text(in: language).escaped)</p>

      """
    if let links {
      html += """
        <p><a class="button" href="\(links.web.link(request))">\(page.button.text(in: language).escaped)</a></p>

        """
      let stores = [
        links.apple.map { ($0, $0.host == "apps.apple.com" ? "App Store" : "iPhone, iPad") },
        links.android.map { ($0, $0.host == "play.google.com" ? "Google Play" : "Android") },
      ].compactMap(\.self)
      if !stores.isEmpty {
        html += "<ul>\n"
        for (target, name) in stores {
          html += #"<li><a href="\#(target.link(request))">\#(name)</a></li>"# + "\n"
        }
        html += "</ul>\n"
      }
    }
    html += "</main>\n</body>\n</html>\n"
    self.html = Array(html.utf8)
  }

  /// The link without commas, which would end the argument of the banner.
  private static func link(
    _ request: LinkTarget.Request, _ host: UnsafeRawBufferPointer
  ) -> String {
    var url = Array("https://".utf8)
    url += host
    URLBytes.append(path: request.path, to: &url)
    if !request.query.isEmpty {
      url.append(UInt8(ascii: "?"))
      URLBytes.append(query: request.query, to: &url)
    }
    return String(decoding: url, as: UTF8.self).replacing(",", with: "%2C").escaped
  }

  static let style = """
    :root{color-scheme:light dark}\
    body{margin:0;background:Canvas;color:CanvasText;font:1.125rem/1.5 system-ui,sans-serif;\
    overflow-wrap:anywhere}\
    main{box-sizing:border-box;max-width:34rem;margin:0 auto;padding:3rem 1.25rem;text-align:center}\
    h1{font-size:1.75rem;line-height:1.2;margin:0 0 1rem}\
    p{margin:0 0 1.5rem}\
    a{color:LinkText;display:inline-block;padding:.6rem .8rem;border-radius:.5rem}\
    a:focus-visible{outline:3px solid CanvasText;outline-offset:2px}\
    .button{background:CanvasText;color:Canvas;font-weight:600;text-decoration:none;padding:.8rem 1.6rem}\
    ul{list-style:none;margin:0;padding:0}
    """

  /// Of `style`, in base64, for the policy.
  private static let styleHash = "fuCQcwocIN9sm7vMXDw00vfwa6ufqN1zMOZwTkYI9Kc="

  static let fields: Fields = [
    HeaderField("Content-Type", "text/html; charset=utf-8"),
    HeaderField(
      "Content-Security-Policy",
      "default-src 'none'; style-src 'sha256-\(styleHash)'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    HeaderField("Cache-Control", "private, no-cache"), HeaderField("Vary", "Accept-Language"),
    HeaderField("X-Content-Type-Options", "nosniff"),
  ]
}

extension LinkTarget {
  fileprivate func link(_ request: Request) -> String {
    String(decoding: url(for: request), as: UTF8.self).escaped
  }
}

extension String {
  /// The text in HTML, also in quotation marks.
  fileprivate var escaped: String {
    var escaped = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
