import Fetching
import Testing

@Suite struct FetcherTests {
}
