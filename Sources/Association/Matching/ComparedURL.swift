/// A URL while it is compared with routes: the positions of its components, and cached copies in
/// the forms that routes have needed so far. A component is copied only if the form changes it.
struct ComparedURL {
  /// The features of a text that a form may change.
  private struct Traits {
    var hasPercent = false
    var isASCII = true

    init(_ text: Span<UInt8>, _ range: Range<Int>) {
      for index in range {
        hasPercent = hasPercent || text[index] == UInt8(ascii: "%")
        isASCII = isASCII && text[index] < 0x80
      }
    }

    func differs(in form: ComparedForm) -> Bool {
      form.decodes && hasPercent || form.folds && !isASCII
    }
  }

  private struct CopyKey: Hashable {
    let component: URLComponent
    let form: ComparedForm
  }

  private let parts: URLParts
  /// The path as written, without trailing slashes. A path that has only slashes keeps one.
  let path: Range<Int>
  /// `nil` if no route needs another form.
  private let pathTraits: Traits?
  // Optional, since even an empty dictionary costs time to release.
  private var copies: [CopyKey: [UInt8]]?

  /// - Parameter hasForms: Whether any route compares the URL in a form other than the written one.
  @inline(__always)
  init(_ url: Span<UInt8>, _ parts: URLParts, hasForms: Bool) {
    self.parts = parts
    path = PathSlashes.droppingTrailing(url, parts.path)
    pathTraits = hasForms ? Traits(url, path) : nil
  }

  var query: Range<Int> { parts.query }

  func range(of component: URLComponent) -> Range<Int> {
    switch component {
    case .path: path
    case .query: parts.query
    case .fragment: parts.fragment
    }
  }

  /// Whether the path in this form differs from the written path.
  @inline(__always)
  func pathDiffers(in form: ComparedForm) -> Bool { pathTraits?.differs(in: form) ?? false }

  /// The component in this form; `nil` if that equals the written component.
  mutating func copy(
    of component: URLComponent, in form: ComparedForm, _ url: Span<UInt8>
  ) -> [UInt8]? {
    guard form.folds || form.decodes else { return nil }
    let range = range(of: component)
    guard Traits(url, range).differs(in: form) else { return nil }
    let key = CopyKey(component: component, form: form)
    if let copy = copies?[key] { return copy }
    var copy = Self.copy(of: range, in: form, url)
    if component == .path {
      copy.removeSubrange(PathSlashes.droppingTrailing(copy.span, copy.indices).upperBound...)
    }
    copies = (copies ?? [:]).merging([key: copy]) { $1 }
    return copy
  }

  /// A part of the URL in this form; `nil` if that equals the written part.
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
}
