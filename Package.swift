// swift-tools-version: 6.2
import PackageDescription

/// Every import is internal unless it says otherwise, and members are visible only where their
/// module is imported: what a target uses is what its file names.
let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

/// The engine is some fifty times slower without optimization, and the tests work it hard. What serves
/// files allocates nothing for a request when it is optimized, which a test counts.
let strictAndFast = strict + [.unsafeFlags(["-O"], .when(configuration: .debug))]
let fast: [CXXSetting] = [.unsafeFlags(["-O2"], .when(configuration: .debug))]

/// `make fuzz` builds the functions that tests call with a corpus into a program that looks for more
/// inputs. It needs `--sanitize fuzzer`, which brings its own `main`.
let fuzzing: Target = {
  let dependencies: [Target.Dependency] = ["Association", "HTTP", "Store", "Service"]
  let path = "Tests/Fuzzing"
  if Context.environment["FUZZ"] == nil {
    return .testTarget(
      name: "FuzzingTests", dependencies: dependencies, path: path,
      exclude: ["Corpus", "Fuzzer.swift"], swiftSettings: strict)
  }
  return .executableTarget(
    name: "Fuzzer", dependencies: dependencies, path: path,
    exclude: ["Corpus", "ReplayTests.swift"],
    swiftSettings: strict + [.unsafeFlags(["-parse-as-library"])])
}()

/// The same steps for each engine.
let migrations: [Resource] = [
  .embedInCode("0001_core.sql"),
  .embedInCode("0002_operations.sql"),
  .embedInCode("0003_fetches.sql"),
  .embedInCode("0004_first_token.sql"),
  .embedInCode("0005_settings.sql"),
  .embedInCode("0006_state.sql"),
  .embedInCode("0007_numbers.sql"),
  .embedInCode("0008_findings.sql"),
  .embedInCode("0009_documents.sql"),
  .embedInCode("0010_android.sql"),
  .embedInCode("0011_checks.sql"),
  .embedInCode("0012_webhooks.sql"),
  .embedInCode("0013_kept.sql"),
  .embedInCode("0014_replicas.sql"),
  .embedInCode("0015_dashboard.sql"),
  .embedInCode("0016_unknown_keys.sql"),
  .embedInCode("0017_webhook_events.sql"),
  .embedInCode("0018_added_by.sql"),
  .embedInCode("0019_passkey_endpoints.sql"),
  .embedInCode("0020_templates.sql"),
  .embedInCode("0021_changes.sql"),
  .embedInCode("0022_labels.sql"),
  .embedInCode("0023_shared_suppressions.sql"),
  .embedInCode("0024_digests.sql"),
  .embedInCode("0025_groups.sql"),
  .embedInCode("0026_named_documents.sql"),
  .embedInCode("0027_fallback.sql"),
  .embedInCode("0028_drafts.sql"),
  .embedInCode("0029_json_extract.sql"),
  .embedInCode("0030_template_numbers.sql"),
  .embedInCode("0031_lists.sql"),
]

