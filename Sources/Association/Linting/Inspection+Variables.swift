extension Inspection {
  /// Inspects `substitutionVariables`. An error in a variable that no route uses does no harm.
  mutating func inspectVariables() {
    if links.variables.isEmpty { return }
    let used = links.entries.lazy.flatMap(\.routes).reduce(into: Set<[UInt8]>()) {
      $0.formUnion($1.variableNames)
    }
    for variable in links.variables {
      let isUsed = used.contains(Array(variable.name.utf8))
      inspectName(of: variable, isUsed: isUsed)
      if let values = variable.values { inspectValues(values, of: variable, isUsed: isUsed) }
    }
  }

  private mutating func inspectName(of variable: AppLinks.Variable, isUsed: Bool) {
    let name = variable.name
    if name.isEmpty || name.unicodeScalars.contains(where: { "$()".unicodeScalars.contains($0) }) {
      return add(
        .variableName, at: variable.pointer,
        "\(name.quoted) cannot be the name of a variable, since no pattern can refer to it.",
        help: "Use any characters except `$`, `(` and `)`.")
    }
    if SubstitutionVariables.predefinedNames.contains(where: { sameScalars($0, name) }) {
      add(
        .redefinedVariable, at: variable.pointer,
        "Apple predefines \(name.quoted). It is undocumented which definition devices use.",
        help: "Choose another name.")
    }
    if !isUsed {
      add(
        .unusedVariable, at: variable.pointer,
        "No pattern uses `$(\(name.shown))`, so it has no effect.",
        help: "Remove it. If it should be used, check the spelling: names are case-sensitive.")
    }
  }

  private mutating func inspectValues(
    _ values: IndexedStrings, of variable: AppLinks.Variable, isUsed: Bool
  ) {
    let severity: Finding.Severity? = isUsed ? nil : .warning
    if values.texts.allSatisfy(\.isEmpty) {
      return add(
        .emptyVariable, severity: severity, at: variable.pointer,
        "The variable \(variable.name.quoted) has no value, so routes that use it never match.",
        help: "Add a value, or remove the variable.")
    }
    for (index, text) in values.elements {
      if text.isEmpty {
        add(
          .emptyVariableValue, at: values.pointer(at: index),
          "The effect of an empty value is undocumented; it probably never matches.",
          help: "Remove it. For an optional part, add a route without the variable.")
      }
      if text.mayNameVariable {
        add(
          .nestedVariable, severity: severity, at: values.pointer(at: index),
          "A value cannot refer to a variable. \(text.quoted) is literal text that no URL has.",
          help: "Write out the values of the other variable here.")
      }
    }
  }
}
