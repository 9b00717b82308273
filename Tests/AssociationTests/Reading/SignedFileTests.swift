import Association
import Foundation
import Testing

/// Files signed by `openssl cms -sign -nodetach -binary -outform DER`.
@Suite struct SignedFileTests {
  private static let content = #"{"webcredentials":{"apps":["ABCDE12345.com.example.app"]}}"#

  /// In DER.
  private static let signed = """
    MIIBCQYJKoZIhvcNAQcCoIH7MIH4AgEBMQ0wCwYJYIZIAWUDBAIBMEkGCSqGSIb3DQEHAaA8BDp7IndlYmNyZWRlbnRpYWxzIj\
    p7ImFwcHMiOlsiQUJDREUxMjM0NS5jb20uZXhhbXBsZS5hcHAiXX19MYGYMIGVAgEBMC4wFjEUMBIGA1UEAwwLZXhhbXBsZS5j\
    b20CFH7NBltDsJCIjeuLboioSwLTv0p7MAsGCWCGSAFlAwQCATAKBggqhkjOPQQDAgRHMEUCIQDW11B1Hrhl+o9w4fWU+mUrB0\
    Sw5ZDG6hSoSfgTgvyGmgIgHxc7YIJ5uth3xi/tnLKsys02K6x4mCG+J8T1DS0EKqA=
    """
  /// With `-stream`: in BER, with unknown lengths and the content in pieces.
  private static let streamed = """
    MIAGCSqGSIb3DQEHAqCAMIACAQExDTALBglghkgBZQMEAgEwgAYJKoZIhvcNAQcBoIAkgAQ6eyJ3ZWJjcmVkZW50aWFscyI6ey\
    JhcHBzIjpbIkFCQ0RFMTIzNDUuY29tLmV4YW1wbGUuYXBwIl19fQAAAAAAADGBmTCBlgIBATAuMBYxFDASBgNVBAMMC2V4YW1w\
    bGUuY29tAhR+zQZbQ7CQiI3ri26IqEsC079KezALBglghkgBZQMEAgEwCgYIKoZIzj0EAwIESDBGAiEAvoaX7+5KlN+WA6glAv\
    CqzYq8KSCadBm1GgRclYUVxTQCIQC0ZByVeRaNaDoqKB6gzOB9JZqvoL8wTqHXW+eaDhoG+gAAAAAAAA==
    """
  /// Without `-nodetach`: the content is elsewhere.
  private static let detached = """
    MIHLBgkqhkiG9w0BBwKggb0wgboCAQExDTALBglghkgBZQMEAgEwCwYJKoZIhvcNAQcBMYGYMIGVAgEBMC4wFjEUMBIGA1UEAw\
    wLZXhhbXBsZS5jb20CFH7NBltDsJCIjeuLboioSwLTv0p7MAsGCWCGSAFlAwQCATAKBggqhkjOPQQDAgRHMEUCID3NuAif5OoP\
    BIACo9+3WAkHizcIsjytd158M6L1dS3rAiEAmxZUADpA6ow4cg9aVG5ijDf6k8LkPe4l0N8O2DZ2rNQ=
    """

  private static func bytes(_ text: String) throws -> [UInt8] {
    Array(try #require(Data(base64Encoded: text)))
  }

  @Test(arguments: [signed, streamed])
  func theContentOfASignedFileIsReadWithAWarning(text: String) throws {
    let bytes = try Self.bytes(text)
    #expect(try SignedFile.content(of: bytes) == Array(Self.content.utf8))
    let report = Linter.report(onFile: bytes)
    #expect(report.findings.map(\.code) == [.cmsSigned])
    #expect(report.isValid)
    #expect(try report.document == JSON.parse(Array(Self.content.utf8)).value)
  }

  @Test func aSignedFileWithoutContentIsToldAsThat() throws {
    let report = Linter.report(onFile: try Self.bytes(Self.detached))
    #expect(report.findings.map(\.code) == [.notJSON])
    #expect(report.findings[0].message.contains("signed (CMS), but its content is missing"))
    #expect(report.document == nil)
  }

  @Test func theFaultsOfTheContentAreReported() throws {
    let (bracket, other) = (UInt8(ascii: "["), UInt8(ascii: "("))
    let broken = try Self.bytes(Self.signed).map { $0 == bracket ? other : $0 }
    #expect(Linter.report(onFile: broken).findings.map(\.code) == [.cmsSigned, .notJSON])
  }

  /// A reader of lengths must not trust them.
  @Test(arguments: [signed, streamed])
  func aDamagedFileIsReadOrRefusedButNeverTraps(text: String) throws {
    let bytes = try Self.bytes(text)
    for count in bytes.indices {
      _ = Linter.report(onFile: Array(bytes.prefix(count)))
      for value: UInt8 in [0, 1, 0x24, 0x30, 0x7F, 0x80, 0x81, 0x84, 0x88, 0xA0, 0xFF] {
        var changed = bytes
        changed[count] = value
        _ = Linter.report(onFile: changed)
      }
    }
  }

  @Test func elementsNestedDeeplyAreRefused() throws {
    let start = try Self.bytes(Self.streamed).prefix(50)
    let nested = start + Array(repeating: [0x24, 0x80], count: 100_000).joined()
    #expect(throws: SignedFile.Unreadable.self) { try SignedFile.content(of: Array(nested)) }
  }

  @Test(arguments: ["", "0", "{}", "0\u{1}\u{1}"])
  func anyOtherFileIsNoSignedOne(text: String) throws {
    #expect(try SignedFile.content(of: Array(text.utf8)) == nil)
  }
}
