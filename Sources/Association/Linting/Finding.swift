/// A problem, or a possible one, in an association file.
package struct Finding: Sendable, Equatable {
  package enum Severity: String, Sendable, CaseIterable, Comparable {
    /// Worth knowing; changes nothing on a device.
    case note
    /// Probably a mistake. Does not prevent publication.
    case warning
    /// The file will not do what it says. Prevents publication unless the code is accepted.
    case error

    /// Notes come before warnings, and warnings before errors.
    package static func < (left: Severity, right: Severity) -> Bool {
      allCases.firstIndex(of: left) ?? 0 < allCases.firstIndex(of: right) ?? 0
    }
  }

  package let code: Code
  package let severity: Severity
  package let pointer: JSONPointer
  /// What happens on a device.
  package let message: String
  /// What to do about it.
  package let help: String
  package var kind = DocumentKind.apple
  package var source = Source.lint
  /// Of a check: the URL that it is about.
  package var url: String?
  /// Of a check: the code that App Store Connect's `AppClipDomainStatus` has for it.
  package var appleCode: String?

  package enum Source: String, Sendable, CaseIterable {
    /// The linter, in a document.
    case lint
    /// A check, in what the world gets.
    case check
  }

  /// A finding with the usual severity of its code, or with another one.
  package init(
    _ code: Code, severity: Severity? = nil, at pointer: JSONPointer, _ message: String,
    help: String
  ) {
    self.code = code
    self.severity = severity ?? code.severity
    self.pointer = pointer
    self.message = message
    self.help = help
  }
}

