import JSONValue

/// What the words behind `aasa apply` and `aasa diff` ask for.
struct ApplyOrder {
  let arguments: Arguments
  private let path: String

  init(
    _ command: String, _ words: some Sequence<String>, options: [String] = [], flags: [String] = []
  ) throws {
    arguments = try Arguments(
      words, options: StateSite.options + ["--accept"] + options,
      flags: ["--prune", "--json"] + flags)
    guard let path = arguments.operands.first, arguments.operands.count == 1 else {
      throw Arguments.Wrong(message: "\(command) needs one FILE or DIR.")
    }
    self.path = path
  }

  /// Applies the files, or tries it, and shows the plan; `nil` where a problem is shown
  /// in its place: mostly they are refused, but they may be stored and not served yet.
  func carryOut(isDryRun: Bool) throws -> PlanText? {
    let site = try StateSite(arguments)
    let accepted = try arguments.acceptedCodes()
    let files = try DesiredFiles(path: path)
    let prune = arguments.has("--prune")
    if prune && !files.isWhole {
      throw Arguments.Wrong(
        message:
          "“\(path)” is no list of all domains, so that --prune would delete every other one.")
    }
    let answer = try site.apply(
      StateSite.Application(
        state: files.state, prune: prune, isDryRun: isDryRun, accepted: accepted,
        reason: arguments.value("--reason") ?? ""))
    switch answer {
    case .done(let json):
      let plan = PlanText(json)
      try Terminal.print(arguments.has("--json") ? json.text : plan.text(Style()))
      return plan
    case .problem(let problem):
      if arguments.has("--json") { try Terminal.print(problem.text) }
      Terminal.complain(ProblemText(problem, of: site.name, place: files.place).text)
      return nil
    }
  }
}
