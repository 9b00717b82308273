/// The part of a domain name that somebody registered, such as `example.co.uk` of `www.example.co.uk`.
///
/// Browsers know it from the public suffix list. This counts one label as the suffix, or two if the second
/// is one that many countries have. So `a.github.io` is taken for a name below `github.io`.
package struct RegistrableName {
  /// The name.
  package let text: String
  /// Its first label, which WebAuthn calls the registrable origin label.
  let label: String

  /// The registrable part of a name; `nil` for a name that is only a suffix.
  package init?(_ name: String) {
    let secondLevel = ["co", "com", "org", "net", "ac", "gov", "edu", "or", "ne", "go"]
    let labels = name.split(separator: ".").map(String.init)
    let hasSecondLevel = labels.count > 2 && secondLevel.contains(labels[labels.count - 2])
    let own = labels.suffix(hasSecondLevel ? 3 : 2)
    guard own.count > 1 else { return nil }
    (text, label) = (own.joined(separator: "."), own[own.startIndex])
  }
}