extension Finding {
  /// The kinds of findings; docs/findings.md explains each. The words are part of the API and keep their
  /// meaning.
  package enum Code: String, Sendable, CaseIterable {
    // The file.
    case notJSON = "not-json"
    case notObject = "not-an-object"
    case byteOrderMark = "byte-order-mark"
    case cmsSigned = "cms-signed"
    case duplicateKey = "duplicate-key"
    case tooLarge = "too-large"
    case tooComplex = "too-complex"
    case nearSizeLimit = "near-size-limit"

    // Its structure.
    case wrongType = "wrong-type"
    case wrongValueType = "wrong-value-type"
    case unknownKey = "unknown-key"
    case noService = "no-service"
    case noDetails = "no-details"
    case emptyDetails = "empty-details"
    case detailsDictionary = "details-dictionary"
    case appsNotEmpty = "apps-not-empty"

    // The apps.
    case malformedAppIdentifier = "malformed-app-identifier"
    case placeholderAppIdentifier = "placeholder-app-identifier"
    case unusualAppIdentifierPrefix = "unusual-app-identifier-prefix"
    case numericAppIdentifierPrefix = "numeric-app-identifier-prefix"
    case unusualBundleIdentifier = "unusual-bundle-identifier"
    case repeatedApp = "repeated-app"

    // The entries.
    case entryWithoutApp = "entry-without-app"
    case appIDAndAppIDs = "app-id-and-app-ids"
    case appIDsWithPaths = "app-ids-with-paths"
    case componentsAndPaths = "components-and-paths"
    case noRoutes = "no-routes"

    // The routes.
    case queryValueNotString = "query-value-not-string"
    case matchesEverything = "matches-everything"
    case takesSignInPages = "takes-sign-in-pages"
    case publicComment = "public-comment"

    // The patterns.
    case nonASCIIPattern = "non-ascii-pattern"
    case spaceInPattern = "space-in-pattern"
    case lowerCaseEscape = "lower-case-escape"
    case escapeInDecodedPattern = "escape-in-decoded-pattern"
    case urlAsPath = "url-as-path"
    case hostAsPath = "host-as-path"
    case queryInPath = "query-in-path"
    case fragmentInPath = "fragment-in-path"
    case leadingDelimiter = "leading-delimiter"
    case noLeadingSlash = "no-leading-slash"
    case regularExpression = "regular-expression"
    case routeParameter = "route-parameter"
    case misspelledNot = "misspelled-not"

    // The variables.
    case undefinedVariable = "undefined-variable"
    case unterminatedVariable = "unterminated-variable"
    case nestedVariable = "nested-variable"
    case variableInPaths = "variable-in-paths"
    case emptyVariable = "empty-variable"
    case emptyVariableValue = "empty-variable-value"
    case variableName = "variable-name"
    case redefinedVariable = "redefined-variable"
    case unusedVariable = "unused-variable"

    // Routes together.
    case neverMatches = "never-matches"
    case shadowedRoute = "shadowed-route"
    case duplicateRoute = "duplicate-route"
    case unneededExclusion = "unneeded-exclusion"
    case excludesLaterRoutes = "excludes-later-routes"
    case shadowingNotDecided = "shadowing-not-decided"

    // The names of the domain.
    case wwwSiblingMissing = "www-sibling-missing"
    case apexSiblingMissing = "apex-sibling-missing"
    case internationalizedName = "internationalized-name"
    case environmentMismatch = "environment-mismatch"

    // Its Android apps.
    case debugFingerprint = "debug-fingerprint"
    case noPlaySigningFingerprint = "no-play-signing-fingerprint"
    case keptStatementDiffers = "kept-statement-differs"
    case androidNotManaged = "android-not-managed"

    // A change of the domain.
    case opensNothing = "opens-nothing"
    case appAddedByLimitedToken = "app-added-by-limited-token"
    case androidRowsRemoved = "android-rows-removed"

    // The list of an assetlinks.json file.
    case notList = "not-a-list"
    case emptyList = "empty-list"
    case numberOrNull = "number-or-null"
    case insecureInclude = "insecure-include"
    case includeWithStatement = "include-with-statement"
    case includeUnverified = "include-unverified"
    case tooManyIncludes = "too-many-includes"

    // Its statements.
    case statementNotObject = "statement-not-object"
    case missingRelation = "missing-relation"
    case malformedRelation = "malformed-relation"
    case unknownRelation = "unknown-relation"
    case missingTarget = "missing-target"
    case unknownNamespace = "unknown-namespace"
    case malformedPackageName = "malformed-package-name"
    case missingFingerprints = "missing-fingerprints"
    case malformedFingerprint = "malformed-fingerprint"
    case lowerCaseFingerprint = "lower-case-fingerprint"
    case sha1Fingerprint = "sha1-fingerprint"
    case duplicateFingerprint = "duplicate-fingerprint"
    case debugCertificate = "debug-certificate"
    case placeholderValue = "placeholder-value"
    case malformedSite = "malformed-site"
    case webTargetWithPath = "web-target-with-path"
    case duplicateStatement = "duplicate-statement"
    case credentialsWithoutLinks = "credentials-without-links"
    case singleFingerprint = "single-fingerprint"

    // Its dynamic rules.
    case extensionWithoutRelation = "extension-without-relation"
    case extensionTargetNotApp = "extension-target-not-app"
    case rulesDeclaredTwice = "rules-declared-twice"
    case rulesNotFirst = "rules-not-first"
    case rulesDiscarded = "rules-discarded"
    case emptyRules = "empty-rules"
    case emptyPattern = "empty-pattern"
    case queryAsString = "query-as-string"
    case ruleWithoutCondition = "rule-without-condition"
    case appleOnlyKey = "apple-only-key"
    case ruleShadowed = "rule-shadowed"
    case exclusionsOnly = "exclusions-only"
    case noFinalRule = "no-final-rule"
    case olderAndroidOpensAll = "older-android-opens-all"

    // The patterns of its dynamic rules.
    case doubleStar = "double-star"
    case wildcardAfterStar = "wildcard-after-star"
    case innerStar = "inner-star"
    case innerStarInExclusion = "inner-star-in-exclusion"
    case patternAfterOneOrMore = "pattern-after-one-or-more"
    case dotBesideWildcard = "dot-beside-wildcard"
    case percentInPattern = "percent-in-pattern"
    case pathWithoutSlash = "path-without-slash"
    case fragmentSignInPattern = "fragment-sign-in-pattern"
    case ampersandInValue = "ampersand-in-value"
    case starDemandsPresence = "star-demands-presence"
    case missingSlashForm = "missing-slash-form"

    // The origins of a webauthn file.
    case missingOrigins = "missing-origins"
    case emptyOrigins = "empty-origins"
    case originNotString = "origin-not-string"
    case malformedOrigin = "malformed-origin"
    case insecureOrigin = "insecure-origin"
    case wildcardOrigin = "wildcard-origin"
    case originWithPath = "origin-with-path"
    case unusualOrigin = "unusual-origin"
    case publicSuffixOrigin = "public-suffix-origin"
    case duplicateOrigin = "duplicate-origin"
    case ownOrigin = "own-origin"
    case tooManyLabels = "too-many-labels"

    // The pages of a passkey-endpoints file.
    case malformedEndpoint = "malformed-endpoint"

    // A document that is published as bytes.
    case missingField = "missing-field"
    case documentExpired = "document-expired"
    case documentExpiring = "document-expiring"
    case insecureLink = "insecure-link"
    case notCanonical = "not-canonical"
    case wrongName = "wrong-name"
    case outdatedForm = "outdated-form"

    // The files of a domain together.
    case credentialsOnOnePlatform = "credentials-on-one-platform"
    case androidDiffers = "android-differs"

    // A check: reaching the domain.
    case dnsError = "dns-error"
    case privateAddress = "private-address"
    case connectionFailed = "connection-failed"
    case timeout = "timeout"
    case slow = "slow"
    case tlsError = "tls-error"
    case certificateExpiring = "certificate-expiring"

    // A check: what the origin answers.
    case httpStatus = "http-status"
    case botBlocked = "bot-blocked"
    case agentsDiffer = "agents-differ"
    case answersDiffer = "answers-differ"
    case redirectSameSite = "redirect-same-site"
    case redirectCrossSite = "redirect-cross-site"
    case redirectInsecure = "redirect-insecure"
    case tooManyRedirects = "too-many-redirects"
    case htmlAnswer = "html-answer"
    case contentType = "content-type"
    case wrongLocation = "wrong-location"
    case locationsDiffer = "locations-differ"
    case bodyNotOurs = "body-not-ours"
    case apexWWWDiffer = "apex-www-differ"
    case aliasNotReached = "alias-not-reached"
    case appMissing = "app-missing"
    case appPartlyNamed = "app-partly-named"

    // A check: Apple's copy.
    case cdnFailed = "cdn-failed"
    case cdnStale = "cdn-stale"
    case cdnOnly = "cdn-only"
    case cdnNeverFetched = "cdn-never-fetched"
    case cdnUnreachable = "cdn-unreachable"
    case expectationFailedOnCDN = "expectation-failed-on-cdn"

    // A check: Google's service.
    case assetLinksNotLinked = "assetlinks-not-linked"
    case googleDiffers = "google-differs"
    case googleUnreachable = "google-unreachable"
    case robotsDisallow = "robots-disallow"

    // A check: people without the app.
    case peopleGet404 = "people-get-404"
    case fallbackNotServed = "fallback-not-served"

    // A check: the page to change a password.
    case passwordPage = "password-page"
    case passwordProbe = "password-probe"
  }
}

