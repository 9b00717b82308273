import TestSupport

/// A certificate that signs itself, and its key, made by openssl.
struct Certificate {
  let certificate: String
  let key: String
  /// A file with both, as HAProxy reads it.
  let pair: String

  /// Makes one for some names.
  init(names: [String], in directory: TemporaryDirectory) throws {
    certificate = directory.path("certificate.pem")
    key = directory.path("key.pem")
    let made = try Program.run(
      "openssl",
      [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
        "-days", "2", "-subj", "/CN=aasa test", "-keyout", key, "-out", certificate,
        "-addext", "subjectAltName=" + names.map { "DNS:\($0)" }.joined(separator: ","),
      ])
    guard made.status == 0 else { throw ProxyFailure(errors: made.errors) }
    pair = try directory.write(
      directory.read("certificate.pem") + directory.read("key.pem"), to: "pair.pem")
  }
}

/// What kept a program from doing its part.
struct ProxyFailure: Error {
  let errors: String
}
