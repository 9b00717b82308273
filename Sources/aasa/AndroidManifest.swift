import Association
import CExpat
import Service

/// The intent filters of an Android app: of its manifest as XML, as `apkanalyzer` or `aapt2` print that of a built app,
/// or of the `app.json` of an Expo project; and its `asset_statements`, which may stand in a file of their own.
struct AndroidManifest {
  /// The attributes of a `<data>` element, without their prefix.
  typealias DataElement = [String: String]

  struct IntentFilter {
    var isAutoVerified = false
    /// What a build puts into `android:autoVerify`, such as `@bool/verify`; it is then taken for true.
    var autoVerifyPlaceholder: String?
    /// Whether the build of an Expo project makes it, which writes the beginnings of its actions and categories.
    var isOfExpo = false
    /// Whether other apps, such as a browser, may start the activity, and whether the file says so.
    var (isExported, saysExported) = (true, true)
    /// Whether the system may start the activity. An app may change that when it runs.
    var isEnabled = true
    var actions: Set<String> = []
    var categories: Set<String> = []
    var data: [DataElement] = []
    var groups: [Group] = []
    /// The attributes of `<data>` that lack their prefix, which Android ignores; for an Expo project, those that have it.
    var misnamed: [String] = []
    /// What stands for `android:autoVerify`: without its prefix, or in other letters.
    var misnamedAutoVerify: String?
    /// Whether a comment in it has a `<data>` element.
    var hasDataInComment = false

    /// The values of an attribute in all elements. Android takes each with each of every other attribute.
    func values(_ attribute: String) -> [String] { data.compactMap { $0[attribute] } }
  }

  /// A `<uri-relative-filter-group>`.
  struct Group {
    var isAllowed = true
    var data: [DataElement] = []
  }

  /// The app; `nil` if the file does not say.
  private(set) var package: String?
  /// The intent filters of activities, in file order.
  private(set) var filters: [IntentFilter] = []
  /// The navigation graphs of activities, from which a build makes more filters.
  private(set) var navigationGraphs: [String] = []
  /// Whether a `<data>` element stands beside the intent filters.
  let hasStrayData: Bool
  /// Where an Expo project has `intentFilters`, if not in `android`.
  let misplacedFilters: String?
  /// What the app says about sites: `asset_statements`; `nil` if the file does not have it.
  let statements: String?
  /// Whether the file is none of a manifest, but the texts of the app with `asset_statements`.
  let isOnlyStatements: Bool
  /// The version of Android that the app is built for; `nil` if the file does not say.
  let targetVersion: Int?

  /// The largest file that is read, in bytes.
  private static let limit = 4_194_304

  /// Reads a file; `-` is stdin.
  init(path: String) throws(Failure) {
    let bytes = try InputFile.bytes(of: path, atMost: Self.limit)
    let name = path == "-" ? "stdin" : path.quotedPath
    func malformed(_ reason: String) -> Failure { Failure("\(name) is not a manifest: \(reason)") }
    let reader: ManifestReader
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let text = bytes.dropFirst(bytes.starts(with: mark) ? mark.count : 0).drop {
      " \t\r\n".utf8.contains($0)
    }
    if text.starts(with: "PK".utf8) {
      throw malformed(
        "it is a ZIP archive. Print its manifest: apkanalyzer manifest print FILE | aasa manifest -"
      )
    } else if bytes.starts(with: [3, 0, 8, 0]) {
      throw malformed(
        "it is binary XML. Print it with the app: apkanalyzer manifest print FILE.apk | aasa manifest -"
      )
    } else if text.first == UInt8(ascii: "{") {
      reader = ManifestReader()
      do throws(JSON.SyntaxError) {
        reader.readExpo(try JSON.parse(Array(text)).value)
      } catch {
        throw malformed("\(error)")
      }
    } else if ["N:", "E:", "Binary XML", "Package Group"].contains(where: {
      text.starts(with: $0.utf8)
    }) {
      reader = ManifestReader()
      reader.readTree(text)
    } else {
      reader = try Self.readXML(bytes, malformed)
    }
    if let fault = reader.fault { throw malformed(fault) }
    guard reader.isManifest else {
      if reader.isCordova {
        throw malformed(
          "it is the config.xml of Cordova, from which a build makes one. Give"
            + " platforms/android/app/src/main/AndroidManifest.xml.")
      }
      throw malformed(
        "it has neither a <manifest> nor an <intent-filter>. Give AndroidManifest.xml, what 'apkanalyzer manifest"
          + " print' or 'aapt2 dump xmltree' prints, or the app.json of an Expo project.")
    }
    (package, filters) = (reader.package, reader.filters)
    navigationGraphs = reader.navigationGraphs
    (hasStrayData, misplacedFilters) = (reader.hasStrayData, reader.misplacedFilters)
    (statements, isOnlyStatements) = (reader.statements, reader.isResources)
    targetVersion = reader.targetVersion
  }

