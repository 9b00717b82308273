extension PatternTable {
  /// Compiles the patterns of a document into a table, each variable's values only once.
  struct Compiler {
    private(set) var table = PatternTable()
    private var trees: [TreeKey: ValueTree] = [:]

    private struct TreeKey: Hashable {
      let name: [UInt8]
      let folds: Bool
    }

    /// Compiles a pattern for a query, the value of a query item or a fragment.
    mutating func compile(_ pattern: Pattern, folds: Bool) -> Compiled {
      compile(pattern.tokens, parent: nil, folds: folds) { compiler in
        compiler.automaton(pattern.tokens, folds: folds, ending: .exact)
      }
    }

    /// Compiles a pattern for a path, which is compared without its trailing slashes.
    mutating func compile(path pattern: Pattern, folds: Bool) -> Compiled {
      let tokens = pattern.pathTokens
      let (path, parent) = Pattern.withoutTrailingSlashes(tokens)
      return compile(path, parent: parent, folds: folds) { compiler in
        compiler.automaton(tokens, folds: folds, ending: .path)
      }
    }

    /// Appends text to the literals, and returns where it is.
    mutating func append(literal bytes: [UInt8]) -> Range<Int32> {
      let start = Int32(table.literals.count)
      table.literals += bytes
      return start..<Int32(table.literals.count)
    }

    private mutating func compile(
      _ tokens: [Pattern.Token], parent: [Pattern.Token]?, folds: Bool,
      automaton: (inout Compiler) -> Compiled
    ) -> Compiled {
      if tokens.contains(where: \.isNothing) { return .nothing }
      if tokens.contains(where: \.hasValues) { return automaton(&self) }
      switch (tokens.first, tokens.count) {
      case (.anyRun, 1): return .anything
      case (.literal(["/"]), 2) where parent != nil: return .anything  // Every path has the slash.
      case (nil, _): return literal([], .exact, folds: folds)
      case (.literal(let text), 1): return literal(text, .exact, folds: folds)
      case (.literal(let text), 2) where tokens[1].isAnyRun:
        guard case .literal(let parent)? = parent?.first else {
          return literal(text, .prefix, folds: folds)
        }
        if parent.count == text.count - 1 { return literal(parent, .subtree, folds: folds) }
      default: break
      }
      return glob(tokens, parent: parent, folds: folds)
    }

    private mutating func literal(
      _ text: [Unicode.Scalar], _ kind: Compiled.Kind, folds: Bool
    ) -> Compiled {
      let range = append(literal: ComparedText.bytes(text, folds: folds))
      return Compiled(
        kind: kind, folds: folds, start: range.lowerBound, count: Int32(range.count))
    }

    private mutating func glob(
      _ tokens: [Pattern.Token], parent: [Pattern.Token]?, folds: Bool
    ) -> Compiled {
      let start = table.globs.append(tokens, folds: folds)
      guard let parent else { return Compiled(kind: .glob, folds: folds, start: Int32(start)) }
      _ = table.globs.append(parent, folds: folds)
      return Compiled(kind: .eitherGlob, folds: folds, start: Int32(start))
    }

    private mutating func automaton(
      _ tokens: [Pattern.Token], folds: Bool, ending: PatternAutomaton.Ending
    ) -> Compiled {
      let automaton = PatternAutomaton(tokens, folds: folds, ending: ending) { variable in
        // How a path begins differs from pattern to pattern.
        if variable.beginsPath { return ValueTree(variable.values, folds: folds) }
        let key = TreeKey(name: Array(variable.name.utf8), folds: folds)
        let tree = trees[key] ?? ValueTree(variable.values, folds: folds)
        trees[key] = tree
        return tree
      }
      table.automata.append(automaton)
      return Compiled(
        kind: .automaton, folds: folds, start: Int32(table.automata.count - 1))
    }
  }
}

extension Pattern.Token {
  /// Whether nothing matches the token.
  var isNothing: Bool {
    if case .nothing = self { true } else { false }
  }

  /// Whether the token is a variable with values.
  var hasValues: Bool {
    if case .values = self { true } else { false }
  }

  /// Whether the token is `*`.
  var isAnyRun: Bool {
    if case .anyRun = self { true } else { false }
  }
}
