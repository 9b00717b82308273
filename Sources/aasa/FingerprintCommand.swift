import Association
import FoundationEssentials
import Glibc
import Service

enum FingerprintCommand {
  private static let variable = "AASA_KEYSTORE_PASSWORD"

  static let command = Command(
    name: "fingerprint", group: .look,
    summary: "print the fingerprints of Android apps and keystores",
    details:
      "Reads APKs, Android bundles (.aab), keystores (PKCS #12 and JKS), certificates (PEM and DER) and what keytool, "
      + "apksigner, openssl, EAS and Gradle print of one, and prints the SHA-256 fingerprints of their certificates as keytool "
      + "does. Signatures are read and not verified. The password of a PKCS #12 keystore comes from \(variable), or is "
      + "asked for. Use - for stdin, but not for an app.",
    options: [.json],
    operands: .many("FILE"),
    examples: [
      ("Print the fingerprint of a built app", "aasa fingerprint app-release.apk"),
      ("Print that of a keystore", "\(variable)=secret aasa fingerprint release.keystore"),
    ],
    success: "every file has a certificate", failure: "a file cannot be read or has none", run: run)

  private static func run(_ arguments: Arguments) throws -> ExitStatus {
    var isComplete = true
    for path in arguments.operands {
      do {
        let found = try SigningCertificates(path: path) { try password(of: path) }
        try print(found, path, asJSON: arguments.has(.json))
      } catch let failure as Failure {
        isComplete = false
        Terminal.complain(failure.description)
      }
    }
    return isComplete ? .success : .failure
  }

  private static func print(
    _ found: SigningCertificates, _ path: String, asJSON: Bool
  ) throws {
    if asJSON {
      let report: JSON = [
        "file": .string(path), "format": .string(found.format.rawValue),
        "certificates": .array(
          found.certificates.map {
            [
              "sha256": .string("\($0.fingerprint)"), "subject": .string($0.subject),
              "alias": .optional($0.alias), "schemes": .strings($0.schemes),
            ]
          }),
        "note": .optional(found.note),
      ]
      return try Terminal.print(report.text)
    }
    var lines = ["\(path): \(found.format.rawValue)"]
    for certificate in found.certificates {
      let facts =
        [certificate.alias.map { "alias \($0)" }, certificate.subject]
        .compactMap(\.self).filter { !$0.isEmpty }
      let schemes = certificate.schemes.joined(separator: ", ")
      let all = facts + (schemes.isEmpty ? [] : ["signature \(schemes)"])
      lines.append("  SHA256: \(certificate.fingerprint)")
      if !all.isEmpty { lines.append("    \(all.joined(separator: ", "))") }
    }
    if let note = found.note { lines.append("  \(note)") }
    try Terminal.print(lines.map(\.harmless).joined(separator: "\n"))
  }

  /// The password of a keystore, from the environment or the terminal.
  private static func password(of path: String) throws -> String {
    if let password = ProcessInfo.processInfo.environment[variable] { return password }
    let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC)
    guard terminal >= 0 else {
      throw Failure(
        "\(path.quotedPath) needs a password. Set \(variable), or run the command in a terminal.")
    }
    defer { close(terminal) }
    var before = termios()
    guard tcgetattr(terminal, &before) == 0 else {
      throw Failure("Cannot ask for the password of \(path.quotedPath)", code: errno)
    }
    var silent = before
    silent.c_lflag &= ~tcflag_t(ECHO)
    let question = Array("Password of \(path.quotedPath): ".utf8)
    _ = write(terminal, question, question.count)
    let shown = before
    let show: @Sendable () -> Void = {
      var shown = shown
      tcsetattr(terminal, TCSAFLUSH, &shown)
      _ = write(terminal, "\n", 1)
    }
    return Progress.cleaningUp(by: show) {
      tcsetattr(terminal, TCSAFLUSH, &silent)
      defer { show() }
      var line: [UInt8] = []
      var byte: UInt8 = 0
      while line.count < 1024, read(terminal, &byte, 1) == 1, byte != UInt8(ascii: "\n") {
        line.append(byte)
      }
      return String(decoding: line, as: UTF8.self)
    }
  }
}

extension SigningCertificates {
  /// Which key this is; `nil` if the file says nothing about it.
  fileprivate var note: String? {
    let remedy =
      "Take that of the app signing key from the Play Console, under App integrity, and list both to test your own"
      + " builds."
    switch format {
    case .bundle:
      return
        "A bundle is signed with the upload key, and Google Play signs what it delivers with the app signing key."
        + " \(remedy)"
    case .keystore:
      return
        "If Google Play signs your app (Play App Signing), this is the upload key, which users' devices never see."
        + " \(remedy)"
    case .apk:
      return
        "If you built this APK and Google Play signs your app, users' devices see another certificate. \(remedy)"
    case .text:
      return
        "If this is a key of yours and Google Play signs your app, users' devices see another certificate. \(remedy)"
    case .certificate: return nil
    }
  }
}
