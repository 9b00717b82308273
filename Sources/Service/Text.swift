import Association
package import FoundationEssentials
import Glibc

extension String {
  /// The text wrapped at spaces into lines of limited length.
  package func wrapped(to width: Int) -> [String] {
    split(separator: " ").reduce(into: []) { lines, word in
      if let last = lines.last, last.count + 1 + word.count <= width {
        lines[lines.count - 1] += " \(word)"
      } else {
        lines.append(String(word))
      }
    }
  }

  /// A path in double quotes, for a message. It is not cut, since its end matters most.
  package var quotedPath: String { "\"\(harmless)\"" }

  /// The known name most similar to this one; `nil` if none is close.
  package func nearest(in known: [String]) -> String? {
    let typed = Array(lowercased().utf8.prefix(64))
    let distances = known.map {
      (name: $0, count: editDistance(typed, Array($0.lowercased().utf8)))
    }
    return distances.min { $0.count < $1.count }
      .flatMap { $0.count <= min(3, typed.count / 2) ? $0.name : nil }
  }
}

extension CocoaError {
  /// The system's reason, such as "No such file or directory".
  package var reason: String {
    (underlying as? POSIXError).map { String(cString: strerror($0.code.rawValue)) } ?? "\(self)"
  }
}
