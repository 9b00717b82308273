import Association
import Testing

/// The rules for one route, a case or more each. The names of rules are those of Apple's pages and
/// of what was recorded from Apple's tool.
@Suite struct PatternRuleTests {
  static let wildcards = [
    RouteCase(["/": "/a*z"], "/a/b/c/z", true, "a star crosses slashes"),
    RouteCase(["/": "/a*z"], "/az", true, "a star takes nothing"),
    RouteCase(["/": "/a*z"], "/azb", false, "the pattern covers the whole path"),
    RouteCase(["/": "/a**z"], "/a/z", true, "two stars are a star"),
    RouteCase(["/": "/a/**"], "/a", true, "two stars at the end are a star"),
    RouteCase(["/": "/*ab*ab"], "/abab", true, "two runs do not share characters"),
    RouteCase(["/": "/*ab*ab"], "/aab", false, "two runs do not share characters"),
    RouteCase(["/": "/*ab"], "/abaab", true, "the last of several places counts"),
    RouteCase(["/": "/?*?"], "/ab", true, "question marks around a star"),
    RouteCase(["/": "/?*?"], "/a", false, "two question marks need two characters"),
    RouteCase(["/": "/a?b"], "/a/b", true, "a question mark takes a slash"),
    RouteCase(["/": "/%2A"], "/x", false, "an encoded star is no star"),
    RouteCase(["/": "/%2A"], "/%2A", true, "an encoded star is itself"),
    RouteCase(["/": #"/\*"#], #"/\x"#, true, "a backslash does not escape"),
    RouteCase(["/": "/[ab]"], "/a", false, "there are no sets"),
    RouteCase(["/": "/.+"], "/xy", false, "there are no regular expressions"),
  ]

  static let slashes = [
    RouteCase(["/": "/buy/*"], "/buy", true, "the parent is covered"),
    RouteCase(["/": "/buy/*"], "/buy//", true, "a run of slashes at the end does not count"),
    RouteCase(["/": "/buy/*"], "/buyer", false, "the parent is not a prefix"),
    RouteCase(["/": "/buy"], "/buy/", true, "the URL's slash at the end does not count"),
    RouteCase(["/": "/buy/"], "/buy", true, "the pattern's slash at the end does not count"),
    RouteCase(["/": "/buy/"], "/buy//", true, "nor does a run of them"),
    RouteCase(["/": "/a/*/c"], "/a/c", false, "only a star at the end covers the parent"),
    RouteCase(["/": "/id/????"], "/id/481", false, "no slash is added for a question mark"),
    RouteCase(["/": "/id/????"], "/id/4815/", true, "a slash at the end is dropped first"),
    RouteCase(["/": "/a?*"], "/a/", false, "a dropped slash is no character"),
    RouteCase(["/": "*x"], "/x/", true, "the path ends before its slash"),
    RouteCase(["/": "/a//b"], "/a/b", false, "slashes inside count"),
    RouteCase(["/": "/a//b"], "/a//b", true, "slashes inside count"),
    RouteCase(["/": "abc"], "/abc", true, "the slash in front is optional"),
    RouteCase(["/": "//abc"], "/abc", true, "a run in front is one"),
    RouteCase(["/": "abc"], "/xabc", false, "and yet the start is the start"),
    RouteCase(["/": "*abc"], "/xabc", true, "unless a star is there"),
    RouteCase(["/": "*/abc"], "/abc", true, "which may take nothing"),
    RouteCase(["/": "buy/*"], "/buy/42", true, "with a star at the end too"),
    RouteCase(["/": "/"], "", true, "an empty path is the root"),
    RouteCase(["/": ""], "", true, "an empty pattern is the root"),
    RouteCase(["/": "/"], "//", true, "slashes alone are the root"),
    RouteCase(["/": "/*"], "?a#b", true, "an empty path is covered by all"),
    RouteCase(["/": "/?*"], "", false, "the root has no further character"),
    RouteCase(["?": "a/"], "/?a", false, "slashes count in queries"),
    RouteCase(["#": "a/*"], "/#a", false, "slashes count in fragments"),
  ]

  static let queries = [
    RouteCase(["?": "a=?"], "/?a=1", true, "the string covers the whole query"),
    RouteCase(["?": "a=?"], "/?a=1&b", false, "the string covers the whole query"),
    RouteCase(["?": ""], "/", true, "no query is the empty string"),
    RouteCase(["?": ""], "/?", true, "an empty query is the empty string"),
    RouteCase(["?": "?*"], "/", false, "no query has no character"),
    RouteCase(["?": "a?b"], "/?a?b", true, "further question marks belong to the query"),
    RouteCase(["?": ["a": "1"]], "/?b=2&a=1", true, "other items do not count"),
    RouteCase(["?": ["a": "1"]], "/?a=1&a=2", false, "every instance counts"),
    RouteCase(["?": ["a": "?*"]], "/?a=1&a=2", true, "every instance matches"),
    RouteCase(["?": ["a": "*"]], "/", true, "an absent item is empty"),
    RouteCase(["?": ["a": "?*"]], "/?a", false, "an item without value is empty"),
    RouteCase(["?": ["a": ""]], "/?a=", true, "an empty value is empty"),
    RouteCase(["?": ["a": ""]], "/?a=&a=1", false, "also of several"),
    RouteCase(["?": ["a": "b=c"]], "/?a=b=c", true, "the first equals sign splits"),
    RouteCase(["?": ["a": "1;b=2"]], "/?a=1;b=2", true, "a semicolon does not split"),
    RouteCase(["?": ["a": "x y"]], "/?a=x+y", false, "a plus sign is no space"),
    RouteCase(["?": ["a": "1", "b": "2"]], "/?a=1", false, "every named item counts"),
    RouteCase(["?": ["A": "1"]], "/?a=1", false, "names differ by case"),
    RouteCase(["?": ["a*": "1"]], "/?ab=1", false, "a name is no pattern"),
    RouteCase(["?": ["": "x"]], "/?&=x", false, "an item of the empty name is one too"),
    RouteCase(["?": [:]], "/?a=1", true, "no item is asked for"),
    RouteCase(["?": ["a": "1", "b": true]], "/?a=2", true, "a boolean voids the object"),
    RouteCase(["?": ["a": "1", "b": 1]], "/?a=2", true, "a number voids the object"),
    RouteCase(["?": ["a": "1", "b": .null]], "/?a=2", true, "null voids the object"),
    RouteCase(["?": ["a": "1", "b": []]], "/?a=2", true, "an array voids the object"),
    RouteCase(["?": ["a": "1", "b": [:]]], "/?a=2", true, "an object voids the object"),
    RouteCase(["/": "/x", "?": ["a": true]], "/y", false, "but not the path beside it"),
  ]

  static let fragments = [
    RouteCase(["#": ""], "/", true, "no fragment is the empty string"),
    RouteCase(["#": "?*"], "/#", false, "an empty fragment has no character"),
    RouteCase(["#": "a#b?c"], "/#a#b?c", true, "nothing ends a fragment"),
    RouteCase(["#": "top"], "/#Top", false, "fragments differ by case"),
  ]

  static let forms = [
    RouteCase(["/": "/a%20b"], "/a%20b", true, "compared as encoded"),
    RouteCase(["/": "/a b"], "/a%20b", false, "compared as encoded"),
    RouteCase(["/": "/%c3%a9"], "/%C3%A9", false, "hexadecimal digits differ by case"),
    RouteCase(["/": "/??????"], "/%C3%A9", true, "an encoded character is several"),
    RouteCase(["/": "/é"], "/é", true, "a URL that is not encoded is compared as it is"),
    RouteCase(["/": "/?"], "/é", true, "where a character is one"),
    RouteCase(["/": "/é"], "/e\u{301}", false, "no Unicode normalisation"),
    RouteCase(["/": "/a b", "percentEncoded": false], "/a%20b", true, "the URL is decoded"),
    RouteCase(["/": "/a%20b", "percentEncoded": false], "/a%20b", false, "the pattern is not"),
    RouteCase(["/": "/a/b", "percentEncoded": false], "/a%2Fb", true, "a slash is decoded too"),
    RouteCase(["/": "/a", "percentEncoded": false], "/a%2F", true, "also at the end"),
    RouteCase(["/": "/?", "percentEncoded": false], "/%C3%A9", true, "a character is one"),
    RouteCase(["/": "/%25", "percentEncoded": false], "/%2525", true, "decoded once"),
    RouteCase(["/": "/%zz%4", "percentEncoded": false], "/%zz%4", true, "no escape, no change"),
    RouteCase(["/": "/%C3(", "percentEncoded": false], "/%C3%28", true, "no UTF-8, no change"),
    RouteCase(["/": "/%C0%AF", "percentEncoded": false], "/%C0%AF", true, "overlong is no UTF-8"),
    RouteCase(["/": "/%ED%A0%80", "percentEncoded": false], "/%ED%A0%80", true, "nor surrogates"),
    RouteCase(["?": "a b", "percentEncoded": false], "/?a%20b", true, "queries are decoded"),
    RouteCase(["#": "a b", "percentEncoded": false], "/#a%20b", true, "fragments are decoded"),
    RouteCase(["?": ["é": "&"], "percentEncoded": false], "/?%C3%A9=%26", true, "after the split"),
    RouteCase(["?": ["é": "&"]], "/?%C3%A9=%26", false, "names and values as encoded"),
    RouteCase(["/": "/ABC", "caseSensitive": false], "/abc", true, "the pattern is folded"),
    RouteCase(["/": "/abc", "caseSensitive": false], "/aBC/", true, "the URL is folded"),
    RouteCase(["/": "/ABC/*/Z", "caseSensitive": false], "/abc/1/z", true, "also of a glob"),
    RouteCase(["/": "/é", "caseSensitive": false], "/É", true, "not only ASCII"),
    RouteCase(
      ["/": "/É", "caseSensitive": false, "percentEncoded": false], "/%C3%A9", true,
      "decoded, folded"),
    RouteCase(["/": "/ß", "caseSensitive": false], "/SS", false, "one character stays one"),
    RouteCase(["/": "/%c3%a9", "caseSensitive": false], "/%C3%A9", true, "escapes are text"),
    RouteCase(["?": ["Key": "Val"], "caseSensitive": false], "/?kEY=vAL", true, "names fold too"),
    RouteCase(["#": "Top", "caseSensitive": false], "/#tOP", true, "fragments fold"),
    RouteCase(["/": "/$(upper)", "caseSensitive": false], "/a", true, "classes fold"),
    RouteCase(["/": "/$(lower)", "caseSensitive": false], "/A", true, "classes fold"),
    RouteCase(["/": "/$(region)", "caseSensitive": false], "/gb", true, "lists fold"),
  ]

  @Test(arguments: wildcards + slashes + queries + fragments + forms)
  func aRouteMatchesAsTheRulesSay(_ testCase: RouteCase) throws {
    try testCase.check()
  }

  static let variables: JSON = [
    "food": ["taco", "b*o", "?izza"], "Canadian food": ["poutine", "tête"], "none": [],
    "empty": [""], "some": ["", "x", 7], "text": "taco", "nested": ["$(food)"],
    "slash": ["a/", "b"],
    "star": ["*"], "front": ["/a", "b", "*c"], "digit": ["ten"], "caf\u{E9}": ["1"],
  ]

  @Test(arguments: [
    RouteCase(["/": "/$(food)"], "/taco", true, "a value"),
    RouteCase(["/": "/$(food)"], "/burrito", true, "a star in a value"),
    RouteCase(["/": "/$(food)"], "/pizza", true, "a question mark in a value"),
    RouteCase(["/": "/$(food)"], "/izza", false, "which needs a character"),
    RouteCase(["/": "/$(food)s"], "/tacos", true, "text after a variable"),
    RouteCase(["/": "/$(Food)"], "/taco", false, "names differ by case"),
    RouteCase(["/": "/$(food)", "caseSensitive": false], "/TACO", true, "values fold"),
    RouteCase(["/": "/$(Canadian food)"], "/poutine", true, "a space in a name"),
    RouteCase(
      ["/": "/$(Canadian food)", "percentEncoded": false], "/t%C3%AAte", true, "not ASCII"),
    RouteCase(["/": "/$(caf\u{E9})"], "/1", true, "a name that is not ASCII"),
    RouteCase(["/": "/$(cafe\u{301})"], "/1", false, "is not another spelling of it"),
    RouteCase(["?": ["m": "$(food)"]], "/?m=taco", true, "in the value of an item"),
    RouteCase(["?": "m=$(food)"], "/?m=taco", true, "in a query"),
    RouteCase(["#": "$(food)"], "/#taco", true, "in a fragment"),
    RouteCase(["/": "/$(nosuch)"], "/nosuch", false, "an unknown name never matches"),
    RouteCase(["/": "*$(nosuch)*"], "/x", false, "whatever is around it"),
    RouteCase(["/": "/$(none)"], "/", false, "no value never matches"),
    RouteCase(["/": "/a$(empty)"], "/a", false, "an empty value is none"),
    RouteCase(["/": "/$(some)"], "/x", true, "beside it others count"),
    RouteCase(["/": "/$(text)"], "/taco", false, "a string is no list of values"),
    RouteCase(["/": "/$(nested)"], "/taco", false, "a value holds no variable"),
    RouteCase(["/": "/$(nested)"], "/$(food)", true, "but the text"),
    RouteCase(["/": "/$(digit)"], "/ten", true, "own values before predefined ones"),
    RouteCase(["/": "/$(digit)"], "/1", false, "own values instead of predefined ones"),
    RouteCase(["/": "/$(slash)"], "/a", true, "a slash at the end of a value does not count"),
    RouteCase(["/": "/x/$(star)"], "/x", true, "a value can be the star that covers the parent"),
    RouteCase(["/": "$(front)"], "/a", true, "a value can bring the slash in front"),
    RouteCase(["/": "$(front)"], "/b", true, "which is optional"),
    RouteCase(["/": "$(front)"], "/xc", true, "and a star in front takes all"),
    RouteCase(["/": "/$(food"], "/$(food", true, "without end it is text"),
    RouteCase(["/": "/$5"], "/$5", true, "a dollar sign alone is text"),
    RouteCase(["/": "/$($(food)"], "/$(taco", true, "text before a variable"),
    RouteCase(["/": "/$(lang)_$(region)"], "/en_GB", true, "predefined lists"),
    RouteCase(["/": "/$(lang)_$(region)"], "/en_UK", false, "UK is no region"),
    RouteCase(["/": "/$(lang)"], "/zza", true, "three letters"),
    RouteCase(["/": "/$(alnum)$(xdigit)"], "/zF", true, "predefined classes"),
    RouteCase(["/": "/$(alpha)"], "/é", false, "of ASCII"),
  ])
  func aVariableStandsForItsValues(_ testCase: RouteCase) throws {
    try testCase.check(variables: Self.variables)
  }
}
