import Association
import Testing

/// Why an app with associated domains cannot be built or uploaded.
@Suite struct BuildErrorTests {
  @Test(arguments: [
    (
      "Personal development teams, including \"A B\", do not support the Push Notifications and Associated Domains "
        + "capabilities.", "paid program"
    ),
    ("Your development team, \"A\", does not support the Associated Domains capability.", "paid"),
    ("Synced capabilities: Enabled: iCloud | Disabled: Associated Domains, HealthKit", "expo.ios"),
    (
      "Entitlement com.apple.developer.associated-domains not found and could not be included in profile.",
      "App ID"
    ),
    (
      "Provisioning profile \"P\" doesn’t match the entitlements file’s value for the "
        + "com.apple.developer.associated-domains entitlement.", "App ID"
    ),
    (
      "\"B.app\" requires a provisioning profile with the Push and Associated Domains features.",
      "App ID"
    ),
    (
      "ITMS-90876: Missing entitlement - add 'com.apple.developer.associated-appclip-app-identifiers'",
      "App Clip's identifier"
    ),
    (
      "error MT7140: The app requests the entitlement 'com.apple.developer.associated-domains', but the provisioning profile "
        + "'P' does not contain this entitlement.", "App ID"
    ),
    (
      "error MT7139: The app requests the entitlement 'com.apple.developer.associated-domains', but no provisioning profile has "
        + "been specified.", "CodesignProvision"
    ),
    (
      "taskgated-helper: a.b: Unsatisfied entitlements: com.apple.developer.team-identifier, "
        + "com.apple.developer.associated-domains", "embedded.provisionprofile"
    ),
    (
      "amfid: Code=-413 UserInfo={unsatisfiedEntitlements=<CFArray 0x1 [0x2]>{type = immutable, count = 1, values = (\n"
        + "    0 : <CFString 0x3 [0x2]>{contents = \"com.apple.developer.associated-domains\"}\n)}, NSURL=a}",
      "certificate of that profile"
    ),
    (
      "amfid: /private/var/containers/Bundle/a/B.app/B: Unsatisfied entitlements: com.apple.developer.associated-domains",
      "On a Mac"
    ),
  ])
  func whyTheAppIsRefusedDecidesTheNextStep(text: String, next: String) {
    #expect(DeviceOutput.explained(text) == ["code-signing - - not-in-profile"])
    let verdict = DeviceVerdict(DeviceOutput(Array(text.utf8)).rows[0], of: .codeSigning)
    #expect(verdict.actor == .appTeam && verdict.nextStep.contains(next), "\(verdict.nextStep)")
  }

  @Test(arguments: [
    "Synced capabilities: Enabled: Associated Domains | Disabled: HealthKit",
    "I switched Associated Domains on; the profile doesn't support the watch app.",
    "Our development team has added Associated Domains to the app",
    "Synced capabilities: Disabled: Push Notifications\nSynced capabilities: Enabled: Associated Domains",
    "Synced capabilities: Disabled: Push Notifications | Enabled: Associated Domains",
    "The framework does not support the protocol. Links work: the capability Associated Domains is on.",
    "It does not support the protocol that Associated Domains use",
    "unsatisfiedEntitlements=<CFArray 0x1>{values = (\n0 : com.apple.a\n)}, b=com.apple.developer.associated-domains",
    "Unsatisfied entitlements: com.apple.developer.a\nEntitlements: com.apple.developer.associated-domains",
  ])
  func aCapabilityThatIsThereIsNoError(text: String) {
    #expect(DeviceOutput(Array(text.utf8)).kind == .unknown)
  }
}
