import Glibc

// The entry point of libFuzzer, which brings its own `main`. See `make fuzz`.

private let target: FuzzTarget = {
  let name = getenv("FUZZ_TARGET").map { String(cString: $0) } ?? ""
  guard let target = FuzzTarget(rawValue: name) else {
    let names = FuzzTarget.allCases.map(\.rawValue).joined(separator: ", ")
    print("Set FUZZ_TARGET to one of \(names).")
    exit(64)
  }
  return target
}()

/// Checks one input (llvm.org/docs/LibFuzzer.html, "Fuzz Target").
@c(LLVMFuzzerTestOneInput)
public func checkOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  do {
    try target.check(Array(UnsafeBufferPointer(start: start, count: count)))
  } catch {
    print(error)
    fflush(nil)  // abort does not
    abort()  // libFuzzer keeps the input
  }
  return 0
}
