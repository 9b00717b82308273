// The parts that pages are made of. Each returns a description for `patch`.

import { h } from "./dom.js";
import { capital, fromNow, fullTime } from "./format.js";
import { ask, here } from "./routing.js";
import { say } from "./state.js";
import { words } from "./words.js";

export { define, h, View } from "./dom.js";
export { capital, count, day, fromNow, size } from "./format.js";

/** @typedef {{ [name: string]: any }} Properties */

/** A button. `kind`: "primary", "danger", "quiet" or none.
 * @type {(text: any, press: (event: any) => void, properties?: Properties) => any} */
export const button = (text, press, { kind, ...rest } = {}) => (
  h("button", { type: "button", class: buttonClass(kind), on: { click: press }, ...rest }, text)
);

/** A link that looks like a button. @type {(text: any, href: string, properties?: Properties) => any} */
export const linkButton = (text, href, { kind, ...rest } = {}) => (
  h("a", { class: buttonClass(kind), href, ...rest }, text)
);

const icons = ["up", "down", "edit", "delete", "grip", "apple", "android", "search", "close", "undo", "more"];

export const icon = (name) => (
  h("span", { class: "icon", key: name, "aria-hidden": "true", vars: { "--icon": icons.indexOf(name) } })
);

export const mark = () => h("img", { key: "mark", src: new URL("icon.svg", import.meta.url).pathname, alt: "" });
const buttonClass = (kind) => kind ? `button ${kind}` : "button";

/** A label with its input. `id` must be unique on the page; `help` and `fault` are texts below, which screen readers
 * speak with the input. All else goes to the input; `tag` is "input" (the default), "textarea" or "select".
 * @type {(label: any, properties: Properties, ...children: any[]) => any} */
export function field(label, properties, ...children) {
  const { id, help, fault, tag = "input", options, ...rest } = properties;
  const about = [help && `${id}-help`, fault && `${id}-fault`].filter(Boolean).join(" ");
  const input = h(
    tag,
    { id, "aria-describedby": about || null, "aria-invalid": fault ? "true" : null, ...rest },
    options?.map(([value, text]) => h("option", { key: value, value, selected: value === rest.value }, text)),
    children,
  );
  const described = h(
    "div",
    { class: "field", key: rest.key ?? id },
    h("label", { for: id }, label),
    input,
    help && h("p", { class: "help", id: `${id}-help` }, help),
    fault && h("p", { class: "fault", id: `${id}-fault` }, fault),
  );
  return { ...described, name: rest.name, blamed: (fault) => field(label, { ...properties, fault }, ...children) };
}

/** A field that keeps what is typed in a member of `draft`, and calls `change` after that. Its name is its default ID.
 * @type {(label: any, draft: any, name: string, properties?: Properties) => any} */
export const draftField = (label, draft, name, { change = () => {}, ...rest } = {}) =>
  field(label, {
    id: name,
    name,
    value: draft[name] ?? "",
    on: { input: ({ target }) => change(draft[name] = target.value) },
    ...rest,
  });

export const draftCheckbox = (label, draft, name) =>
  checkbox(label, {
    id: name,
    checked: draft[name] ?? false,
    on: { change: ({ target }) => (draft[name] = target.checked) },
  });

/** A checkbox for each choice, `[value, label]`, of which `chosen`, a set, has those that are checked. */
export const choices = (chosen, all, place = "") =>
  all.map(([value, label]) => {
    const change = ({ target }) => chosen[target.checked ? "add" : "delete"](value);
    return checkbox(label, { id: place + value, checked: chosen.has(value), on: { change } });
  });

/** What a field with `list` and this ID suggests: `[value, name]` of each. */
export const suggestions = (id, values = []) => (
  h("datalist", { id, key: id }, values.map(([value, name]) => h("option", { key: value, value }, name ?? "")))
);

export function checkbox(label, { id, ...rest }) {
  const box = h("input", { type: "checkbox", id, ...rest });
  return h("div", { class: "checkbox", key: id }, box, h("label", { for: id }, label));
}

/** A word in a box: `kind` is "ok", "warning", "error", "note" or "quiet". The colour never says more than the word.
 * @type {(text: any, kind?: string, rest?: Properties) => any} */
export const badge = (text, kind = "quiet", rest = {}) => h("span", { class: `badge ${kind}`, ...rest }, text);
export const quiet = (...text) => h("span", { class: "quiet" }, text);