  /// Whether a build fills in the value: Gradle's `${name}`, or a resource such as `@string/host`.
  static func isPlaceholder(_ value: String) -> Bool {
    value.contains("${") || isReference(value)
  }

  /// Whether the value is that of a resource.
  static func isReference(_ value: String) -> Bool { value.hasPrefix("@") }

  /// Reads XML with Expat, which fetches nothing. A document type is refused, so there are no entities to expand.
  private static func readXML(
    _ bytes: [UInt8], _ malformed: (String) -> Failure
  ) throws(Failure) -> ManifestReader {
    guard let parser = XML_ParserCreate(nil) else { throw Failure("Cannot read XML: no memory.") }
    defer { XML_ParserFree(parser) }
    let reader = ManifestReader(parser: parser)
    // Sound: the reader outlives the parser.
    XML_SetUserData(parser, Unmanaged.passUnretained(reader).toOpaque())
    XML_SetElementHandler(
      parser,
      { context, name, attributes in
        guard let name, let reader = ManifestReader.behind(context) else { return }
        var values: [(String, String)] = []
        var next = attributes
        while let key = next?.pointee, let value = next?.advanced(by: 1).pointee {
          values.append((String(cString: key), String(cString: value)))
          next = next?.advanced(by: 2)
        }
        reader.begin(String(cString: name), values)
      }, { context, _ in ManifestReader.behind(context)?.end() })
    XML_SetCharacterDataHandler(parser) { context, text, count in
      guard let text, let reader = ManifestReader.behind(context), reader.isReadingText else {
        return
      }
      let bytes = UnsafeRawBufferPointer(start: text, count: Int(count))
      reader.take(text: String(decoding: bytes, as: UTF8.self))
    }
    XML_SetCommentHandler(parser) { context, text in
      guard let text else { return }
      ManifestReader.behind(context)?.take(comment: String(cString: text))
    }
    XML_SetStartDoctypeDeclHandler(parser) { context, _, _, _, _ in
      ManifestReader.behind(context)?.stop(
        "it has a document type, which no manifest has, so nothing of it was read.")
    }
    let status = withExtendedLifetime(reader) {
      bytes.withUnsafeBytes { bytes in
        XML_Parse(
          parser, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count),
          CInt(XML_TRUE))
      }
    }
    if status == XML_STATUS_OK || reader.fault != nil { return reader }
    let error = XML_ErrorString(XML_GetErrorCode(parser)).map { String(cString: $0) } ?? "unknown"
    let line = Int(aasa_expat_line(parser))
    let quote = CurlyQuote.beginningAttribute(inLine: line, of: bytes)
    let text = String(decoding: bytes.prefix(65_536), as: UTF8.self)
    let start = text.unicodeScalars.drop { $0.properties.isWhitespace || $0 == "\u{FEFF}" }
    let isMarkup = ["<", "//"].contains { Substring(start).hasPrefix($0) }
    if !isMarkup && text.contains("intentFilters") {
      throw malformed("it is JavaScript. Give the output of: npx expo config --json")
    }
    if text.contains("[IntentFilter") {
      throw malformed(
        "it is C#, from which a build makes one. Give AndroidManifest.xml below obj, or what 'apkanalyzer manifest print'"
          + " prints of the app.")
    }
    throw malformed(
      "line \(line) is not XML (\(error))."
        + (quote.map { " It has the quotation mark \($0). Write straight ones (\")." } ?? ""))
  }
}
