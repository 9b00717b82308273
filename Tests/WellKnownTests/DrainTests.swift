import Association
import HTTP
import TestSupport
import Testing

@Suite struct DrainTests {
  static let request = "GET \(Serving.path) HTTP/1.1\r\nHost: example.com\r\n\r\n"

  /// Asks on one connection until the server says that it closes it.
  private static func ask(_ connection: RawConnection) throws -> Int {
    for count in 1... {
      let response = try connection.exchange(request)
      #expect(response.text == #"{"applinks":{}}"#)
      if response["Connection"] == "close" {
        #expect(try connection.readToEnd().isEmpty)
        return count
      }
    }
    return 0
  }

  @Test(arguments: [1, 3])
  func clientsThatKeepTheirConnectionsLoseNoRequest(daemons: Int) throws {
    let serving = try Serving(daemons: daemons)
    let answered = Counter()
    let failed = Counter()
    let clients = Threads(
      Array(
        repeating: {
          do {
            answered.add(try Self.ask(serving.connect()))
          } catch {
            Issue.record(error)
            failed.add()
          }
        }, count: 4))
    #expect(
      becomesTrue {
        let counts = serving.listener.counts
        return counts.openConnections == 4 && counts.requests(.ok, .other) > 200
      })
    serving.listener.stop()
    #expect(clients.end())
    #expect(failed.count == 0)
    #expect(Int(serving.listener.counts.requests(.ok, .other)) == answered.count)
  }

  /// Connections that the kernel has made and nobody has accepted yet would be reset.
  @Test func connectionsMadeDuringShutdownAreAnsweredOrRefused() throws {
    let serving = try Serving()
    let answered = Counter()
    let unanswered = Counter()
    let port = serving.listener.port
    let clients = Threads(
      Array(
        repeating: {
          while let connection = Self.connection(port) {
            do {
              #expect(try connection.exchange(Self.request).status == 200)
              answered.add()
            } catch {
              unanswered.add()
            }
          }
        }, count: 4))
    #expect(becomesTrue { answered.count > 200 })
    serving.listener.stop()
    #expect(clients.end())
    #expect(unanswered.count == 0)
  }

  @Test func clientsThatHaveJustConnectedAreAnswered() throws {
    let serving = try Serving()
    serving.listener.prepareToStop()
    let connections = try (0..<20).map { _ in try serving.connect() }
    let stopping = Threads([{ serving.listener.stop(within: 30) }])
    let start = ContinuousClock.now
    // Longer than what counts as quiet.
    #expect(becomesTrue { ContinuousClock.now - start > .milliseconds(250) })
    for connection in connections {
      let response = try connection.exchange(Self.request)
      #expect(response.status == 200 && response["Connection"] == "close")
    }
    #expect(stopping.end())
  }

  /// A new connection; nil if it is refused.
  private static func connection(_ port: UInt16) -> RawConnection? {
    do {
      return try RawConnection(port: port)
    } catch {
      return nil
    }
  }
}
