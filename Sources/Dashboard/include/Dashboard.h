#pragma once

/// A text file of the folder Web.
struct aasa_dashboard_file {
  /// Its path in the folder, such as `pages/domains.js`.
  const char *_Nullable path;
  /// Its content, with a zero byte at the end.
  const unsigned char *_Nullable text;
};

/// All files, in any order. A file without a path follows the last one.
const struct aasa_dashboard_file *_Nonnull aasa_dashboard_files(void);
