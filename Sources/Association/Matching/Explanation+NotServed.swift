extension Domain {
  /// Why no URL matches while the domain is disabled or after it is deleted, for an app.
  package func notServedExplanation(for app: String?, isDeleted: Bool = false) -> Explanation {
    Explanation(
      app: app,
      reason:
        "The domain \(name) is \(isDeleted ? "deleted" : "disabled"), so no file is served and "
        + "no URL matches.")
  }
}
