/// A format that a whole file seems to have in place of JSON.
struct OtherFormat {
  /// What to do about it.
  let help: String
  /// Whether it is a page without a sign of what made it.
  private(set) var isPage = false

  private init(_ help: String) { self.help = help }

  private static func isBlank(_ byte: UInt8) -> Bool { " \t\r\n".utf8.contains(byte) }

  /// - Returns: `nil` if the text seems to be meant as JSON.
  init?(_ text: [UInt8]) {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let rest = text.dropFirst(text.starts(with: mark) ? mark.count : 0).drop(while: Self.isBlank)
    let beginning = Array(rest.prefix(300))
    if rest.isEmpty {
      self.init("The file is empty. Write the JSON into it.")
    } else if rest.starts(with: "<<<<<<< ".utf8) || text.contains(ascii: "\n<<<<<<< ") {
      self.init("It has the marks of a merge that was not finished, such as <<<<<<<. Resolve it.")
    } else if rest.first == UInt8(ascii: "<") {
      self.init(markup: rest, beginning)
    } else if let help = Self.beginnings.first(where: { rest.starts(with: $0.key.utf8) })?.value {
      self.init(help)
    } else if Self.programs.contains(where: { rest.starts(with: $0.utf8) }),
      beginning.contains(UInt8(ascii: "{"))
    {
      self.init(
        "It is the source of a program. Publish the object alone, as JSON: with straight double quotes around each key,"
          + " and nothing before or after it.")
    } else if Self.configurations.contains(where: { rest.starts(with: $0.utf8) }) {
      self.init(Self.configuration)
    } else if text.starts(with: [0x1F, 0x8B]) {
      self.init(Self.compressed)
    } else if text.starts(with: [0xFF, 0xFE]) || text.starts(with: [0xFE, 0xFF])
      || text.prefix(4).contains(0)
    {
      self.init("It is UTF-16. Save the file as UTF-8, without a byte order mark.")
    } else {
      let second = rest.dropFirst().first { !Self.isBlank($0) }
      guard rest.first == UInt8(ascii: "{"), second == UInt8(ascii: "{") else { return nil }
      self.init("It begins with two braces. A list of objects begins with [ and ends with ].")
    }
  }

  /// - Parameter rest: A text that begins with `<`.
  private init(markup rest: ArraySlice<UInt8>, _ beginning: [UInt8]) {
    // Behind the declaration, and the words that name a property list.
    var content = rest
    while content.starts(with: "<?xml".utf8) || content.starts(with: "<!--".utf8) {
      content = content.drop { $0 != UInt8(ascii: ">") }.dropFirst().drop(while: Self.isBlank)
    }
    if let help = Self.elements.first(where: { content.starts(with: $0.key.utf8) })?.value {
      self.init(help)
    } else if content.starts(with: "<b".utf8),
      ["<b>Warning</b>", "<b>Notice</b>", "<b>Deprecated</b>", "<b>Fatal error</b>"]
        .contains(where: beginning.contains(ascii:))
    {
      self.init(
        "It begins with a message of PHP. Correct what it names, and set `display_errors` to Off, so that messages go to"
          + " the log.")
    } else {
      self.init(
        "It begins like a page. If a server sent it, find out why it answers with a page at this address, such as one"
          + " for signing in or one for every unknown path.")
      isPage = true
    }
  }

  private static let configuration =
    "It is the configuration of a server. Give the file that the server sends, without the rest."

  /// How other texts begin, with what to do about them.
  private static let beginnings: KeyValuePairs = [
    "{{":
      "It begins like a template that nobody has filled in. Publish the output of the program that fills it in.",
    "{\\rtf":
      "It is formatted text (RTF), as TextEdit saves it. Make it plain text, and save it without an extension.",
    "HTTP/": answer,
    "```":
      "It begins with the mark of a block of code, as documents and chats have it. Publish only what stands between"
      + " the marks.",
    "{&quot;":
      "It has `&quot;` in place of quotation marks, as pages write them. Copy the text from the file, not from the"
      + " source of a page.",
    "[{&quot;":
      "It has `&quot;` in place of quotation marks, as pages write them. Copy the text from the file, not from the"
      + " source of a page.",
    "applinks:\n": "It is YAML. Write it as JSON.", "origins:\n": "It is YAML. Write it as JSON.",
  ]

  /// How elements of XML and the like begin, with what to do about them.
  private static let elements: KeyValuePairs = [
    "<?php":
      "It is the source of a PHP program. If a server sent it, that server does not run PHP at this address. Publish"
      + " what the program prints.",
    "<resources": resource, "<string name=": resource,
    "<Error":
      "It is the error of a storage such as Amazon S3, whose <Code> says why the file was not given out.",
    "<!DOCTYPE plist": propertyList, "<plist": propertyList,
    "<manifest": manifest,
    "<configuration": configuration, "<Files": configuration, "<IfModule": configuration,
    "<Location": configuration, "<Directory": configuration, "<VirtualHost": configuration,
  ]

  private static let resource =
    "It is a resource of an Android project. The statements are the text of its <string>: check that by itself, without"
    + " the backslashes."

  private static let propertyList =
    "It is a property list. `aasa entitlements` reads the entitlements of an app. Here, give the file that the domain"
    + " serves."

  private static let manifest =
    "It is the manifest of an Android app, which `aasa manifest` reads. Here, give the file that the domain serves."
  private static let answer =
    "It begins with the header of an answer. Leave that out, as curl does without -i."
  private static let compressed =
    "It is compressed with gzip. Decompress it, or use curl --compressed."

  /// Whether the help is about what is given to a command, and not about what a server sends.
  fileprivate var isAboutInput: Bool {
    [Self.configuration, Self.propertyList, Self.manifest, Self.answer, Self.compressed].contains(
      help)
  }

  private static let programs = [
    "module.exports", "exports.", "export ", "const ", "var ", "let ", "import ", "window.",
    "return ", "function ",
  ]
  private static let configurations = [
    "server {", "server{", "location ", "RewriteEngine", "RewriteRule", "AddType ", "Header ",
    "[[redirects]]", "[[headers]]", "/.well-known/", "/apple-app-site-association",
  ]
}

extension Linter {
  /// What to do about a text that a server sends in place of a file; `nil` if it is an ordinary page, or may be meant as
  /// JSON.
  package static func remedy(forTextInPlaceOfFile text: [UInt8]) -> String? {
    OtherFormat(text).flatMap { $0.isPage || $0.isAboutInput ? nil : $0.help }
  }
}
