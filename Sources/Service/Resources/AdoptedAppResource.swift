import Association
import Publishing
import Store

/// An Android app of an adopted file, as answers of the API report it. Clients read it too.
package struct AdoptedAppResource: Sendable {
  package enum Action: String, Sendable, CaseIterable {
    /// It was created, with the fingerprints of the file.
    case created
    /// It is not stored; `androidApps=create` creates it.
    case offered
    /// It is neither stored nor created.
    case kept
    /// It was stored before.
    case stored
  }

  enum Place: String, Sendable, CaseIterable {
    case entries, credentials, statement
  }

  package fileprivate(set) var package = ""
  package fileprivate(set) var action = Action.stored
  fileprivate var place = Place.statement
  fileprivate var entries: [Int64] = []
  fileprivate var certificates: [AndroidApp.Certificate] = []
  /// What happened, in sentences.
  package fileprivate(set) var message = ""

  private static let fields: [Field<AdoptedAppResource>] = [
    Field("package", .string(.packageName), \.package, "The package name.", .required),
    Field(
      "action", .word("AdoptedAppAction"), \.action,
      "`created`: with the fingerprints of the file. `offered`: it is not stored, and `androidApps=create` creates "
        + "it. `kept`: it is not stored, and `message` says why it is not created. `stored`: it existed.",
      .required),
    Field(
      "place", .word("AdoptedAppPlace"), \.place,
      "`entries`: the entries name it. `credentials`: only `androidCredentials` does. `statement`: its statement "
        + "is kept in `assetlinksExtra`, unchanged.", .required),
    Field("entries", .list(of: .row), \.entries, "The entries that name it.", unless: \.isEmpty),
    Field(
      "fingerprints", .list(of: .certificate), \.certificates,
      "Its certificates in the file. A stored app may have others."),
    Field("message", .string, \.message, "What happened, and why.", .required),
  ]

  static let schemas: JSON.Object = [
    "AdoptedAndroidApp": fields.members().schema("An Android app of an adopted file.")
  ]

  static let coding = Coding<AdoptedAppResource>.open(
    .shared("AdoptedAndroidApp"), fields, AdoptedAppResource())

  private init() {}

  init(_ adopted: AdoptedApp, in publication: Publication) {
    package = adopted.app.package.text
    certificates = adopted.app.certificates
    action =
      if !adopted.isNew {
        .stored
      } else if adopted.isCreated {
        .created
      } else {
        publication.createsAndroidApps || !adopted.canBeCreated ? .kept : .offered
      }
    let stored = publication.edited.stored.domain.associationFile.entries
    var sentences: [String] = []
    let count = certificates.count.counted("fingerprint")
    switch action {
    case .created:
      sentences.append("Created with \(count).")
      if certificates.contains(where: { $0.label == .unknown }) {
        sentences.append("Compare with the Play Console whose key it is, and set the label.")
      }
    case .offered:
      sentences.append(
        "Not stored: with `androidApps=create`, it is created with its \(count), and entries whose routes say "
          + "the same name it.")
    case .kept where adopted.canBeCreated:
      sentences.append(
        "Not created: a token that is limited to domains only creates apps that rows of its domain name."
      )
    case .kept:
      sentences.append(
        "Not created: the file has \(count), and an app can have \(AndroidApp.mostCertificates).")
    case .stored: break
    }
    switch adopted.place {
    case .entries(let indices):
      entries = indices.compactMap { stored.indices.contains($0) ? stored[$0].id : nil }
      place = .entries
      let names = indices.map { "\($0 + 1)" }.joined(separator: ", ")
      sentences.append("Named in \(indices.count == 1 ? "entry" : "entries") \(names).")
    case .ownEntry:
      let own = stored.last { entry in
        entry.apps.isEmpty && entry.androidApps.contains(adopted.app.package)
      }
      entries = own?.id.map { [$0] } ?? []
      place = .entries
      sentences.append("Named in an entry of its own.")
    case .credentials:
      place = .credentials
      sentences.append("It only shares passwords and passkeys.")
    case .statement:
      place = .statement
      if action != .offered { sentences.append("Its statement is kept as it is.") }
    }
    if !adopted.remark.isEmpty { sentences.append(adopted.remark) }
    message = sentences.joined(separator: " ")
  }
}
