import CZlib

/// An app or bundle for Android: a ZIP archive, of which only what has to do with its signature is read.
struct AndroidPackage {
  /// Certificates that signed the package, in DER, with the name of how.
  private(set) var signers: [(certificate: [UInt8], scheme: String)] = []
  /// The signature files of the JAR scheme (v1), in PKCS #7.
  private(set) var signatureFiles: [[UInt8]] = []
  /// Whether this is a bundle, from which Google Play makes the apps that it delivers.
  private(set) var isBundle = false

  /// The largest directory of a ZIP archive, and the largest part of a signature that is read, in bytes.
  private static let largestDirectory = 67_108_864
  private static let largestPart = 1_048_576
  /// The most parts of the block with signatures, and the most signature files.
  private static let (mostParts, mostFiles) = (1000, 100)

  /// The parts of the block with signatures (source.android.com, "APK signature scheme v3").
  private static let schemes = [
    0x1b93_ad61: "v3.1", 0xf053_68c0: "v3", 0x7109_871a: "v2",
  ]

  private struct Directory {
    let offset: Int
    let size: Int
  }

  init(_ file: RandomAccessFile) throws(Failure) {
    func malformed(_ reason: String) -> Failure {
      Failure("\(file.name) is not a complete APK or Android bundle: \(reason)")
    }
    guard let directory = try Self.directory(of: file) else {
      throw malformed("it has no ZIP directory at its end.")
    }
    if directory.offset == 0xFFFF_FFFF {
      throw malformed("it has a ZIP64 directory, and Android reads none.")
    }
    signers = try Self.signers(in: file, before: directory.offset, malformed)
    guard directory.size <= Self.largestDirectory,
      let bytes = try file.bytes(at: directory.offset, directory.size)
    else { throw malformed("its ZIP directory is cut off or larger than 64 MB.") }
    var cursor = ByteCursor(bytes)
    while let entry = Entry(&cursor) {
      isBundle = isBundle || entry.name == "BundleConfig.pb"
      guard entry.isSignature, signers.isEmpty else { continue }
      if signatureFiles.count == Self.mostFiles {
        throw malformed("it has more than \(Self.mostFiles) signature files.")
      }
      guard let content = try Self.content(of: entry, in: file) else {
        throw malformed("\(entry.name) cannot be unpacked.")
      }
      signatureFiles.append(content)
    }
  }

  /// Finds the end of the archive, which a comment may follow.
  private static func directory(of file: RandomAccessFile) throws(Failure) -> Directory? {
    let count = min(file.size, 65_557)
    guard let end = try file.bytes(at: file.size - count, count), count >= 22 else { return nil }
    for start in (0...(count - 22)).reversed() where end[start] == 0x50 {
      var cursor = ByteCursor(end[start...])
      guard cursor.number(bytes: 4) == 0x0605_4b50, cursor.bytes(8) != nil,
        let size = cursor.number(bytes: 4), let offset = cursor.number(bytes: 4),
        let comment = cursor.number(bytes: 2), comment == cursor.rest.count
      else { continue }
      return Directory(offset: offset, size: size)
    }
    return nil
  }

  // MARK: - Schemes v2 and v3

  private static func signers(
    in file: RandomAccessFile, before end: Int, _ malformed: (String) -> Failure
  ) throws(Failure) -> [(certificate: [UInt8], scheme: String)] {
    guard let tail = try file.bytes(at: end - 24, 24),
      tail.dropFirst(8).elementsEqual("APK Sig Block 42".utf8)
    else { return [] }
    var cursor = ByteCursor(tail)
    guard let size = cursor.number(bytes: 8), size >= 24, size <= end - 8 else {
      throw malformed("its block with signatures has a wrong size.")
    }
    var place = end - size
    var found: [(certificate: [UInt8], scheme: String)] = []
    // The first part of a name counts.
    var schemes = Self.schemes
    for _ in 0..<mostParts where place < end - 24 {
      guard let head = try file.bytes(at: place, 12) else { break }
      var cursor = ByteCursor(head)
      guard let length = cursor.number(bytes: 8), let name = cursor.number(bytes: 4), length >= 4,
        length <= end - 24 - place - 8
      else { throw malformed("a part of its block with signatures has a wrong size.") }
      if let scheme = schemes.removeValue(forKey: name) {
        guard length - 4 <= largestPart, let part = try file.bytes(at: place + 12, length - 4),
          let certificates = certificates(in: part)
        else { throw malformed("its signature (\(scheme)) cannot be read.") }
        found += certificates.map { ($0, scheme) }
      }
      place += 8 + length
    }
    return found
  }

