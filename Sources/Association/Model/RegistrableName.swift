import CPSL

/// The part of a domain name that somebody registered, such as `example.co.uk` of `www.example.co.uk`.
package struct RegistrableName {
  /// Which entries of the public suffix list count.
  package enum List {
    /// The domains of registries, such as `co.uk`.
    case registries
    /// Besides, those of companies that give names below them to their customers, such as `github.io`.
    /// Browsers keep these apart.
    case all

    fileprivate var type: CInt {
      switch self {
      case .registries: PSL_TYPE_ICANN
      case .all: PSL_TYPE_ANY
      }
    }
  }

  package let text: String
  /// Its first label, which WebAuthn calls the registrable origin label.
  let label: String

  /// The registrable part of a name; `nil` for a name that is only a suffix.
  package init?(_ name: String, _ list: List = .registries) {
    if Self.isSuffix(name, list) { return nil }
    var rest = name[...]
    while let dot = rest.firstIndex(of: ".") {
      let parent = rest[rest.index(after: dot)...]
      if Self.isSuffix(String(parent), list) {
        (text, label) = (String(rest), String(rest[..<dot]))
        return
      }
      rest = parent
    }
    return nil
  }

  /// The registrable part of a host in any spelling, also of a wildcard such as `*.example.com`; `nil` for a text
  /// that is no domain name.
  package init?(ofHost text: String) {
    guard let name = DomainName(usable: text.hasPrefix("*.") ? String(text.dropFirst(2)) : text)
    else { return nil }
    self.init(name.text)
  }

  /// Whether a name, in A-labels, is a public suffix: different people have the names below it. Names that the
  /// list does not have are taken for names under an unknown top-level domain.
  package static func isSuffix(_ name: String, _ list: List = .all) -> Bool {
    // The library's own list is built in, is never freed, and is only read.
    psl_is_public_suffix2(psl_builtin(), name, list.type) != 0
  }
}
