import Checking
import Testing

@Suite struct CheckerTests {
}
