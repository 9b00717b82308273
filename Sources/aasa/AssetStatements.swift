import Association

/// What an Android app says about sites: `asset_statements`, for passwords and Trusted Web Activities.
extension ManifestCheck {
  /// Reports statements that nobody can read. Links do not need them.
  mutating func checkStatements(_ text: String) {
    func add(_ message: String) {
      self.add(
        "malformed-statements", .warning, "asset_statements",
        message
          + " Passwords and Trusted Web Activities need it, App Links do not. Write"
          + " [{\"include\": \"https://example.com/.well-known/assetlinks.json\"}]"
          + (manifest.isOnlyStatements
            ? ", in a file of resources with a backslash before each quotation mark." : "."))
    }
    let json: JSON
    do throws(JSON.SyntaxError) {
      json = try JSON.parse(Array(text.utf8)).value
    } catch {
      return add("It is not JSON: \(error).")
    }
    guard let statements = json.arrayValue else { return add("It is no array of statements.") }
    for statement in statements {
      if let include = statement["include"] {
        if include.stringValue?.hasPrefix("https://") != true {
          return add("\"include\" must be an address with https://.")
        }
      } else if statement["relation"]?.arrayValue == nil || statement["target"]?.objectValue == nil
      {
        return add("A statement has neither \"include\" nor \"relation\" and \"target\".")
      }
    }
  }
}
