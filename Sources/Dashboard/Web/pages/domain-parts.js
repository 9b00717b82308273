// What the pages of a domain share: their head, names of apps, routes in words, findings and changes.

import { get, path, request } from "../api.js";
import {
  asHere,
  badge,
  button,
  closeButton,
  coded,
  empty,
  exactTime,
  findingHead,
  form,
  h,
  icon,
  linkButton,
  mono,
  pointers,
  quiet,
  resolution,
  submit,
  suggestions,
  tabs,
  time,
  View,
} from "../parts.js";
import { to } from "../routing.js";
import { isUnlimited, Loading, mayEditDomain, say, undoLink } from "../state.js";
import { duration, words } from "../words.js";
import { storedDraft } from "./draft.js";
import { confirmation, left } from "./plan.js";

const w = words.domain;

/** The heading and the tabs of a domain, with the current one. What it says is loaded again when `fresh` changes.
 * `restored` is called when a deleted domain is there again; `isGone` says that the page has nothing else to show. */
export const domainHeader = (name, current, fresh = undefined, { restored = () => {}, isGone = false } = {}) => (
  h("aasa-domain-header", { key: "header", name, current, fresh, restored, isGone })
);

/** The dialog that restores a deleted domain, an item of the list; `done` is called after that. */
export function restoring({ domain, revision, enabled }, close, done) {
  const text = words.domains.restore;
  const ask = async (reason) => {
    const { value } = await request("POST", path`/v1/domains/${domain}/restore`, { query: { reason } });
    close();
    say(text.done(domain), "ok", undoLink(value.change));
    done();
  };
  return confirmation({
    title: text.title(domain),
    label: text.button,
    kind: "primary",
    ask,
    text: [text.text(revision), " ", enabled === false && text.disabled],
    close,
  });
}

class DomainHeader extends View {
  name;
  current;
  fresh;
  restored;
  isGone = false;
  #summary = new Loading(this, async (signal) => {
    const find = async (query) =>
      (await get("/v1/domains", { ...query, limit: 50 }, signal)).items
        .find((one) => one.domain === this.name);
    return await find({ host: this.name }) ?? await find({ q: this.name, deleted: true });
  });
  /** Who deleted the domain. */
  #deletion = new Loading(this, async (signal) => (
    (await get("/v1/changes", { domain: this.name, limit: 1 }, signal)).items[0]
  ));
  /** What protects the domain, such as a `label`, and the `drafts` that wait for approval. */
  #protection = new Loading(this, async (signal) => {
    const [own, { labels: protecting }, drafts] = await Promise.all([
      get(path`/v1/domains/${this.name}`, {}, signal),
      get("/v1/protected-labels", {}, signal),
      get("/v1/drafts", { status: "open", domain: this.name, limit: 10 }, signal),
    ]);
    const label = own.labels?.find((one) => protecting.includes(one));
    return { isProtected: own.protected || label !== undefined, label, drafts: drafts.items };
  });

  /** That a second person must approve changes, and the drafts that wait for one. */
  #approval() {
    const { isProtected, label, drafts = [] } = this.#protection.value ?? {};
    return [
      isProtected && badge(w.protected, "note", { key: "protected", title: w.protectedText(label) }),
      drafts.map(({ id, author }) =>
        h("a", { key: `draft ${id}`, class: "badge warning", href: to(["drafts", id]) }, w.waits(id, author))
      ),
    ];
  }

  /** That the domain is deleted, by whom, and the way back. */
  #deleted() {
    const { value } = this.#summary;
    if (!value?.deletedAt) return false;
    this.#deletion.ask(this.name, value.deletedAt);
    const { author, reason } = this.#deletion.value ?? {};
    const restore = () =>
      this.set({
        open: restoring(value, this.close, () => {
          this.#summary.run();
          this.restored();
        }),
      });
    return h(
      "div",
      { class: "box warning", key: "deletion" },
      h(
        "div",
        { class: "section-head" },
        h(
          "p",
          {},
          w.deleted(exactTime(value.deletedAt), author && h("bdi", {}, author), reason && h("bdi", {}, reason)),
        ),
        mayEditDomain(this.name, value.labels) && button(words.domains.restore.button, restore, { key: "restore" }),
      ),
    );
  }

  render() {
    const { name, current } = this;
    this.#summary.ask(name, this.fresh);
    this.#protection.ask(name, this.fresh);
    const { unicode, environment, enabled, revision, updatedAt, deletedAt, check, apple } = this.#summary.value ?? {};
    const isFailing = check?.status === "failing" && badge(words.checks.status.failing, "error");
    const tab = (key) => [
      key,
      [w.tabs[key], key === "checks" && isFailing && [" ", isFailing]],
      to(["domains", name, ...(key === "routes" ? [] : [key])]),
    ];
    return [
      h(
        "div",
        { class: "domain-head", key: "head" },
        h("h1", { key: "h1" }, h("bdi", {}, name)),
        unicode && h("bdi", { key: "unicode" }, unicode),
        [undefined, "production"].includes(environment) ||
          badge(words.environment[environment], "quiet", { key: "environment" }),
        mayEditDomain(name) && storedDraft(name) && badge(words.domains.draft, "note", { key: "draft" }),
        this.#approval(),
        deletedAt
          ? badge(words.bulk.action.delete, "warning", { key: "deleted" })
          : enabled === false && badge(w.disabled, "warning", { key: "disabled" }),
        revision &&
          quiet(
            enabled && !deletedAt ? w.serves(revision) : w.changed(revision, deletedAt),
            " ",
            time(deletedAt ?? updatedAt),
          ),
        apple && quiet(words.domains.apple, ": ", appleCopy(apple) || words.domains.usually.apple),
      ),
      tabs(w.tabsLabel, ["routes", "settings", "try", "history", "checks"].map(tab), current),
      this.#deleted(),
      this.isGone && !this.#summary.isRunning && !this.#summary.value && empty(
        w.gone.title,
        w.gone.text,
        linkButton(words.domains.showDeleted, to(["domains"], { deleted: "true" })),
        linkButton(w.tabs.history, to(["domains", name, "history"])),
      ),
      this.open,
    ];
  }
}

