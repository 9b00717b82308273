import Foundation
import Association
import TestSupport
import Testing

/// `aasa fingerprint`, with files that openssl and Python make, and apps built byte by byte.
@Suite(SystemProgram.need("openssl", "python3")) struct FingerprintTests {
  private let scratch: TemporaryDirectory
  private let fingerprint: String
  private let certificate: [UInt8]

  init() throws {
    scratch = try TemporaryDirectory()
    try Self.openssl(
      scratch, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
      "-nodes",
      "-keyout", "key.pem", "-out", "cert.pem", "-subj", "/CN=Example", "-days", "30")
    try Self.openssl(scratch, "x509", "-in", "cert.pem", "-outform", "DER", "-out", "cert.der")
    certificate = try scratch.read("cert.der")
    let printed = try Self.openssl(
      scratch, "x509", "-in", "cert.pem", "-noout", "-fingerprint", "-sha256")
    fingerprint = String(
      try #require(printed.split(separator: "=").last).trimmingCharacters(
        in: .whitespacesAndNewlines))
  }

  @discardableResult
  private static func openssl(
    _ scratch: TemporaryDirectory, _ words: String...
  ) throws -> String {
    let result = try Program.run("/usr/bin/env", ["openssl"] + words, in: scratch)
    try #require(result.status == 0, "\(result.errors)")
    return result.output
  }

  private func run(_ names: String..., password: String? = nil, seconds: Double = 30) throws
    -> Program.Result
  {
    try Program.run(
      "/usr/bin/setsid", ["--wait", Program.aasa, "fingerprint"] + names,
      environment: password.map { ["AASA_KEYSTORE_PASSWORD": $0] } ?? [:], in: scratch,
      seconds: seconds)
  }

  /// The fingerprints in a report, and how each app was signed.
  private func certificates(_ name: String, password: String? = nil) throws -> [JSON] {
    let result = try run("--json", name, password: password)
    #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
    return try JSON.parse(result.bytes).value["certificates"]?.arrayValue ?? []
  }

  // MARK: - Certificates and keystores

  @Test func certificatesHaveTheFingerprintThatToolsPrint() throws {
    let result = try run("cert.pem", "cert.der")
    #expect(result.status == 0 && result.errors.isEmpty)
    #expect(
      result.output == """
        cert.pem: certificate
          SHA256: \(fingerprint)
            CN=Example
        cert.der: certificate
          SHA256: \(fingerprint)
            CN=Example

        """)
    #expect(fingerprint.count == 95)
    // A chain, and the same in a signature.
    try scratch.write(try scratch.read("cert.pem") + scratch.read("cert.pem"), to: "chain.pem")
    try Self.openssl(scratch, "crl2pkcs7", "-nocrl", "-certfile", "cert.pem", "-out", "cert.p7b")
    for name in ["chain.pem", "cert.p7b"] {
      #expect(try certificates(name).map { $0["sha256"]?.stringValue } == [fingerprint])
    }
  }

  @Test func whatToolsPrintOfACertificateHasItsFingerprint() throws {
    let plain = fingerprint.replacing(":", with: "").lowercased()
    let other = String(fingerprint.reversed())
    let keytool = """
      Alias name: upload
      Certificate chain length: 2
      Certificate[1]:
      Owner: CN=Example
      \t SHA1: 01:02
      \t SHA256: \(fingerprint)
      Certificate[2]:
      Owner: CN=Issuer
      \t SHA256: \(other)
      """
    let apksigner = """
      V3.0 Signer: certificate DN: CN=Example
      V3.0 Signer: certificate SHA-256 digest: \(plain)
      V3.0 Signer: public key SHA-256 digest: \(String(plain.reversed()))
      Source Stamp Signer certificate SHA-256 digest: \(String(plain.reversed()))
      """
    let gradle =
      "Variant: debug\nAlias: AndroidDebugKey\nSHA-256: \(fingerprint)\nVariant: release\n"
    let openssl = "sha256 Fingerprint=\(fingerprint)\n"
    let list = """
      google, Mar 1, 2026, trustedCertEntry,
      Certificate fingerprint (SHA-256): \(other)
      upload, Mar 1, 2026, PrivateKeyEntry,
      Certificate fingerprint (SHA-256): \(fingerprint)
      """
    let eas =
      "Application Identifier  com.example.app\nType                JKS\nKey Alias           ab12\nSHA1 Fingerprint    01:02\n"
      + "SHA256 Fingerprint  \(fingerprint)\n"
    let variant = "Variant: release\nConfig: release\nAlias: key0\nSHA-256: \(fingerprint)\n"
    for (text, facts) in [
      (keytool, "alias upload, CN=Example"), (apksigner, "CN=Example"),
      (gradle, "alias AndroidDebugKey"), (openssl, nil), (list, "alias upload"),
      (eas, "alias ab12"),
      (variant, "alias key0, config release"),
    ] {
      try scratch.write(Array(text.utf8), to: "printed.txt")
      let result = try run("printed.txt")
      let lines = ["  SHA256: \(fingerprint)", facts.map { "    \($0)" }].compactMap(\.self)
      #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
      #expect(
        result.output.hasPrefix(
          (["printed.txt: text"] + lines + ["  If "]).joined(separator: "\n")),
        "\(result.output)")
    }
    let piped = try Program.run(
      "/bin/sh", ["-c", "\(Program.aasa) fingerprint - < printed.txt"], in: scratch)
    #expect(piped.status == 0 && piped.output.contains(fingerprint), "\(piped.errors)")
  }

  @Test func aFingerprintWithoutAnOwnerIsNotTaken() throws {
    let plain = fingerprint.replacing(":", with: "")
    for text in [
      "Aliasname: upload\nZertifikat[1]:\nEigentümer: CN=a\n\t SHA256: \(fingerprint)",
      "Upload key certificate\nSHA-256 certificate fingerprint: \(fingerprint)",
      "SHA256 Fingerprint    \(fingerprint)", "SHA-256 checksum of app.apk: \(plain)",
      "Public Key SHA-256: \(plain)", "SPKI SHA-256: \(fingerprint)",
      "Session-ID: \(plain) SHA-256",
    ] {
      try scratch.write(Array(text.utf8), to: "printed.txt")
      let result = try run("printed.txt")
      #expect(result.status == 1 && result.output.isEmpty, "\(text): \(result.output)")
      #expect(result.errors.contains("none of the files that can be read"), "\(result.errors)")
    }
  }

  @Test func aCommentOfACertificateIsNotItsFingerprint() throws {
    let other = "# old key: SHA256 Fingerprint=\(String(fingerprint.reversed()))\n"
    try scratch.write(Array(other.dropFirst(11).utf8) + scratch.read("cert.pem"), to: "noted.pem")
    let result = try run("noted.pem")
    #expect(result.status == 0 && result.output.contains("SHA256: \(fingerprint)\n"))
    #expect(!result.output.contains(String(fingerprint.reversed())))
  }

  @Test func aFingerprintOfAnotherKindIsNamed() throws {
    try scratch.write(Array("Certificate fingerprint (SHA1): 01:02:03\n".utf8), to: "old.txt")
    let result = try run("old.txt")
    #expect(result.status == 1 && result.errors.contains("SHA-1 fingerprint and none of SHA-256"))
  }

  @Test func aKeystoreNeedsItsPassword() throws {
    try Self.openssl(
      scratch, "pkcs12", "-export", "-in", "cert.pem", "-inkey", "key.pem", "-name", "release",
      "-passout",
      "pass:secret", "-out", "release.keystore")
    let found = try certificates("release.keystore", password: "secret")
    #expect(found.map { $0["sha256"]?.stringValue } == [fingerprint])
    #expect(found.first?["alias"] == "release")
    let text = try run("release.keystore", password: "secret")
    #expect(
      text.output.contains("    alias release, CN=Example") && text.output.contains("upload key"))
    let wrong = try run("release.keystore", password: "other")
    #expect(wrong.status == 1 && wrong.errors == "The password of \"release.keystore\" is wrong.\n")
    let none = try run("release.keystore")
    #expect(none.status == 1 && none.errors.contains("AASA_KEYSTORE_PASSWORD"))
  }

  @Test func aKeystoreOfJavaNeedsNoPassword() throws {
    // Behind the certificate of the key is that of its issuer.
    let chain = try [certificate, otherCertificate().der].flatMap { certificate in
      Self.big(2, 5) + Array("X.509".utf8) + Self.big(4, certificate.count) + certificate
    }
    let alias = Self.big(2, 6) + Array("upload".utf8)
    let key = Self.big(4, 3) + [1, 2, 3] + Self.big(4, 2)
    let store: [UInt8] =
      [0xFE, 0xED, 0xFE, 0xED] + Self.big(4, 2) + Self.big(4, 1) + Self.big(4, 1) + alias
      + Self.big(8, 0) + key + chain + Array(repeating: 0, count: 20)
    try scratch.write(store, to: "old.jks")
    let found = try certificates("old.jks")
    #expect(found.map { $0["sha256"]?.stringValue } == [fingerprint])
    #expect(found.first?["alias"] == "upload")
    for count in stride(from: 4, to: store.count - 20, by: 50) {
      try scratch.write(Array(store.prefix(count)), to: "cut.jks")
      let result = try run("cut.jks")
      #expect(result.status == 1 && result.errors.contains("cut off or damaged"), "\(count)")
    }
  }

  private static func big(_ bytes: Int, _ value: Int) -> [UInt8] {
    (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  private static func little(_ bytes: Int, _ value: Int) -> [UInt8] { big(bytes, value).reversed() }

  // MARK: - Apps

  private static func counted(_ bytes: [UInt8]) -> [UInt8] { little(4, bytes.count) + bytes }

  /// A block with signatures by these certificates.
  private static func signatures(_ schemes: [(Int, [[UInt8]])]) -> [UInt8] {
    let parts = schemes.flatMap { name, certificates -> [UInt8] in
      let signers = certificates.flatMap { certificate in
        counted(
          counted(counted([]) + counted(counted(certificate)) + little(8, 0)) + counted([])
            + counted([]))
      }
      let part = little(4, name) + counted(signers)
      return little(8, part.count) + part
    }
    let size = parts.count + 24
    return little(8, size) + parts + little(8, size) + Array("APK Sig Block 42".utf8)
  }

  private static let (v2, v3) = (0x7109_871a, 0xf053_68c0)

  /// A ZIP archive without compression.
  private static func archive(
    _ entries: [(name: String, content: [UInt8])], signatures: [UInt8] = [], comment: [UInt8] = []
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    var directory: [UInt8] = []
    for (name, content) in entries {
      let sizes = little(4, 0) + little(4, content.count) + little(4, content.count)
      let head =
        little(2, 20) + little(2, 0) + little(2, 0) + little(4, 0) + sizes
        + little(2, name.utf8.count) + little(2, 0)
      directory +=
        little(4, 0x0201_4b50) + little(2, 20) + head + little(2, 0) + little(2, 0) + little(2, 0)
      directory += little(4, 0) + little(4, bytes.count) + Array(name.utf8)
      bytes += little(4, 0x0403_4b50) + head + Array(name.utf8) + content
    }
    bytes += signatures
    return bytes + directory + end(entries.count, directory.count, bytes.count, comment)
  }

  private static func end(
    _ count: Int, _ size: Int, _ offset: Int, _ comment: [UInt8] = []
  ) -> [UInt8] {
    little(4, 0x0605_4b50) + little(4, 0) + little(2, count) + little(2, count) + little(4, size)
      + little(4, offset)
      + little(2, comment.count) + comment
  }

  @Test func anAppHasTheCertificatesOfItsSignatures() throws {
    let manifest = ("AndroidManifest.xml", [UInt8](repeating: 1, count: 100))
    let other = try otherCertificate()
    let block = Self.signatures([
      (0x4272_6577, []), (Self.v2, [certificate]), (Self.v3, [certificate, other.der]),
    ])
    // A comment may look like the end of an archive.
    let comment = Self.end(0, 0, 0).dropLast() + [9]
    try scratch.write(
      Self.archive([manifest], signatures: block, comment: Array(comment)), to: "app.apk")
    let found = try certificates("app.apk")
    #expect(found.map { $0["sha256"]?.stringValue } == [fingerprint, other.fingerprint])
    #expect(found.map { $0["schemes"] } == [["v2", "v3"], ["v3"]])
    let text = try run("app.apk")
    #expect(
      text.output.hasPrefix(
        "app.apk: APK\n  SHA256: \(fingerprint)\n    CN=Example, signature v2, v3\n"))
  }

  private func otherCertificate() throws -> (der: [UInt8], fingerprint: String) {
    try Self.openssl(
      scratch, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "other.key", "-outform",
      "DER", "-out",
      "other.der", "-subj", "/CN=Rotated", "-days", "30")
    let result = try certificates("other.der")
    return (try scratch.read("other.der"), try #require(result.first?["sha256"]?.stringValue))
  }

  @Test func aPromptThatIsInterruptedLeavesTheTerminalAsItWas() throws {
    try Self.openssl(
      scratch, "pkcs12", "-export", "-in", "cert.pem", "-inkey", "key.pem", "-out", "a.p12",
      "-passout", "pass:secret")
    let script = """
      import os, pty, sys, termios
      for _ in range(10):
          child, terminal = pty.fork()
          if child == 0:
              os.execv(sys.argv[1], sys.argv[1:])
          said = b""
          while b"Password of" not in said:
              said += os.read(terminal, 1000)
          while termios.tcgetattr(terminal)[3] & termios.ECHO:
              pass
          os.write(terminal, b"\\x03")
          _, status = os.waitpid(child, 0)
          print(os.WTERMSIG(status), bool(termios.tcgetattr(terminal)[3] & termios.ECHO))
      """
    let result = try Program.run(
      "/usr/bin/env", ["python3", "-c", script, Program.aasa, "fingerprint", "a.p12"], in: scratch)
    #expect(result.output == String(repeating: "2 True\n", count: 10), "\(result.errors)")
  }

  /// A bundle has only the JAR signature, compressed.
  @Test func aBundleIsSignedWithTheUploadKey() throws {
    try Self.openssl(
      scratch, "crl2pkcs7", "-nocrl", "-certfile", "cert.pem", "-outform", "DER", "-out", "cert.rsa"
    )
    let script = """
      import zipfile
      with zipfile.ZipFile("app.aab", "w", zipfile.ZIP_DEFLATED) as z:
          z.writestr("BundleConfig.pb", b"x" * 100)
          z.write("cert.rsa", "META-INF/UPLOAD.RSA")
      """
    #expect(try Program.run("/usr/bin/env", ["python3", "-c", script], in: scratch).status == 0)
    let found = try certificates("app.aab")
    #expect(found.map { $0["sha256"]?.stringValue } == [fingerprint])
    #expect(found.first?["schemes"] == ["v1"])
    #expect(try run("app.aab").output.contains("A bundle is signed with the upload key"))
  }

  /// An app of 3 GB, in a process that cannot have so much memory.
  @Test func aLargeAppIsNotReadAsAWhole() throws {
    let block = Self.signatures([(Self.v2, [certificate])])
    let place = 3_000_000_000
    try scratch.write([0x50, 0x4B, 3, 4], to: "large.apk")
    let handle = try FileHandle(forWritingTo: URL(filePath: scratch.path("large.apk")))
    try handle.seek(toOffset: UInt64(place))
    try handle.write(contentsOf: block + Self.end(0, 0, place + block.count))
    try handle.close()
    let result = try Program.run(
      "/bin/sh", ["-c", "ulimit -v 2000000; exec \"$0\" fingerprint large.apk", Program.aasa],
      in: scratch)
    #expect(result.status == 0 && result.output.contains(fingerprint), "\(result.errors)")
  }

  // MARK: - Bad files

  @Test(arguments: [
    "text", "empty", "key", "public", "jceks", "missing", "directory", "pipe", "der", "unsigned",
    "set", "cut", "offset",
    "zip64", "block", "part", "list", "garbage", "bomb", "damaged", "rounds", "files",
  ])
  func aBadFileIsRefusedWithAReason(kind: String) throws {
    let signed = { (block: [UInt8]) in Self.archive([("a", [1])], signatures: block) }
    var expected = ""
    var bytes: [UInt8]?
    switch kind {
    case "text": (bytes, expected) = (Array("hello".utf8), "is none of the files")
    case "empty": (bytes, expected) = ([], "is none of the files")
    case "key":
      (bytes, expected) = (try scratch.read("key.pem"), "has a private key and no certificate")
    case "public":
      try Self.openssl(scratch, "pkey", "-in", "key.pem", "-pubout", "-out", "bad")
      expected = "has a public key and no certificate"
    case "jceks": (bytes, expected) = ([0xCE, 0xCE, 0xCE, 0xCE, 0, 0], "JCEKS")
    case "missing": expected = "No such file"
    case "directory":
      try FileManager.default.createDirectory(
        atPath: scratch.path("bad"), withIntermediateDirectories: false)
      expected = "is not a file"
    case "pipe":
      #expect(mkfifo(scratch.path("bad"), 0o600) == 0)
      expected = "is not a file"
    case "der": (bytes, expected) = (Array(certificate.prefix(200)), "is neither a certificate")
    case "unsigned": (bytes, expected) = (Self.archive([("classes.dex", [1])]), "is not signed")
    case "set": (bytes, expected) = (Self.archive([("base.apk", [1])]), "set of APKs")
    case "cut":
      (bytes, expected) = (
        Array(signed(Self.signatures([(Self.v2, [certificate])])).dropLast(5)), "no ZIP directory"
      )
    case "offset":
      (bytes, expected) = ([0x50, 0x4B, 3, 4] + Self.end(1, 100, 0x7FFF_FFFF), "cut off")
    case "files":
      let entries = (0...100).map {
        (name: "META-INF/\($0).RSA", content: [UInt8](repeating: 1, count: 10))
      }
      (bytes, expected) = (Self.archive(entries), "more than 100 signature files")
    case "zip64": (bytes, expected) = ([0x50, 0x4B, 3, 4] + Self.end(1, 100, 0xFFFF_FFFF), "ZIP64")
    case "block":
      let block = Self.little(8, Int.max) + Array("APK Sig Block 42".utf8)
      (bytes, expected) = (signed(block), "wrong size")
    case "part":
      let block =
        Self.little(8, Int.max) + Self.little(4, Self.v2) + Self.little(8, 36)
        + Array("APK Sig Block 42".utf8)
      (bytes, expected) = (signed(Self.little(8, 36) + block), "wrong size")
    case "list":
      let part = Self.little(4, Self.v2) + Self.little(4, 0x7FFF_FFFF)
      let parts = Self.little(8, part.count) + part
      let block = parts + Self.little(8, parts.count + 24) + Array("APK Sig Block 42".utf8)
      (bytes, expected) = (signed(Self.little(8, parts.count + 24) + block), "cannot be read")
    case "garbage":
      (bytes, expected) = (signed(Self.signatures([(Self.v3, [[1, 2, 3]])])), "cannot be read")
    case "bomb", "damaged":
      let script = """
        import zipfile
        with zipfile.ZipFile("bad", "w", zipfile.ZIP_DEFLATED) as z:
            z.writestr("META-INF/A.RSA", bytes(100000000))
        """
      #expect(try Program.run("/usr/bin/env", ["python3", "-c", script], in: scratch).status == 0)
      expected = "cannot be unpacked"
      if kind == "damaged" {
        var damaged = try scratch.read("bad")
        for index in 60..<200 { damaged[index] ^= 0xFF }
        bytes = damaged
      }
    default:
      try Self.openssl(
        scratch, "pkcs12", "-export", "-in", "cert.pem", "-inkey", "key.pem", "-passout",
        "pass:secret", "-iter",
        "1100000", "-out", "bad")
      expected = "rounds"
    }
    if let bytes { try scratch.write(bytes, to: "bad") }
    let result = try run("bad", "cert.pem", password: "secret")
    #expect(result.status == 1)
    #expect(result.errors.contains(expected), "\(result.errors)")
    #expect(result.errors.contains("\"bad\"") && result.errors.split(separator: "\n").count == 1)
    // The other file is read.
    #expect(result.output.contains(fingerprint))
  }
}
