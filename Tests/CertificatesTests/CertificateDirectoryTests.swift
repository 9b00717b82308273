import HTTP
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite struct CertificateDirectoryTests {
  let issuer: Issuer
  let directory: TemporaryDirectory
  var path: String { directory.url.path }

  init() throws {
    issuer = try Issuer()
    directory = try TemporaryDirectory()
  }

  private func load(at now: Int64 = Issuer.now) throws -> CertificateDirectory {
    try CertificateDirectory(path) { now }
  }

  /// The reasons and files of what is refused.
  private func faults(at now: Int64 = Issuer.now) throws -> [String] {
    let refused = try #require(throws: CertificatesRefused.self) { try load(at: now) }
    return refused.faults.map { fault in
      "\(fault.path.dropFirst(path.count + 1)) \(String("\(fault.reason)".prefix { $0 != "(" }))"
    }
  }

  private func make(_ name: String) throws {
    try FileManager.default.createDirectory(
      atPath: directory.path(name), withIntermediateDirectories: true)
  }

  @Test func theLayoutsOfCommonToolsAreFound() throws {
    let flat = try issuer.issue("flat.example")
    try directory.write(flat, as: "flat.example")
    try directory.write("x", to: "flat.example.issuer.crt")
    try directory.write("{}", to: "flat.example.json")
    let pem = try issuer.issue("pem.example")
    try directory.write(pem.certificate, to: "pem.example.pem")
    try directory.write(pem.key, to: "pem.example.key")
    for (name, certificate, key) in [
      ("certbot.example", "fullchain.pem", "privkey.pem"), ("secret.example", "tls.crt", "tls.key"),
    ] {
      let issued = try issuer.issue(name)
      try make(name)
      try make(".\(name)")
      try directory.write(issued.certificate, to: ".\(name)/a")
      try directory.write(issued.key, to: ".\(name)/b")
      for (link, target) in [(certificate, "a"), (key, "b")] {
        try FileManager.default.createSymbolicLink(
          atPath: directory.path("\(name)/\(link)"),
          withDestinationPath: "../.\(name)/\(target)")
      }
      try directory.write("x", to: "\(name)/cert.pem")
      try directory.write("x", to: "\(name)/ca.crt")
    }
    try make("lost+found")
    #expect(
      try load().current.pairs.map(\.name).sorted() == [
        "certbot.example", "flat.example", "pem.example", "secret.example",
      ])
  }

  @Test func theDirectoryOfOneSecretIsADirectoryOfPairs() throws {
    let issued = try issuer.issue("example.com")
    try directory.write(issued, as: "tls")
    try directory.write(issuer.authority.certificate, to: "ca.crt")
    #expect(try load().current.pair(for: "example.com")?.name == "tls")
  }

  @Test(arguments: [
    ("example.com", "exact"), ("EXAMPLE.com", "exact"), ("a.example.com", "wildcard"),
    ("known.example.com", "known"), ("a.b.example.com", nil), ("com", nil), ("", nil),
    (".example.com", nil), ("*.example.com", "wildcard"), ("other.test", nil), (nil, nil),
  ])
  func aPairIsChosenByExactNameThenWildcardThenDefault(host: String?, expected: String?) throws {
    try directory.write(try issuer.issue("Example.com"), as: "exact")
    try directory.write(try issuer.issue("*.example.com"), as: "wildcard")
    try directory.write(try issuer.issue("known.example.com"), as: "known")
    #expect(try load().current.pair(for: host)?.name == expected)
    try directory.write(try issuer.issue("fallback.test"), as: "default")
    #expect(try load().current.pair(for: host)?.name == expected ?? "default")
    #expect(try load().current.pair(for: "fallback.test")?.name == "default")
  }

  @Test func ofSeveralPairsForANameTheOneThatExpiresLastIsUsed() throws {
    try directory.write(try issuer.issue("example.com", valid: -1...20), as: "a")
    try directory.write(try issuer.issue("example.com", valid: -1...60), as: "b")
    try directory.write(try issuer.issue("example.com", valid: -1...40), as: "c")
    #expect(try load().current.pair(for: "example.com")?.name == "b")
  }

  @Test func theDefaultMayBeForAnAddressOnly() throws {
    try directory.write(try issuer.issue(addresses: [[127, 0, 0, 1]]), as: "default")
    #expect(try load().current.pair(for: nil)?.name == "default")
    try directory.write(try issuer.issue(addresses: [[127, 0, 0, 1]]), as: "other")
    #expect(try paths(load().current) == ["other.crt"])
  }

  @Test func eachFaultNamesItsFile() throws {
    try directory.write(try issuer.issue("a.test", valid: -90 ... -1), as: "a-expired")
    try directory.write(try issuer.issue("b.test", valid: 1...90), as: "b-early")
    let first = try issuer.issue("c.test")
    try directory.write(
      Issuer.Issued(certificate: first.certificate, key: try issuer.issue("c.test").key),
      as: "c-foreign")
    try directory.write(first.certificate, to: "d-half.crt")
    try directory.write(first.key, to: "e-half.key")
    try directory.write(Issuer.Issued(certificate: "nothing", key: first.key), as: "f-malformed")
    try directory.write(
      Issuer.Issued(
        certificate: first.certificate, key: "-----BEGIN PRIVATE KEY-----\nAAAA\n"), as: "g-key")
    try directory.write(try issuer.issue(), as: "h-nameless")
    try directory.write(try issuer.issue("i.test", rsaBits: 1024), as: "i-weak")
    try directory.write(try issuer.issue("*", "a.*.test", "x*.test"), as: "j-wildcards")
    try make("k.test")
    try directory.write(first.certificate, to: "k.test/cert.pem")
    try make("l.test")
    try directory.write(first.certificate, to: "l.test/fullchain.pem")
    try directory.write(Issuer.Issued(certificate: "", key: ""), as: "m-empty")
    #expect(
      try Set(faults()) == [
        "a-expired.crt expired", "b-early.crt notYetValid", "c-foreign.key foreignKey",
        "d-half.crt missingKey", "e-half.key missingCertificate",
        "f-malformed.crt malformedCertificate", "g-key.key malformedKey", "h-nameless.crt noName",
        "i-weak.crt weakKey", "j-wildcards.crt noName", "k.test noPair",
        "l.test/fullchain.pem missingKey", "m-empty.crt malformedCertificate",
      ])
  }

  @Test func aKeyWithAPassphraseIsRefusedWithTheCommandThatRemovesIt() throws {
    let issued = try issuer.issue("example.com")
    try directory.write(issued, as: "example.com")
    let key = directory.path("example.com.key")
    let result = try Program.run(
      "openssl", ["pkey", "-in", key, "-aes128", "-passout", "pass:secret", "-out", key + ".new"])
    #expect(result.status == 0)
    try FileManager.default.removeItem(atPath: key)
    try FileManager.default.moveItem(atPath: key + ".new", toPath: key)
    let refused = try #require(throws: CertificatesRefused.self) { try load() }
    #expect(refused.faults.map(\.reason) == [.encryptedKey])
    #expect(refused.description.contains("openssl pkey -in"))
  }

  @Test func aNamedPipeIsRefusedWithoutWaiting() throws {
    let issued = try issuer.issue("example.com")
    try directory.write(issued.certificate, to: "example.com.crt")
    #expect(mkfifo(directory.path("example.com.key"), 0o600) == 0)
    #expect(try faults() == ["example.com.key unreadable"])
  }

  @Test func aDirectoryWithoutAPairIsRefused() throws {
    #expect(try faults() == [" noPair"])
    let missing = directory.path("missing")
    let refused = try #require(throws: CertificatesRefused.self) {
      try CertificateDirectory(missing) { Issuer.now }
    }
    #expect(refused.description.contains("No such file or directory"))
  }

  @Test func aKeyThatEverybodyCanReadCausesAWarning() throws {
    try directory.write(try issuer.issue("example.com"), as: "example.com")
    #expect(try load().current.warnings.isEmpty)
    chmod(directory.path("example.com.key"), 0o644)
    #expect(try load().current.warnings.count == 1)
  }

  private func paths(_ set: CertificateSet) -> [String] {
    set.faults.map { String($0.path.dropFirst(path.count + 1)) }
  }

  @Test func anInvalidPairDoesNotAffectOthers() throws {
    try directory.write(try issuer.issue("a.test"), as: "a")
    try directory.write(try issuer.issue("b.test", valid: -9 ... -1), as: "b")
    try make("c")
    try directory.write("nothing", to: "c/tls.crt")
    let set = try load().current
    #expect(set.pairs.map(\.name) == ["a"] && paths(set) == ["b.crt", "c/tls.crt"])
  }

  @Test func aPairThatBecomesInvalidStaysInUseWhileOthersChange() throws {
    for name in ["bad", "half", "removed", "renewed"] {
      try directory.write(try issuer.issue("\(name).test"), as: name)
    }
    let certificates = try load()
    try directory.write("nothing", to: "bad.crt")
    for name in ["half.key", "removed.crt", "removed.key"] {
      try FileManager.default.removeItem(atPath: directory.path(name))
    }
    try directory.write(try issuer.issue("renewed.test", "also.test"), as: "renewed")
    try directory.write(try issuer.issue("added.test"), as: "added")
    certificates.reload()
    let set = certificates.current
    #expect(set.pairs.map(\.name) == ["added", "bad", "half", "renewed"])
    #expect(set.pair(for: "also.test")?.name == "renewed")
    #expect(set.pair(for: "bad.test")?.name == "bad" && paths(set) == ["bad.crt", "half.crt"])
    try directory.write(try issuer.issue("good.test"), as: "bad")
    certificates.reload()
    #expect(certificates.current.pair(for: "bad.test") == nil)
    #expect(certificates.current.pair(for: "good.test")?.name == "bad")
  }

  @Test func anEmptyOrMissingDirectoryLeavesThePairsInUse() throws {
    try directory.write(try issuer.issue("a.test"), as: "a")
    let certificates = try load()
    for name in ["a.crt", "a.key"] {
      try FileManager.default.removeItem(atPath: directory.path(name))
    }
    certificates.reload()
    #expect(certificates.current.faults.map(\.reason) == [.noPair])
    #expect(certificates.current.pair(for: "a.test") != nil)
    certificates.reload(from: directory.path("missing"))
    #expect(certificates.current.faults.map(\.path) == [directory.path("missing")])
    #expect(certificates.current.pair(for: "a.test") != nil)
  }

  /// Otherwise one certificate that nobody renews would keep all others from being renewed.
  @Test func aPairThatExpiredInUseDoesNotKeepOthersFromBeingRenewed() throws {
    let now = Mutex(Issuer.now)
    try directory.write(try issuer.issue("old.test", valid: -1...10), as: "old")
    let certificates = try CertificateDirectory(path) { now.withLock { $0 } }
    now.withLock { $0 += 20 * 86_400 }
    try directory.write(try issuer.issue("new.test"), as: "new")
    try directory.write(try issuer.issue("other.test", valid: -1...10), as: "other")
    for _ in 1...2 {
      certificates.reload()
      #expect(certificates.current.pair(for: "new.test") != nil)
      #expect(certificates.current.pair(for: "old.test") != nil)
      #expect(certificates.current.pair(for: "other.test") == nil)
      #expect(paths(certificates.current) == ["old.crt", "other.crt"])
    }
  }

  @Test func aChangeIsNoticedWhenTheFilesHaveSettled() throws {
    try directory.write(try issuer.issue("a.test"), as: "a")
    let certificates = try load()
    #expect(!certificates.reloadIfChanged())
    try directory.write(try issuer.issue("a.test", "b.test"), as: "a")
    #expect(!certificates.reloadIfChanged())
    #expect(certificates.current.pair(for: "b.test") == nil)
    #expect(certificates.reloadIfChanged())
    #expect(certificates.current.pair(for: "b.test") != nil)
    #expect(!certificates.reloadIfChanged())
  }

  @Test func anInvalidChangeIsReportedOnce() throws {
    try directory.write(try issuer.issue("a.test"), as: "a")
    let certificates = try load()
    try directory.write("nothing", to: "a.crt")
    #expect(!certificates.reloadIfChanged())
    #expect(certificates.reloadIfChanged())
    #expect(paths(certificates.current) == ["a.crt"])
    #expect(!certificates.reloadIfChanged())
    #expect(certificates.current.pair(for: "a.test") != nil)
  }
}