export const appleCopy = ({ collected, behind }) =>
  collected
    ? badge(words.domains.copy.current, "ok")
    : behind !== null && badge(words.domains.copy.behind(behind), "warning");

/** The display names of the apps, by ID: those of the first page of each list, and those that the domain uses. */
export async function loadNames({ entries, webcredentials }, signal) {
  // Tokens that are limited to domains cannot read apps.
  if (!isUnlimited()) return { apple: new Map(), android: new Map() };
  const load = async (list, member, used) => {
    const { items, next } = await get(list, { limit: 200 }, signal);
    const names = new Map(items.map((one) => [one[member], one.name]));
    const missing = next ? used.filter((id) => !names.has(id)).slice(0, 20) : [];
    const add = async (id) => names.set(id, (await get(`${list}/${encodeURIComponent(id)}`, {}, signal)).name);
    await Promise.allSettled(missing.map(add));
    return names;
  };
  const [apple, android] = await Promise.all([
    load("/v1/apps", "app", entries.flatMap((entry) => entry.apps).concat(webcredentials)),
    load("/v1/android-apps", "package", entries.flatMap((entry) => entry.androidApps ?? [])),
  ]);
  return { apple, android };
}

/** The names of apps where no domain says which: those of the first page of each list. */
export const appNames = (signal) => loadNames({ entries: [], webcredentials: [] }, signal);

export const allApps = (signal) =>
  Promise.all(["/v1/apps", "/v1/android-apps"].map(async (list) => (await get(list, { limit: 1000 }, signal)).items));

/** The labels that domains have, for `suggestions`. */
export const allLabels = async (signal) => (
  (await get("/v1/labels", { limit: 1000 }, signal)).items.map(({ label }) => [label])
);

/** The ID of the app with a name, or else what was typed. */
export const byName = (typed, names = new Map()) => (
  names.has(typed) ? typed : [...names].find(([, name]) => name === typed)?.[0] ?? typed
);

export const appName = (id, name) => [
  name && [h("bdi", { class: "app-name", key: "name" }, name), " "],
  h("span", { class: name ? "mono quiet" : "mono", key: "id" }, id),
];

