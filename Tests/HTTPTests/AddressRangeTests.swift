import HTTP
import Testing

@Suite struct AddressRangeTests {
  @Test(arguments: [
    ("10.0.0.0/8", "10.0.0.0/8"), ("10.1.2.3/8", "10.0.0.0/8"), ("192.0.2.7", "192.0.2.7/32"),
    ("0.0.0.0/0", "0.0.0.0/0"), ("2001:db8::/32", "2001:db8::/32"), ("::1", "::1/128"),
    ("2001:DB8:0::1/64", "2001:db8::/64"), ("::/0", "::/0"),
    ("::ffff:10.0.0.0/104", "10.0.0.0/8"), ("::ffff:10.0.0.1", "10.0.0.1/32"),
  ])
  func aRangeIsWrittenInItsShortestForm(text: String, description: String) throws {
    let range = try #require(AddressRange(text))
    #expect(range.description == description)
    #expect(AddressRange(description) == range)
  }

  @Test(arguments: [
    "", "/", "10.0.0.0/", "/8", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/08",
    "10.0.0.0/8/8", "10.0.0/8", "10.0.0.256", "010.0.0.1", "example.com", "::1/129", "[::1]",
    "fe80::1%eth0", "10.0.0.1:80", " 10.0.0.1", "10.0.0.1 ", "10.0.0.0/8 ", "10.0.0.0/255.0.0.0",
  ])
  func anInvalidRangeIsRefused(text: String) {
    #expect(AddressRange(text) == nil)
  }

  @Test(arguments: [
    ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.0", false),
    ("10.0.0.0/8", "::ffff:10.0.0.1", true), ("::ffff:10.0.0.0/104", "10.9.9.9", true),
    ("192.0.2.7", "192.0.2.7", true), ("192.0.2.7", "192.0.2.6", false),
    ("192.0.2.128/25", "192.0.2.127", false), ("192.0.2.128/25", "192.0.2.255", true),
    ("0.0.0.0/0", "203.0.113.9", true), ("0.0.0.0/0", "::1", false),
    ("::/0", "2001:db8::1", true), ("::/0", "203.0.113.9", false),
    ("::ffff:0:0/90", "203.0.113.9", false), ("fd00::/8", "fdff::1", true),
    ("fd00::/8", "fe00::", false), ("2001:db8::/33", "2001:db8:7fff::", true),
    ("2001:db8::/33", "2001:db8:8000::", false), ("::1", "::1", true), ("::1", "::2", false),
  ])
  func aRangeContainsItsAddressesOnly(range: String, address: String, isIn: Bool) throws {
    #expect(try #require(AddressRange(range)).contains(#require(IPAddress(address))) == isIn)
  }
}
