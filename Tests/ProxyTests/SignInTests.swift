import Association
import TestSupport
import Testing

/// The example with Caddy in front of the admin listener, where people sign in.
@Suite(SystemProgram.need("caddy", "curl", "openssl")) struct SignInTests {
  private let scratch: TemporaryDirectory
  private let server: RunningServer
  private let client: ProxyClient
  private let url = "https://dashboard.example.com"

  init() throws {
    scratch = try TemporaryDirectory()
    server = try RunningServer(
      database: scratch.path("aasa.db"),
      arguments: [
        "--admin-user-header", "X-Forwarded-User", "--trusted-proxies", "127.0.0.1",
        "--admin-hosts", "dashboard.example.com",
      ])
    let port = FreePort.find()
    client = try RunningProxy(.caddy, before: [server]) { _ in
      ProxyChange(
        replaced: ("127.0.0.1:4180", "127.0.0.1:\(port)"), dashboardAndMore: Self.standIn(port))
    }.client
    // Until Caddy has issued its certificate.
    _ = becomesTrue { (try? client.fetch(url)) != nil }
  }

  /// Stands for oauth2-proxy: it believes a cookie.
  private static func standIn(_ port: UInt16) -> String {
    """
    http://:\(port) {
    \t@user header_regexp user Cookie user=(\\w+)
    \t@nobody header Cookie nobody=1
    \theader @user X-Auth-Request-User {re.user.1}
    \thandle /oauth2/auth {
    \t\trespond @user 202
    \t\trespond @nobody 202
    \t\trespond 401
    \t}
    \trespond /oauth2/sign_in "Who are you?"
    }
    """
  }

  private func session(_ options: String...) throws -> ProxyClient.Answer {
    try client.fetch("\(url)/v1/session", options: options)
  }

  @Test func onlyTheUserWhoHasSignedInIsNamed() throws {
    let put = try server.client().send("PUT", "/v1/users/anna", json: ["role": "editor"])
    #expect(put.status == 201)
    let anna = try session("--cookie", "user=anna")
    #expect(anna.status == 200, "\(anna.text)")
    let json = try JSON.parse(anna.body).value
    #expect(json["name"] == "anna" && json["by"] == "user" && json["role"] == "editor")

    let path = "\(url)/v1/domains/example.com"
    let words = ["--cookie", "user=anna", "--request", "PUT", "--json", "{}"]
    #expect(try client.fetch(path, options: words).status == 403)
    let change = try client.fetch(path, options: words + ["--header", "X-Aasa-Dashboard: 1"])
    #expect(change.status == 201, "\(change.text)")
    let revision = try server.client().send("GET", "/v1/domains/example.com/revisions/1")
    #expect(try revision.json["author"] == "anna")

    let otto = try session("--cookie", "user=otto")
    #expect(try otto.status == 403 && JSON.parse(otto.body).value["code"] == "unknown-user")
  }

  @Test func nobodyNamesThemselves() throws {
    _ = try server.client().send("PUT", "/v1/users/anna", json: ["role": "admin"])
    _ = try server.client().send("PUT", "/v1/users/otto", json: ["role": "viewer"])
    let forged = ["--header", "X-Forwarded-User: anna"]
    #expect(try client.fetch("\(url)/v1/session", options: forged).status == 401)
    let nobody = try client.fetch("\(url)/v1/session", options: forged + ["--cookie", "nobody=1"])
    // Caddy 2.6 then sends its own placeholder as the name. No such user exists.
    #expect([401, 403].contains(nobody.status), "\(nobody.text)")
    let otto = try client.fetch("\(url)/v1/session", options: forged + ["--cookie", "user=otto"])
    #expect(try JSON.parse(otto.body).value["name"] == "otto")
  }

  @Test func aPageGoesToTheSignInAndAScriptDoesNot() throws {
    let page = try client.fetch("\(url)/")
    #expect(page.status == 302)
    #expect(page.fields["location"] == ["/oauth2/sign_in?rd=\(url)/"])
    #expect(try client.fetch("\(url)/oauth2/sign_in").text == "Who are you?")
    #expect(try session().status == 401)
  }

  @Test func theCookieOfASessionIsSecure() throws {
    let token: JSON = ["token": .string(try server.firstToken())]
    let answer = try session(
      "--cookie", "nobody=1", "--json", token.text, "--header", "X-Aasa-Dashboard: 1")
    #expect(answer.status == 201, "\(answer.text)")
    #expect(answer.fields["set-cookie"]?.first?.hasSuffix("; Secure") == true)
  }
}