/** A list of apps. With `change`, which gets the new list, apps can be removed and added; `names` are suggested.
 * @param {{ id: string, platform: string, list: string[], names: Map<string, string>, none: string,
 *   change?: (list: string[]) => void }} options */
export function appList({ id, platform, list, names, none, change }) {
  const add = ({ app }, element) => {
    const value = byName(app.trim(), names);
    if (value === "") return;
    element.reset();
    if (!list.includes(value)) change([...list, value]);
  };
  return h(
    "div",
    { class: "app-list", key: id },
    list.length === 0 ? quiet(none) : h(
      "ul",
      { class: "plain", key: "list" },
      list.map((app) =>
        h(
          "li",
          { key: app, class: "app" },
          h("span", {}, appName(app, names?.get(app))),
          change && closeButton(w.removeApp(names?.get(app) || app), () => change(list.filter((one) => one !== app))),
        )
      ),
    ),
    change &&
      form(
        add,
        { class: "field", key: "add" },
        h("label", { for: id }, w.addApp[platform]),
        h(
          "div",
          { class: "pair" },
          h("input", {
            id,
            name: "app",
            list: `${id}-list`,
            spellcheck: "false",
            autocomplete: "off",
            "aria-describedby": `${id}-help`,
          }),
          submit(words.common.add),
        ),
        suggestions(`${id}-list`, [...(names ?? [])].filter(([app]) => !list.includes(app))),
        h("p", { class: "help", id: `${id}-help` }, w.addAppHelp[platform]),
      ),
  );
}

/** The conditions on the query: one pattern for all of it, or one for each parameter. */
const queryTexts = ({ query = [] }) => (
  typeof query === "string" ? [query] : Object.entries(query).map(([name, value]) => `${name}=${value}`)
);

export function routeText(route) {
  const query = queryTexts(route).join("&");
  return cut((route.path ?? "*") + (query && `?${query}`) + (route.fragment === undefined ? "" : `#${route.fragment}`));
}

export const cut = (text) => text.length > 80 ? text.slice(0, 79) + "…" : text;

export const flags = (values) => (
  Object.keys(w.flags).filter((name) => values?.[name] !== undefined).map((name) => w.flags[name][values[name]])
);

export function conditions(route) {
  const named = (name, text) => h("span", { key: name + text }, quiet(name), " ", h("code", {}, text));
  return [
    h("code", { class: "path", key: "path" }, route.path ?? quiet(w.anyPath)),
    queryTexts(route).map((text) => named(w.query, text)),
    route.fragment !== undefined && named(w.fragment, route.fragment),
    flags(route).map((text) => badge(text, "quiet", { key: text })),
  ];
}

/** Where a pointer leads: `{ entry, route, android }`, as far as there is one. */
export function place(pointer, document, { entries }) {
  const [first, second, third, fourth, fifth] = pointer.split("/").slice(1);
  if (first === "entries") {
    return { entry: entries[second], route: third === "routes" && entries[second]?.routes[fourth] };
  }
  if (document === "assetlinks.json") {
    const app = statementApps({ entries })[first];
    return { entry: app && entries.find((entry) => entry.androidApps?.includes(app)), android: true };
  }
  if (first !== "applinks" || second !== "details") return {};
  // Entries for Android alone are not in Apple's file. Its older form has an object by app.
  const apple = entries.filter((one) => one.apps.length > 0 || !one.androidApps?.length || one.extra || one.appID);
  const entry = apple[third] ?? entries.find((one) => one.apps.includes(third));
  return { entry, route: ["components", "paths"].includes(fourth) && entry?.routes[fifth] };
}

/** The Android apps of the statements that a domain publishes, in their order: those of entries, those that only share
 * passwords, and those of kept statements. */
const statementApps = ({ entries, androidCredentials = [], assetlinksExtra = [] }) => [
  ...new Set([...entries.flatMap((entry) => entry.androidApps ?? []), ...androidCredentials]),
  ...assetlinksExtra.map(({ target }) => target?.package_name),
];

