package import Glibc
import Synchronization

/// A program that runs beside the test, in its own process group. The group is killed when this
/// object is released.
package final class ChildProcess: Sendable {
  /// Why a program did not run or end.
  package enum Failure: Error {
    /// It could not be started.
    case start(program: String, code: Int32)
    /// It did not end before the deadline.
    case deadline(program: String)
    /// It no longer reads its stdin.
    case inputClosed(code: Int32)
  }

  /// How a program ended.
  package enum Ending: Equatable, Sendable {
    /// It exited with this status.
    case exited(Int32)
    /// A signal ended it.
    case killed(bySignal: Int32)
  }

  /// The source of a program's stdin.
  package enum Input: Sendable {
    /// A file.
    case file(String)
    /// Whatever the test passes to `send`.
    case pipe
  }

  /// The ID of the process and of its group.
  package let id: pid_t

  private let program: String
  private let state: Mutex<State>

  private struct State {
    var ending: Ending?
    /// The end of the stdin pipe that the test writes to.
    var input: Int32?
  }

  /// More than what is open in the process that the tests run in.
  private static let spareDescriptor: Int32 = 900

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - output: The file that stdout goes to; it is created or emptied.
  ///   - errors: The same for stderr.
  ///   - descriptors: The descriptors that it inherits, from 3 on.
  ///   - directory: Its working directory. Default: that of the test.
  package init(
    _ program: String, _ arguments: [String], environment: [String: String],
    input: Input = .file("/dev/null"), output: String, errors: String,
    descriptors: [Int32] = [], directory: String? = nil
  ) throws(Failure) {
    var plan = SpawnPlan()
    defer { plan.destroy() }
    var pipe: (read: Int32, write: Int32)?
    switch input {
    case .file(let path): plan.open(path, O_RDONLY, as: STDIN_FILENO)
    case .pipe:
      let ends = try Self.makePipe(for: program)
      pipe = ends
      plan.duplicate(ends.read, as: STDIN_FILENO)
    }
    plan.open(output, O_WRONLY | O_CREAT | O_TRUNC, as: STDOUT_FILENO)
    plan.open(errors, O_WRONLY | O_CREAT | O_TRUNC, as: STDERR_FILENO)
    // First out of the way: one of them may have a number that another one gets.
    for (index, descriptor) in descriptors.enumerated() {
      plan.duplicate(descriptor, as: Self.spareDescriptor + Int32(index))
    }
    for index in descriptors.indices.map(Int32.init) {
      plan.duplicate(Self.spareDescriptor + index, as: STDERR_FILENO + 1 + index)
      plan.close(Self.spareDescriptor + index)
    }
    let (program, arguments) = Self.command(program, arguments, in: directory)
    let result = Self.starting.withLock { _ in plan.start(program, arguments, environment) }
    if let pipe { close(pipe.read) }
    self.program = ([program] + arguments).joined(separator: " ")
    state = Mutex(State(input: pipe?.write))
    id = result.id
    if result.code != 0 { throw .start(program: program, code: result.code) }
  }

  /// A pipe that no other child inherits: a child that held the writing end would keep the reader
  /// from seeing the end of the stream.
  private static func makePipe(for program: String) throws(Failure) -> (read: Int32, write: Int32) {
    var ends: [Int32] = [-1, -1]
    let code = starting.withLock { _ in
      let code = pipe(&ends)
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      return code
    }
    guard code == 0 else { throw .start(program: program, code: errno) }
    return (ends[0], ends[1])
  }

  /// The command, or a shell command that changes to the directory first.
  private static func command(
    _ program: String, _ arguments: [String], in directory: String?
  ) -> (String, [String]) {
    guard let directory else { return (program, arguments) }
    return ("env", ["--chdir=\(directory)", program] + arguments)
  }

  /// Held while a process starts and while a pipe is created.
  private static let starting = Mutex(())

  deinit {
    closeInput()
    if id > 0 && ending == nil {
      kill(-id, SIGKILL)
      _ = becomesTrue { ending != nil }
    }
  }

  /// How it ended; `nil` while it runs.
  package var ending: Ending? {
    state.withLock { state in
      var status: Int32 = 0
      if state.ending == nil && waitpid(id, &status, WNOHANG) == id {
        // wait(2): the low seven bits are the signal, the next byte the status.
        let signal = status & 0x7F
        state.ending = signal == 0 ? .exited(status >> 8 & 0xFF) : .killed(bySignal: signal)
      }
      return state.ending
    }
  }

  /// Waits until it ends.
  package func waitForEnd(seconds: Double = 120) throws(Failure) -> Ending {
    guard becomesTrue(within: seconds, { ending != nil }), let ending else {
      throw .deadline(program: program)
    }
    return ending
  }

  /// Sends a signal to the process, or to its whole group.
  package func signal(_ signal: Int32, wholeGroup: Bool = false) {
    if ending == nil { kill(wholeGroup ? -id : id, signal) }
  }

  /// Sends SIGSTOP, and returns when none of its threads runs.
  package func stop() {
    signal(SIGSTOP)
    var information = siginfo_t()
    // `ending` must still see how it ended, if it did.
    waitid(P_PID, id_t(id), &information, WSTOPPED | WEXITED | WNOWAIT)
  }

  /// Writes to its stdin, and blocks while it does not read.
  package func send(_ bytes: [UInt8]) throws(Failure) {
    let descriptor = state.withLock(\.input) ?? -1
    var rest = bytes[...]
    while !rest.isEmpty {
      // Sound: the pointer is used during the call only.
      let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 { throw .inputClosed(code: errno) }
      rest = rest.dropFirst(count)
    }
  }

  /// Closes its stdin.
  package func closeInput() {
    state.withLock { state in
      if let descriptor = state.input { close(descriptor) }
      state.input = nil
    }
  }
}

/// The attributes and actions for posix_spawn(3).
private struct SpawnPlan {
  private var actions = posix_spawn_file_actions_t()
  private var attributes = posix_spawnattr_t()

  /// Resets signals to what a shell would set, whatever the test's own process does with them.
  init() {
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    var all = sigset_t()
    sigfillset(&all)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setpgroup(&attributes, 0)
    let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
    posix_spawnattr_setflags(&attributes, Int16(flags))
  }

  mutating func destroy() {
    posix_spawn_file_actions_destroy(&actions)
    posix_spawnattr_destroy(&attributes)
  }

  mutating func open(_ path: String, _ flags: Int32, as descriptor: Int32) {
    posix_spawn_file_actions_addopen(&actions, descriptor, path, flags, 0o600)
  }

  mutating func duplicate(_ from: Int32, as descriptor: Int32) {
    posix_spawn_file_actions_adddup2(&actions, from, descriptor)
  }

  mutating func close(_ descriptor: Int32) {
    posix_spawn_file_actions_addclose(&actions, descriptor)
  }

  mutating func start(
    _ program: String, _ arguments: [String], _ environment: [String: String]
  ) -> (id: pid_t, code: Int32) {
    var words = ([program] + arguments).map { strdup($0) } + [nil]
    var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in words + variables { free(text) } }
    var id: pid_t = 0
    let code = posix_spawnp(&id, program, &actions, &attributes, &words, &variables)
    return (id, code)
  }
}
