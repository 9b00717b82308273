import Store
import Testing

/// Addresses of PostgreSQL databases, as people and settings write them.
@Suite struct PostgreSQLAddressTests {
  @Test(arguments: [
    "postgresql://aasa:s3cr%zzet@db/aasa", "postgresql://aasa:s3cr/et@db/aasa",
    "postgresql://aasa:s3cr/e@t@db/aasa", "postgresql://aasa:123/s3cret@db/aasa",
    "postgresql://aasa:s3c@ret@db/aasa", "postgresql://aasa:s3c%00ret@db/aasa",
    "postgresql://aasa@db/aasa?password=s3c%ret", "postgresql://aasa@db/aasa?passwort=s3cret&s3c",
  ])
  func anInvalidAddressIsRefusedWithoutItsPassword(text: String) throws {
    do {
      let address = try PostgreSQLAddress(text)
      Issue.record("accepted as \(address)")
    } catch {
      for part in ["s3c", "ret", "et@", "zz"] {
        #expect(!"\(error)".replacing("percent-encoded", with: "").contains(part), "\(error)")
      }
      #expect(!"\(error)".isEmpty)
    }
  }

  @Test(arguments: [
    ("postgresql://aasa:s3cret@db:5x/aasa", "its port is invalid"),
    ("postgresql://aasa:s3cret@[::1]x/aasa", #"character "x""#),
    ("postgresql://aasa:s3cr/et@db/aasa", "must have it escaped"),
  ])
  func theReasonIsSaidWithoutThePassword(text: String, words: String) throws {
    let error = #expect(throws: PostgreSQLAddress.Invalid.self) { try PostgreSQLAddress(text) }
    let reason = try #require(error?.description)
    #expect(reason.contains(words) && !reason.contains("s3cr"), "\(reason)")
  }

  @Test(arguments: [
    ("postgresql://aasa:s3cr%2Fet@db/aasa", "postgresql://aasa@db/aasa"),
    (
      "postgresql://aasa@db-1:5432,db-2:5433/aasa?password=s3cret",
      "postgresql://aasa@db-1:5432,db-2:5433/aasa"
    ),
    (
      "postgresql://aasa@/aasa?host=/run/postgresql", "postgresql://aasa@/aasa?host=/run/postgresql"
    ),
    ("service=aasa", "service=aasa"),
  ])
  func anAddressIsShownWithoutItsPassword(text: String, shown: String) throws {
    #expect(try PostgreSQLAddress(text).description == shown)
  }
}
