import Association
import Testing

/// Which app has the links of a host, and commands about an app that is not there.
@Suite struct LinkOwnerTests {
  private func verdict(_ text: String) -> DeviceVerdict? {
    let output = DeviceOutput(Array(text.utf8))
    return output.rows.first.map { DeviceVerdict($0, of: output.kind) }
  }

  @Test func theAppOfTheHighestLevelHasTheLinks() {
    let text = """
      a.example:
        User 0:
          NONE[0]:
            com.example.third
          USER_SELECTION[3]:
            com.example.second
          VERIFIED[4]:
            com.example.first
        User 10:
          NONE[0]:
            com.example.first
      b.example:
        User 0:
          3[0]:
            com.example.other
      """
    #expect(
      DeviceOutput.explained(text) == [
        "get-app-links a.example com.example.first other-candidate",
        "get-app-links a.example - not-verified-yet",
        "get-app-links b.example com.example.other other-candidate",
      ])
    #expect(verdict(text)?.message == "Links to a.example open com.example.first for user 0.")
  }

  @Test(arguments: ["a.example:\n  User 0:\n    none\n", "a.example:\n  none\n"])
  func aHostWithoutAnOwnerIsTold(text: String) {
    #expect(DeviceOutput.explained(text) == ["get-app-links a.example - not-verified-yet"])
  }

  @Test func anAppThatIsNotOnTheDeviceIsTold() {
    let text =
      "$ adb shell pm get-app-links com.example.gone\nError: package com.example.gone unavailable\n"
    #expect(DeviceOutput.explained(text) == ["get-app-links - com.example.gone no-activity"])
    #expect(verdict(text)?.message.contains("no app com.example.gone") == true)
  }

  @Test func anActivityThatDoesNotExistIsNoFaultOfTheSite() {
    let text = """
      Starting: Intent { cmp=com.example.shop/.Start }
      Error type 3
      Error: Activity class {com.example.shop/com.example.shop.Start} does not exist.
      """
    #expect(DeviceOutput.explained(text) == ["debug-link - com.example.shop no-activity"])
    #expect(verdict(text)?.message.contains("no activity of that name") == true)
  }

  @Test(arguments: [
    "a.example:\n  Status: verified\n", "steps:\n  none\n",
    "a.example:\n  User 0:\n    com.example.app\n",
  ])
  func otherListsHaveNoOwners(text: String) {
    #expect(DeviceOutput(Array(text.utf8)).kind == .unknown)
  }
}