/** A message of the API as this page says it: pointers of a domain, or without it of some other file, in words. */
export function inWords(text, domain = undefined) {
  const say = (all, pointer) => {
    const { entry, route } = place(pointer, undefined, domain);
    const number = domain.entries.indexOf(entry) + 1;
    return !entry ? all : route ? w.routeAt(entry.routes.indexOf(route) + 1, number) : w.entryAt(number);
  };
  return domain ? asHere(text.replace(pointers, say), statementApps(domain)) : asHere(text);
}

/** Android apps that routes of Apple apps do not reach: those of kept statements, and those in entries without routes
 * where the manifests of the apps decide. */
export function apartAndroid({ entries, assetlinksExtra = [], dynamicAppLinks }) {
  const named = new Set(entries.filter((one) => !isOnlyManifests(one)).flatMap((one) => one.androidApps ?? []));
  const kept = assetlinksExtra.filter(({ relation }) => Array.isArray(relation) && relation.includes(handlesLinks))
    .map(({ target }) => target?.package_name);
  const others = dynamicAppLinks === false ? entries.filter(isOnlyManifests).flatMap((one) => one.androidApps) : [];
  const own = (apps) => [...new Set(apps)].filter((app) => typeof app === "string" && !named.has(app));
  return { kept: own(kept), others: own(others) };
}

export const keptList = (text, apps, names) => (
  apps.length > 0 && h(
    "div",
    { key: text },
    h("p", { class: "quiet", key: "text" }, text),
    plainList(apps, (app) => appName(app, names?.android.get(app)), { "aria-label": text }),
  )
);

/** Changes a domain so that an entry’s routes are for the Android apps, too, that they do not reach. */
export function useForAndroid(domain, entry) {
  const { kept, others } = apartAndroid(domain);
  const apps = [...kept, ...others];
  const own = [handlesLinks, sharesCredentials];
  const sharing = [];
  const statements = (domain.assetlinksExtra ?? []).flatMap((one) => {
    const app = one.target?.package_name;
    if (!apps.includes(app) || !Array.isArray(one.relation)) return [one];
    if (one.relation.includes(sharesCredentials)) sharing.push(app);
    // Rows say nothing of other relations.
    const { relation_extensions: _rules, ...rest } = one;
    const relation = one.relation.filter((name) => !own.includes(name));
    return relation.length > 0 ? [{ ...rest, relation }] : [];
  });
  entry.androidApps = [...new Set([...(entry.androidApps ?? []), ...apps])];
  domain.assetlinksExtra = statements.length > 0 ? statements : undefined;
  if (sharing.length > 0) {
    domain.androidCredentials = [...new Set([...(domain.androidCredentials ?? []), ...sharing])];
  }
  if (others.length > 0) domain.entries = domain.entries.filter((one) => !isOnlyManifests(one));
  domain.dynamicAppLinks = undefined;
}

const handlesLinks = "delegate_permission/common.handle_all_urls";
const sharesCredentials = "delegate_permission/common.get_login_creds";
export const isForApple = (one) => one.apps.length > 0 || Boolean(one.appID);

const isOnlyManifests = (one) => !isForApple(one) && one.routes.length === 0 && one.androidApps?.length > 0;

export const plainList = (items, show, properties = {}) => (
  h("ul", { class: "plain", ...properties }, items.map((one, index) => h("li", { key: index }, show(one))))
);

export function findingList(findings, domain = undefined, key = "findings") {
  const say = (text) => coded(inWords(text, domain));
  return findings.length > 0 && plainList(findings, (one) => [
    findingHead(one),
    one.suppressed && [" ", badge(w.suppressed)],
    h("div", { dir: "auto" }, say(one.message)),
    h("div", { class: "quiet" }, say(one.help)),
    one.url && h("div", { class: "help" }, mono(one.url)),
    one.where && h("div", { class: "help" }, one.where),
    one.appleCode && h("div", { class: "help" }, words.checks.appleCode, " ", h("code", {}, one.appleCode)),
  ], { class: "plain findings", key });
}

export const foldedFindings = (title, findings, domain = undefined, most = findings.length) =>
  findings.length > 0 &&
  h(
    "details",
    { key: "folded" },
    h("summary", {}, title),
    findingList(findings.slice(0, most), domain),
    left("more", findings.length - most),
  );

