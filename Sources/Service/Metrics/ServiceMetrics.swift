import Association
import Store
import HTTP

/// Everything in `/metrics`. It never queries the database or takes a lock that serving needs, so
/// it works even when they are stuck.
struct ServiceMetrics: Sendable {
  let startTime: Double
  let store: Store
  let admin: AdminCounts
  let table: LiveTable
  let ledger: FetchLedger
  let collection: AppleCollection
  let tokenExpiry: TokenExpiry
  let prunedRows: Counters
  let certificates: CertificateReloader
  let checks: CheckSchedule
  let webhooks: WebhookDelivery
  let replication: Replication
  let kept: SnapshotWriter?
  let health: Health
  let watch: DatabaseWatch
  let publicListener: PublicListener
  /// Open connections of the admin listener, which is created with these metrics and so is unknown here.
  let adminConnections: Gauge

  /// In the order of docs/metrics.md.
  var families: [MetricFamily] {
    let parts: [[MetricFamily]] = [
      state, traffic(publicListener.counts), admin.families, table.counts.families(at: store.now()),
      [
        .gauge(
          "aasa_names", "Names that files are served for, including aliases.",
          Double(table.hosts.count))
      ], store.counts.families, [databaseSize], watch.families,
      [
        .gauge(
          "aasa_damaged_files",
          "Domains whose file in the database is damaged. Their newest intact revisions are served.",
          Double(health.damagedFiles)),
        .counter(
          "aasa_pruned_rows_total", "Old rows that were deleted, by table.", prunedRows.values),
      ], ledger.families, collection.families, checks.families, webhooks.families,
      replication.families, snapshot, health.families, certificates.families, tokenExpiry.families,
      ProcessMetrics.families(startTime: startTime),
    ]
    return parts.flatMap(\.self)
  }

  private var state: [MetricFamily] {
    [
      .gauge(
        "aasa_build_info", "Always 1; the label has the version.", by: "version",
        [AdminAPI.programVersion: 1]),
      .gauge(
        "aasa_ready", "1 until a shutdown begins, as /readyz reports.",
        health.has(.shuttingDown) ? 0 : 1),
      .gauge(
        "aasa_database_up",
        "1 if the last operation on the database succeeded, and no damage is known.",
        by: "operation",
        [
          "read": health.hasAny(of: [.reading, .readingLedger] + Self.lost) ? 0 : 1,
          "write": health.hasAny(of: [.writing, .writingLedger, .full] + Self.lost) ? 0 : 1,
        ]),
    ]
  }

  private static let lost: [Health.Problem] = [.damaged, .damagedFiles, .replaced]

  private func traffic(_ counts: PublicCounts) -> [MetricFamily] {
    [
      .counter(
        "aasa_public_requests_total",
        "Requests to the public listener, by outcome, status and class of fetcher. The class is taken "
          + "from User-Agent, which anybody can forge.",
        PublicOutcome.allCases.flatMap { outcome in
          FetcherClass.allCases.map { fetcher -> (key: Labels, value: Int) in
            let labels: Labels = [
              "outcome": outcome.rawValue, "code": "\(outcome.status)",
              "fetcher": fetcher.rawValue,
            ]
            return (key: labels, value: Int(clamping: counts.requests(outcome, fetcher)))
          }
        }),
      .counter(
        "aasa_documents_sent_total",
        "Requests to the public listener that were answered with a document, or with 304, by kind.",
        (DocumentKind.allCases + [LiveTableCounts.named]).map { kind -> (key: Labels, value: Int) in
          (key: ["kind": kind.rawValue], value: Int(clamping: counts.requests(for: kind)))
        }),
      .counter(
        "aasa_fallback_answers_total",
        "People without the app who were redirected or got a page, by the device that User-Agent names.",
        [PublicOutcome.redirect, .page].flatMap { answer in
          ServedFallback.Device.allCases.map { device -> (key: Labels, value: Int) in
            (
              key: ["answer": answer.rawValue, "device": device.rawValue],
              value: Int(clamping: counts.fallbacks(answer, device))
            )
          }
        }),
      .gauge(
        "aasa_open_connections", "Open connections, by listener.", by: "listener",
        ["public": Double(counts.openConnections), "admin": Double(adminConnections.value)]),
      .counter(
        "aasa_access_log_dropped_lines_total",
        "Access log lines dropped because they arrived faster than they could be written.",
        Double(counts.droppedAccessLines)),
    ]
  }

  private var snapshot: [MetricFamily] {
    [
      .gauge(
        "aasa_snapshot_timestamp_seconds",
        "When the served snapshot was taken, if the server started without its database.",
        table.snapshotAt.map { Double($0.seconds) }),
      .gauge(
        "aasa_snapshot_written_timestamp_seconds", "When the snapshot was last written.",
        kept?.writtenAt.map { Double($0.seconds) }),
    ]
  }

  private var databaseSize: MetricFamily {
    .gauge(
      "aasa_database_size_bytes", "Sizes of the database files, in bytes.",
      store.fileSizes.map { (key: ["file": $0.file], value: Double($0.bytes)) })
  }
}
