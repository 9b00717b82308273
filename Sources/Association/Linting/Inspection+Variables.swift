import JSONValue

extension Inspection {
  /// Examines `substitutionVariables`. What is wrong with a variable that no route uses does no harm.
  /// What a variable does is told only after all patterns are read: one that is not used does no
  /// harm. So this must come before the entries, and `inspectEmptyVariables` after them.
  mutating func inspectVariables(_ value: JSON, at pointer: JSONPointer) {
    guard let definitions = object(value, at: pointer, "`substitutionVariables`") else { return }
    let used = usedVariables
    for definition in definitions.members {
      let place = pointer.appending(definition.key)
      let isUsed = used.contains(Array(definition.key.utf8))
      inspectName(definition.key, isUsed: isUsed, at: place)
      inspectValues(definition.value, of: definition.key, isUsed: isUsed, at: place)
    }
  }

  private mutating func inspectName(_ name: String, isUsed: Bool, at pointer: JSONPointer) {
    if name.isEmpty || name.unicodeScalars.contains(where: { "$()".unicodeScalars.contains($0) }) {
      add(
        .variableName, at: pointer,
        "`\(name)` cannot be the name of a variable: no pattern can name it.",
        help: "Use any characters but `$`, `(` and `)`.")
      return
    }
    if SubstitutionVariables.predefinedNames.contains(where: { sameScalars($0, name) }) {
      add(
        .redefinedVariable, at: pointer,
        "Apple predefines `\(name)`. Which definition counts on a device is not documented.",
        help: "Give the variable a name of its own.")
    }
    if !isUsed {
      add(
        .unusedVariable, at: pointer, "No pattern names `$(\(name))`, so it has no effect.",
        help: "Remove it. Names are case sensitive, if it was meant to be used.")
    }
  }

  private mutating func inspectValues(
    _ value: JSON, of name: String, isUsed: Bool, at pointer: JSONPointer
  ) {
    let severity: Finding.Severity? = isUsed ? nil : .warning
    let values = strings(value, at: pointer, "The variable `\(name)`")
    if case .array = value, values.allSatisfy({ $0.text.isEmpty }) {
      add(
        .emptyVariable, severity: severity, at: pointer,
        "The variable `\(name)` has no value, so no route that names it ever matches.",
        help: "Add a value, or remove the variable.")
      return
    }
    for value in values {
      if value.text.isEmpty {
        add(
          .emptyVariableValue, at: value.pointer,
          "An empty value is not documented: probably it never matches.",
          help: "Remove it. For a part that may be missing, add a route without the variable.")
      }
      if value.text.contains("$(") {
        add(
          .nestedVariable, severity: severity, at: value.pointer,
          "A value cannot name a variable: `\(value.text)` is compared as text, which no URL has.",
          help: "Write the values of the other variable here.")
      }
    }
  }

  /// The names that patterns use.
  private var usedVariables: Set<[UInt8]> {
    var names: Set<[UInt8]> = []
    for route in links.entries.lazy.flatMap(\.routes) {
      for pattern in route.patterns {
        for token in pattern.tokens {
          switch token {
          case .values(let variable): names.insert(Array(variable.name.utf8))
          case .nothing(let name): names.insert(Array(name.utf8))
          case .one(let characterClass): names.insert(Array(characterClass.rawValue.utf8))
          case .literal, .anyOne, .anyRun: break
          }
        }
      }
    }
    return names
  }
}
