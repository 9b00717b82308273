/// A deterministic automaton for the steps of a `PatternMatcher`, over the symbols of an alphabet.
struct StepAutomaton {
  typealias State = Int32

  private enum Letters {
    case one(Automaton.Letter)
    case some(Set<Automaton.Letter>)
    case allBut(Set<Automaton.Letter>)

    func contains(_ letter: Automaton.Letter) -> Bool {
      switch self {
      case .one(let only): letter == only
      case .some(let members): members.contains(letter)
      case .allBut(let others): !others.contains(letter)
      }
    }
  }

  /// A step in terms of letters.
  private enum Step {
    case run(Letters, least: Int, most: Int?)
    case until(Automaton.Letter)
    case rest
    /// For each number of letters that have been found, the number to go back to if the next one differs.
    case end([Automaton.Letter], fallbacks: [Int])
  }

  /// A place in a step: before the first symbol, or after some.
  private struct Place {
    let step: Int
    let count: Int
  }

  private let steps: [Step]
  /// The first state of each step, and of the end.
  private let starts: [Int]
  /// The place of each state.
  private let places: [Place]
  /// For each step and the end, the fewest symbols from there.
  private let distances: [Int]
  private let alphabet: Alphabet
  /// Android's simple patterns: `c*` at the end needs one `c`, because the text must not be over before it.
  private let isSimple: Bool

  let start: State = 0

  init(_ pattern: PatternMatcher, _ alphabet: Alphabet) {
    self.alphabet = alphabet
    isSimple = pattern.kind == .simpleGlob
    let letter = { (character: Unicode.Scalar) in
      alphabet.letters(of: [character], folds: false).first ?? Automaton.noLetter
    }
    steps = pattern.steps.map { step in
      switch step {
      case .run(let characters, let least, let most):
        switch characters {
        case .one(let character): .run(.one(letter(character)), least: least, most: most)
        case .some(let members): .run(.some(Set(members.map(letter))), least: least, most: most)
        case .allBut(let others): .run(.allBut(Set(others.map(letter))), least: least, most: most)
        }
      case .until(let character): .until(letter(character))
      case .rest: .rest
      case .end(let text): Self.end(text.map(letter))
      }
    }
    var starts: [Int] = []
    var places: [Place] = []
    for (index, step) in pattern.steps.enumerated() {
      starts.append(places.count)
      places += (0..<Self.size(of: step)).map { Place(step: index, count: $0) }
    }
    starts.append(places.count)
    places.append(Place(step: pattern.steps.count, count: 0))
    var distances = [0]
    for step in pattern.steps.reversed() {
      let rest = distances.last ?? 0
      switch step {
      case .run(_, let least, _): distances.append(least + rest)
      case .until: distances.append(1 + rest)
      case .rest: distances.append(0)
      case .end(let text): distances.append(text.count)
      }
    }
    (self.starts, self.places, self.distances) = (starts, places, distances.reversed())
  }

  private static func size(of step: PatternMatcher.Step) -> Int {
    // One more than the fewest, to tell a run that has begun from one that has not.
    if case .run(_, let least, nil) = step { return max(least, 1) + 1 }
    return step.size
  }

  /// The step that looks for a text, as by Knuth, Morris and Pratt.
  private static func end(_ text: [Automaton.Letter]) -> Step {
    var fallbacks = [0, 0]
    var count = 0
    for letter in text.dropFirst() {
      while count > 0, text[count] != letter { count = fallbacks[count] }
      if text[count] == letter { count += 1 }
      fallbacks.append(count)
    }
    return .end(text, fallbacks: fallbacks)
  }

  private func state(_ step: Int, _ count: Int) -> State { State(starts[step] + count) }

  /// The state after one more symbol; `nil` if no text that goes on like this matches.
  func next(_ state: State, _ symbol: Alphabet.Symbol) -> State? {
    let letter = alphabet.letter(of: symbol, folds: false)
    var (step, count) = (places[Int(state)].step, places[Int(state)].count)
    while step < steps.count {
      switch steps[step] {
      case .run(let letters, let least, let most):
        if letters.contains(letter), most.map({ count < $0 }) ?? true {
          if count + 1 == most { return self.state(step + 1, 0) }
          return self.state(step, most == nil ? min(count + 1, max(least, 1)) : count + 1)
        }
        if count < least { return nil }
        (step, count) = (step + 1, 0)
      case .until(let end): return letter == end ? self.state(step + 1, 0) : state
      case .rest: return state
      case .end(let text, let fallbacks):
        if text.isEmpty { return state }
        if count == text.count { count = fallbacks[count] }
        while count > 0, text[count] != letter { count = fallbacks[count] }
        return self.state(step, text[count] == letter ? count + 1 : count)
      }
    }
    return nil
  }

  /// Whether the text may end here.
  func isComplete(_ state: State) -> Bool {
    let place = places[Int(state)]
    guard place.step < steps.count else { return true }
    switch steps[place.step] {
    case .until: return false
    case .rest: return true
    case .end(let text, _): return place.count == text.count
    case .run(_, let least, _):
      if place.count < least || isSimple && place.count == 0 { return false }
      return steps[(place.step + 1)...].allSatisfy {
        switch $0 {
        case .rest: true
        case .run(_, let least, _): least == 0 && !isSimple
        case .until, .end: false
        }
      }
    }
  }

  /// Whether the text is accepted however it continues.
  func isUnconditional(_ state: State) -> Bool {
    let place = places[Int(state)]
    guard place.step == steps.count - 1 else { return false }
    switch steps[place.step] {
    case .rest: return true
    case .run(.allBut(let others), let least, nil): return others.isEmpty && place.count >= least
    case .run, .until, .end: return false
    }
  }

  /// Roughly the fewest symbols that must follow.
  func distance(_ state: State) -> Int {
    let place = places[Int(state)]
    return max(0, distances[place.step] - place.count)
  }
}
