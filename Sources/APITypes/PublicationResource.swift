package import Association
package import JSONValue
package import Publishing
import Store

/// What a publication changed, as answers of the API report it.
package struct PublicationResource: Sendable {
  /// A finding about the document.
  package struct Finding: Sendable {
    package let severity: Association.Finding.Severity
    /// A code, perhaps one of a newer server.
    package let code: String
    package let pointer: String
    package let message: String
    package let help: String
  }

  /// A URL that an app resolves differently now.
  package struct Resolution: Sendable {
    package let url: String
    package let app: String
    package let before: Association.Resolution
    package let after: Association.Resolution
  }

  /// A difference between the documents.
  package struct Change: Sendable {
    package let kind: DocumentChange.Kind
    package let summary: String
    package let example: Resolution?
  }

  package let revision: Int
  package let isChanged: Bool
  package let bytes: Int
  package let sha256: String
  package let acceptedCodes: [String]
  package let findings: [Finding]
  /// The URLs of expectations that resolve differently.
  package let changedResolutions: [Resolution]
  package let changes: [Change]
  /// The changes with all their details; `nil` for the first revision.
  private let diff: JSON?
}

extension PublicationResource {
  package init(_ publication: Publication) throws {
    let (edited, comparison) = (publication.edited, try publication.comparison())
    revision = edited.revision.number
    isChanged = edited.isChanged
    bytes = edited.revision.size
    sha256 = edited.revision.sha256
    acceptedCodes = edited.revision.acceptedCodes
    findings = publication.findings.map {
      Finding(
        severity: $0.severity, code: $0.code.rawValue, pointer: $0.pointer.description,
        message: $0.message, help: $0.help)
    }
    changedResolutions = publication.changedResolutions.map {
      Resolution(url: $0.url, app: $0.app.text, before: $0.before, after: $0.after)
    }
    changes = (comparison?.changes ?? []).map { change in
      Change(
        kind: change.kind, summary: change.summary,
        example: change.example.map {
          Resolution(url: $0.url, app: $0.app, before: $0.before, after: $0.after)
        })
    }
    diff = comparison?.json
  }

  package var json: JSON.Object {
    var object: JSON.Object = [
      "revision": .integer(revision), "changed": .bool(isChanged), "bytes": .integer(bytes),
      "sha256": .string(sha256), "findings": .array(findings.map(\.json)),
      "changedResolutions": .array(changedResolutions.map(\.json)),
    ]
    object["diff"] = diff
    if !acceptedCodes.isEmpty { object["accepted"] = .strings(acceptedCodes) }
    return object
  }

  /// Reads the members of a publication in the answer of a server, which may be newer.
  static func read(_ input: Input) -> PublicationResource? {
    let numbers = 0...Int.max
    guard let object = input.object(),
      let revision = object.required("revision")?.integer(in: numbers),
      let isChanged = object.required("changed")?.bool,
      let bytes = object.required("bytes")?.integer(in: numbers),
      let sha256 = object.required("sha256")?.string
    else { return nil }
    return PublicationResource(
      revision: revision, isChanged: isChanged, bytes: bytes, sha256: sha256,
      acceptedCodes: object["accepted"]?.list(\.string) ?? [],
      findings: object["findings"]?.list(Finding.read) ?? [],
      changedResolutions: object["changedResolutions"]?.list(Resolution.read) ?? [],
      changes: (object["diff"]?.object()?["changes"])?.list(Change.read) ?? [],
      diff: object.members["diff"])
  }
}

extension PublicationResource.Finding {
  fileprivate var json: JSON {
    [
      "code": .string(code), "severity": .string(severity.rawValue),
      "pointer": .string(pointer), "message": .string(message), "help": .string(help),
    ]
  }

  fileprivate static func read(_ input: Input) -> Self? {
    guard let object = input.object(), let code = object.required("code")?.string,
      let severity = object.required("severity")?.word(Association.Finding.Severity.self),
      let pointer = object.required("pointer")?.string,
      let message = object.required("message")?.string
    else { return nil }
    return Self(
      severity: severity, code: code, pointer: pointer, message: message,
      help: object["help"]?.string ?? "")
  }
}

extension PublicationResource.Resolution {
  fileprivate var json: JSON {
    [
      "url": .string(url), "app": .string(app), "before": .string(before.rawValue),
      "after": .string(after.rawValue),
    ]
  }

  fileprivate static func read(_ input: Input) -> Self? {
    guard let object = input.object(), let url = object.required("url")?.string,
      let app = object.required("app")?.string,
      let before = object.required("before")?.word(Association.Resolution.self),
      let after = object.required("after")?.word(Association.Resolution.self)
    else { return nil }
    return Self(url: url, app: app, before: before, after: after)
  }
}

extension PublicationResource.Change {
  fileprivate static func read(_ input: Input) -> Self? {
    guard let object = input.object(),
      let kind = object.required("kind")?.word(DocumentChange.Kind.self),
      let summary = object.required("summary")?.string
    else { return nil }
    return Self(
      kind: kind, summary: summary,
      example: object["example"].flatMap(PublicationResource.Resolution.read))
  }
}
