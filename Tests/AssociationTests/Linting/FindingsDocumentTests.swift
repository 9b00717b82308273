import Association
import Foundation
import Testing

@Suite struct FindingsDocumentTests {
  /// The cells of all rows about a code in docs/findings.md.
  private static func rows() throws -> [[String]] {
    let package = URL(filePath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let text = try String(contentsOf: package.appending(path: "docs/findings.md"), encoding: .utf8)
    return text.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { line in
      line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }
  }

  @Test func theTableListsEveryCodeOnceInOrder() throws {
    #expect(try Self.rows().map { $0[0] } == Finding.Code.allCases.map { "`\($0.rawValue)`" })
  }

  @Test func theTableShowsSeverityAndAcceptability() throws {
    for (row, code) in zip(try Self.rows(), Finding.Code.allCases) {
      let isRefusal = code.severity == .error && !code.isOnlyFromChecks
      let acceptable = isRefusal ? code.isAcceptable ? "yes" : "no" : "–"
      #expect(row[1] == code.severity.rawValue, "\(code.rawValue)")
      #expect(row[2] == acceptable, "\(code.rawValue)")
      #expect(row.count == 5 && row.allSatisfy { !$0.isEmpty }, "\(code.rawValue)")
    }
  }
}
