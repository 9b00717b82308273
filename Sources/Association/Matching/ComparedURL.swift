/// A URL on its way through the routes: where its components are, and copies of them in the forms
/// that routes have asked for so far. A copy is made only where the form differs from the URL.
struct ComparedURL {
  /// A part that patterns are compared with.
  enum Component: Hashable {
    case path
    case query
    case fragment
  }

  /// What a text contains that a form may change.
  private struct Traits {
    var hasPercent = false
    var isASCII = true

    init(_ text: Span<UInt8>, _ range: Range<Int>) {
      var index = range.lowerBound
      while index < range.upperBound {
        let next = min(index + 8, range.upperBound)
        let word = Word(text, index..<next)
        hasPercent = hasPercent || word.marks(of: UInt8(ascii: "%")) != 0
        isASCII = isASCII && word.isASCII
        index = next
      }
    }

    func differs(in form: ComparedForm) -> Bool {
      form.decodes && hasPercent || form.folds && !isASCII
    }
  }

  private struct CopyKey: Hashable {
    let component: Component
    let form: ComparedForm
  }

  private let parts: URLParts
  /// The path as it is written, but for the slashes at its end; of a path of slashes one is left.
  let path: Range<Int>
  /// `nil` if no route asks for another form.
  private let pathTraits: Traits?
  // Optional, since even an empty dictionary costs time to release.
  private var copies: [CopyKey: [UInt8]]?

  /// - Parameter hasForms: whether there are routes that ask for another form than is written.
  @inline(__always)
  init(_ url: Span<UInt8>, _ parts: URLParts, hasForms: Bool) {
    self.parts = parts
    path = Self.droppingTrailingSlashes(url, parts.path)
    pathTraits = hasForms ? Traits(url, path) : nil
  }

  var query: Range<Int> { parts.query }

  func range(of component: Component) -> Range<Int> {
    switch component {
    case .path: path
    case .query: parts.query
    case .fragment: parts.fragment
    }
  }

  /// Whether the path differs from what is written in the URL in this form.
  @inline(__always)
  func pathDiffers(in form: ComparedForm) -> Bool { pathTraits?.differs(in: form) ?? false }

  /// The component in the form, where that differs from what is written.
  mutating func copy(
    of component: Component, in form: ComparedForm, _ url: Span<UInt8>
  ) -> [UInt8]? {
    guard form.folds || form.decodes else { return nil }
    let range = range(of: component)
    guard Traits(url, range).differs(in: form) else { return nil }
    let key = CopyKey(component: component, form: form)
    if let copy = copies?[key] { return copy }
    var copy = Self.copy(of: range, in: form, url)
    if component == .path {
      copy.removeSubrange(Self.droppingTrailingSlashes(copy.span, copy.indices).upperBound...)
    }
    copies = (copies ?? [:]).merging([key: copy]) { $1 }
    return copy
  }

  /// A part of the URL in the form, where that differs from what is written.
  static func changed(
    _ range: Range<Int>, in form: ComparedForm, _ url: Span<UInt8>
  ) -> [UInt8]? {
    guard form.folds || form.decodes, Traits(url, range).differs(in: form) else { return nil }
    return copy(of: range, in: form, url)
  }

  private static func copy(
    of range: Range<Int>, in form: ComparedForm, _ url: Span<UInt8>
  ) -> [UInt8] {
    let text = form.decodes ? ComparedText.decoded(url, range) : range.map { url[$0] }
    return form.folds ? ComparedText.folded(text) : text
  }

  @inline(__always)
  private static func droppingTrailingSlashes(
    _ text: Span<UInt8>, _ range: Range<Int>
  ) -> Range<Int> {
    var end = range.upperBound
    while end > range.lowerBound + 1, text[end - 1] == UInt8(ascii: "/") { end -= 1 }
    return range.lowerBound..<end
  }
}
