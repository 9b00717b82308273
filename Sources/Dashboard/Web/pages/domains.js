// All domains: what a person sees at a glance, and searches.

import { get, keep, parsed, request } from "../api.js";
import {
  badge,
  button,
  chips,
  choices,
  count,
  cursorPages,
  day,
  define,
  empty,
  failure,
  field,
  filters,
  findingCounts,
  form,
  h,
  linkButton,
  loaded,
  quiet,
  severities,
  table,
  time,
  View,
} from "../parts.js";
import { ask, go, here, ifAsked, to } from "../routing.js";
import { approvals, isUnlimited, Loading, may, mayAdd, mayEditDomain, reach, say, session } from "../state.js";
import { words } from "../words.js";
import { checkMany, checkStatus } from "./checks.js";
import { allApps, allLabels, appleCopy, restoring } from "./domain-parts.js";
import { addDomain, exact } from "./domains-add.js";
import { draftedDomains, storedDraft } from "./draft.js";
import { domainNames } from "./template-parts.js";
import "./bulk.js";

const text = words.domains;
const perPage = 50;
/** So many milliseconds after the last key, what was typed is searched for. */
export const pause = 250;
const daysToWarn = 14;
const countable = 10_000;
const fewEdits = 5;

/** What needs somebody: the page that lists it, and its query. @type {Record<string, [string, any]>} */
const trouble = {
  failing: ["domains", { check: "failing" }],
  errors: ["findings", { severity: "error", source: "lint" }],
  unfetched: ["domains", { collected: "false" }],
  drafts: ["drafts", {}],
  own: ["drafts", {}],
};

const quick = [
  ["environment", "production"],
  ["environment", "staging"],
  ["environment", "development"],
  ["check", "failing"],
  ["collected", "false"],
  ["enabled", "false"],
  ["deleted", "true"],
];

/** The row that had the focus last: who comes back from a domain continues there. */
let active;

class Domains extends View {
  #typed = "";
  #timer;

  #list = new Loading(this, async (signal) => {
    const isDeleted = this.#isDeleted;
    return { ...(await get("/v1/domains", { ...this.#query, limit: perPage }, signal)), isDeleted };
  });

  #known = new Loading(this, async (signal) => {
    const [[apps, android], findings, labels] = await Promise.all([
      isUnlimited() ? allApps(signal) : [[], []],
      get("/v1/findings", { limit: 1 }, signal),
      allLabels(signal),
    ]);
    return { apps, android, findings: Object.entries(findings.counts), labels };
  });

