import Testing

@testable import Association

/// Routes and entries that a caller sends without numbers keep those that they have.
struct RowTests {
  @Test(arguments: [
    (before: "abcad", after: "abcad", rows: [1, 2, 3, 4, 5]),
    ("abcad", "axcad", [1, nil, 3, 4, 5]),
    ("abcad", "xabcad", [nil, 1, 2, 3, 4, 5]),
    ("abcad", "ca", [3, 1]),
    ("abcad", "aa", [1, 4]),
    ("abcad", "aaa", [1, 4, nil]),
    ("abcad", "dacba", [5, 1, 3, 2, 4]),
    ("abcad", "", []),
    ("", "ab", [nil, nil]),
  ])
  func equalRoutesKeepTheirRowsWhereverTheyStand(before: String, after: String, rows: [Int64?])
    throws
  {
    let old = try document(before, numbered: true)
    #expect(try document(after).keepingRows(of: old).entries[0].routes.map(\.id) == rows)
  }

  @Test func ofTwoEntriesTheEqualOneKeepsItsRowEvenIfBothHaveTheSameApps() throws {
    var old = try document("ab", numbered: true)
    old.entries[0].id = 7
    var new = try document("x")
    new.entries += try document("ab").entries
    #expect(new.keepingRows(of: old).entries.map(\.id) == [nil, 7])
  }

  @Test func aSingleEntryKeepsItsRowIfItHasTheSameApps() throws {
    var old = try document("ab", numbered: true)
    old.entries[0].id = 7
    #expect(try document("x").keepingRows(of: old).entries.map(\.id) == [7])
    var other = try document("ab")
    other.entries[0].apps = []
    #expect(other.keepingRows(of: old).entries.map(\.id) == [nil])
  }

  private func document(_ paths: String, numbered: Bool = false) throws -> AssociationFile {
    let routes = paths.enumerated().map { index, path in
      Route(id: numbered ? Int64(index + 1) : nil, path: "/\(path)")
    }
    var document = AssociationFile()
    document.entries = [
      try Entry(
        id: numbered ? 1 : nil, apps: [AppIdentifier("ABCDE12345.com.example.app")], routes: routes)
    ]
    return document
  }
}
