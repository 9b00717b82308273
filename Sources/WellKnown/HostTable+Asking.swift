public import Association

extension HostTable {
  /// Whether a file is served for a name now, under the name itself or a wildcard above it.
  ///
  /// It registers a reader for the moment, so it is not for the threads that serve.
  public func serves(_ name: DomainName) -> Bool {
    var text = name.text
    return text.withUTF8 { bytes in
      Reader(self).withDocument(of: UnsafeRawBufferPointer(bytes)) { $0 != nil }
    }
  }
}
