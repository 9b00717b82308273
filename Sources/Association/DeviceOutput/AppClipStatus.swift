/// The status of the domains of an App Clip, as App Store Connect's API answers it.
enum AppClipStatus {
  /// The most open objects that are kept, and objects within one of a domain.
  private static let most = (open: 64, height: 3)

  /// Reads the objects that have a domain, each for itself, so that a text whose ends are cut off has most of them.
  static func rows(in text: PastedText) -> DeviceRows {
    var found = DeviceRows()
    /// Where the open objects begin, and how many are within each other in them.
    var open: [(start: Int, height: Int)] = []
    var (isString, isEscaped) = (false, false)
    for index in text.flat.indices {
      let byte = text.flat[index]
      if isString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isString = false
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isString = !open.isEmpty
      case UInt8(ascii: "{"):
        if open.count == most.open { open.removeFirst() }
        open.append((index, 0))
      case UInt8(ascii: "}"):
        guard let (start, height) = open.popLast() else { continue }
        if let last = open.indices.last { open[last].height = max(open[last].height, height + 1) }
        if height <= most.height, let row = row(text.flat[start...index]) { found.add(row) }
      default: break
      }
    }
    return found
  }

  private static func row(_ object: ArraySlice<UInt8>) -> DeviceRow? {
    guard object.count <= DeviceOutput.longestValue, object.has(Marker.domain.rawValue) else {
      return nil
    }
    let json: JSON
    do throws(JSON.SyntaxError) {
      json = try JSON.parse(Array(object)).value
    } catch {
      return nil
    }
    guard let host = json["domain"]?.stringValue.flatMap({ Array($0.utf8)[...].host }) else {
      return nil
    }
    var row = DeviceRow(host: host, service: "appclips")
    row.state =
      json["isValid"]?.boolValue.map { $0 ? "valid" : "invalid" } ?? DeviceRow.unknownState
    row.error = json["errorCode"]?.stringValue
    row.lastChecked = json["lastUpdatedDate"]?.stringValue.flatMap(DeviceTime.read)
    return row
  }
}
