-- Ends a run of wrk with one line of JSON; times are in microseconds.

return function(summary, latency)
  local errors = summary.errors
  print(string.format(
    '{"requests": %d, "microseconds": %d, "bytes": %d, "refused": %d, "broken": %d, "p50": %d, "p99": %d}',
    summary.requests, summary.duration, summary.bytes, errors.status,
    errors.connect + errors.read + errors.write + errors.timeout,
    latency:percentile(50), latency:percentile(99)))
end
