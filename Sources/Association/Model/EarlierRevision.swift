extension Domain {
  /// The domain with the settings that versions up to schema 17 recorded. Where they are invalid, it has defaults.
  package init(earlierRecord record: JSON) {
    var members = record.objectValue ?? [:]
    if let expectations = record["expectations"]?.arrayValue {
      members["expectations"] = .array(
        expectations.map { expectation in
          var object = expectation.objectValue ?? [:]
          // Only Android's was named.
          if object["platform"] == nil { object["platform"] = "ios" }
          return .object(object)
        })
    }
    self = DomainResource.read(record: .object(members), Faults())
  }

  /// Sets the rows for Android that versions up to schema 17 recorded beside the settings of a revision: its
  /// documents do not tell which entries name which apps. The entries must be those of Apple's file.
  package mutating func restoreAndroid(ofEarlier record: JSON) {
    let android = record["android"]
    androidCredentials = android?["credentials"]?.packages ?? []
    hasDynamicAppLinks = android?["dynamicAppLinks"]?.boolValue ?? true
    associationFile.entries.removeAll { !$0.isForApple }
    for index in associationFile.entries.indices { associationFile.entries[index].androidApps = [] }
    for entry in android?["entries"]?.arrayValue ?? [] {
      guard let index = entry["index"]?.integerValue, index >= 0 else { continue }
      // An entry that only Android apps use is not in Apple's file.
      if let content = entry["content"], let new = Entry(content: content) {
        associationFile.entries.insert(new, at: min(index, associationFile.entries.count))
      }
      if associationFile.entries.indices.contains(index) {
        associationFile.entries[index].androidApps = entry["apps"]?.packages ?? []
      }
    }
  }
}

extension JSON {
  fileprivate var packages: [PackageName] {
    arrayValue?.compactMap { $0.stringValue.flatMap { PackageName($0) } } ?? []
  }
}
