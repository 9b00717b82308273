package import Association

/// What the makers of a domain's apps paste into their projects, in JSON.
package enum SnippetResource {
  private static let entitlementFields: [Field<Snippets.Entitlement>] = [
    Field("app", .app, get: \.app, "The app."),
    Field("associatedDomains", .list(of: .string), get: \.entries, "The entries, for Xcode."),
    Field(
      "plist", .string, get: \.plist, "The entries as a part of the app's `.entitlements` file."),
  ]

  private static let fields: [Field<Snippets>] = [
    Field(
      "entitlements", .list(of: .written("Entitlement", entitlementFields)), get: \.entitlements,
      "The associated domains of each Apple app. Wildcards are left out for `appclips`, which do not "
        + "support them."),
    Field(
      "intentFilter", .nullable(.string), get: \.intentFilter,
      "The intent filter for the activity that opens links, in the manifest of each Android app. Null if no "
        + "Android app opens links."),
    Field(
      "intentFilterFromAndroid15", .nullable(.string), get: \.intentFilterFromAndroid15,
      "The same for apps that must not open more than the routes allow: Android 14 and lower ignore routes, "
        + "and open no link with this filter. Null if the routes leave no URL out."),
    Field(
      "mobileconfig", .nullable(.string), get: \.mobileConfig,
      "A configuration profile for macOS with managed associated domains (`com.apple.associated-domains`), "
        + "without wildcards. A device management server installs it; people cannot. Null without an Apple "
        + "app."),
    Field("notes", .list(of: .string), get: \.notes, "What else the snippets need to work."),
  ]

  static let schemas: JSON.Object = [
    "Snippets": fields.members().schema(
      "What a domain's app developers paste into their projects."),
    "AppSnippets": appFields.members().schema("What an app needs for all its domains."),
  ]

  private static let appFields: [Field<AppSnippets>] = [
    Field("app", .app, get: \.app, "The app."),
    Field("domains", .count, get: \.domains, "The number of domains that it is for."),
    Field(
      "moreDomains", .count,
      "The number of domains that are left out, because there are too many; left out if there are none.",
      .optional, write: { $0.moreDomains == 0 ? nil : .integer($0.moreDomains) }),
    Field("associatedDomains", .list(of: .string), get: \.entries, "The entries, for Xcode."),
    Field(
      "plist", .string, get: \.plist,
      "The entries as a part of the app's `.entitlements` file."),
  ]

  package static func json(_ snippets: AppSnippets) -> JSON {
    .object(appFields.json(of: snippets))
  }

  package static func json(_ snippets: Snippets) -> JSON { .object(fields.json(of: snippets)) }
}
