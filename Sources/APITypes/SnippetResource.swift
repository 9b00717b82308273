package import Association
package import JSONValue

/// What the makers of a domain's apps paste into their projects, in JSON.
package enum SnippetResource {
  private static let fieldsOfEntitlement: [Field<Snippets.Entitlement>] = [
    Field(
      "app", .shared("AppIdentifier"), "The app.", write: { .string($0.app.text) }),
    Field(
      "associatedDomains", .list(of: .string), "The entries, for Xcode.",
      write: { .strings($0.entries) }),
    Field(
      "plist", .string, "The entries as a part of the app's `.entitlements` file.",
      write: { .string($0.plist) }),
  ]

  private static let fields: [Field<Snippets>] = [
    Field(
      "entitlements", .list(of: .named("Entitlement", .object(fieldsOfEntitlement.members()))),
      "The associated domains of each Apple app. Wildcards are left out for `appclips`, which do not "
        + "support them.",
      write: { .array($0.entitlements.map { .object(fieldsOfEntitlement.json(of: $0)) }) }),
    Field(
      "intentFilter", .nullable(.string),
      "The intent filter for the activity that opens links, in the manifest of each Android app. Null if no "
        + "Android app opens links.", write: { .optional($0.intentFilter) }),
    Field(
      "intentFilterFromAndroid15", .nullable(.string),
      "The same for apps that must not open more than the routes allow: Android 14 and lower ignore routes, "
        + "and open no link with this filter. Null if the routes leave no URL out.",
      write: { .optional($0.intentFilterFromAndroid15) }),
    Field(
      "mobileconfig", .nullable(.string),
      "A configuration profile for macOS with managed associated domains (`com.apple.associated-domains`), "
        + "without wildcards. A device management server installs it; people cannot. Null without an Apple "
        + "app.", write: { .optional($0.mobileConfig) }),
    Field(
      "notes", .list(of: .string), "What else the snippets need to work.",
      write: { .strings($0.notes) }),
  ]

  static let schemas: JSON.Object = [
    "Snippets": fields.members().schema(
      "What a domain's app developers paste into their projects.")
  ]

  package static func json(_ snippets: Snippets) -> JSON { .object(fields.json(of: snippets)) }
}