/** How many drafts wait for the approval of the person. */
export const waitingBadge = (number) =>
  number > 0 &&
  h(
    "span",
    { class: "badge warning", key: "waiting" },
    number,
    h("span", { class: "hidden" }, " ", words.drafts.waiting(number)),
  );

/** Choices that are on or off: `[key, text, isOn, press]` of each; `more` follows them. */
export function chips(label, choices, ...more) {
  const chip = ([key, text, isOn, press]) =>
    h(
      "button",
      { type: "button", class: "chip", key, "aria-pressed": String(isOn), on: { click: press } },
      capital(text),
    );
  return h("div", { class: "chips", role: "group", key: "chips", "aria-label": label }, choices.map(chip), more);
}

/** Inputs that filter a list. On a phone, they are behind a button that says how many are set. */
export const filters = (number, ...inputs) => [
  h(
    "button",
    { type: "button", class: "button to-filters", key: "to-filters", popovertarget: "filters" },
    words.common.filters,
    number > 0 && badge(number),
  ),
  h(
    "div",
    { class: "filters", id: "filters", popover: "auto", role: "group", "aria-label": words.common.filters },
    inputs,
    h("button", { type: "button", class: "button to-filters", popovertarget: "filters" }, words.common.close),
  ),
];

export const severities = ["error", "warning", "note"];

export const worstFirst = (findings) => (
  findings.toSorted((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity))
);

/** What is wrong, in a few words: our own or, without them, those of the code. */
export const findingTitle = (code) =>
  capital(
    words.findings.titles[code] ?? code.replaceAll("-", " ")
      .replace(/\b(?:cdn|cms|dns|json|sha1|tls|url)\b/g, (short) => short.toUpperCase()),
  );

/** The first line of a finding, with its code; a fault of a value has none. */
export const findingHead = ({ severity, code }, ...more) => [
  badge(words.severity[severity], severity),
  " ",
  code && [h("strong", {}, findingTitle(code)), " ", quiet(h("code", {}, code), more)],
];

/** How many findings there are of each severity: `{error: 1, warning: 0, note: 3}`. */
export function findingCounts(counts) {
  const shown = severities.filter((severity) => counts?.[severity] > 0);
  if (shown.length === 0) return quiet(words.common.none);
  const count = (severity) => badge(words.severity.count(severity, counts[severity]), severity, { key: severity });
  return h("span", { class: "badges" }, shown.map(count));
}