  /// The first certificate of each signer, which is the one that it signs with.
  private static func certificates(in part: [UInt8]) -> [[UInt8]]? {
    var part = ByteCursor(part)
    guard let list = part.counted(bytes: 4) else { return nil }
    var signers = ByteCursor(list)
    var found: [[UInt8]] = []
    while !signers.rest.isEmpty {
      guard let signer = signers.counted(bytes: 4) else { return nil }
      var signature = ByteCursor(signer)
      guard let signed = signature.counted(bytes: 4) else { return nil }
      var content = ByteCursor(signed)
      guard content.counted(bytes: 4) != nil, let list = content.counted(bytes: 4) else {
        return nil
      }
      var certificates = ByteCursor(list)
      guard let first = certificates.counted(bytes: 4) else { return nil }
      found.append(Array(first))
    }
    return found
  }

  // MARK: - Scheme v1

  private struct Entry {
    let name: String
    let isDeflated: Bool
    let size: Int
    let place: Int

    /// Reads an entry of the directory; `nil` at its end.
    init?(_ cursor: inout ByteCursor) {
      guard cursor.number(bytes: 4) == 0x0201_4b50, cursor.bytes(6) != nil,
        let method = cursor.number(bytes: 2), cursor.bytes(8) != nil,
        let size = cursor.number(bytes: 4), cursor.bytes(4) != nil,
        let nameCount = cursor.number(bytes: 2), let extraCount = cursor.number(bytes: 2),
        let commentCount = cursor.number(bytes: 2), cursor.bytes(8) != nil,
        let place = cursor.number(bytes: 4), let name = cursor.bytes(nameCount),
        cursor.bytes(extraCount + commentCount) != nil
      else { return nil }
      self.name = String(decoding: name, as: UTF8.self)
      (isDeflated, self.size, self.place) = (method == 8, size, place)
    }

    var isSignature: Bool {
      let parts = name.uppercased().split(separator: "/")
      return parts.count == 2 && parts[0] == "META-INF"
        && [".RSA", ".DSA", ".EC"].contains { parts[1].hasSuffix($0) }
    }
  }

  private static func content(
    of entry: Entry, in file: RandomAccessFile
  ) throws(Failure) -> [UInt8]? {
    guard let head = try file.bytes(at: entry.place, 30) else { return nil }
    var cursor = ByteCursor(head)
    guard cursor.number(bytes: 4) == 0x0403_4b50, cursor.bytes(22) != nil,
      let nameCount = cursor.number(bytes: 2), let extraCount = cursor.number(bytes: 2),
      entry.size <= largestPart,
      let bytes = try file.bytes(at: entry.place + 30 + nameCount + extraCount, entry.size)
    else { return nil }
    return entry.isDeflated ? inflated(bytes) : bytes
  }

  /// Unpacks bytes; `nil` if they are damaged or too many.
  private static func inflated(_ bytes: [UInt8]) -> [UInt8]? {
    var input = bytes
    var output = [UInt8](repeating: 0, count: largestPart)
    var stream = z_stream()
    // Without a header.
    guard
      inflateInit2_(&stream, -MAX_WBITS, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size)) == Z_OK
    else { return nil }
    defer { inflateEnd(&stream) }
    // Sound: both buffers outlive the call, and zlib stays within the counts.
    let status = input.withUnsafeMutableBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output in
        stream.next_in = input.baseAddress
        stream.avail_in = UInt32(input.count)
        stream.next_out = output.baseAddress
        stream.avail_out = UInt32(output.count)
        return inflate(&stream, Z_FINISH)
      }
    }
    return status == Z_STREAM_END ? Array(output.prefix(Int(stream.total_out))) : nil
  }
}
