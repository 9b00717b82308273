/// A pattern with variables that have values: a nondeterministic automaton over the bytes of a
/// text, run as the set of the states that can be reached.
///
/// Every byte looks at every state at most once. So neither wildcards in values nor many variables
/// in a row make the time grow beyond the length of the text times the size of the pattern.
struct PatternAutomaton: Sendable {
  /// One element of a pattern.
  struct Element: Sendable {
    /// What an element is.
    enum Kind: Sendable {
      case byte
      case anyOne
      case one
      case anyRun
      case values
      case end
    }

    let kind: Kind
    /// The byte; the number of the class; unused for others.
    var byte: UInt8 = 0
    /// The values' tree among `trees`; unused for others.
    var tree = 0
    /// The element's first state.
    var base = 0
  }

  /// The elements, the last of which is the end.
  let elements: [Element]
  let trees: [ValueTree]
  /// The states in which the text may end, a bit each.
  let accepting: [UInt64]

  /// Whether the automaton takes the whole of a part of the text.
  func matches(_ text: Span<UInt8>, _ range: Range<Int>, folds: Bool, _ steps: inout Int) -> Bool {
    let words = accepting.count
    // The buffer is initialised before use, does not leave the closure and is indexed only below
    // its count, twice the number of words: states are below 64 times the number of words.
    return withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 2 * words) { buffer in
      buffer.initialize(repeating: 0)
      var run = StateSets(words: words, buffer: buffer)
      enter(element: 0, &run)
      for position in range {
        guard run.advance() else { return false }
        let byte = folds ? text[position].asciiLowercased : text[position]
        takeByte(byte, &run, &steps)
      }
      return run.containsAny(of: accepting)
    }
  }

  /// Moves every current state on by a byte.
  private func takeByte(_ byte: UInt8, _ run: inout StateSets, _ steps: inout Int) {
    var index = 0
    while let state = run.popFirst() {
      steps += 1
      while index + 1 < elements.count, elements[index + 1].base <= state { index += 1 }
      let element = elements[index]
      switch element.kind {
      case .byte: if byte == element.byte { enter(element: index + 1, &run) }
      case .one:
        if ByteClasses.contains(byte, in: Int(element.byte)) { enter(element: index + 1, &run) }
      case .anyRun: enter(element: index, &run)
      case .anyOne:
        // The second state is the one after the first byte of a character.
        guard byte.isUTF8Continuation == (state > element.base) else { continue }
        run.insert(element.base + 1)
        enter(element: index + 1, &run)
      case .values: takeByte(byte, in: index, node: state - element.base, &run)
      case .end: break
      }
    }
  }

  private func takeByte(_ byte: UInt8, in index: Int, node: Int, _ run: inout StateSets) {
    let tree = elements[index].tree
    let place = trees[tree].nodes[node]
    if place.isRun || place.isAfterAnyOne && byte.isUTF8Continuation {
      enter(node: node, of: index, &run)
    }
    if let next = place.anyOne, !byte.isUTF8Continuation { enter(node: Int(next), of: index, &run) }
    if let next = trees[tree].target(of: byte, from: place) {
      enter(node: Int(next), of: index, &run)
    }
  }

  /// Reaches an element, and what can be reached from there without a byte.
  private func enter(element first: Int, _ run: inout StateSets) {
    var index = first
    while run.insert(elements[index].base) {
      switch elements[index].kind {
      case .anyRun: index += 1
      case .values:
        guard enterRun(from: 0, of: index, &run) else { return }
        index += 1
      case .byte, .anyOne, .one, .end: return
      }
    }
  }

  /// Reaches a place in a variable's values, and what can be reached from there without a byte.
  private func enter(node: Int, of index: Int, _ run: inout StateSets) {
    guard run.insert(elements[index].base + node) else { return }
    let runEnds = enterRun(from: node, of: index, &run)
    if runEnds || trees[elements[index].tree].nodes[node].isEnd { enter(element: index + 1, &run) }
  }

  /// Reaches the star that follows a place in a variable's values, if there is one, and says
  /// whether a value ends with it.
  private func enterRun(from node: Int, of index: Int, _ run: inout StateSets) -> Bool {
    let tree = elements[index].tree
    guard let next = trees[tree].nodes[node].anyRun else { return false }
    run.insert(elements[index].base + Int(next))
    return trees[tree].nodes[Int(next)].isEnd
  }
}

/// The states reached before and after a byte, a bit each.
private struct StateSets {
  private let words: Int
  // Borrowed from `PatternAutomaton.matches`, in whose closure the sets live.
  private let buffer: UnsafeMutableBufferPointer<UInt64>
  private var current = 0
  private var next: Int
  // The words of the two sets in which there may be bits.
  private var currentWords = 0..<0
  private var nextWords = 0..<0

  init(words: Int, buffer: UnsafeMutableBufferPointer<UInt64>) {
    self.words = words
    self.buffer = buffer
    next = words
  }

  /// Adds a state to those after the byte, and says whether it is new.
  @discardableResult @inline(__always)
  mutating func insert(_ state: Int) -> Bool {
    let word = state >> 6
    let bit: UInt64 = 1 << UInt64(state & 63)
    guard buffer[next + word] & bit == 0 else { return false }
    buffer[next + word] |= bit
    nextWords =
      nextWords.isEmpty
      ? word..<word + 1 : min(nextWords.lowerBound, word)..<max(nextWords.upperBound, word + 1)
    return true
  }

  /// Makes the states after the last byte those before the next one; false if there are none.
  mutating func advance() -> Bool {
    while let _ = popFirst() {}
    swap(&current, &next)
    currentWords = nextWords
    nextWords = 0..<0
    return !currentWords.isEmpty
  }

  /// Takes the first state out of those before the byte.
  @inline(__always)
  mutating func popFirst() -> Int? {
    while let word = currentWords.first {
      let bits = buffer[current + word]
      if bits != 0 {
        buffer[current + word] = bits & (bits - 1)
        return word << 6 | bits.trailingZeroBitCount
      }
      currentWords = word + 1..<currentWords.upperBound
    }
    return nil
  }

  /// Whether one of these states is among those after the last byte.
  func containsAny(of states: [UInt64]) -> Bool {
    nextWords.contains { buffer[next + $0] & states[$0] != 0 }
  }
}
