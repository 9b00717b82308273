public import Association
import JSONValue
public import Store

/// The result of an edit.
public struct Publication: Sendable {
  /// The domain and its revision.
  public let edited: EditedDomain
  /// The findings about the document.
  public let findings: [Finding]
  /// The URLs of old and new expectations that resolve differently now.
  public let changedResolutions: [ChangedResolution]
  let document: ReadDocument

  /// The suppression that covers a finding about the document; `nil` if it counts.
  public func suppression(of finding: Finding) -> Suppression? {
    edited.suppressions.covering(
      finding.code.rawValue, finding.severity, at: finding.pointer.description,
      in: edited.stored.domain.document)
  }

  /// Compares the document with the previous one; `nil` if there is none, or if it is too complex,
  /// as only documents of earlier versions can be. This can be slow, so call it after the transaction.
  ///
  /// - Throws: `JSON.SyntaxError` if the stored document is damaged.
  public func comparison() throws -> DocumentComparison? {
    try edited.documentBefore.flatMap { before in
      let from = ReadDocument(try JSON.parse(before, limits: .trusted).value)
      do throws(TooComplex) {
        return try DocumentComparison(
          from: from, to: document, domain: edited.stored.domain.name.text)
      } catch {
        // Only the old document can be: the new one passed the linter.
        return nil
      }
    }
  }
}

/// A URL that an app resolves differently after an edit.
public struct ChangedResolution: Sendable, Equatable {
  /// The URL.
  public let url: String
  /// The app.
  public let app: AppIdentifier
  /// The resolution before the edit.
  public let before: Resolution
  /// The resolution after the edit.
  public let after: Resolution
}

/// An expectation that a document does not meet.
public struct BrokenExpectation: Sendable {
  /// The expectation.
  public let expectation: Expectation
  /// How the document resolves the URL, and why.
  public let explanation: Explanation
}

/// Why a document is not published.
public enum PublicationError: Error, Sendable {
  /// The document has errors that are not accepted. Has all findings except accepted errors and,
  /// for a document that is too large, its byte account.
  case refused(DomainName?, [Finding], account: ByteAccount?)
  /// The document breaks expectations of the domain.
  case expectationsBroken(DomainName, [BrokenExpectation])
  /// Several domains are not published. Has the first 100 errors, and the number of all.
  indirect case several([PublicationError], count: Int)
}
