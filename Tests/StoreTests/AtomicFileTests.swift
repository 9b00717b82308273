import Foundation
import TestSupport
import Testing

@testable import Store

/// Files that appear only when they are complete.
@Suite struct AtomicFileTests {
  @Test func nobodyElseCanPutAFileBesideOneThatIsBeingWritten() throws {
    let directory = try TemporaryDirectory()
    chmod(directory.url.path, 0o1777)
    let path = directory.path("copy")
    do {
      let file = try AtomicFile(at: path)
      let parent = URL(filePath: file.temporaryPath).deletingLastPathComponent().path
      #expect(parent != directory.url.path)
      var status = stat()
      #expect(stat(parent, &status) == 0)
      #expect(status.st_mode & 0o777 == 0o700 && status.st_uid == getuid())
      try file.commit(replacing: false)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == ["copy"])
  }

  @Test func nothingIsLeftOfOneThatDoesNotAppear() throws {
    let directory = try TemporaryDirectory()
    do {
      let file = try AtomicFile(at: directory.path("copy"))
      for suffix in DatabaseFile.companions {
        close(open(file.temporaryPath + suffix, O_CREAT | O_WRONLY, 0o600))
      }
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == [])
  }
}
