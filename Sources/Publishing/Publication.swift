package import Association
package import Store

/// The result of an edit.
package struct Publication: Sendable {
  /// The domain and its revision.
  package internal(set) var edited: EditedDomain
  /// The findings about the document.
  package let findings: [Finding]
  /// The URLs of old and new expectations that resolve differently now.
  package let changedResolutions: [ChangedResolution]
  package let documents: ReadDocuments
  /// The Android apps of an adopted file that were created or could be, and those that it names anyway.
  package var androidApps: [AdoptedApp] = []
  /// Whether those of `androidApps` that were not stored were created.
  package var createsAndroidApps = false
  /// Whether the domain was deleted. Then the revision is its last one.
  var isDeletion = false
  /// The change that it is a part of; `nil` if nothing was written.
  package var change: Int64?
  /// How everything that the domain publishes differs from before; `nil` if nothing was served before, or if
  /// that document is damaged or too complex, as only documents of earlier versions can be.
  package private(set) var comparison: DomainComparison?

  /// A finding with the suppression that covers it.
  package func reported(_ finding: Finding) -> ReportedFinding {
    var reported = ReportedFinding(finding)
    let document = edited.stored.domain.associationFile
    reported.suppression = edited.suppressions.mark(of: reported, in: document)
    return reported
  }

  /// Where the domain is managed, if it is edited from elsewhere; `nil` if nothing changes.
  package var managedBy: String? {
    edited.isChanged && !edited.revision.isApplied ? edited.stored.domain.managedBy : nil
  }

  /// What takes the bytes of Apple's file; `nil` if there is none.
  package var appleAccount: ByteAccount? {
    documents.json[.apple].map { _ in ByteAccount(of: documents.apple) }
  }

  /// Compares the domain with what it published before. This can be slow, so it comes before the transaction.
  ///
  /// - Parameters:
  ///   - moves: The names that moved from or to other domains in the same change.
  ///   - shared: A cache shared with other domains.
  mutating func compare(
    _ moves: [Alias: MovedName] = [:], sharing shared: SharedDocuments = SharedDocuments()
  ) {
    guard let before = documentsBefore(sharing: shared) else { return }
    let domain = edited.stored.domain
    let from = DomainComparison.State(before, edited.domainBefore)
    do throws(TooComplex) {
      if isDeletion {
        comparison = try DomainComparison(
          deleting: domain.name, from: from, moves: moves, comparing: shared.changes(from:to:))
      } else {
        comparison = try DomainComparison(
          of: domain.name, from: from, to: DomainComparison.State(documents, domain), moves: moves,
          comparing: shared.changes(from:to:))
      }
    } catch {
      // Only the old document can be: the new one passed the linter.
      comparison = nil
    }
  }

  func documentsBefore(sharing shared: SharedDocuments = SharedDocuments()) -> ReadDocuments? {
    edited.documentsBefore.flatMap { shared.intact($0) }
  }
}

extension [Publication] {
  /// Those between which names move, compared again with that in mind.
  func comparingMoves() -> [Publication] {
    var takers: [Alias: Publication] = [:]
    for publication in self where !publication.isDeletion {
      for name in publication.namesTaken { takers[name] = publication }
    }
    var moves: [DomainName: [Alias: MovedName]] = [:]
    for giver in self {
      for name in giver.namesGivenUp {
        guard let taker = takers[name] else { continue }
        let (from, to) = (giver.edited.stored.domain, taker.edited.stored.domain)
        let wasServed = giver.edited.domainBefore?.isEnabled ?? false
        let move = MovedName(
          from: from.name, to: to.name, before: wasServed ? giver.documentsBefore() : nil,
          after: to.isEnabled ? taker.documents : nil)
        for side in [from, to] { moves[side.name, default: [:]][name] = move }
      }
    }
    return compactMap { publication in
      var publication = publication
      guard let moves = moves[publication.edited.stored.domain.name] else { return nil }
      publication.compare(moves)
      return publication
    }
  }
}

extension Publication {
  /// The names that the domain has and did not have before.
  var namesTaken: [Alias] {
    let domain = edited.stored.domain
    let before = Set(edited.domainBefore?.aliases ?? [])
    return (edited.isNew ? [Alias(domain.name)] : [])
      + domain.aliases.filter { !before.contains($0) }
  }

  /// The names that the domain had before and has no more.
  fileprivate var namesGivenUp: [Alias] {
    let domain = edited.stored.domain
    let before = edited.domainBefore?.aliases ?? []
    if isDeletion { return [Alias(domain.name)] + before }
    let after = Set(domain.aliases)
    return before.filter { !after.contains($0) }
  }
}

