/// The content of a domain's association file, in a form that rows can hold. It preserves
/// everything in an adopted file except white space and the order of keys.
///
/// Empty lists and objects are not written. If an adopted file has some, or has keys or values that
/// the format does not define, `extra` keeps them unchanged.
package struct AssociationFile: Sendable, Equatable {
  package enum DetailsForm: String, Sendable, CaseIterable {
    case array
    /// The obsolete object keyed by app identifier (WWDC15, called obsolete in WWDC19). Only adopted
    /// files use it.
    case dictionary
  }

  /// The services other than `applinks`, which are lists of apps.
  package enum Service: String, Sendable, CaseIterable {
    /// Shared passwords and passkeys.
    case webcredentials
    case appclips
    /// Handoff from the browser.
    case activitycontinuation
  }

  /// The names of all services that Apple documents. Rows hold `applinks` and those of `Service`; `extra`
  /// keeps the others as they are written.
  package static let documentedServices = DocumentPart.services

  /// The apps of a service, and other members of its object.
  package struct AppList: Sendable, Equatable {
    package var apps: [AppIdentifier]
    /// Members other than `apps`.
    package var extra: JSON.Object

    package init(apps: [AppIdentifier] = [], extra: JSON.Object = [:]) {
      self.apps = apps
      self.extra = extra
    }
  }

  /// `applinks.apps`, which iOS 12 and earlier require to be `[]`; `nil` if it is not written.
  package var apps: [String]?
  /// The form of `applinks.details`.
  package var detailsForm: DetailsForm = .array
  /// `applinks.defaults`.
  package var defaults = Defaults()
  /// `applinks.substitutionVariables`.
  package var substitutionVariables: [SubstitutionVariable] = []
  /// `applinks.details`.
  package var entries: [Entry] = []
  /// The other services that are written.
  package var services: [Service: AppList] = [:]
  /// Members of the file that no other property holds.
  package var extra: JSON.Object = [:]
  /// Members of `applinks` that no other property holds.
  package var applinksExtra: JSON.Object = [:]

  package init() {}

  /// Compares the content scalar by scalar.
  package static func == (left: AssociationFile, right: AssociationFile) -> Bool {
    left.apps.map(JSON.strings) == right.apps.map(JSON.strings)
      && left.detailsForm == right.detailsForm && left.defaults == right.defaults
      && left.substitutionVariables == right.substitutionVariables
      && left.entries == right.entries && left.services == right.services
      && left.extra == right.extra && left.applinksExtra == right.applinksExtra
  }

  /// Every app in an entry or a service, each once, in order of first appearance.
  package var appIdentifiers: [AppIdentifier] {
    let inEntries = entries.flatMap { $0.apps + ($0.appID.map { [$0] } ?? []) }
    let inServices = Service.allCases.flatMap { services[$0]?.apps ?? [] }
    return (inEntries + inServices).uniqued()
  }

  /// Every Android app in an entry, each once, in order of first appearance.
  package var androidApps: [PackageName] {
    entries.flatMap(\.androidApps).uniqued()
  }
}

/// A custom substitution variable (Apple: "applinks.SubstitutionVariables").
package struct SubstitutionVariable: Sendable, Equatable {
  /// The name, as in `$(name)`.
  package var name: String
  /// The values; the variable matches any one of them.
  package var values: [String]

  package init(name: String, values: [String]) {
    self.name = name
    self.values = values
  }

  /// Compares name and values scalar by scalar.
  package static func == (left: SubstitutionVariable, right: SubstitutionVariable) -> Bool {
    sameScalars(left.name, right.name) && left.values.elementsEqual(right.values, by: sameScalars)
  }
}
