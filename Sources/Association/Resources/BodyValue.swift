/// One invalid value in the body of a request.
package struct Fault: Sendable, Equatable {
  /// A stable word for a program. Other faults have the code of a `ValidationError` or a `Finding`.
  package enum Code: String, Sendable, CaseIterable {
    case missingMember = "missing-member"
    case unknownMember = "unknown-member"
    case wrongType = "wrong-type"
    case unknownValue = "unknown-value"
    case outOfRange = "out-of-range"
    case wrongLength = "wrong-length"
    case malformedTime = "malformed-time"
    case malformedURL = "malformed-url"
    case malformedSecret = "malformed-secret"
    case foreignURL = "foreign-url"
    case controlCharacter = "control-character"
    case malformedName = "malformed-name"
    case tooMany = "too-many"
    case tooComplex = "too-complex"
    case repeated
    case duplicateKey = "duplicate-key"
    case duplicateAlias = "duplicate-alias"
    case duplicateEntry = "duplicate-entry"
    case entryNotFound = "entry-not-found"
    case duplicateRoute = "duplicate-route"
    case routeNotFound = "route-not-found"
    case domainDiffers = "domain-differs"
    case appDiffers = "app-differs"
    case nameDiffers = "name-differs"
    case reservedMember = "reserved-member"
    case serviceWithoutApps = "service-without-apps"
    case entryInconsistent = "entry-inconsistent"
    case legacyCannotSay = "legacy-cannot-say"
    case findingNotFound = "finding-not-found"
    case errorNotSuppressed = "error-not-suppressed"
    case timePassed = "time-passed"
    case dictionaryCannotSay = "dictionary-cannot-say"
    case choiceNeeded = "choice-needed"
    case malformedPointer = "malformed-pointer"
    case templateNotFound = "template-not-found"
    case templateDiffers = "template-differs"
    case missingParameter = "missing-parameter"
    case unknownParameter = "unknown-parameter"
    case unusedParameter = "unused-parameter"
    case misplacedParameter = "misplaced-parameter"
    case malformedValue = "malformed-value"
    case markup
    case languagesDiffer = "languages-differ"
  }

  package let pointer: JSONPointer
  package let code: String
  package let message: String
  /// The element of a state that has it.
  package fileprivate(set) var element: Element?

  /// An app or a domain of a state, by the member that names it.
  package struct Element: Sendable, Equatable {
    package let key: String
    package let name: String

    package init(_ key: String, _ name: String) {
      self.key = key
      self.name = name
    }
  }

  package init(pointer: JSONPointer, code: Code, message: String) {
    self.init(pointer: pointer, code: code.rawValue, message: message)
  }

  package init(pointer: JSONPointer, code: String, message: String) {
    self.pointer = pointer
    self.code = code
    self.message = message
  }
}

/// The invalid values in the body of a request.
package struct InvalidInput: Error, Sendable {
  /// The first of them.
  package let faults: [Fault]
  /// How many more there are.
  package let more: Int

  package init(faults: [Fault], more: Int = 0) {
    self.faults = faults
    self.more = more
  }

  package init(_ code: Fault.Code, at pointer: JSONPointer = .root, _ message: String) {
    self.init(faults: [Fault(pointer: pointer, code: code, message: message)])
  }
}

/// Collects the faults of a body while it is read, so that one answer can name them.
package final class Faults {
  /// How many faults are named. Further ones are only counted.
  package static let limit = 100

  private var named: [Fault] = []
  package private(set) var count = 0
  /// The element of a state that is being read. Its faults get it.
  package var element: Fault.Element?

  package init() {}

  package func add(
    _ code: Fault.Code, at pointer: @autoclosure () -> JSONPointer,
    _ message: @autoclosure () -> String
  ) {
    add(Fault(pointer: pointer(), code: code, message: message()))
  }

  package func add(_ fault: @autoclosure () -> Fault) {
    count += 1
    if count > Self.limit { return }
    var fault = fault()
    fault.element = element
    named.append(fault)
  }

  /// Adds the faults of another reading.
  package func add(_ input: InvalidInput) {
    named += input.faults.prefix(max(0, Self.limit - named.count))
    count += max(1, input.faults.count + input.more)
  }

  /// - Throws: `InvalidInput` if there are any.
  package func check() throws(InvalidInput) {
    if count > 0 { throw InvalidInput(faults: named, more: count - named.count) }
  }

  /// Reads a value.
  ///
  /// - Throws: `InvalidInput` with every fault that was found.
  package static func collecting<Value>(
    in json: JSON, at pointer: JSONPointer = .root, _ read: (BodyValue) -> Value?
  ) throws(InvalidInput) -> Value {
    let faults = Faults()
    let value = read(BodyValue(json: json, pointer: pointer, faults: faults))
    try faults.check()
    // What cannot be read always has a fault.
    guard let value else { throw InvalidInput(faults: []) }
    return value
  }
}

