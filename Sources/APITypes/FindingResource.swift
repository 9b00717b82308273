package import Association
package import JSONValue

/// Findings in JSON.
package enum FindingResource {
  /// An error as an element of a problem's `errors`.
  package static func fault(_ finding: Finding) -> JSON {
    [
      "pointer": .string(finding.pointer.description), "code": .string(finding.code.rawValue),
      "message": .string("\(finding.message) \(finding.help)"),
    ]
  }

  /// Where the bytes of a document that is too large go to.
  package static func json(_ account: ByteAccount) -> JSON {
    let apps = account.apps.map { share -> JSON in
      ["app": .string(share.app), "bytes": .integer(share.bytes)]
    }
    let routes = account.routes.map { share -> JSON in
      ["pointer": .string(share.pointer.description), "bytes": .integer(share.bytes)]
    }
    return [
      "bytes": .integer(account.bytes), "limit": .integer(Linter.maximumSize),
      "apps": .array(apps), "routes": .array(routes),
    ]
  }
}
