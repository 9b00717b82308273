import Association
import Testing

@Suite struct LanguageTagTests {
  @Test(arguments: [
    ("", "en"), ("de", "de"), ("de-AT", "de"), ("fr, de;q=0.5", "de"), ("fr", "en"), ("*", "en"),
    ("de;q=0", "en"), ("en;q=0.1, de;q=0.9", "de"), ("pt", "pt-BR"), ("pt-BR", "pt-BR"),
    ("PT-br", "pt-BR"), ("zh-Hant-TW", "zh-Hant"), ("ar-EG, de", "ar"), ("de;q=x", "en"),
    (",,;q=1,;", "en"), ("fr, *, de", "en"), ("en-US,en;q=0.9,de;q=0.8", "en"),
  ]) func peopleGetTheirLanguageOrTheFirstOne(accepted: String, expected: String) {
    let languages = ["en", "de", "pt-BR", "zh-Hant", "ar"]
    #expect(LanguageTag.best(of: languages, for: accepted) == expected)
  }

  @Test func aTextOfNoLanguageHasNone() {
    #expect(LanguageTag.best(of: [], for: "de") == nil)
  }

  @Test(arguments: [
    ("ar", "rtl"), ("he-IL", "rtl"), ("fa", "rtl"), ("ur-PK", "rtl"), ("en", "ltr"),
    ("az-Arab", "rtl"),
    ("ks-Deva", "ltr"), ("de-CH", "ltr"), ("ARC", "rtl"),
  ]) func languagesHaveTheirDirection(tag: String, direction: String) {
    #expect(LanguageTag.direction(tag) == direction)
  }
}