extension Finding.Code {
  /// Whether only checks report it.
  package var isOnlyFromChecks: Bool {
    switch self {
    case .dnsError, .privateAddress, .connectionFailed, .timeout, .slow, .tlsError,
      .certificateExpiring, .httpStatus, .botBlocked, .agentsDiffer, .answersDiffer,
      .redirectSameSite, .redirectCrossSite, .redirectInsecure, .tooManyRedirects, .htmlAnswer,
      .contentType, .wrongLocation, .locationsDiffer, .bodyNotOurs, .apexWWWDiffer,
      .aliasNotReached, .appMissing, .appPartlyNamed, .cdnFailed, .cdnStale, .cdnOnly,
      .cdnNeverFetched,
      .cdnUnreachable, .expectationFailedOnCDN, .assetLinksNotLinked, .googleDiffers,
      .googleUnreachable, .robotsDisallow, .peopleGet404, .fallbackNotServed, .passwordPage,
      .passwordProbe:
      true
    default: false
    }
  }

  /// The usual severity of findings of this kind.
  package var severity: Finding.Severity {
    switch self {
    case .notJSON, .notObject, .byteOrderMark, .duplicateKey, .tooLarge, .tooComplex, .wrongType,
      .wrongValueType, .noService, .noDetails, .malformedAppIdentifier, .entryWithoutApp,
      .queryValueNotString, .undefinedVariable, .nestedVariable, .emptyVariable, .opensNothing,
      .appAddedByLimitedToken, .notList, .insecureInclude, .includeWithStatement,
      .statementNotObject, .missingRelation,
      .malformedRelation, .missingTarget, .unknownNamespace, .malformedPackageName,
      .missingFingerprints, .malformedFingerprint, .lowerCaseFingerprint, .sha1Fingerprint,
      .placeholderValue, .malformedSite, .extensionWithoutRelation, .rulesDiscarded, .emptyPattern,
      .queryAsString, .ruleWithoutCondition, .doubleStar, .wildcardAfterStar, .pathWithoutSlash,
      .fragmentSignInPattern, .ampersandInValue, .missingOrigins, .originNotString,
      .malformedOrigin, .insecureOrigin, .wildcardOrigin, .malformedEndpoint, .missingField,
      .documentExpired, .outdatedForm, .dnsError,
      .privateAddress,
      .connectionFailed, .timeout, .tlsError, .httpStatus, .botBlocked, .agentsDiffer,
      .answersDiffer, .redirectSameSite, .redirectCrossSite, .redirectInsecure, .tooManyRedirects,
      .htmlAnswer, .contentType,
      .bodyNotOurs, .aliasNotReached, .appMissing, .cdnFailed, .expectationFailedOnCDN,
      .assetLinksNotLinked, .passwordPage:
      .error
    case .takesSignInPages, .internationalizedName, .singleFingerprint, .publicComment,
      .unneededExclusion, .shadowingNotDecided, .unusedVariable,
      .wwwSiblingMissing, .apexSiblingMissing, .includeUnverified, .unknownRelation,
      .duplicateFingerprint, .duplicateStatement, .noFinalRule, .olderAndroidOpensAll,
      .dotBesideWildcard, .starDemandsPresence, .missingSlashForm, .duplicateOrigin, .ownOrigin,
      .credentialsOnOnePlatform, .androidRowsRemoved, .appPartlyNamed, .cdnNeverFetched,
      .googleUnreachable,
      .peopleGet404:
      .note
    default:
      .warning
    }
  }

