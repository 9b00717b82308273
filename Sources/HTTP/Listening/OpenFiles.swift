import Glibc

/// How many descriptors of the process are for what, so that nothing takes those of something else.
/// What is left is for the database, the API's connections and the log.
enum OpenFiles {
  /// How many it may open.
  private static var limit: Int {
    var limit = rlimit()
    return getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
      ? Int(clamping: limit.rlim_cur) : 0
  }

  /// Documents that are files in memory, and their responses.
  static var forDocuments: Int { limit / 4 }

  /// Connections of a listener that takes as many as it can.
  static var forConnections: Int { max(limit / 4, limit / 4 * 3 - 512) }
}
