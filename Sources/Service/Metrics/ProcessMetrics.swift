import FoundationEssentials
import Glibc
import Store

/// The kernel's numbers about this process, under Prometheus' standard names
/// (prometheus.io/docs/instrumenting/writing_clientlibs#process-metrics). A number that cannot be read is
/// left out.
enum ProcessMetrics {
  /// - Parameter startTime: When the process started, in seconds since 1970. The kernel has it only in
  ///   `/proc/stat`, which systemd can hide (`ProcSubset=pid`).
  static func families(startTime: Double) -> [MetricFamily] {
    let status = ProcessStatus()
    return [
      .counter(
        "process_cpu_seconds_total", "Processor time used, in seconds.",
        cpuSeconds),
      .gauge("process_open_fds", "Open file descriptors, including connections.", openFiles),
      .gauge("process_max_fds", "The limit of open file descriptors.", fileLimit),
      .gauge(
        "process_resident_memory_bytes", "Resident memory, in bytes.", status?.residentBytes),
      .gauge("process_virtual_memory_bytes", "Virtual memory, in bytes.", status?.virtualBytes),
      .gauge("process_threads", "Threads of the process.", status?.threads),
      .gauge(
        "process_start_time_seconds", "When the process started, in seconds since 1970.",
        startTime),
    ]
  }

  private static var cpuSeconds: Double {
    var usage = rusage()
    guard getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 else { return 0 }
    let times = [usage.ru_utime, usage.ru_stime]
    return times.reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
  }

  private static var openFiles: Double? {
    guard let directory = opendir("/proc/self/fd") else { return nil }
    defer { closedir(directory) }
    var count = 0
    while readdir(directory) != nil { count += 1 }
    // Without `.`, `..` and the descriptor that reads the directory.
    return Double(count - 3)
  }

  private static var fileLimit: Double? {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
    return Double(limit.rlim_cur)
  }
}

/// `/proc/self/stat` (proc_pid_stat(5)).
private struct ProcessStatus {
  let threads: Double
  let virtualBytes: Double
  let residentBytes: Double

  init?() {
    // The second field is the program's name in parentheses, and may contain any character.
    guard let text = fileText(at: "/proc/self/stat"), let end = text.lastIndex(of: ")") else {
      return nil
    }
    let fields = text[end...].split(separator: " ").dropFirst().map { Double($0) }
    // The first of these is the third in the manual.
    func field(_ number: Int) -> Double? {
      fields.indices.contains(number - 3) ? fields[number - 3] : nil
    }
    guard let threads = field(20), let size = field(23), let pages = field(24) else { return nil }
    self.threads = threads
    virtualBytes = size
    residentBytes = pages * Double(sysconf(Int32(_SC_PAGESIZE)))
  }
}
