/// A date as Apple's tools print it.
enum DeviceTime {
  /// Reads `2026-09-23 18:16:58 +0000`, `2026-09-23 6:16:58 PM +0000` (since iOS 18.2) and
  /// `2026-09-23T18:16:58.000+00:00`, with the digits of any script. Anything else, such as another calendar or a
  /// translated marker, is no date.
  static func read(_ text: String) -> UnixTime? {
    if text.utf8.count > 200 { return nil }
    var words = plain(text).split(separator: " ").map(String.init)
    if words.count == 1, let index = words[0].firstIndex(of: "T") {
      let time = words[0][words[0].index(after: index)...]
      words = [String(words[0][..<index])] + atOffset(time)
    }
    guard (3...4).contains(words.count), let day = day(words[0]),
      let seconds = seconds(words[1], marker: words.count == 4 ? words[2] : nil),
      let offset = offset(words[words.count - 1])
    else { return nil }
    return UnixTime(day * 86_400 + seconds - offset)
  }

  /// With ASCII digits and blanks, and without characters that only order text.
  private static func plain(_ text: String) -> String {
    var plain = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if scalar.properties.numericType == .decimal, let value = scalar.properties.numericValue {
        plain.append(Unicode.Scalar(UInt8(ascii: "0") + UInt8(value)))
      } else if scalar.properties.isWhitespace {
        plain.append(" ")
      } else if scalar.properties.generalCategory != .format {
        plain.append(scalar)
      }
    }
    return String(plain)
  }

  /// A time and its offset, which ISO 8601 writes without a blank.
  private static func atOffset(_ time: Substring) -> [String] {
    guard let sign = time.lastIndex(where: { "+-Z".contains($0) }) else { return [] }
    return [String(time[..<sign]), String(time[sign...])]
  }

  /// The days since 1970 (Howard Hinnant, "days_from_civil"). A year that no device can have is of another calendar.
  private static func day(_ text: String) -> Int64? {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 3, let year = number(parts[0], digits: 4...4),
      let month = number(parts[1], digits: 2...2), let day = number(parts[2], digits: 2...2),
      (2000...2199).contains(year), (1...12).contains(month),
      (1...UnixTime.days(of: month, year)).contains(day)
    else { return nil }
    let shifted = month <= 2 ? year - 1 : year
    let (era, yearOfEra) = (shifted / 400, shifted % 400)
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  /// The seconds since midnight.
  private static func seconds(_ text: String, marker: String?) -> Int64? {
    let parts = text.prefix { $0 != "." }.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 3, let hour = number(parts[0], digits: 1...2),
      let minute = number(parts[1], digits: 2...2), let second = number(parts[2], digits: 2...2),
      minute < 60, second < 60
    else { return nil }
    let rest = minute * 60 + second
    switch marker?.lowercased().filter({ $0 != "." }) {
    case nil: return hour < 24 ? hour * 3600 + rest : nil
    case "am": return (1...12).contains(hour) ? hour % 12 * 3600 + rest : nil
    case "pm": return (1...12).contains(hour) ? (hour % 12 + 12) * 3600 + rest : nil
    default: return nil
    }
  }

  /// Such as `+0000`, `-07:00` and `Z`, in seconds.
  private static func offset(_ text: String) -> Int64? {
    if text == "Z" { return 0 }
    let digits = text.dropFirst().filter { $0 != ":" }
    guard digits.count == 4, let hours = number(digits.prefix(2), digits: 2...2),
      let minutes = number(digits.suffix(2), digits: 2...2), hours < 15, minutes < 60
    else { return nil }
    switch text.first {
    case "+": return hours * 3600 + minutes * 60
    case "-": return -(hours * 3600 + minutes * 60)
    default: return nil
    }
  }

  private static func number(_ text: some StringProtocol, digits: ClosedRange<Int>) -> Int64? {
    guard digits.contains(text.utf8.count), text.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
    return Int64(text)
  }
}
