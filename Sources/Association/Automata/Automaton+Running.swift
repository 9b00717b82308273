/// A set of states that a step collects.
private protocol StateSet {
  /// Adds a state; false if it is already in the set.
  mutating func insert(_ state: Int) -> Bool
}

// The runs are in one file so that the compiler specializes them for their sets of states.

extension Automaton {
  /// Steps from one state of a segment by one letter.
  ///
  /// - Parameters:
  ///   - classes: The character classes of the letter, one bit per class.
  ///   - isContinuation: Whether the letter is a byte that continues a character.
  @inline(__always)
  private func step(
    from state: Int, of index: Int, _ letter: Letter, classes: @autoclosure () -> UInt16,
    isContinuation: Bool, _ reached: inout some StateSet
  ) {
    let (trie, place) = (segments[index].trie, state - segments[index].base)
    let node = tries[trie].nodes[place]
    let next = Int(tries[trie].target(of: letter, from: node))
    if node.isRun && !(node.endsAtEdge && next != 0) || node.isAfterOpenClass && isContinuation {
      enter(place, of: index, &reached)
    }
    if node.one != 0, classes() >> UInt16(node.classBit) & 1 != 0 {
      enter(Int(node.one), of: index, &reached)
    }
    if next != 0 { enter(next, of: index, &reached) }
  }

  /// Reaches a segment, or the end after the last one, and everything that follows by epsilon
  /// transitions.
  @inline(__always)
  private func enter(_ first: Int, _ reached: inout some StateSet) {
    for index in first..<segments.count {
      guard reached.insert(segments[index].base), enterRun(after: 0, of: index, &reached) else {
        return
      }
    }
    _ = reached.insert(end)
  }

  /// Reaches a node of a segment and everything that follows it by epsilon transitions.
  private func enter(_ node: Int, of index: Int, _ reached: inout some StateSet) {
    let place = tries[segments[index].trie].nodes[node]
    // The next segment or the end stands for a leaf.
    if !place.isLeaf, !reached.insert(segments[index].base + node) { return }
    if enterRun(after: node, of: index, &reached) || place.isEnd { enter(index + 1, &reached) }
  }

  /// Reaches the `*` that follows a node, if there is one. Returns whether a list of tokens ends with
  /// it.
  @inline(__always)
  private func enterRun(after node: Int, of index: Int, _ reached: inout some StateSet) -> Bool {
    let segment = segments[index]
    let next = Int(tries[segment.trie].nodes[node].anyRun)
    if next == 0 { return false }
    _ = reached.insert(segment.base + next)
    return tries[segment.trie].nodes[next].isEnd
  }
}

// MARK: - Over the bytes of a text

extension Automaton {
  /// Whether the automaton accepts the whole range of a text.
  ///
  /// For each byte, every state is visited at most once. So matching takes at most the length of
  /// the text times the size of the pattern, even with wildcards in values or many consecutive
  /// variables. It stops when no steps are left.
  func matches(_ text: Span<UInt8>, _ range: Range<Int>, folds: Bool, _ steps: inout Int) -> Bool {
    let words = accepting.count
    // The buffer is initialised before use, does not leave the closure and is indexed only below
    // its count, twice the number of words: states are below 64 times the number of words.
    return withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 2 * words) { buffer in
      buffer.initialize(repeating: 0)
      var states = BitSets(words: words, buffer: buffer)
      enter(0, &states)
      for position in range {
        guard states.advance(&steps), steps >= 0 else { return false }
        let byte = folds ? text[position].asciiLowercased : text[position]
        var index = 0
        while let state = states.popFirst(), state < end {
          steps -= 1
          index = segment(owning: state, from: index)
          step(
            from: state, of: index, Letter(byte), classes: CharacterClass.byteBits[Int(byte)],
            isContinuation: byte.isUTF8Continuation, &states)
        }
      }
      return states.containsAny(of: accepting)
    }
  }
}

/// The states before and after a byte, one bit per state.
private struct BitSets: StateSet {
  private let words: Int
  // Borrowed from `Automaton.matches`, in whose closure the sets live.
  private let buffer: UnsafeMutableBufferPointer<UInt64>
  private var current = 0
  private var next: Int
  // In each set, the range of words that may have bits set.
  private var currentWords = 0..<0
  private var nextWords = 0..<0

  init(words: Int, buffer: UnsafeMutableBufferPointer<UInt64>) {
    self.words = words
    self.buffer = buffer
    next = words
  }

  /// Adds a state to those after the byte.
  @inline(__always)
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

  /// Makes the states after this byte the states before the next one; false if there are none.
  mutating func advance(_ steps: inout Int) -> Bool {
    while popFirst() != nil {}
    swap(&current, &next)
    currentWords = nextWords
    nextWords = 0..<0
    // Passing over a word without states takes about half a step.
    steps -= currentWords.count >> 1
    return !currentWords.isEmpty
  }

  /// Removes the first state of those before the byte.
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

// MARK: - Letter by letter

extension Automaton {
  /// A set of states, in ascending order.
  typealias States = [Int32]

  /// The states before the first letter.
  var start: States {
    var reached = SortedStates()
    enter(0, &reached)
    return reached.states
  }

  func next(
    _ states: States, _ letter: Letter, classes: @autoclosure () -> UInt16
  ) -> States {
    var reached = SortedStates()
    var index = 0
    for state in states where state < end {
      index = segment(owning: Int(state), from: index)
      step(
        from: Int(state), of: index, letter, classes: classes(), isContinuation: false, &reached)
    }
    return reached.states
  }
}

private struct SortedStates: StateSet {
  private(set) var states: Automaton.States = []

  // Most states come in ascending order, so the search begins at the end.
  mutating func insert(_ state: Int) -> Bool {
    let state = Int32(state)
    var place = states.endIndex
    while place > 0, states[place - 1] > state { place -= 1 }
    if place > 0, states[place - 1] == state { return false }
    states.insert(state, at: place)
    return true
  }
}