/** What a change may be about that no file shows. */
const settings = new Set([
  "domain",
  "alias",
  "enabled",
  "cacheSeconds",
  "environment",
  "strict",
  "protected",
  "label",
  "managedBy",
  "template",
  "parameter",
  "changePassword",
  "fallback",
  "expectation",
]);

/** Changes with their `examples`. Those of Android's rules for a route are part of the route's. */
export function byRoute(changes) {
  const routes = new Map();
  return changes.map((one) => ({ ...one, examples: [one.example, ...one.moreExamples ?? []].filter(Boolean) })).filter(
    (one) => {
      const path = (one.after ?? one.before)?.["/"] ?? "";
      const key = `${one.kind} ${path.replace(/\/?\*?$/, "")}`;
      const route = routes.get(key);
      if (one.what === "route" && !route) routes.set(key, one);
      if (one.what !== "rule" || !route) return true;
      route.affectsLinks ||= one.affectsLinks;
      if (!route.examples.some(({ app }) => one.apps?.includes(app))) route.examples.push(...one.examples);
      return false;
    },
  );
}

/** Settings of which the API's words are those of programs. */
const ours = ["cacheSeconds", "environment", "strict", "protected", "managedBy", "changePassword"];

/** A change in words. */
export function settingChange(/** @type {any} */ { what, before, after, summary }) {
  const said = (one) =>
    what === "cacheSeconds" && one !== undefined
      ? duration(one)
      : typeof one === "boolean"
      ? words.common[one ? "yes" : "no"]
      : one ?? words.common.none;
  return ours.includes(what) ? `${w.settings[what]}: ${said(before)} → ${said(after)}` : summary;
}

/** Changes in words, by what they do, each with URLs that show its effect. */
export function changeList({ changes, moreChanges = 0 }, names, most = 100) {
  const shown = byRoute(changes.slice(0, most));
  const groups = Object.groupBy(
    shown,
    ({ affectsLinks, what }) =>
      affectsLinks ? "links" : settings.has(what) ? "settings" : affectsLinks === undefined ? "unknown" : "documents",
  );
  const change = ({ examples, ...one }) => [h("bdi", {}, coded(settingChange(one))), effectList(examples, names)];
  const more = moreChanges + Math.max(0, changes.length - most);
  return [
    changes.length === 0 && h("p", { class: "quiet", key: "none" }, w.draft.noEffects),
    ["links", "unknown", "documents", "settings"].map((name) =>
      groups[name] &&
      h(
        "div",
        { key: name },
        h("p", { class: "group" }, w.draft.groups[name]),
        plainList(groups[name], change, { class: "plain changes" }),
      )
    ),
    more > 0 && h("p", { key: "more" }, w.draft.more(more)),
  ];
}

/** URLs that resolve differently, a line for each result: what it was, what it is, and for which apps. */
export function effectList(examples, names) {
  const lines = Map.groupBy(examples, ({ url, before, after }) => [url, before, after].join(" "));
  return [...lines].map(([key, all]) => h("div", { key }, effect(all, names)));
}

export function effect(all, names) {
  const [{ url, before, after }] = all;
  const kind = ({ platform }) => platform === "android" ? "android" : "apple";
  const apps = Map.groupBy(all, (one) => names?.[kind(one)].get(one.app) || one.app);
  const on = (one) => [icon(kind(one)), h("span", { class: "hidden" }, words.try.platform[one.platform])];
  // Several apps may have the same name, and one of both platforms mostly has.
  const icons = (of) => [...new Map(of.map((one) => [kind(one), on(one)])).values()];
  const ids = (of, name) => [...new Set(of.map(({ app }) => app))].filter((id) => id !== name).join(", ");
  return [
    h("code", { title: url }, cut(url.replace("https://", ""))),
    " ",
    h(
      "span",
      { class: "whole" },
      quiet(words.resolution[before], " → "),
      before === "match" ? badge(words.resolution[after], "error") : resolution(after),
    ),
    [...apps].slice(0, 5).map(([name, of]) => [
      " ",
      h("span", { class: "short quiet" }, icons(of), " ", h("bdi", { title: ids(of, name) || null }, cut(name))),
    ]),
    apps.size > 5 && quiet(words.templates.andMore(apps.size - 5)),
  ];
}

customElements.define("aasa-domain-header", DomainHeader);