/// A value in the body of a request. Reading it as another type returns `nil` and records a fault
/// in `faults`.
package struct BodyValue {
  package let json: JSON
  package let pointer: JSONPointer
  package let faults: Faults

  package init(json: JSON, pointer: JSONPointer, faults: Faults) {
    (self.json, self.pointer, self.faults) = (json, pointer, faults)
  }

  package func fault(_ code: Fault.Code, _ message: @autoclosure () -> String) {
    faults.add(code, at: pointer, message())
  }

  package func fault(_ error: ValidationError) {
    faults.add(Fault(pointer: pointer, code: error.code.rawValue, message: error.message))
  }

  private func expected<Value>(_ type: String, _ value: Value?) -> Value? {
    if value == nil { fault(.wrongType, "Expected \(type), found \(json.kind).") }
    return value
  }

  package var string: String? { expected("a string", json.stringValue) }

  package var bool: Bool? { expected("true or false", json.boolValue) }

  package var members: JSON.Object? { expected("an object", json.objectValue) }

  package func integer(in range: ClosedRange<Int>) -> Int? {
    guard let value = expected("an integer", wholeNumber) else { return nil }
    if let value, range.contains(value) { return value }
    fault(.outOfRange, "Must be from \(range.lowerBound) to \(range.upperBound).")
    return nil
  }

  /// A whole number; `.some(nil)` for one that does not fit. `3.0` and `3e0` are integers as `3` is (JSON Schema
  /// 2020-12, section 6.1.1 of validation).
  private var wholeNumber: Int?? {
    if let value = json.integerValue { return value }
    guard case .number(let text) = json, let value = Double(text), value.rounded() == value
    else { return nil }
    return .some(Int(exactly: value))
  }

  /// The maximum number of elements where no other is set: no document of 128 KB has more.
  package static let mostElements = 43_691

  /// The valid elements of an array. Invalid ones are recorded in `faults`.
  package func list<Element>(
    atMost limit: Int = BodyValue.mostElements, _ read: (BodyValue) -> Element?
  ) -> [Element]? {
    guard let values = expected("an array", json.arrayValue), isShort(values.count, limit) else {
      return nil
    }
    return values.enumerated().compactMap { index, value in
      read(BodyValue(json: value, pointer: pointer.appending(index), faults: faults))
    }
  }

  /// Whether a list or a map has no more elements than allowed.
  package func isShort(_ count: Int, _ limit: Int = BodyValue.mostElements) -> Bool {
    if count <= limit { return true }
    fault(.tooMany, "The list has \(count) elements; the limit is \(limit). Shorten it.")
    return false
  }

  /// A text of at most so many characters.
  package func text(longest: Int) -> String? {
    guard let text = string else { return nil }
    let count = text.unicodeScalars.count
    if count <= longest { return text }
    fault(.wrongLength, "The string has \(count) characters; the limit is \(longest). Shorten it.")
    return nil
  }

  /// A text of 1 to `longest` characters that is safe to log.
  ///
  /// - Parameter hasLines: Whether it may have several lines.
  package func name(longest: Int, hasLines: Bool = false) -> String? {
    guard let text = string else { return nil }
    if !(1...longest).contains(text.unicodeScalars.count) {
      fault(.wrongLength, "Must be 1 to \(longest) characters long.")
    } else if (hasLines ? text.replacing("\n", with: "") : text).hasControlCharacter {
      fault(
        .controlCharacter,
        "Must not contain control characters\(hasLines ? " other than line feeds" : "").")
    } else {
      return text
    }
    return nil
  }

  /// An RFC 3339 time.
  package var time: UnixTime? {
    guard let text = string else { return nil }
    if let time = UnixTime(text) { return time }
    fault(
      .malformedTime, "\(text.quoted) is not an RFC 3339 time, such as 2026-11-21T10:00:00Z.")
    return nil
  }

  /// A word of a closed set.
  package func word<Words: RawRepresentable<String> & CaseIterable>(_: Words.Type) -> Words? {
    guard let text = string else { return nil }
    if let word = Words(rawValue: text) { return word }
    let words = Words.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
    fault(.unknownValue, "\(text.quoted) is not one of \(words).")
    return nil
  }

  /// A text that a type of the model can parse.
  package func parse<Value>(_ make: (String) throws(ValidationError) -> Value) -> Value? {
    guard let text = string else { return nil }
    do throws(ValidationError) {
      return try make(text)
    } catch {
      fault(error)
      return nil
    }
  }

  /// Checks that the member "name" of an object, as it was read, is the name in the path.
  package func check(name: String, isThatOfPath expected: String) {
    if sameScalars(name, expected) { return }
    faults.add(
      .nameDiffers, at: pointer.appending("name"),
      "The path names \(expected.quoted). Leave \"name\" out, or set it to the same name.")
  }

  /// An object with any members.
  package func object() -> BodyObject? {
    members.map { BodyObject(members: $0, pointer: pointer, faults: faults) }
  }

  /// An object with these members and no others.
  package func object(_ allowed: some Sequence<String>) -> BodyObject? {
    guard let members else { return nil }
    for key in members.keys where !allowed.contains(where: { sameScalars($0, key) }) {
      faults.add(
        .unknownMember, at: pointer.appending(key),
        "Unknown member \(key.quoted). Allowed: \(allowed.joined(separator: ", ")).")
    }
    return BodyObject(members: members, pointer: pointer, faults: faults)
  }

  /// Members that are copied into the published file. A member that has a field of its own in this
  /// API must be given there.
  package func extra(besides known: [String: @Sendable (JSON) -> Bool]) -> JSON.Object? {
    guard let members else { return nil }
    for member in members.members where known[member.key]?(member.value) == true {
      faults.add(
        .reservedMember, at: pointer.appending(member.key),
        "\"\(member.key)\" cannot be in \"extra\": this API has a field for it.")
    }
    return members
  }
}

/// An object in the body of a request.
package struct BodyObject {
  package let members: JSON.Object
  package let pointer: JSONPointer
  package let faults: Faults

  /// A member; `nil` if it is missing or `null`, which mean the same.
  package subscript(key: String) -> BodyValue? {
    guard let value = members[key], value != .null else { return nil }
    return BodyValue(json: value, pointer: pointer.appending(key), faults: faults)
  }

  /// A member that every request must have.
  package func required(_ key: String) -> BodyValue? {
    if let body = self[key] { return body }
    faults.add(.missingMember, at: pointer, "The member \"\(key)\" is missing.")
    return nil
  }
}