/** A text of the API: a word between backticks is code. A backtick within a word, such as a path, is itself. */
export const coded = (text) => (
  text.split(/(?<!\w)`([^`]+)`(?!\w)/).map((part, index) => index % 2 ? h("code", {}, part) : part)
);

/** The pointers of a document or a domain that lead to an entry or a route. */
export const pointers =
  /(?:route )?(\/applinks\/details\/\d+(?:\/(?:components|paths)\/\d+)?|\/entries\/\d+(?:\/routes\/\d+)?)/g;
/** The pointers of an `assetlinks.json` that lead to rules. */
export const rules = /\/(\d+)\/relation_extensions\/\S+?\/dynamic_app_link_components(?:\/(\d+))?/g;

/** A text of the API as this page says it: places of a file in words, and what to press in place of what to send.
 * `packages` are the apps of the statements of an `assetlinks.json`, as far as they are known. */
export function asHere(text, packages = []) {
  const { routeAt, entryAt, ruleAt } = words.domain;
  const say = (_, pointer) => {
    const [entry, route] = pointer.match(/\d+/g).map((index) => Number(index) + 1);
    return route ? routeAt(route, entry) : entryAt(entry);
  };
  const placed = text.replace(pointers, say)
    .replace(rules, (_, statement, rule) => ruleAt(rule && Number(rule) + 1, packages[statement]));
  return words.problem.instead.reduce((said, [found, ours]) => said.replace(found, ours), placed);
}

export const resolution = (word) => badge(words.resolution[word] ?? word, word === "match" ? "ok" : "quiet");

export const time = (text) =>
  text ? h("time", { datetime: text, title: fullTime(text), class: "ago" }, fromNow(text)) : quiet(words.common.never);

/** A time in full, for records, and where "since" or "by" precedes it. */
export const exactTime = (text) => h("time", { datetime: text, title: fromNow(text) }, fullTime(text));

/** What failed, as the API said it, with the request's ID, and a way to try again.
 * @type {(problem: any, again?: () => void) => any} */
export function problemBox(problem, again) {
  const { status, detail } = problem;
  const said = status === 0
    ? words.problem.offline
    : problem.code === "stale-revision"
    ? words.problem.stale
    : detail || words.problem.unexpected(status);
  return h(
    "div",
    { class: "box error", role: "alert", key: "problem" },
    h("p", {}, status === 403 && [h("strong", {}, words.problem.forbidden), " "], coded(asHere(said))),
    problemFaults(problem),
    problem.requestId && h("p", { class: "help" }, words.problem.request, " ", h("code", {}, problem.requestId)),
    again && (status >= 500 || [0, 409, 412, 429].includes(status)) && button(words.common.tryAgain, again),
  );
}

/** What a pointer is about: the field that has its value, or itself. */
function subject(pointer = "") {
  const label = (part) =>
    part && document.querySelector(`label:is([for="${CSS.escape(part)}"], [for="set-${CSS.escape(part)}"])`);
  const [found] = pointer.split("/").map(label).filter(Boolean);
  const named = found?.closest("fieldset")?.querySelector("legend") ?? found;
  const place = asHere(pointer).replace(/^([^/]+)\/(.*)$/, "$1, $2").replaceAll("~1", "/");
  return named
    ? h("strong", {}, named.textContent, ":")
    : pointer && (place === pointer ? h("code", {}, pointer) : [place, ":"]);
}

function problemFaults({ body }) {
  const { errors = [], findings = [], expectations = [], problems = [], conflicts = [] } = body ?? {};
  const lines = [
    errors.map(({ pointer, message }) => [subject(pointer), " ", coded(asHere(message))]),
    // Findings that refuse a document are among the errors, too; others are beside the point.
    errors.length === 0 ? findings.map((one) => coded(asHere(`${one.message} ${one.help}`))) : [],
    expectations.map(brokenText),
    problemsOfDomains(problems),
    conflicts.map((one) => [words.problem.conflict(one.domain, one.author, one.revision), " ", one.undone.join("; ")]),
  ].flat();
  return lines.length > 0 && h("ul", {}, lines.map((line, index) => h("li", { key: index }, line)));
}

const brokenText = ({ url, app, expected, resolution, reason, isOfTemplate }) => [
  words.problem.broken(url, app, words.resolution[expected], words.resolution[resolution], isOfTemplate),
  reason && [" ", asHere(reason.replace(/^No route matches\. /, ""))],
];

/** What is wrong with several domains: each thing once, with its domains. */
function problemsOfDomains(problems) {
  const found = problems.flatMap(({ domain, detail, errors = [], expectations = [] }) =>
    (expectations.length > 0 ? expectations : errors.length > 0 ? errors : [{ message: detail }]).map((one) => {
      const { pointer, message, reason, ...rest } = JSON.parse(JSON.stringify(one).replaceAll(domain, "{domain}"));
      return { domain, one, general: { ...rest, message }, pointer, reason };
    })
  );
  const groups = [...Map.groupBy(found, ({ general }) => JSON.stringify(general)).values()];
  const text = (one) => one.url ? brokenText(one) : [subject(one.pointer), " ", coded(asHere(one.message))];
  const shown = groups.slice(0, 10).map((same) => {
    const [{ domain, one, general, pointer, reason }] = same;
    const names = [...new Set(same.map((other) => other.domain))];
    if (names.length === 1) return [h("bdi", {}, domain), ": ", text(one)];
    // Places differ by domain.
    const common = (name, value) => same.every((other) => other[name] === value) ? { [name]: value } : {};
    return [
      text({ ...general, ...common("pointer", pointer), ...common("reason", reason) }),
      " ",
      words.templates.inDomains(names.length),
      ": ",
      h("bdi", {}, names.slice(0, 5).join(", ")),
      names.length > 5 && words.templates.andMore(names.length - 5),
    ];
  });
  const more = new Set(groups.slice(10).flat().map(({ domain }) => domain)).size;
  return [...shown, ...(more > 0 ? [[words.problem.more(more)]] : [])];
}

export const waiting = () => h("p", { class: "loading", role: "status", key: "loading" }, words.common.loading);

/** A message while nothing has loaded, or `show(value)`. An old value stays, with the problem above it. */
export function loaded(loading, show) {
  const { value, isRunning, isOutdated } = loading;
  const outer = showsOutdated;
  showsOutdated = isOutdated;
  try {
    return [failure(loading), value !== undefined ? show(value) : isRunning && waiting()];
  } finally {
    showsOutdated = outer;
  }
}

/** Whether `loaded` is showing a value that is about to be replaced by that of another page or filter. */
let showsOutdated = false;

export const empty = (title, text, ...actions) =>
  h(
    "div",
    { class: "empty", key: "empty" },
    h("h2", {}, title),
    h("p", {}, text),
    h("div", { class: "actions" }, actions),
  );

/** A table. `columns`: `[title, cell(item), class?, sort?]` of each; `rows` have the keys that `key(item)` returns. On
 * narrow screens each row becomes a card, whose cells show their column's title. @type {(options: any) => any} */
export const table = ({ caption, columns, rows, key, on, sorted }) =>
  h(
    "div",
    { class: "table", key: "table" },
    h(
      "table",
      { on },
      h("caption", { class: "hidden" }, caption),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          columns.map(([title, _, kind, sort]) =>
            h("th", {
              key: title,
              scope: "col",
              class: kind,
              "aria-sort": sort && { [sort]: "ascending", [`-${sort}`]: "descending" }[sorted],
            }, sort ? sorting(title, sort, sorted) : title)
          ),
        ),
      ),
      h(
        "tbody",
        {},
        rows.map((item) =>
          h(
            "tr",
            { key: key(item) },
            columns.map(([title, cell, kind], index) =>
              h(index === 0 ? "th" : "td", {
                key: title,
                scope: index === 0 ? "row" : null,
                class: kind,
                "data-title": title,
              }, cell(item))
            ),
          )
        ),
      ),
    ),
  );

/** A list that loads page by page: its table, of which `columns` may be a function of the items, or if it is empty, a
 * title and a text. @type {(loading: any, nothing: [string, string], options: any) => any} */
export const listing = (loading, nothing, { columns, ...rest }) =>
  loaded(loading, ({ items, next = null }) => [
    items.length > 0
      ? table({
        rows: items,
        key: ({ id, name }) => id ?? name,
        ...rest,
        columns: typeof columns === "function" ? columns(items) : columns,
      })
      : next === null
      ? empty(...nothing)
      : h("p", { class: "quiet", key: "nothing" }, words.common.nothingHere),
    cursorPages(next),
  ]);

/** The button of a column that sorts the list; the address has by which, "-" for the other way. */
const sorting = (title, sort, sorted) => (
  h(
    "button",
    {
      type: "button",
      class: "sort",
      on: { click: () => ask({ sort: sorted === sort ? `-${sort}` : sort, cursor: undefined }) },
    },
    title,
    sorted === sort ? icon("up") : sorted === `-${sort}` && icon("down"),
  )
);

/** The buttons below a list: its first page, the one before, and the next, whose cursor is `next` or null. The address
 * has the cursor, by its `name`; the entry of the browser's history has those of the pages before, unless a link led
 * here. Where the `total` is known, `shown` is how many of it the page has. */
export function cursorPages(next, { name = "cursor", total = undefined, shown = 0, perPage = 0 } = {}) {
  const { [name]: cursor } = here().query;
  const before = cursor === undefined ? [] : history.state?.pages;
  // Until the page that was asked for is there, `next` is that of the page before, and would skip or repeat one.
  const isTurning = showsOutdated;
  const props = (key) => ({ key, "aria-disabled": isTurning ? "true" : null });
  const show = (to, pages) => ({ target }) => {
    if (isTurning) return;
    target.closest("section, main > *").scrollIntoView();
    ask({ [name]: to });
    history.replaceState({ pages }, "");
  };
  const first = !isTurning && before && total !== undefined ? before.length * perPage : undefined;
  return (cursor !== undefined || next !== null) &&
    h(
      "nav",
      { class: "pages", "aria-label": words.common.pages, key: "pages" },
      cursor !== undefined && before?.length !== 1 &&
        button(words.common.firstPage, show(undefined, []), props("first")),
      before?.length > 0 &&
        button(words.common.previousPage, show(before.at(-1) ?? undefined, before.slice(0, -1)), props("previous")),
      next !== null &&
        button(words.common.nextPage, show(next, before && [...before, cursor ?? null]), props("next")),
      first !== undefined && quiet(words.common.range(first + 1, first + shown, total)),
    );
}

export const mono = (text) => h("span", { class: "mono" }, text);

/** A dialog that holds the focus until it ends. `close` is called when the person leaves it (Escape, or the button;
 * after typing, Escape twice); without it, the dialog stays until something in it ends it.
 * @type {(options: { title: string, close?: () => void, wide?: boolean }, ...children: any[]) => any} */
export function dialog({ title, close, wide }, ...children) {
  const cancel = (event) => {
    const { currentTarget: box, cancelable } = event;
    event.preventDefault();
    if (!box.isTyped || !cancelable) return close?.();
    box.isTyped = false;
    box.querySelector(":scope > [role=status]").textContent = words.common.escapeAgain;
  };
  // A browser may close it all the same when Escape is pressed twice.
  const closed = ({ target }) => target.isConnected && (close ? close() : target.showModal());
  return h(
    "dialog",
    {
      key: `dialog ${title}`,
      modal: true,
      class: wide ? "wide" : null,
      "aria-label": title,
      on: {
        cancel,
        close: closed,
        input: ({ currentTarget }) => {
          currentTarget.isTyped = true;
        },
      },
    },
    h(
      "header",
      {},
      h("h2", { tabindex: close ? "-1" : null, autofocus: Boolean(close) }, title),
      close && closeButton(words.common.close, close),
    ),
    h("p", { class: "fault", role: "status", key: "again" }),
    children,
  );
}

export const closeButton = (label, press) =>
  h("button", {
    type: "button",
    class: "close",
    key: "close",
    "aria-label": label,
    on: { click: press },
  }, icon("close"));

export const snippet = (label, text) =>
  h(
    "figure",
    { class: "snippet", key: label },
    h(
      "figcaption",
      {},
      label,
      " ",
      button(words.common.copy, () => copy(text), { "aria-label": words.common.copyWhat(label) }),
    ),
    h("pre", { tabindex: "0", "aria-label": label }, h("code", {}, text)),
  );

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    say(words.common.copied);
  } catch {
    say(words.common.notCopied, "error");
  }
}

/** A form: `send(values, form)` is called instead of leaving the page, with the texts by the names of their inputs.
 * @type {(send: (values: any, form: HTMLFormElement) => void, properties: Properties, ...children: any[]) => any} */
export function form(send, properties, ...children) {
  const submitted = (event) => {
    event.preventDefault();
    // On a phone, filters cover the list.
    /** @type {any} */ (document.querySelector("#filters:popover-open"))?.hidePopover();
    send(Object.fromEntries(new FormData(event.target)), event.target);
  };
  return h("form", { ...properties, novalidate: true, on: { submit: submitted } }, children);
}

/** The button that sends a form. @type {(text: any, properties?: Properties) => any} */
export const submit = (text, { kind, ...rest } = {}) => (
  h("button", { type: "submit", class: buttonClass(kind), ...rest }, text)
);

export const failure = (trying) => trying.problem && problemBox(trying.problem, () => trying.run());

/** A form in a dialog: its fields, why `sending` failed, a button that sends, and one that leaves. What the API says of
 * a value stands beside its field. When the form comes back, the first invalid field gets the focus.
 * @type {(sending: any, text: any, close: () => void, properties: Properties, ...fields: any[]) => any} */
export function dialogForm(sending, text, close, { kind = "primary", send = () => sending.run(), ...rest }, ...fields) {
  const { problem, isRunning } = sending;
  let { errors = [] } = problem?.body ?? {};
  const children = fields.flat(Infinity).map((one) => {
    const isIts = ({ pointer = "" }) => one?.name && pointer.split("/").includes(one.name);
    const messages = errors.filter(isIts).map(({ message }) => message);
    errors = errors.filter((error) => !isIts(error));
    return messages.length > 0 ? one.blamed(messages.join(" ")) : one;
  });
  const isSaid = errors.length < problem?.body.errors?.length && errors.length === 0;
  const after = (node) => {
    if (node.wasRunning && !isRunning) node.querySelector("[aria-invalid='true']")?.focus();
    node.wasRunning = isRunning;
  };
  return form(
    send,
    { ...rest, after },
    children,
    problem && !isSaid && problemBox({ ...problem, body: { ...problem.body, errors } }, () => sending.run()),
    h(
      "div",
      { class: "actions", key: "actions" },
      submit(text, { kind, disabled: isRunning }),
      button(words.common.cancel, close, { disabled: isRunning }),
    ),
  );
}

/** Links between sections: `[key, text, href]` of each, and the key of the current one. */
export const tabs = (label, sections, current) =>
  h(
    "nav",
    { class: "tabs", key: "tabs", "aria-label": label },
    sections.map(([key, text, href]) => h("a", { key, href, "aria-current": key === current ? "page" : null }, text)),
  );

/** Terms with what they are: `[term, value]` of each. */
export const facts = (rows) =>
  h(
    "dl",
    { class: "facts", key: "facts" },
    rows.filter(Boolean).map(
      ([term, value], index) => [h("dt", { key: `t${index}` }, term), h("dd", { key: `d${index}` }, value)],
    ),
  );
