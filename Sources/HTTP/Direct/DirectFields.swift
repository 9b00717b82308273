import CMicroHTTPD
import Glibc

/// The fields of a header that decide how a ready document is answered, found in one pass. The
/// bytes belong to the connection.
public struct DirectFields {
  /// A field that should stand in one line, and how many there are.
  public struct Line {
    /// The value of the first line, of forwarded ones the last, without white space around it.
    public private(set) var value = UnsafeRawBufferPointer(start: nil, count: 0)
    /// The number of lines.
    public private(set) var count = 0

    fileprivate mutating func add(_ line: UnsafeRawBufferPointer) {
      if count == 0 { value = line.trimmingEnd }
      count += 1
    }

    fileprivate mutating func addLast(_ line: UnsafeRawBufferPointer) {
      value = line.trimmingEnd
      count += 1
    }
  }

  /// `Host`
  public private(set) var host = Line()
  /// `If-None-Match`
  public private(set) var ifNoneMatch = Line()
  /// `If-Modified-Since`
  public private(set) var ifModifiedSince = Line()
  /// `If-Match`
  public private(set) var ifMatch = Line()
  /// `If-Unmodified-Since`
  public private(set) var ifUnmodifiedSince = Line()
  /// `User-Agent`
  public private(set) var userAgent = Line()
  /// `Forwarded` (RFC 7239): the last line, which the nearest proxy wrote
  public private(set) var forwarded = Line()
  /// `X-Forwarded-Host`: the last line, which the nearest proxy wrote
  public private(set) var forwardedHost = Line()
  private var contentLength = Line()
  private var transferEncoding = Line()
  private(set) var hasExpectation = false
  /// The length of all Cookie fields, of which libmicrohttpd makes copies.
  private(set) var cookieBytes = 0

  init(of connection: OpaquePointer) {
    withUnsafeMutablePointer(to: &self) {
      _ = MHD_get_connection_values_n(connection, .HEADER_KIND, takeField, $0)
    }
  }

  /// Whether a body follows.
  public var hasBody: Bool {
    transferEncoding.count > 0 || contentLength.value.contains { $0 != UInt8(ascii: "0") }
  }

  /// Whether a body follows that is not worth reading before the answer.
  var hasLongBody: Bool {
    hasBody && (hasExpectation || contentLength.value.count > 4) || isLengthUnclear
  }

  var isLengthUnclear: Bool { transferEncoding.count > 0 || contentLength.count > 1 }

  fileprivate mutating func take(
    _ name: UnsafePointer<CChar>, _ bytes: Int, _ value: UnsafeRawBufferPointer
  ) {
    let name = UnsafeRawPointer(name)
    // Eight bytes at a time with the bit set that makes ASCII letters small: no other character of a
    // name becomes one of these. Sound: as many bytes are there as are looked at.
    func isNamed(_ wanted: StaticString) -> Bool {
      let wanted = UnsafeRawPointer(wanted.utf8Start)
      var index = 0
      while index + 8 <= bytes {
        let eight = name.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        if eight | 0x2020_2020_2020_2020
          != wanted.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        {
          return false
        }
        index += 8
      }
      while index < bytes {
        if name.load(fromByteOffset: index, as: UInt8.self) | 0x20
          != wanted.load(fromByteOffset: index, as: UInt8.self)
        {
          return false
        }
        index += 1
      }
      return true
    }
    switch bytes {
    case 4 where isNamed("host"): host.add(value)
    case 6 where isNamed("expect"): hasExpectation = true
    case 6 where isNamed("cookie"): cookieBytes += value.count
    case 8 where isNamed("if-match"): ifMatch.add(value)
    case 9 where isNamed("forwarded"): forwarded.addLast(value)
    case 10 where isNamed("user-agent"): userAgent.add(value)
    case 13 where isNamed("if-none-match"): ifNoneMatch.add(value)
    case 14 where isNamed("content-length"): contentLength.add(value)
    case 16 where isNamed("x-forwarded-host"): forwardedHost.addLast(value)
    case 17 where isNamed("if-modified-since"): ifModifiedSince.add(value)
    case 17 where isNamed("transfer-encoding"): transferEncoding.add(value)
    case 19 where isNamed("if-unmodified-since"): ifUnmodifiedSince.add(value)
    default: break
    }
  }
}

private func takeField(
  _ fields: UnsafeMutableRawPointer?, _: MHD_ValueKind, _ name: UnsafePointer<CChar>?,
  _ nameBytes: Int, _ value: UnsafePointer<CChar>?, _ valueBytes: Int
) -> MHD_Result {
  guard let name, let fields = fields?.assumingMemoryBound(to: DirectFields.self) else {
    return .YES
  }
  // Sound: the initializer passes a pointer to itself and waits for this call.
  fields.pointee.take(name, nameBytes, UnsafeRawBufferPointer(start: value, count: valueBytes))
  return .YES
}
