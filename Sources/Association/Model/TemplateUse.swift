/// The name of a template: `[a-z0-9][a-z0-9._-]{0,62}`.
package struct TemplateName: Sendable, Hashable, Comparable, CustomStringConvertible {
  package let text: String

  /// Parses a name.
  ///
  /// - Throws: `ValidationError` with the code `malformed-template-name`.
  package init(_ text: String) throws(ValidationError) {
    guard Label.matches(text) else {
      throw ValidationError(
        .malformedTemplateName,
        "\(text.quoted) is not the name of a template. Write 1 to 63 of a-z, 0-9, \".\", \"_\" and \"-\", and begin "
          + "with a letter or a digit.")
    }
    self.text = text
  }

  /// A name from its stored `text`, without validation.
  package init(stored text: String) { self.text = text }

  package var description: String { text }

  package static func < (left: TemplateName, right: TemplateName) -> Bool { left.text < right.text }
}

/// The template that a domain uses, and what of the domain is its own. Everything else in the domain comes from the
/// template, and changes with it.
package struct TemplateUse: Sendable, Equatable {
  package var name: TemplateName
  /// The values of the template's parameters, by name.
  package var parameters: JSON.Object
  /// The members, by their names in JSON, that the domain sets itself although the template may have them. They
  /// win over the template's.
  package var ownMembers: Set<String>
  /// The number of the domain's own entries, which come before those of the template.
  package var ownEntries: Int
  /// The number of the domain's own expectations, which come before those of the template.
  package var ownExpectations: Int

  package init(
    _ name: TemplateName, parameters: JSON.Object = [:], ownMembers: Set<String> = [],
    ownEntries: Int = 0, ownExpectations: Int = 0
  ) {
    self.name = name
    self.parameters = parameters
    self.ownMembers = ownMembers
    self.ownEntries = ownEntries
    self.ownExpectations = ownExpectations
  }
}

extension Domain {
  /// Gives the domain the own expectations of another one or, without a template, all of them.
  package mutating func takeExpectations(of other: Domain) {
    expectations = template == nil ? other.expectations : other.own.expectations
    template?.ownExpectations = expectations.count
  }

  /// The domain with its own entries and expectations only, for edits. Other members have what is in force.
  package var own: Domain {
    guard let template else { return self }
    var own = self
    own.associationFile.entries = Array(associationFile.entries.prefix(template.ownEntries))
    own.expectations = Array(expectations.prefix(template.ownExpectations))
    return own
  }
}
