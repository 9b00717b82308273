import Testing
import Association
@Suite struct Placeholder { @Test func a() {} }
