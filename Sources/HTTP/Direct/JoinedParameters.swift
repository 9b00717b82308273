import Glibc

/// Makes one parameter of a target's whole query, in the connection's own memory, before libmicrohttpd
/// takes it apart. It would keep an entry for each parameter, which nobody here asks it for; and a
/// connection whose memory they fill is neither answered nor closed.
///
/// - Parameter target: What libmicrohttpd's URI log callback is called with.
func joinParameters(of target: UnsafePointer<CChar>) {
  // Sound: the bytes are those that were read from the connection, in memory that libmicrohttpd itself
  // writes to when it goes on; they end with NUL, and each stays a character that is none.
  guard let query = strchr(UnsafeMutablePointer(mutating: target), CInt(UInt8(ascii: "?"))) else {
    return
  }
  var next = strchr(query, CInt(UInt8(ascii: "&")))
  while let separator = next {
    separator.pointee = CChar(bitPattern: UInt8(ascii: ";"))
    next = strchr(separator, CInt(UInt8(ascii: "&")))
  }
}
