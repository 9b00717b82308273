import FoundationEssentials
import Glibc
import TestSupport

/// A directory with a file system of its own, which is unmounted with it. Only root can have one.
final class MountedDirectory: Sendable {
  private let scratch: TemporaryDirectory

  /// Mounts a file system in memory.
  ///
  /// - Parameter kilobytes: How much it holds.
  init(kilobytes: Int) throws {
    scratch = try TemporaryDirectory()
    try Self.mount(["-t", "tmpfs", "-o", "size=\(kilobytes)k", "none", scratch.url.path])
  }

  deinit { umount2(scratch.url.path, CInt(MNT_DETACH)) }

  func path(_ name: String) -> String { scratch.path(name) }

  /// From now on nothing can be written to it.
  func makeReadOnly() throws { try Self.mount(["-o", "remount,ro", scratch.url.path]) }

  /// Takes all the room that is left.
  func fill() {
    let descriptor = open(scratch.path("filler"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    defer { close(descriptor) }
    let block = [UInt8](repeating: 0, count: 4096)
    while write(descriptor, block, block.count) > 0 {}
  }

  /// Gives back what `fill` took.
  func makeRoom() throws {
    try FileManager.default.removeItem(atPath: scratch.path("filler"))
  }

  private struct Refused: Error {
    let errors: String
  }

  private static func mount(_ arguments: [String]) throws {
    let result = try Program.run("mount", arguments)
    if result.status != 0 { throw Refused(errors: result.errors) }
  }

  /// Whether this process may mount.
  static let isPossible: Bool = {
    do {
      _ = try MountedDirectory(kilobytes: 64)
      return true
    } catch {
      return false
    }
  }()
}
