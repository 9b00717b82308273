// The address of a page is in the fragment: `#/domains/example.com/history?from=2`.

const isTrueOrFalse = /^(true|false)$/;
const isDay = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;
const isRevision = /^[1-9]\d{0,8}$/;
/** What these parameters may be. An address with other values, maybe an old or mistyped one, is read without them. */
const values = {
  environment: /^(production|staging|development)$/,
  check: /^(failing|warning|ok)$/,
  collected: isTrueOrFalse,
  enabled: isTrueOrFalse,
  deleted: /^true$/,
  severity: /^(error|warning|note)$/,
  open: /^(error|warning|note|none)$/,
  source: /^(lint|check)$/,
  suppressed: /^(true|false|all)$/,
  undo: isTrueOrFalse,
  from: isRevision,
  to: isRevision,
  at: /^\/(applinks\/details|entries)\/\d+\/(components|paths|routes)\/\d+$/,
  since: isDay,
  until: isDay,
  sort: /^-?(name|updated)$/,
};

/** The current address: its parts, decoded, and the parameters of its query. */
export function here() {
  const [path, ...rest] = location.hash.replace(/^#\/?/, "").split("?");
  const query = new URLSearchParams(rest.join("?"));
  // What is asked several times is one value, with line breaks: `?url=…&url=…`.
  const given = [...query.keys()].map((name) => [name, query.getAll(name).join("\n")]);
  const known = given.filter(([name, value]) => !Object.hasOwn(values, name) || values[name].test(value));
  return { parts: path.split("/").filter(Boolean).map(decode), query: Object.fromEntries(known) };
}

/** The link to a page: `to(["domains", name], { q })`. Empty parameters are left out. */
export function to(parts, query = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const text = new URLSearchParams(given).toString();
  return "#/" + parts.map(encodeURIComponent).join("/") + (text === "" ? "" : "?" + text);
}

export function go(parts, query) {
  location.hash = to(parts, query);
}

/** Changes parameters of the current address; `replace` adds no step to the browser's history. */
export function ask(changes, { replace = false } = {}) {
  const { parts, query } = here();
  const address = to(parts, { ...query, ...changes });
  if (address === location.hash) return;
  if (!replace) return void (location.hash = address);
  // The pages before belong to the cursor.
  history.replaceState(Object.hasOwn(changes, "cursor") ? null : history.state, "", address);
  window.dispatchEvent(new Event("hashchange"));
}

/** Calls `open` if the address asks to add something, or what `what` says, as one that was chosen on another page does;
 * it does so once. */
export function ifAsked(open, what = "add") {
  queueMicrotask(() => {
    if (!here().query[what]) return;
    ask({ [what]: undefined }, { replace: true });
    open();
  });
}

function decode(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
