/// A known file of another purpose, in place of an association file.
struct OtherFile {
  /// What the file is, as a sentence.
  let sentence: String
  let help: String

  /// - Returns: `nil` if the keys are not those of such a file.
  init?(_ json: JSON.Object) {
    let keys = Set(json.members.prefix(50).map(\.key))
    let served = "Give the file that the domain serves."
    if json["expo"]?.objectValue != nil {
      sentence = "It looks like the app.json of an Expo project."
      help = "`aasa entitlements` and `aasa manifest` read it. \(served)"
    } else if json["hosting"] != nil
      || keys.isSubset(of: Self.keysOfHosts)
        && !keys.isSubset(of: ["$schema", "version", "routes"])
    {
      sentence = "It looks like the configuration of a host, such as firebase.json or vercel.json."
      help = served
    } else if keys.isSuperset(of: ["project_info", "client"]) {
      sentence = "It looks like google-services.json."
      help = served
    } else if keys.contains("start_url") || keys.contains("related_applications") {
      sentence = "It looks like the manifest of a web app."
      help = served
    } else {
      return nil
    }
  }

  /// The keys of the configurations of Vercel, Azure Static Web Apps and `serve`.
  private static let keysOfHosts: Set = [
    "$schema", "version", "headers", "rewrites", "redirects", "routes", "cleanUrls",
    "trailingSlash", "navigationFallback", "globalHeaders", "mimeTypes", "responseOverrides",
    "regions", "functions", "framework", "buildCommand", "outputDirectory", "installCommand",
    "crons", "builds",
  ]
}
