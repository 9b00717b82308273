import CMicroHTTPD
import Synchronization

/// A response that is built once and sent any number of times, by any thread.
package struct PreparedResponse: ~Copyable, @unchecked Sendable {
  // Unchecked is sound: libmicrohttpd guards its count of references with a mutex, and nothing else of a
  // response changes once it is built.

  /// Why a response cannot be built.
  package enum Failure: Error, Sendable {
    /// A field's name or value has characters that would break the header, or libmicrohttpd writes the
    /// field itself.
    case invalidField(String)
    /// No memory or no file descriptor is left.
    case outOfResources
  }

  package let status: Status
  /// The length of the body, in bytes.
  package let contentBytes: Int
  /// A reference to libmicrohttpd's response.
  let pointer: OpaquePointer
  /// Whether the response holds a file descriptor, which `Content` counts.
  let holdsDescriptor: Bool

  /// Builds a response with a body that may be shared with others.
  package init(_ status: Status, fields: Fields, content: Content) throws(Failure) {
    let file = content.makeFileResponse()
    try self.init(
      status, fields, file ?? content.makeBufferResponse(), contentBytes: content.count,
      holdsDescriptor: file != nil)
  }

  /// Builds a response to be sent. A stream is replaced by no body.
  package init(_ response: Response) throws(Failure) {
    try self.init(response.status, fields: response.fields, content: Content(response.bytes))
  }

  /// Builds a response whose body is produced while it is sent, so that it can be sent once.
  init(_ status: Status, fields: Fields, stream: ResponseStream) throws(Failure) {
    try self.init(
      status, fields, stream.makeResponse(), contentBytes: 0, holdsDescriptor: false)
  }

  /// Builds an answer 304 that says the length of the document that it does not contain. RFC 9110 section
  /// 8.6 allows that length or none; libmicrohttpd would close the connection after an answer with none.
  package init(notModified fields: Fields, contentBytes: Int) throws(Failure) {
    // There is nothing to read, since the body of a 304 is not sent.
    let response = MHD_create_response_from_callback(
      UInt64(contentBytes), 1, { _, _, _, _ in -1 }, nil, nil)
    try self.init(.notModified, fields, response, contentBytes: 0, holdsDescriptor: false)
  }

  private init(
    _ status: Status, _ fields: Fields, _ response: OpaquePointer?, contentBytes: Int,
    holdsDescriptor: Bool
  ) throws(Failure) {
    guard let pointer = response else { throw .outOfResources }
    for field in fields.all where !Self.add(field, to: pointer) {
      Self.release(pointer, holdsDescriptor: holdsDescriptor)
      throw .invalidField(field.name)
    }
    self.status = status
    self.contentBytes = contentBytes
    self.pointer = pointer
    self.holdsDescriptor = holdsDescriptor
  }

  /// A response of libmicrohttpd keeps only fields that cannot break the header.
  private static func add(_ field: HeaderField, to response: OpaquePointer) -> Bool {
    var value = field.value
    let isText = value.withUTF8 { $0.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 } }
    return isText && MHD_add_response_header(response, field.name, field.value) == .YES
  }

  fileprivate static func release(_ pointer: OpaquePointer, holdsDescriptor: Bool) {
    MHD_destroy_response(pointer)
    if holdsDescriptor { Content.giveDescriptorBack() }
  }

  deinit { Self.release(pointer, holdsDescriptor: holdsDescriptor) }

  /// Passes ownership of the reference to the caller.
  fileprivate consuming func handOver() { discard self }

  /// Queues the response as the answer to a connection's request. It may be released while it is still
  /// being sent.
  borrowing func queue(on connection: OpaquePointer) -> MHD_Result {
    MHD_queue_response(connection, UInt32(status.code), pointer)
  }
}

/// A response that any thread builds when it is first needed, and that is then kept. Building one
/// takes longer than reading its document from the database, and most documents are never
/// requested.
package struct LazyResponse: ~Copyable, @unchecked Sendable {
  // Unchecked is sound: it has atomics only, and a response may be used by any thread (see
  // `PreparedResponse`).

  /// libmicrohttpd's response; nil until it is kept, and then the same until the end.
  private let kept = Atomic<OpaquePointer?>(nil)
  /// Whether the kept response holds a file descriptor.
  private let holdsDescriptor = Atomic(false)

  /// A response that is not built yet.
  package init() {}

  deinit {
    guard let pointer = kept.load(ordering: .acquiring) else { return }
    PreparedResponse.release(
      pointer, holdsDescriptor: holdsDescriptor.load(ordering: .relaxed))
  }

  /// Whether it has been built and is kept.
  package var isKept: Bool { kept.load(ordering: .relaxed) != nil }

  /// Prefetches the response, and its fields behind it, into the processor's caches.
  package func prefetch() { aasa_prefetch(UnsafeRawPointer(kept.load(ordering: .relaxed)), 1024) }

  /// Calls `body` with the response and returns its result; `nil` if there is no memory for it.
  ///
  /// - Parameters:
  ///   - limit: The limit of kept responses, shared with others. Beyond it, the response is built
  ///     only for this call. If `isKept`, the owner gives the place back when it is released.
  ///   - make: Builds the response, always the same one.
  package borrowing func withResponse<Result>(
    within limit: ResponseCacheLimit?,
    _ make: () throws(PreparedResponse.Failure) -> PreparedResponse,
    _ body: (OpaquePointer) -> Result
  ) -> Result? {
    if let pointer = kept.load(ordering: .acquiring) { return body(pointer) }
    do throws(PreparedResponse.Failure) {
      let response = try make()
      let pointer = response.pointer
      if limit?.take() ?? true {
        // Releasing order, so that a thread that sees the address sees the complete response.
        let isFirst = kept.compareExchange(
          expected: nil, desired: pointer, ordering: .acquiringAndReleasing
        ).exchanged
        if isFirst {
          // Only read in deinit.
          holdsDescriptor.store(response.holdsDescriptor, ordering: .relaxed)
          response.handOver()
          return body(pointer)
        }
        // Another thread was faster: this one is sent once.
        limit?.giveBack()
      }
      return withExtendedLifetime(response) { _ in body(pointer) }
    } catch {
      return nil
    }
  }
}

/// A limit for kept responses that are cheap to build again.
package final class ResponseCacheLimit: Sendable {
  package let limit: Int
  private let number = Atomic<Int>(0)

  /// Room for a number of responses.
  package init(limit: Int) { self.limit = limit }

  /// The number of kept responses.
  package var count: Int { number.load(ordering: .relaxed) }

  /// Reserves a place for one more response, to be given back later; false if there is none.
  func take() -> Bool {
    if number.add(1, ordering: .relaxed).newValue <= limit { return true }
    giveBack()
    return false
  }

  /// Notes that one is no longer kept.
  package func giveBack() { number.subtract(1, ordering: .relaxed) }
}
