extension Finding {
  /// The kinds of findings. The words are part of the API and never change their meaning.
  public enum Code: String, Sendable, CaseIterable {
    // The file.

    /// The bytes are not JSON.
    case notJSON = "not-json"
    /// The JSON is not an object.
    case notObject = "not-an-object"
    /// A byte order mark precedes the JSON.
    case byteOrderMark = "byte-order-mark"
    /// An object has a key twice.
    case duplicateKey = "duplicate-key"
    /// The document is larger than Apple accepts.
    case tooLarge = "too-large"
    /// The document is close to the size limit.
    case nearSizeLimit = "near-size-limit"

    // Its structure.

    /// An object or a list that holds the file together has another type.
    case wrongType = "wrong-type"
    /// A condition or a setting of a route has a type that the format does not allow there.
    case wrongValueType = "wrong-value-type"
    /// A key that the format does not know at this place.
    case unknownKey = "unknown-key"
    /// The file names no service.
    case noService = "no-service"
    /// `applinks` has no `details`.
    case noDetails = "no-details"
    /// `details` has no entry.
    case emptyDetails = "empty-details"
    /// `details` is an object keyed by app, the first form of 2015.
    case detailsDictionary = "details-dictionary"
    /// `applinks.apps` is not empty.
    case appsNotEmpty = "apps-not-empty"

    // The apps.

    /// An app identifier is not `<prefix>.<bundle identifier>`.
    case malformedAppIdentifier = "malformed-app-identifier"
    /// An app identifier was copied from a template and never filled in.
    case placeholderAppIdentifier = "placeholder-app-identifier"
    /// The prefix of an app identifier is not ten capital letters and digits.
    case unusualAppIdentifierPrefix = "unusual-app-identifier-prefix"
    /// The bundle identifier of an app has a character that Apple does not allow.
    case unusualBundleIdentifier = "unusual-bundle-identifier"
    /// A list names an app twice.
    case repeatedApp = "repeated-app"

    // The entries.

    /// An entry names no app.
    case entryWithoutApp = "entry-without-app"
    /// An entry has both `appID` and `appIDs`.
    case appIDAndAppIDs = "app-id-and-app-ids"
    /// An entry has `appIDs`, which came with iOS 13, and only the older `paths`.
    case appIDsWithPaths = "app-ids-with-paths"
    /// An entry has both `components` and `paths`.
    case componentsAndPaths = "components-and-paths"
    /// An entry has no route.
    case noRoutes = "no-routes"

    // The routes.

    /// A value of a query object is not a string, so the whole object stops counting.
    case queryValueNotString = "query-value-not-string"
    /// A route without any condition.
    case matchesEverything = "matches-everything"
    /// A comment that everybody can read.
    case publicComment = "public-comment"

    // The patterns.

    /// A pattern of encoded text has a character that encoded text never has.
    case nonASCIIPattern = "non-ascii-pattern"
    /// A pattern of encoded text has a space or a control character.
    case spaceInPattern = "space-in-pattern"
    /// A pattern of encoded text has an escape with lower-case digits.
    case lowerCaseEscape = "lower-case-escape"
    /// A pattern of decoded text has an escape.
    case escapeInDecodedPattern = "escape-in-decoded-pattern"
    /// A path that holds a full URL.
    case urlAsPath = "url-as-path"
    /// A path that begins with a host.
    case hostAsPath = "host-as-path"
    /// A path that holds a query.
    case queryInPath = "query-in-path"
    /// A path that holds a fragment.
    case fragmentInPath = "fragment-in-path"
    /// A query or fragment pattern that begins with its own delimiter.
    case leadingDelimiter = "leading-delimiter"
    /// One of `paths` that does not begin with a slash.
    case noLeadingSlash = "no-leading-slash"
    /// The syntax of regular expressions.
    case regularExpression = "regular-expression"
    /// The syntax of a web framework's route parameters.
    case routeParameter = "route-parameter"
    /// `not ` in `paths` that is not written `NOT `, or `NOT ` in `components`.
    case misspelledNot = "misspelled-not"

    // The variables.

    /// A pattern names a variable that does not exist.
    case undefinedVariable = "undefined-variable"
    /// A pattern has `$(` without `)`.
    case unterminatedVariable = "unterminated-variable"
    /// A value of a variable names a variable.
    case nestedVariable = "nested-variable"
    /// One of `paths` names a variable, which counts only in `components`.
    case variableInPaths = "variable-in-paths"
    /// A variable has no value.
    case emptyVariable = "empty-variable"
    /// A value of a variable is the empty string.
    case emptyVariableValue = "empty-variable-value"
    /// The name of a variable has a character that names cannot have, or none at all.
    case variableName = "variable-name"
    /// A variable has the name of a predefined one.
    case redefinedVariable = "redefined-variable"
    /// No pattern names the variable.
    case unusedVariable = "unused-variable"

    // What the routes do together.

    /// No URL that can exist meets all conditions of a route.
    case neverMatches = "never-matches"
    /// Earlier routes decide about every URL that this route matches.
    case shadowedRoute = "shadowed-route"
    /// An earlier route matches the same URLs.
    case duplicateRoute = "duplicate-route"
    /// An exclusion after which nothing matches what it excludes.
    case unneededExclusion = "unneeded-exclusion"
    /// Whether earlier routes shadow this one is not known.
    case shadowingNotDecided = "shadowing-not-decided"

    // The names of the domain.

    /// The domain is published, its `www.` sibling is not.
    case wwwSiblingMissing = "www-sibling-missing"
    /// `www.` is published, the domain without it is not.
    case apexSiblingMissing = "apex-sibling-missing"
    /// An app is labelled as built for staging or development, and the domain is not.
    case environmentMismatch = "environment-mismatch"
  }
}

extension Finding.Code {
  /// How bad a finding of this kind usually is.
  public var severity: Finding.Severity {
    switch self {
    case .notJSON, .notObject, .byteOrderMark, .duplicateKey, .tooLarge, .wrongType,
      .wrongValueType, .noService, .noDetails, .malformedAppIdentifier, .entryWithoutApp,
      .queryValueNotString, .undefinedVariable, .nestedVariable, .emptyVariable:
      .error
    case .publicComment, .unneededExclusion, .shadowingNotDecided, .unusedVariable,
      .wwwSiblingMissing, .apexSiblingMissing:
      .note
    default:
      .warning
    }
  }

  /// Whether a file that already serves its domain may be adopted in spite of this error.
  ///
  /// False where nobody can say what the file means or how to keep it. Errors alone are ever
  /// accepted; for other codes the answer is true and has no effect.
  public var isAcceptable: Bool {
    switch self {
    case .notJSON, .notObject, .duplicateKey, .tooLarge, .wrongType, .malformedAppIdentifier: false
    default: true
    }
  }
}
