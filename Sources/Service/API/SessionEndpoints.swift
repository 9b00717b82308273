import Association
import HTTP
import Store

/// `/v1/session`.
struct SessionEndpoints: Sendable {
  let store: Store
  let authentication: Authentication

  var all: [Endpoint] {
    let path = "/v1/session"
    return [
      Endpoint(
        .post, path, .anybody, effect: .change, headers: [.dashboard],
        "signIn", .sessions, "Sign in with a token",
        description:
          "Sets the cookie `\(Authentication.cookie)`, over HTTPS `\(Authentication.secureCookie)`, which a browser "
          + "sends instead of a token. The session ends after 12 hours, or with its token.",
        body: .json("SignIn"),
        problems: [.unauthorized, .dashboardHeaderMissing, .busy, .databaseUnavailable],
        answers: .created("The session.", "Session"), handle: signIn),
      Endpoint(
        .get, path, .anyToken,
        "getSession", .sessions, "Read who is signed in",
        answers: .ok("Who is signed in, and how the request was authenticated.", "Session")
      ) { call in
        guard let identity = call.identity else { return Response(.noContent) }
        return .json(.ok, .object(Self.json(identity)))
      },
      Endpoint(
        .delete, path, .anyToken, effect: .change,
        "signOut", .sessions, "Sign out",
        description: "Ends the session of the cookie, if there is one, and deletes the cookie.",
        answers: Answer(status: .noContent, description: "Signed out."), handle: signOut),
    ]
  }

  private static func json(_ identity: Identity) -> JSON.Object {
    SessionResource.json(identity, version: AdminAPI.programVersion)
  }

  private func signIn(_ call: Call) throws -> Response {
    try Authentication.checkDashboardHeader(call.request.fields)
    let secret = try Faults.collecting(in: try call.json(), SessionResource.read)
    let token = try authentication.token(secret, of: call.request.head)
    let context = try call.context(by: token)
    let earlier = authentication.sessionSecret(call.request.head)
    let session: TokenSecret
    do {
      session = try store.write(context) {
        try $0.beginSession(of: token, secret, insteadOf: earlier)
      }
    } catch StoreError.notFound {
      throw Authentication.unknownToken
    }
    let end = store.now() + Session.duration
    let object = Self.json(
      Identity(token, by: .session, expiresAt: min(end, token.expiresAt ?? end)))
    return .json(
      .created, object, to: context,
      fields: context.isDryRun ? [] : [cookie(session.text, seconds: Session.duration, call)])
  }

  private func signOut(_ call: Call) throws -> Response {
    let context = try call.context()
    if let secret = authentication.sessionSecret(call.request.head) {
      try store.write(context) { try $0.endSession(secret) }
    }
    var response = Response(.noContent)
    if !context.isDryRun { response.fields.append(cookie("", seconds: 0, call)) }
    return response
  }

  private func cookie(_ value: String, seconds: Int64, _ call: Call) -> HeaderField {
    let attributes = "Path=/; HttpOnly; SameSite=Strict; Max-Age=\(seconds)"
    let (name, isSecure) = authentication.cookieName(call.request.head)
    return HeaderField("Set-Cookie", "\(name)=\(value); \(attributes)\(isSecure ? "; Secure" : "")")
  }
}