/// A URL that an app resolves differently after an edit.
package struct ChangedResolution: Sendable, Equatable {
  package let url: String
  package let app: LinkedApp
  package let before: Resolution
  package let after: Resolution
}

/// An expectation that a document does not meet.
package struct BrokenExpectation: Sendable {
  package let expectation: Expectation
  /// How the document resolves the URL, and why.
  package let explanation: Explanation
}

/// Why a domain is not taken under a template.
package enum AdoptionObstacle: Sendable {
  /// The values of these parameters have to be given.
  case parameters([OpenParameter])
  /// The domain would open or share something else.
  case differences([DocumentChange])
  /// What it would open cannot be compared.
  case incomparable
  /// It uses this template already.
  case uses(TemplateName)
}

/// Why a document is not published.
package enum PublicationError: Error, Sendable {
  /// The document has errors that are not accepted. Has all findings except accepted errors and,
  /// for a document that is too large, its byte account.
  case refused(DomainName?, [Finding], account: ByteAccount?)
  /// The change breaks expectations of the domain.
  case expectationsBroken(DomainName, [BrokenExpectation])
  /// Applying a state would undo changes that others made since the state was made. Has the first of
  /// them, and the number of domains.
  case changedElsewhere([ForeignChange], count: Int)
  /// Undoing a change would undo later ones. Has the first of the domains that have changed since, and the number
  /// of all.
  case changedSince(Int64, [ChangedDomain], count: Int)
  /// A change cannot be undone; has sentences that say why, and what to do, and the domains that are in the way.
  case notRevertible(Int64, String, domains: [DomainName])
  /// No domain is one that an edit chooses.
  case nothingChosen
  /// An edit does not fit a domain; has a sentence that says why.
  case notEditable(DomainName, String)
  /// Revisions from before a change are no longer kept. Has the first of the domains, and the number of all.
  case revisionsPruned(Int64, [ChangedDomain], count: Int)
  /// A domain of a state has a name that another domain has or gets.
  case nameTaken(String, for: DomainName, by: DomainName)
  /// The parameters of the domain do not fit its template, or what it gives with them is invalid.
  case invalid(DomainName, InvalidInput)
  /// Since a state was made, others have changed a template that it changes, too.
  case templateChangedElsewhere(TemplateName, author: String, revision: Int, expected: Int)
  /// Somebody else has changed an app since the state was exported, and the state changes it, too.
  case appChangedElsewhere(LinkedApp, author: String?)
  /// Somebody else has taken back the very change that the state makes to an app.
  case appTakenBack(LinkedApp, author: String)
  /// The file of a domain that uses a template would be adopted or removed.
  case usesTemplate(DomainName, TemplateName)
  /// What an edit would change comes from the template of the domain.
  case fromTemplate(DomainName, TemplateName)
  /// A template names an app so that the edit of that app cannot be made there; has a sentence that says why.
  case templateNamesApp(TemplateName, String)
  /// The domain uses no template.
  case detached(DomainName)
  /// The domain cannot be taken under a template as it is.
  case notAdoptable(DomainName, TemplateName, AdoptionObstacle)
  /// No template can be suggested for domains; has a sentence that says why.
  case notAlike(String)
  /// Since the revision to restore, the template of the domain has changed. Has what would stay different, in words.
  case templateChanged(DomainName, TemplateName, [String])
  /// The documents of a state take too long. Has the number of domains that were done, the number of all,
  /// and the slowest ones.
  case tooMuchWork(Work, done: Int, of: Int, longest: Duration, slowest: [DomainName])
  /// The author is limited to domains or labels, and may not do that to this one.
  case outsideLimits(DomainName, Limited)
  /// The domain is protected, so a second person must approve the change.
  case needsApproval(DomainName)
  /// Since a draft was made, others have changed what it changes: a domain, or something else that the text names.
  case draftOutdated(Int64, String, DomainName?)
  /// A draft would change nothing.
  case nothingToApprove
  /// Several domains are not published. Has the first 100 errors, and the number of all.
  indirect case several([PublicationError], count: Int)

  /// What somebody who is limited may not do.
  package enum Limited: Sendable {
    /// Change this domain, or add it.
    case domain
    /// Change its labels, which are these.
    case labels([Label])
    /// Change anything but these documents.
    case documents([DocumentName])
  }

  /// What takes too long.
  package enum Work: String, Sendable {
    case checked, written
  }
}
