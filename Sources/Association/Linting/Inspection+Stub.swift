extension Inspection {
  mutating func inspectNames(_ context: Linter.Context) {}
  mutating func inspectDocument() {}
}
