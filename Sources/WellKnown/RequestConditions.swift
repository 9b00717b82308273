import HTTP

/// What the conditions of a request say of a document (RFC 9110 section 13.2.2).
enum RequestConditions {
  /// To be answered in full.
  case passes
  /// 304
  case notModified
  /// 412
  case failed

  /// Evaluates the conditions of a GET or HEAD in the order of RFC 9110.
  init(_ request: borrowing DirectRequest, _ validators: Validators) {
    let fields = request.fields
    if fields.ifMatch.count > 0 {
      if !Self.matches(request, fields.ifMatch, "If-Match", validators, weakly: false) {
        self = .failed
        return
      }
    } else if fields.ifUnmodifiedSince.count == 1,
      validators.isUnmodified(since: fields.ifUnmodifiedSince.value) == false
    {
      self = .failed
      return
    }
    if fields.ifNoneMatch.count > 0 {
      let matches = Self.matches(
        request, fields.ifNoneMatch, "If-None-Match", validators, weakly: true)
      self = matches ? .notModified : .passes
    } else if fields.ifModifiedSince.count == 1,
      validators.isUnmodified(since: fields.ifModifiedSince.value) == true
    {
      self = .notModified
    } else {
      self = .passes
    }
  }

  private static func matches(
    _ request: borrowing DirectRequest, _ line: DirectFields.Line, _ name: StaticString,
    _ validators: Validators, weakly: Bool
  ) -> Bool {
    if line.count == 1 { return validators.match(line.value, weakly: weakly) }
    return request.anyLine(of: name) { validators.match($0, weakly: weakly) }
  }
}
