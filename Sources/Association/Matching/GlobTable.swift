/// Compiled globs of literals, `?`, classes and `*`: the matcher's fast path for patterns without
/// variable values. All others need automata.
///
/// A glob is split into the runs between its stars. From left to right, each run is matched at the
/// first position where it fits. If any position works, the first one does, because it leaves the
/// most text for later runs. So matching never backtracks, and takes at most the length of the text
/// times the size of the pattern. As automata, 2,000 routes `*/category/*` take 10 times as long, 2.3 s
/// in the place of 0.2 s for 1,000 URLs.
struct GlobTable: Sendable {
  /// A part of a run: a byte of a literal, or a class.
  private typealias Part = UInt16

  /// A character of a class; the lower bits hold the number of the class's bit.
  private static let oneOfClass: Part = 0x100

  /// The parts between two stars of a glob.
  private struct Run: Sendable {
    var start: Int
    var count = 0
    /// Whether every part is one byte.
    var isLiteral = true
  }

  private var parts: [Part] = []
  private var runs: [Run] = []
  private var globs: [Range<Int>] = []

  /// Compiles tokens without variable values. Returns the index of the glob.
  mutating func append(_ tokens: [Pattern.Token], folds: Bool) -> Int {
    let first = runs.count
    runs.append(Run(start: parts.count))
    for token in tokens {
      switch token {
      case .literal(let text): parts += ComparedText.bytes(text, folds: folds).lazy.map(Part.init)
      case .one(let one):
        parts.append(Self.oneOfClass | Part(one.bit(folds: folds)))
        runs[runs.count - 1].isLiteral = false
      case .anyRun, .runUntil, .values, .nothing: runs.append(Run(start: parts.count))
      }
      runs[runs.count - 1].count = parts.count - runs[runs.count - 1].start
    }
    globs.append(first..<runs.count)
    return globs.count - 1
  }

  /// Whether the glob covers the whole range of the text.
  func matches(
    _ glob: Int, _ text: Span<UInt8>, _ range: Range<Int>, folds: Bool, _ steps: inout Int
  ) -> Bool {
    let runs = globs[glob]
    let last = runs.upperBound - 1
    let end = range.upperBound
    guard
      var position = match(
        runs.lowerBound, text, at: range.lowerBound, end, folds: folds, &steps)
    else { return false }
    if runs.count == 1 { return position == end }
    // The last run must match at the end. Trying it first fails early.
    guard let lastStart = start(of: last, endingAt: end, in: text, notBefore: position),
      match(last, text, at: lastStart, end, folds: folds, &steps) == end
    else { return false }
    for run in runs.dropFirst().dropLast() {
      guard let next = find(run, text, position..<lastStart, folds: folds, &steps) else {
        return false
      }
      position = next
    }
    return true
  }

  /// The end of the first match of the run in the range.
  private func find(
    _ run: Int, _ text: Span<UInt8>, _ range: Range<Int>, folds: Bool, _ steps: inout Int
  ) -> Int? {
    // Most positions fail at the first byte, which costs much less than a step.
    steps -= range.count >> 3
    let first = parts[runs[run].start]
    let letter = UInt8(truncatingIfNeeded: first)
    for position in range {
      if first < Self.oneOfClass,
        (folds ? text[position].asciiLowercased : text[position]) != letter
      {
        continue
      }
      if steps < 0 { return nil }
      if let end = match(run, text, at: position, range.upperBound, folds: folds, &steps) {
        return end
      }
    }
    return nil
  }

  /// The end of the run's match at this position; `nil` if it does not match there.
  @inline(__always)
  private func match(
    _ run: Int, _ text: Span<UInt8>, at start: Int, _ end: Int, folds: Bool, _ steps: inout Int
  ) -> Int? {
    let run = runs[run]
    var position = start
    for index in run.start..<run.start + run.count {
      steps -= 1
      guard position < end else { return nil }
      let byte = text[position]
      let part = parts[index]
      position += 1
      if part < Self.oneOfClass {
        guard (folds ? byte.asciiLowercased : byte) == UInt8(truncatingIfNeeded: part) else {
          return nil
        }
      } else {
        if CharacterClass.byteBits[Int(byte)] >> (part & 0xFF) & 1 == 0 { return nil }
        if byte < 0x80 { continue }
        while position < end, text[position].isUTF8Continuation { position += 1 }
      }
    }
    return position
  }

  /// The start of the run's match that ends at `end`; `nil` if it would start before `first`.
  private func start(
    of run: Int, endingAt end: Int, in text: Span<UInt8>, notBefore first: Int
  ) -> Int? {
    let run = runs[run]
    if run.isLiteral { return end - first >= run.count ? end - run.count : nil }
    var position = end
    for index in (run.start..<run.start + run.count).reversed() {
      guard position > first else { return nil }
      position -= 1
      guard parts[index] >= Self.oneOfClass else { continue }
      while position > first, text[position].isUTF8Continuation { position -= 1 }
    }
    return position
  }
}
