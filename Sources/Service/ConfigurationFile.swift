import CTOML
import FoundationEssentials
import Glibc

/// The settings in a TOML file.
struct ConfigurationFile {
  struct Member {
    let name: String
    /// `nil` for types that no setting has, such as a table.
    let kind: Setting.Kind?
    /// The value as it would be written in the environment.
    let text: String
    let line: Int
  }

  /// In the order of the file.
  let members: [Member]

  /// - Throws: `Configuration.Invalid` for a file that cannot be read or is not TOML, for example because
  ///   it has a key twice.
  init(path: String) throws(Configuration.Invalid) {
    let bytes = try Self.bytes(of: path)
    let reading = Reading()
    var events = aasa_toml_events(
      member: { context, name, nameCount, kind, value, valueCount, line in
        reader(context)?.members.append(
          Member(
            name: text(name, nameCount), kind: Setting.Kind(kind), text: text(value, valueCount),
            line: Int(line)))
      },
      failure: { reader($0)?.failure = (String(cString: $1), Int($2)) })
    // Sound: `reading` outlives the call, and its address is not used afterwards.
    withExtendedLifetime(reading) {
      bytes.withUnsafeBytes { buffer in
        guard let start = buffer.baseAddress else { return }
        aasa_toml_parse(
          start.assumingMemoryBound(to: CChar.self), buffer.count, &events,
          Unmanaged.passUnretained(reading).toOpaque())
      }
    }
    if let (message, line) = reading.failure {
      throw Configuration.Invalid(description: "\(path):\(line): not valid TOML. \(message).")
    }
    members = reading.members.sorted { $0.line < $1.line }
  }

  private static func bytes(of path: String) throws(Configuration.Invalid) -> Data {
    do {
      return try Data(contentsOf: URL(filePath: path))
    } catch {
      let code = ((error as? CocoaError)?.underlying as? POSIXError)?.code
      let reason = code.map { ": \(String(cString: strerror($0.rawValue)))" } ?? ""
      throw Configuration.Invalid(description: "Cannot read \(path)\(reason).")
    }
  }
}

/// The results that the parser has reported.
private final class Reading {
  var members: [ConfigurationFile.Member] = []
  var failure: (message: String, line: Int)?
}

/// The object behind the parser's context pointer.
private func reader(_ context: UnsafeMutableRawPointer?) -> Reading? {
  // Sound: `ConfigurationFile.init` passes a `Reading` and keeps it alive meanwhile.
  context.map { Unmanaged<Reading>.fromOpaque($0).takeUnretainedValue() }
}

private func text(_ start: UnsafePointer<CChar>, _ count: Int) -> String {
  String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
}

extension Setting.Kind {
  fileprivate init?(_ kind: aasa_toml_kind) {
    switch kind {
    case AASA_TOML_TEXT: self = .text
    case AASA_TOML_NUMBER: self = .number
    case AASA_TOML_BOOLEAN: self = .flag
    case AASA_TOML_STRINGS: self = .list
    default: return nil
    }
  }
}
