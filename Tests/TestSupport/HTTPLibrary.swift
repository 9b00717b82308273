import CMicroHTTPD

/// The libmicrohttpd that the tests run with.
package enum HTTPLibrary {
  /// Whether it is 1.0 or later, as in Debian 13. It refuses more requests itself, in HTML, with other
  /// statuses, and before they are counted: docs/architecture.md has the list.
  package static let isStrict =
    MHD_get_version().map { String(cString: $0) }?.hasPrefix("0.") == false
}