let package = Package(
  name: "aasa",
  products: [.executable(name: "aasa", targets: ["aasa"])],
  targets: [
    // C libraries: one thin target each, for what Swift cannot call by itself.
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
    .systemLibrary(name: "CIDN2", pkgConfig: "libidn2", providers: [.apt(["libidn2-dev"])]),
    .systemLibrary(name: "CPSL", pkgConfig: "libpsl", providers: [.apt(["libpsl-dev"])]),
    .systemLibrary(
      name: "CQREncode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
    .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CCSV", providers: [.apt(["libcsv-dev"])]),
    .systemLibrary(
      name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "CGnuTLS", pkgConfig: "gnutls", providers: [.apt(["libgnutls28-dev"])]),
    .systemLibrary(name: "CMalloc"),
    .target(name: "CMicroHTTPD", linkerSettings: [.linkedLibrary("microhttpd")]),
    .target(name: "CSystemd", linkerSettings: [.linkedLibrary("systemd")]),
    .target(name: "CJSONParser", cxxSettings: fast),
    .target(name: "CTOML"),

    // The domain: pure, no I/O.
    .target(
      name: "Association", dependencies: ["CJSONParser", "CIDN2", "CPSL", "CGnuTLS", "CSodium"],
      swiftSettings: strictAndFast),

    // The store: rows, transactions, and every SQL string.
    .target(
      name: "SQLiteMigrations", path: "migrations/sqlite", resources: migrations,
      swiftSettings: strict),
    .target(
      name: "PostgreSQLMigrations", path: "migrations/postgresql", resources: migrations,
      swiftSettings: strict),
    .target(
      name: "Store",
      dependencies: [
        "Association", "SQLiteMigrations", "PostgreSQLMigrations", "CSQLite", "CPostgreSQL",
        "CSodium",
      ],
      swiftSettings: strict),

    // HTTP: libmicrohttpd behind owners, certificates, and the public listener on it.
    .target(
      name: "HTTP", dependencies: ["Association", "CMicroHTTPD", "CGnuTLS", "CSodium"],
      swiftSettings: strictAndFast),

    // The files of the web page, which a C compiler embeds.
    .target(name: "Dashboard", exclude: ["Web"]),

    // The examples of the API's description, embedded in the same way.
    .target(name: "APIExamples"),

    // How a domain changes.
    .target(name: "Publishing", dependencies: ["Association", "Store"], swiftSettings: strict),

    // What the world gets: requests to other machines, and what they show. The commands that work on a server
    // ask its API in the same way.
    .target(
      name: "Checking", dependencies: ["Association", "Store", "HTTP", "CCurl"],
      swiftSettings: strict),

    // The server: the JSON API, both listeners, and what runs in the background.
    .target(
      name: "Service",
      dependencies: [
        "Association", "Store", "Publishing", "HTTP", "Checking", "Dashboard", "APIExamples",
        "CQREncode", "CTOML",
      ],
      exclude: ["API/examples.json"],
      // VERSION is a link to the file at the top.
      resources: [.embedInCode("API/VERSION")],
      swiftSettings: strict),

    // The program.
    .executableTarget(
      name: "aasa",
      dependencies: [
        "Association", "HTTP", "Store", "Publishing", "Checking", "CCSV", "CExpat", "CGnuTLS",
        "CMalloc", "CSystemd", "CZlib", "Service",
      ], swiftSettings: strict,
      // Relative relocations take 11 kB instead of 1.3 MB, and no name that only a plugin would look up
      // takes 0.7 MB.
      linkerSettings: [
        .unsafeFlags(
          [
            "-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs", "-Xlinker",
            "--no-export-dynamic",
          ], .when(configuration: .release))
      ]),

    // Tests, and what they share.
    .target(
      name: "TestSupport",
      dependencies: ["Association", "CMicroHTTPD", "Store"],
      path: "Tests/TestSupport",
      swiftSettings: strict),
    // Not in the product: `make bench-match`.
    .executableTarget(
      name: "MatchBenchmark", dependencies: ["Association"],
      path: "Tests/Benchmarks/Matching", swiftSettings: strict),

    .testTarget(name: "JSONValueTests", dependencies: ["Association"], swiftSettings: strict),
    .testTarget(
      name: "AssociationTests", dependencies: ["Association", "TestSupport"],
      resources: [.copy("Fixtures")], swiftSettings: strict),
    .testTarget(
      name: "SQLTests", dependencies: ["Store", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "StoreTests",
      dependencies: ["Store", "Publishing", "Association", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "APITests",
      dependencies: [
        "Service", "Checking", "Publishing", "Store", "Association", "HTTP", "TestSupport",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "MetricsTests", dependencies: ["Store", "TestSupport"], swiftSettings: strict),
    .testTarget(name: "HTTPTests", dependencies: ["HTTP", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "WellKnownTests", dependencies: ["HTTP", "Association", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "CertificatesTests",
      dependencies: ["HTTP", "CGnuTLS", "Association", "aasa", "TestSupport"], swiftSettings: strict
    ),
    .testTarget(
      name: "FetchingTests",
      dependencies: ["aasa", "Checking", "HTTP", "Association", "TestSupport"],
      swiftSettings: strict),
    // The program as its users run it: as a process.
    .testTarget(
      name: "CommandTests",
      dependencies: ["aasa", "Checking", "Association", "Store", "TestSupport"],
      swiftSettings: strict),
    fuzzing,
    // Programs of the system in front of it, with the files of `Config`.
    .testTarget(
      name: "ProxyTests", dependencies: ["aasa", "Association", "TestSupport"],
      swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx17
)
