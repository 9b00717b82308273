import Association

/// JSON that is written is read as the same, and has no key twice.
func checkJSON(_ bytes: [UInt8]) throws {
  guard let parsed = parsedJSON(bytes) else { return }
  for written in [parsed.value.serialized(), Array(parsed.value.prettyPrinted().utf8)] {
    let again = try JSON.parse(written)
    try require(again.value.text == parsed.value.text, "what is written reads differently")
    try require(again.duplicateKeys.isEmpty && !again.hasByteOrderMark, "written with faults")
  }
}

private func parsedJSON(_ bytes: [UInt8]) -> JSON.Parsed? {
  do {
    return try JSON.parse(bytes)
  } catch {
    return nil
  }
}

/// A file is served as it was adopted, or refused; findings are the same each time; the matcher
/// agrees with a slow one.
func checkDocument(_ bytes: [UInt8]) throws {
  let url = bytes.prefix { $0 != UInt8(ascii: "\n") }
  let file = Array(bytes.dropFirst(url.count + 1))
  let context = Linter.Context(domain: "example.com", aliases: ["*.example.org"])
  let report = Linter.report(onFile: file, context: context)
  try require(
    Linter.report(onFile: file, context: context).findings == report.findings, "other findings")
  guard let document = report.document else { return }
  try checkAdopting(document)
  do {
    let documents = ReadDocuments([.apple: document])
    let changes = try DocumentKind.apple.changes(
      from: documents, to: documents, domain: "example.com")
    try require(changes.isEmpty, "it differs from itself")
    try checkMatching(MatcherPair(document), Array(url))
  } catch is TooComplex {
    try require(!report.isValid, "a valid file is too complex")
  }
}

private func checkAdopting(_ file: JSON) throws {
  let document: AssociationFile
  do throws(AdoptionError) {
    document = try AssociationFile(adopting: file)
  } catch {
    return
  }
  let served = document.json.serialized()
  let read = try JSON.parse(served).value
  try require(read == file, "the served file is another one")
  let again = try AssociationFile(adopting: read)
  try require(again == document, "the served file has other rows")
  try require(again.json.serialized() == served, "the served file is served differently")
}

/// A document with every kind of route.
private let everyKindOfRoute = #"""
  {"applinks":{"defaults":{"percentEncoded":false},
   "substitutionVariables":{"food":["cake","b*n","é"],"any":["*","/x/","?"]},
   "details":[
    {"appIDs":["ABCDE12345.a"],"components":[
      {"/":"/no/*","exclude":true},{"/":"/$(food)/$(digit)?"},{"/":"*/a*b*c"},
      {"?":{"q":"$(upper)?*","p":""},"#":"*x"},{"?":"a=*&b=?"},{"/":"//","#":"??"}]},
    {"appIDs":["ABCDE12345.b","ABCDE12345.a"],"defaults":{"caseSensitive":false},"components":[
      {"/":"/BUY/*"},{"/":"/$(region)_$(digit)/"},{"/":"/É*","percentEncoded":true},
      {"/":"$(any)k"},{"/":"/k/$(any)","?":{"K":"?"}}]},
    {"appID":"ABCDE12345.c","paths":["NOT /p/x","/p/*","*?/q","/"]}]}}
  """#

private let matchersOfURLs = Result {
  try MatcherPair(JSON.parse(Array(everyKindOfRoute.utf8)).value)
}

/// A matcher, and a slow one of the same document, unless it would be too slow.
private struct MatcherPair {
  let quick: Matcher
  let slow: SlowMatcher?

  init(_ document: JSON) throws(TooComplex) {
    quick = try Matcher(document: document)
    slow = SlowMatcher(quick.links)
  }
}

/// A URL resolves as the slow matcher says.
func checkURL(_ bytes: [UInt8]) throws {
  let matchers = try matchersOfURLs.get()
  try require(matchers.slow != nil, "no slow matcher")
  if bytes.count <= MatchingBudget.mostURLBytes { try checkMatching(matchers, bytes) }
}

private func checkMatching(_ matchers: MatcherPair, _ url: [UInt8]) throws {
  let matcher = matchers.quick
  let scopes = matcher.scopes + [matcher.everyEntry]
  let decisions = try scopes.map { scope in
    var budget = MatchingBudget()
    return try matcher.resolve(url.span, in: scope, budget: &budget)
  }
  for (scope, decision) in zip(scopes, decisions) {
    var budget = MatchingBudget()
    let explanation = try matcher.explain(url.span, in: scope, budget: &budget)
    try require(explanation.resolution == decision.resolution, "explained differently")
  }
  // The slow one reads text.
  guard let text = String(validating: url, as: UTF8.self) else { return }
  guard Matcher.host(of: text) != nil else {
    return try require(decisions.allSatisfy { $0 == .noMatch }, "what is no URL matches")
  }
  guard let slow = matchers.slow else { return }
  for (scope, decision) in zip(scopes, decisions) {
    let expected = slow.resolve(text, app: scope.app)
    try require(
      decision == expected, "\(scope.app ?? "every entry"): \(decision), expected \(expected)")
  }
}
