// Every word that the page says. To translate it, translate this file.

function plural(number, one, many) {
  return `${new Intl.NumberFormat().format(number)} ${number === 1 ? one : many}`;
}

export const words = {
  common: {
    none: "none", never: "never", loading: "Loading …", tryAgain: "Try again", close: "Close", cancel: "Cancel",
    save: "Save", delete: "Delete", add: "Add", edit: "Edit", search: "Search", pages: "Pages",
    firstPage: "First page", nextPage: "Next page", copy: "Copy", copied: "Copied.",
    copyWhat: (what) => `Copy ${what}`,
    notCopied: "The browser did not allow copying. Select the text and copy it yourself.",
    reason: "Reason", reasonHelp: "Shown in the history and the audit log.",
    skip: "Skip to the content", yes: "yes", no: "no", all: "all", unknown: "unknown",
  },
  pages: {
    domains: "Domains", try: "Try a link", checks: "Checks", apps: "Apps", findings: "Findings", bulk: "Bulk changes",
    settings: "Settings", history: "History", menu: "Pages", notFound: "Page not found",
    notFoundText: "No page has this address.", toDomains: "Show all domains",
  },
  problem: {
    failed: "That did not work.", forbidden: "Not allowed.", offline: "The server cannot be reached. Check your connection.",
    unexpected: (status) => `The server answered ${status}, without saying why.`, request: "Request",
    broken: (url, expected, actual) => `${url}: expected ${expected}, but it would be ${actual}.`,
  },
  severity: {
    error: "error", warning: "warning", note: "note",
    count: {
      error: (n) => plural(n, "error", "errors"), warning: (n) => plural(n, "warning", "warnings"),
      note: (n) => plural(n, "note", "notes"),
    },
  },
  resolution: { match: "opens the app", blocked: "blocked", "no-match": "stays in the browser" },
  environment: { production: "production", staging: "staging", development: "development" },
  role: { viewer: "viewer", editor: "editor", admin: "admin" },
  document: {
    "apple-app-site-association": "Apple", "assetlinks.json": "Android", webauthn: "passkeys",
  },
  signIn: {
    title: "Sign in", token: "Token", tokenHelp: "It begins with aasa_. The session lasts 12 hours.",
    create: "No token yet? On the server's machine, run:", wrong: "This token is unknown, revoked or expired.",
    button: "Sign in", out: "Sign out", ended: "Your session has ended. Sign in again; drafts are kept.",
    as: (name, role) => `${name} (${role})`,
  },
  domains: {
    title: "Domains",
    drop: {
      text: "Drop files or a folder here.", choose: "Choose files …", unreadable: "The browser could not read these files. Try again.",
      left: (n, most) => `Left out ${plural(n, "file", "files")}: at most ${most} files of at most 2 MB each.`,
    },
  },
  domain: {
    title: "Domain", tabsLabel: "Domain", tabs: { routes: "Routes", try: "Try", history: "History", checks: "Checks" }, disabled: "disabled",
  },
  try: {
    title: "Try",
  },
  history: {
    title: "History",
  },
  checks: {
    title: "Checks",
  },
  apps: {
    title: "Apps",
  },
  findings: {
    title: "Findings",
  },
  bulk: {
    title: "Bulk",
  },
  settings: {
    title: "Settings",
  },
};
