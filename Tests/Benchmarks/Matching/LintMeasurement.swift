import Association
import Foundation

/// How long linting takes as it is done for each publication, with shadowing.
enum LintMeasurement {
  private static let count = 1_000

  /// Documents of 1,000 routes, from what is usual to what is hard.
  private static let documents: [(name: String, route: @Sendable (Int) -> JSON)] = [
    ("prefixes: `/section/7/*`", { ["/": .string("/section/\($0)/*")] }),
    ("exact paths", { ["/": .string("/page/\($0)")] }),
    (
      "exclusions, then `/*`",
      { $0 < count - 1 ? ["/": .string("/x\($0)/*"), "exclude": true] : ["/": "/*"] }
    ),
    (
      "a section and a query item",
      { ["/": .string("/s\($0 % 50)/*"), "?": ["id": .string("\($0)*")]] }
    ),
    ("`/$(lang)/` in every route", { ["/": .string("/$(lang)/p\($0)/*")] }),
    ("`*` at both ends", { ["/": .string("*/a\($0)/*")] }),
  ]

  /// Prints a table in Markdown.
  static func run() {
    print("| 1,000 routes | lint, ms (median of 5) | routes not decided |")
    print("|---|---|---|")
    for (name, route) in documents {
      let document: JSON = [
        "applinks": [
          "details": [
            [
              "appIDs": ["ABCDE12345.com.example.app"],
              "components": .array((0..<count).map(route)),
            ]
          ]
        ]
      ]
      let size = document.serialized().count
      let times = (0..<5).map { _ in
        Measurement.seconds {
          _ = Linter.findings(in: ReadDocuments([.apple: document]), sizes: [.apple: size])
        }
      }
      let undecided = Shadowing(AppLinks(document: document)).routes.count {
        if case .notDecided = $0.verdict { true } else { false }
      }
      let milliseconds = String(format: "%.0f", times.sorted()[2] * 1_000)
      print("| \(name) | \(milliseconds) | \(undecided) |")
    }
  }
}
