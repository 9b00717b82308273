import Association
import Testing

@Suite struct DeviceOutputVectorTests {
  @Test func theCasesAreThere() { #expect(DeviceOutputCase.all.count == 20) }

  @Test(arguments: DeviceOutputCase.all)
  func everyTextIsReadAsTheFormatSays(testCase: DeviceOutputCase) throws {
    let output = DeviceOutput(testCase.input)
    #expect(output.kind.rawValue == testCase.json["kind"]?.stringValue)
    #expect(output.rows.count == testCase.expected.count)
    for (row, expected) in zip(output.rows, testCase.expected) {
      let text = { (key: String) in expected[key]?.stringValue }
      #expect(row.host == text("host"))
      #expect(row.service == text("service"))
      #expect(row.app == text("app"))
      #expect(row.state == text("state"))
      #expect(row.lastChecked?.text == text("lastChecked"))
      #expect(row.nextCheck?.text == text("nextCheck"))
      #expect(row.mode?.rawValue == text("mode"))
      if testCase.json["compareError"] == "prefix" {
        #expect(row.error?.hasPrefix(text("error") ?? "?") == true)
      } else {
        #expect(row.error == text("error"))
      }
      try check(row, expected["extra"] ?? [:])
    }
  }

  private func check(_ row: DeviceRow, _ extra: JSON) throws {
    for member in extra.objectValue?.members ?? [] {
      switch member.key {
      case "retries": #expect(row.retries == member.value.integerValue)
      case "userApproval": #expect(row.userApproval == member.value.stringValue)
      case "maskedHost": #expect(row.maskedHost == member.value.stringValue)
      case "route": #expect(row.route == member.value.stringValue)
      case "tryDirect": #expect(row.tryDirect == member.value.boolValue)
      case "rule": #expect(row.rule?.rawValue == member.value.stringValue)
      case "resolution": #expect(row.resolution == member.value.stringValue)
      case "users":
        let users = try #require(member.value.objectValue)
        #expect(row.users.map(\.name) == users.members.map(\.key))
        for user in row.users {
          let expected = users[user.name]
          #expect(user.linkHandling == expected?["linkHandling"]?.boolValue)
          #expect(user.selection?.rawValue == expected?["selection"]?.stringValue)
          #expect(user.status == expected?.stringValue)
        }
      default: Issue.record("The case has an unknown member \(member.key).")
      }
    }
  }
}
