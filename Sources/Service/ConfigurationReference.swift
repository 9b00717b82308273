import Association

extension Configuration {
  /// A configuration file with every setting, its documentation and its default.
  package static var exampleFile: String {
    let introduction = """
      # Every setting of aasa with its default. Use it with "aasa serve --config aasa.toml".
      #
      # Precedence, highest first: flags (--public-address), environment variables
      # (AASA_PUBLIC_ADDRESS), this file, defaults. An empty variable counts as unset; that of a
      # list is an empty list. "aasa config" shows the effective values and where each comes
      # from. Settings marked "reload" also take effect on SIGHUP (systemctl reload); all others
      # need a restart.

      """
    return settings.reduce(into: introduction) { text, setting in
      for line in setting.documentation(reload: "Reload.").wrapped(to: 90) {
        text += "\n# \(line)"
      }
      text += "\n\(setting.name) = \(setting.json(Configuration()).text)\n"
    }
  }

  /// A Markdown table of all settings, for `docs/configuration.md`.
  package static var markdownTable: String {
    let head = """
      | setting | flag | environment variable | default | |
      |---|---|---|---|---|

      """
    return settings.reduce(into: head) { text, setting in
      let standard = setting.standard.isEmpty ? "" : "`\(setting.standard)`"
      text += "| `\(setting.name)` | `\(setting.flag)` | `\(setting.variable)` | \(standard) | "
      text += "\(setting.documentation(reload: "*Reload.*")) |\n"
    }
  }
}

extension Setting {
  /// What it does, its range, and whether a reload is enough.
  fileprivate func documentation(reload: String) -> String {
    ([help] + (range.map { [$0] } ?? []) + (change == .afterRestart ? [] : [reload]))
      .joined(separator: " ")
  }
}