  /** How much needs somebody. To count what Apple has not fetched takes long among very many domains. */
  #trouble = new Loading(this, async (signal) => {
    const total = async (list, query = {}) => (await get(list, { ...query, limit: 1 }, signal)).total;
    const [all, failing, errors] = await Promise.all([
      total("/v1/domains"),
      total("/v1/domains", trouble.failing[1]),
      total("/v1/findings", { ...trouble.errors[1], suppressed: false }),
    ]);
    const unfetched = all <= countable && await total("/v1/domains", trouble.unfetched[1]);
    return { failing, errors, unfetched };
  });

  /** What the address asks for, as far as the list takes it. */
  get #query() {
    const own = ["q", "app", "androidApp", "finding", "label", "template", "cursor", "sort"];
    const names = [...own, ...quick.map(([name]) => name)];
    return Object.fromEntries(names.map((name) => [name, this.address.query[name]]));
  }

  get #isDeleted() {
    return this.#query.deleted === "true";
  }

  start() {
    const { sort, cursor } = this.address.query;
    const kept = parsed(() => localStorage.getItem(sortKey()));
    if (!sort && !cursor && kept) ask({ sort: kept }, { replace: true });
  }

  #type(value) {
    this.#typed = value;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.isConnected && this.#search(), pause);
  }

  #search() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    ask({ q: this.#typed.trim(), cursor: undefined }, { replace: true });
  }

  #toggle(name, value) {
    const { q, environment, [name]: current } = this.#query;
    const chosen = current === value ? undefined : value;
    // Deleted domains use no app, have no findings and are not checked.
    if (name === "deleted") go(["domains"], { q, environment, deleted: chosen });
    else ask({ [name]: chosen, cursor: undefined });
  }

  #clear() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    go(["domains"], { sort: this.#query.sort });
  }

  #move(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    /** @type {any[]} */
    const rows = [...this.querySelectorAll("a[data-row]")];
    const index = rows.indexOf(event.target);
    const next = {
      ArrowDown: index + 1,
      j: index + 1,
      ArrowUp: index - 1,
      k: index - 1,
      Home: 0,
      End: rows.length - 1,
    }[event.key];
    if (next === undefined || index < 0) return;
    event.preventDefault();
    if (next < 0) this.find("#q").select();
    else rows[next]?.focus();
  }

  render() {
    this.#list.ask(this.#query);
    this.#known.ask();
    this.#trouble.ask();
    const { value, isRunning } = this.#list;
    // What is being typed stays.
    const { q = "" } = this.#query;
    if (this.#timer === undefined && this.#typed.trim() !== q) this.#typed = q;
    const set = Object.keys(this.#query).filter((name) => !["cursor", "sort"].includes(name) && this.#query[name]);
    const isFiltered = set.length > 0;
    const isFirstStart = value?.total === 0 && !isFiltered && !isRunning;
    const add = () => addDomain((open) => this.set({ open }), this.#known);
    if (this.address.query.add && this.#known.value) ifAsked(() => mayAdd() && add());
    return [
      h(
        "div",
        { class: "headline", key: "heading" },
        h("h1", {}, text.title),
        this.#troubleLine(),
        h(
          "div",
          { class: "actions" },
          linkButton(words.pages.bulk, to(["bulk"])),
          mayAdd() && button(text.add.open, add, { kind: isFirstStart ? undefined : "primary" }),
        ),
      ),
      editsLine(draftedDomains()),
      isFirstStart ? this.#firstStart() : [
        this.#toolbar(set),
        failure(this.#known) || failure(this.#trouble),
        h(
          "div",
          { class: "section-head", key: "count" },
          h("p", { class: "quiet", role: "status" }, value && !isRunning && text.count(value, isFiltered)),
          value && !value.isDeleted && [
            !value.totalIsEstimate && this.#check(value.total),
            value.items.length > 0 && this.#chooser(value.items),
          ],
        ),
        loaded(this.#list, (list) => this.#rows(list)),
      ],
      this.open,
    ];
  }

  #troubleLine() {
    const { count: drafts, own } = approvals;
    const found = Object.entries({ ...this.#trouble.value, drafts, own }).filter(([, number]) => number > 0);
    const link = (name) => ({
      key: name,
      class: ["failing", "errors"].includes(name) ? "error" : null,
      href: to([trouble[name][0]], trouble[name][1]),
    });
    return found.length > 0 &&
      h(
        "p",
        { class: "trouble", key: "trouble" },
        found.map(([name, number], index) => [index > 0 && " · ", h("a", link(name), text.trouble[name](number))]),
      );
  }

  #firstStart = () => [
    isUnlimited("editor") ? h("aasa-welcome", { key: "welcome", done: () => this.#list.run() }) : empty(
      text.none,
      mayAdd() ? text.noneLimited(words.common.limits(reach("editor"))) : text.noneViewer,
    ),
    h("p", { key: "deleted" }, h("a", { href: to(["domains"], { deleted: "true" }) }, text.showDeleted)),
  ];

  /** `set` are the names of the filters that the address has. */
  #toolbar(set) {
    const toRows = (event) => {
      if (event.key !== "ArrowDown") return;
      event.preventDefault();
      this.find("a[data-row][tabindex='0']")?.focus();
    };
    return form(
      () => this.#search(),
      { class: "toolbar", role: "search", key: "toolbar" },
      field(text.search, {
        ...exact,
        id: "q",
        type: "search",
        maxlength: 2000,
        value: this.#typed,
        placeholder: text.searchHint,
        dir: "auto",
        on: { input: (event) => this.#type(event.target.value), keydown: toRows },
      }),
      filters(set.filter((name) => name !== "q").length, !this.#isDeleted && this.#lists(), this.#chips(set)),
    );
  }

  /** The filters of which there may be many. */
  #lists() {
    const { app, androidApp, finding = "", label = "" } = this.#query;
    const { apps = [], android = [], findings = [], labels = [] } = this.#known.value ?? {};
    return [
      isUnlimited() && listField("app", app ? `app ${app}` : androidApp ? `androidApp ${androidApp}` : "", [
        ...apps.map(({ app, name }) => [`app ${app}`, name ? text.appName(name, app) : app]),
        ...android.map(({ package: id, name = id }) => [`androidApp ${id}`, text.androidName(name, id)]),
      ], (chosen) => {
        const [kind, id] = chosen.split(" ");
        ask({ app: undefined, androidApp: undefined, cursor: undefined, ...(kind && { [kind]: id }) });
      }),
      listField(
        "finding",
        finding,
        findings.map(([code, number]) => [code, text.findingCount(code, number)]),
        (chosen) => ask({ finding: chosen, cursor: undefined }),
      ),
      (labels.length > 0 || label !== "") && listField(
        "label",
        label,
        labels.map(([one]) => [one, one]),
        (chosen) => ask({ label: chosen, cursor: undefined }),
      ),
    ];
  }

  #chips(set) {
    const { template } = this.#query;
    const shown = quick.filter(([name]) => !this.#isDeleted || ["deleted", "environment"].includes(name));
    return chips(
      text.quickFilters,
      [
        ...shown.map(([name, value]) => [
          name + value,
          name === "environment" ? words.environment[value] : text.chip[name],
          this.#query[name] === value,
          () => this.#toggle(name, value),
        ]),
        ...template
          ? [["template", text.usesTemplate(template), true, () => ask({ template: undefined, cursor: undefined })]]
          : [],
      ],
      set.length > 0 && button(text.clear, () => this.#clear(), { kind: "quiet", key: "clear" }),
    );
  }

  #rows({ items, next, total, totalIsEstimate, isDeleted }) {
    if (total === 0) {
      const said = isDeleted ? [text.noneDeleted, text.noneDeletedText] : [text.noneFound, text.noneFoundText];
      return empty(...said, button(text.clear, () => this.#clear()));
    }
    const reached = items.some((item) => item.domain === active) ? active : items[0]?.domain;
    const reach = ({ target }) => {
      active = target.dataset.row ?? active;
      this.update();
    };
    return [
      table({
        caption: text.title,
        rows: items,
        key: (item) => item.domain,
        columns: isDeleted ? this.#deletedColumns(items) : columns(items, reached),
        sorted: this.#query.sort ?? "name",
        on: { keydown: (event) => this.#move(event), focusin: reach, click: keepSort },
      }),
      cursorPages(next, totalIsEstimate ? {} : { shown: items.length, total, perPage }),
    ];
  }

  #check(total) {
    const { cursor: _, sort: __, ...filter } = this.#query;
    return checkMany(total, ["/v1/domains", filter], () => this.#list.run());
  }

  #chooser(items) {
    const shown = new Set(shownColumns(items));
    // Only what the person has chosen: other columns come and go with what the list has.
    const change = ({ target }) => {
      const chosen = { ...chosenColumns(), [target.id.replace("column-", "")]: target.checked };
      keep(columnsKey(), chosen);
      this.update();
    };
    const close = (event) => {
      if (!event.currentTarget.contains(event.relatedTarget)) event.currentTarget.open = false;
    };
    const press = (event) => {
      if (event.key !== "Escape" || !event.currentTarget.open) return;
      event.currentTarget.open = false;
      event.currentTarget.firstChild.focus();
    };
    return h(
      "details",
      { class: "chooser", key: "columns", on: { focusout: close, keydown: press } },
      h("summary", {}, text.columns),
      h(
        "div",
        { class: "sheet", tabindex: -1, on: { change } },
        choices(shown, Object.keys(cells).map((name) => [name, text[name]]), "column-"),
      ),
    );
  }

  #deletedColumns(items) {
    const restore = (item) =>
      mayEditDomain(item.domain, item.labels) && button(
        text.restore.button,
        () => this.set({ open: restoring(item, this.close, () => this.#list.run()) }),
        { "aria-label": text.restore.title(item.domain) },
      );
    return [
      [text.domain, (item) => [h("bdi", {}, item.domain), unicode(item)]],
      items.some(cells.environment) && [text.environment, (item) => words.environment[item.environment]],
      [text.lastRevision, (item) => count(item.revision)],
      [text.deletedAt, (item) => time(item.deletedAt)],
      may("editor") && [text.restore.column, restore, "no-title"],
    ].filter(Boolean);
  }
}

/** The domains with edits of the person, which may be on other pages of the list. */
function editsLine(names) {
  return names.length > 0 &&
    h(
      "div",
      { class: "edits", key: "edits" },
      text.edits,
      domainNames(names.slice(0, fewEdits)),
      names.length > fewEdits && h(
        "details",
        { key: "more" },
        h("summary", {}, words.templates.andMore(names.length - fewEdits)),
        domainNames(names.slice(fewEdits)),
      ),
    );
}

/** A list of choices, which may not have the current one yet, or no longer. */
function listField(name, current, options, choose) {
  const isKnown = current === "" || options.some(([value]) => value === current);
  const all = [["", text.any[name]], ...isKnown ? [] : [[current, current.split(" ").at(-1)]], ...options];
  return field(text[name], {
    id: name,
    tag: "select",
    value: current,
    options: all,
    on: { change: ({ target }) => choose(target.value) },
  });
}

/** What columns say of a domain, in their order, unless it is what they say of most domains. */
const cells = {
  environment: ({ environment: one }) => one !== "production" && (words.environment[one] ?? one),
  revision: (item) => [count(item.revision), quiet(" · ", time(item.updatedAt))],
  findings: ({ findings }) =>
    !findings ? quiet(words.common.unknown) : severities.some((one) => findings[one] > 0) && findingCounts(findings),
  apple: ({ apple }) => apple && appleCopy(apple),
  android: ({ enabled, documents, keptStatements }) =>
    enabled && documents.includes("assetlinks.json") &&
    [text.published, keptStatements && [" ", badge(text.kept, "note")]],
  check: ({ check }) => check && checkStatus(check.status),
  certificate,
};

/** What they say of most domains, and of those that are not served or have no such file. */
const usually = (column, { enabled, apple }) =>
  text.usually[
    !["apple", "android"].includes(column)
      ? column
      : !enabled
      ? "off"
      : column === "apple" && !apple
      ? "android"
      : column
  ];

/** Keeps how the person has sorted the list. */
function keepSort({ target }) {
  if (target.closest(".sort")) keep(sortKey(), here().query.sort);
}

const sortKey = () => `aasa.sort ${session.name}`;

const columnsKey = () => `aasa.columns ${session.name}`;

/** Which columns the person has chosen to see, and which not. */
const chosenColumns = () => parsed(() => localStorage.getItem(columnsKey())) ?? {};

/** The columns that the person has chosen, and of the others those that say something of a domain on the page. */
function shownColumns(items) {
  const chosen = chosenColumns();
  return Object.keys(cells).filter((name) => chosen[name] ?? items.some((item) => cells[name](item)));
}

function columns(items, reached) {
  const name = (item) => [
    h("a", {
      href: to(["domains", item.domain]),
      "data-row": item.domain,
      tabindex: item.domain === reached ? 0 : -1,
    }, h("bdi", {}, item.domain)),
    unicode(item),
    !item.enabled && [" ", badge(text.disabled, "warning")],
    storedDraft(item.domain) && [" ", badge(text.draft, "note")],
    item.template && [" ", filterChip("template", item.template, text.onlyTemplate, item.domain === reached)],
    (item.labels ?? []).map((label) => [" ", filterChip("label", label, text.only, item.domain === reached)]),
  ];
  // A long name must not break the words beside it.
  return [
    [text.domain, name, null, "name"],
    ...shownColumns(items).map((column) => [
      text[column],
      (item) => cells[column](item) || quiet(usually(column, item)),
      "whole",
      column === "revision" && "updated",
    ]),
  ];
}

/** A chip that filters the list. Only those of the row that Tab reaches are reached, too. */
const filterChip = (name, value, say, isReached) => (
  h("button", {
    type: "button",
    class: "chip",
    key: `${name} ${value}`,
    title: say(value),
    tabindex: isReached ? 0 : -1,
    on: { click: () => ask({ [name]: value, cursor: undefined }) },
  }, value)
);

/** The name in its own script, beside the one that is never mistaken for another. */
const unicode = (item) => item.unicode && item.unicode !== item.domain && quiet(" ", h("bdi", {}, item.unicode));

function certificate({ check }) {
  const expires = check?.certificateExpires;
  if (!expires) return false;
  const days = Math.floor((Date.parse(expires) - Date.now()) / 86400000);
  const said = days < 0
    ? badge(text.expired, "error")
    : days < daysToWarn
    ? badge(text.daysLeft(days), "warning")
    : text.days(days);
  return h("time", { datetime: expires, title: day(expires) }, said);
}

class Welcome extends View {
  /** Shows the domains. */ done;
  hasImported = false;
  #trying = new Loading(this, async () => {
    const { value } = await request("GET", new URL("../example.json", import.meta.url).pathname);
    await request("POST", "/v1/apply", { body: value, query: { reason: text.welcome.exampleReason } });
    say(text.welcome.exampleDone);
    go(["domains", "example.com"]);
  });

  render() {
    const { isRunning } = this.#trying;
    const { intro, example, exampleText, exampleButton } = text.welcome;
    return [
      !this.hasImported &&
      [
        h("p", { key: "intro", class: "quiet" }, intro),
        h(
          "section",
          { class: "sheet", key: "example" },
          h("h2", {}, example),
          h("p", {}, exampleText),
          failure(this.#trying),
          button(exampleButton, () => this.#trying.run(), { kind: "primary", disabled: isRunning }),
        ),
      ],
      h("aasa-bulk-import", { key: "import", on: { published: () => this.set({ hasImported: true }) } }),
      this.hasImported && button(words.pages.toDomains, () => this.done(), { kind: "primary", key: "all" }),
    ];
  }
}

define({ "aasa-domains": Domains, "aasa-welcome": Welcome });
