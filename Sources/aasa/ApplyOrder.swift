import JSONValue

/// What the words behind `aasa apply` and `aasa diff` ask for.
struct ApplyOrder {
  private let arguments: Arguments

  init(_ arguments: Arguments) { self.arguments = arguments }

  /// Applies the files, or tries it, and shows the plan; `nil` where a problem is shown
  /// in its place: mostly they are refused, but they may be stored and not served yet.
  func carryOut(isDryRun: Bool) throws -> PlanText? {
    let site = try StateSite(arguments)
    let accepted = try arguments.acceptedCodes()
    let path = arguments.operands[0]
    let files = try DesiredFiles(path: path)
    let prune = arguments.has(.prune)
    if prune && !files.isWhole {
      throw UsageError(
        "“\(path)” is not a list of all domains, so --prune would delete every other one.")
    }
    let answer = try site.apply(
      StateSite.Application(
        state: files.state, prune: prune, isDryRun: isDryRun, accepted: accepted,
        reason: arguments.value(.reason) ?? ""))
    switch answer {
    case .done(let json):
      let plan = PlanText(json)
      try Terminal.print(arguments.has(.json) ? json.text : plan.text(TextStyle()))
      return plan
    case .problem(let problem):
      if arguments.has(.json) { try Terminal.print(problem.text) }
      Terminal.complain(ProblemText(problem, of: site.name, place: files.place).text)
      return nil
    }
  }
}