  /// The usual severity in files of a kind. Some readers of `assetlinks.json`, AOSP's among them, skip a byte order mark
  /// and take the last of equal keys.
  package func severity(in kind: DocumentKind) -> Finding.Severity {
    switch self {
    case .byteOrderMark, .duplicateKey: kind == .assetLinks ? .warning : severity
    default: severity
    }
  }

  /// Whether publication can accept this error.
  ///
  /// False if the meaning of the file is unclear or rows cannot hold it, and for what only checks find.
  /// Always true, and without
  /// effect, for warnings and notes.
  package var isAcceptable: Bool {
    switch self {
    case .notJSON, .notObject, .notList, .duplicateKey, .tooLarge, .tooComplex, .wrongType: false
    default: !isOnlyFromChecks
    }
  }

  /// Whether the error is one of a change, not of what it leads to: accepting it once accepts no other change.
  package var concernsChange: Bool { [.opensNothing, .appAddedByLimitedToken].contains(self) }

  /// Parses the codes of errors to accept, separated by commas, as in `--accept` and `?accept=`.
  ///
  /// - Throws: `UnacceptableCode` for a word that is not the code of such an error.
  package static func accepted(in list: some StringProtocol) throws(UnacceptableCode) -> Set<Self> {
    var codes: Set<Self> = []
    for word in list.split(separator: ",") {
      guard let code = Self(rawValue: String(word)), code.isAcceptable else {
        throw UnacceptableCode(
          message: Self(rawValue: String(word)) == nil
            ? "\(String(word).quoted) is not the code of a finding. docs/findings.md lists the codes."
            : "\(String(word).quoted) cannot be accepted: such a file must be corrected.")
      }
      codes.insert(code)
    }
    return codes
  }
}

/// A word that is not the code of an error that can be accepted.
package struct UnacceptableCode: Error {
  /// What is wrong and which codes are allowed, for people.
  package let message: String
}

extension [Finding] {
  /// The same findings, about the document of this kind.
  package func about(_ kind: DocumentKind) -> [Finding] {
    map { finding in
      var finding = finding
      finding.kind = kind
      return finding
    }
  }
}
