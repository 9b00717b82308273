public import JSONValue

/// What the association file of a domain says, in a form that rows can hold and that loses nothing
/// of an adopted file but its white space and the order of its keys.
///
/// Empty lists and objects are not written. Where an adopted file has them anyway, or has a key or
/// a value that the format does not know, they are kept in `extra` as they are.
public struct Document: Sendable, Equatable {
  /// How `details` is written.
  public enum DetailsForm: String, Sendable, CaseIterable {
    /// An array of entries.
    case array
    /// The obsolete object with an app identifier as each key (WWDC15, called obsolete in WWDC19).
    /// Only adopted files have it.
    case dictionary
  }

  /// The services beside `applinks` that are lists of apps.
  public enum Service: String, Sendable, CaseIterable {
    /// Shared passwords and passkeys.
    case webcredentials
    /// App Clips.
    case appclips
    /// Handoff from the browser.
    case activitycontinuation
  }

  /// The apps of a service, and other members of its object.
  public struct AppList: Sendable, Equatable {
    /// The apps in order.
    public var apps: [AppIdentifier]
    /// Members other than `apps`.
    public var extra: JSON.Object

    /// A list of apps.
    public init(apps: [AppIdentifier] = [], extra: JSON.Object = [:]) {
      self.apps = apps
      self.extra = extra
    }
  }

  /// `applinks.apps`, which iOS 12 and earlier want to be `[]`; `nil` where it is not written.
  public var apps: [String]?
  /// How `applinks.details` is written.
  public var detailsForm: DetailsForm = .array
  /// `applinks.defaults`.
  public var defaults = Defaults()
  /// `applinks.substitutionVariables`.
  public var substitutionVariables: [SubstitutionVariable] = []
  /// `applinks.details`.
  public var entries: [Entry] = []
  /// The other services; one that is not written is not here.
  public var services: [Service: AppList] = [:]
  /// Members of the file that nothing above says.
  public var extra: JSON.Object = [:]
  /// Members of `applinks` that nothing above says.
  public var applinksExtra: JSON.Object = [:]

  /// A document that says nothing.
  public init() {}

  /// Whether two documents say the same, scalar by scalar.
  public static func == (left: Document, right: Document) -> Bool {
    left.apps.map(JSON.strings) == right.apps.map(JSON.strings)
      && left.detailsForm == right.detailsForm && left.defaults == right.defaults
      && left.substitutionVariables == right.substitutionVariables
      && left.entries == right.entries && left.services == right.services
      && left.extra == right.extra && left.applinksExtra == right.applinksExtra
  }

  /// Every app that the document names in an entry or a service, each once, in the order of their
  /// first appearance.
  public var appIdentifiers: [AppIdentifier] {
    var seen: Set<AppIdentifier> = []
    let inEntries = entries.flatMap { $0.apps + ($0.appID.map { [$0] } ?? []) }
    let inServices = Service.allCases.flatMap { services[$0]?.apps ?? [] }
    return (inEntries + inServices).filter { seen.insert($0).inserted }
  }
}

/// A custom substitution variable (Apple: "applinks.SubstitutionVariables").
public struct SubstitutionVariable: Sendable, Equatable {
  /// The name as it stands in `$(name)`.
  public var name: String
  /// The values that it stands for, any one of them.
  public var values: [String]

  /// A variable of these values.
  public init(name: String, values: [String]) {
    self.name = name
    self.values = values
  }

  /// Whether two variables have the same name and values, scalar by scalar.
  public static func == (left: SubstitutionVariable, right: SubstitutionVariable) -> Bool {
    sameScalars(left.name, right.name) && left.values.elementsEqual(right.values, by: sameScalars)
  }
}
