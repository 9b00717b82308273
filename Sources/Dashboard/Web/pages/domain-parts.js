// What the parts of a domain's page share: names of apps, routes in words, findings and changes.

import { get, path } from "../api.js";
import { h } from "../dom.js";
import { badge, button, form, resolution } from "../parts.js";
import { words } from "../words.js";

const w = words.domain;

/** The display names of the apps, by ID: those of the first page of each list, and those that the domain uses. */
export async function loadNames(domain, signal) {
  const [apps, packages] = await Promise.all([get("/v1/apps", { limit: 200 }, signal), get("/v1/android-apps", { limit: 200 }, signal)]);
  const names = {
    apple: new Map(apps.items.map((one) => [one.app, one.name])), android: new Map(packages.items.map((one) => [one.package, one.name])),
  };
  const missing = (ids, known) => [...new Set(ids)].filter((id) => !known.has(id)).slice(0, 20);
  await Promise.all([
    apps.next && missing(domain.entries.flatMap((entry) => entry.apps).concat(domain.webcredentials), names.apple)
      .map(async (id) => names.apple.set(id, (await get(path`/v1/apps/${id}`, {}, signal)).name)),
    packages.next && missing(domain.entries.flatMap((entry) => entry.androidApps ?? []), names.android)
      .map(async (id) => names.android.set(id, (await get(path`/v1/android-apps/${id}`, {}, signal)).name)),
  ].flat().map((one) => Promise.resolve(one).catch(() => {})));
  return names;
}

/** The name of an app, and its ID. */
export function appName(id, name) {
  return [name && h("bdi", { class: "app-name", key: "name" }, name), name && " ", h("span", { class: name ? "mono quiet" : "mono", key: "id" }, id)];
}

/**
 * A list of apps. With `change`, which gets the new list, apps can be removed and added; `names` are suggested.
 *
 * @param {{ id: string, label: string, help: string, list: string[], names: Map<string, string>, none: string,
 *   change?: (list: string[]) => void }} options
 */
export function appList({ id, label, help, list, names, none, change }) {
  const add = ({ app }, element) => {
    const value = app.trim();
    if (value === "") return;
    element.reset();
    if (!list.includes(value)) change([...list, value]);
  };
  const remove = (event, app) => {
    // The button goes, the focus stays near.
    event.target.closest(".app-list").querySelector("input").focus();
    change(list.filter((one) => one !== app));
  };
  return h(
    "div", { class: "app-list", key: id },
    list.length === 0
      ? h("p", { class: "quiet", key: "none" }, none)
      : h("ul", { class: "plain", key: "list" }, list.map((app) => h(
        "li", { key: app, class: "app" }, h("span", {}, appName(app, names?.get(app))),
        change && h("button", {
          type: "button", class: "close", "aria-label": w.removeApp(names?.get(app) || app), on: { click: (event) => remove(event, app) },
        }, "×")))),
    change && form(
      add, { class: "field", key: "add" }, h("label", { for: id }, label),
      h(
        "div", { class: "pair" },
        h("input", { id, name: "app", list: `${id}-list`, spellcheck: "false", autocomplete: "off", "aria-describedby": `${id}-help` }),
        h("button", { type: "submit", class: "button" }, words.common.add)),
      h("datalist", { id: `${id}-list` }, [...(names ?? [])].filter(([app]) => !list.includes(app)).map(([app, name]) => h("option", { key: app, value: app }, name))),
      h("p", { class: "help", id: `${id}-help` }, help)));
}

/** A route in a few words, for labels and messages. */
export function routeText(route) {
  const { query } = route;
  const items = typeof query === "object" ? Object.entries(query).map(([name, value]) => `${name}=${value}`).join("&") : query;
  const text = (route.path ?? "*") + (items === undefined ? "" : `?${items}`) + (route.fragment === undefined ? "" : `#${route.fragment}`);
  return cut(text);
}

/** A text of at most 80 characters. */
export function cut(text) {
  return text.length > 80 ? text.slice(0, 79) + "…" : text;
}

/** The flags of a route or of defaults, in words. */
export function flags(values) {
  return Object.keys(w.flags).filter((name) => typeof values?.[name] === "boolean").map((name) => w.flags[name][values[name]]);
}

/** The conditions of a route. */
export function conditions(route) {
  const { query, fragment } = route;
  const items = typeof query === "object" ? Object.entries(query) : [];
  return [
    h("code", { class: "path", key: "path" }, route.path ?? h("span", { class: "quiet" }, w.anyPath)),
    typeof query === "string" && h("span", { key: "query" }, h("span", { class: "quiet" }, w.query), " ", h("code", {}, query)),
    items.map(([name, value]) => h("span", { key: `q${name}` }, h("span", { class: "quiet" }, w.query), " ", h("code", {}, `${name}=${value}`))),
    fragment !== undefined && h("span", { key: "fragment" }, h("span", { class: "quiet" }, w.fragment), " ", h("code", {}, fragment)),
    flags(route).map((text) => badge(text, "quiet", { key: text })),
  ];
}

/** Entries that Apple's file has, in its order. */
function appleEntries(domain) {
  return domain.entries.filter((entry) => entry.apps.length > 0 || !entry.androidApps?.length || entry.extra || entry.appID);
}

/** Where a pointer leads: `{ entry, route, android }`, as far as there is one. */
export function place(pointer, document, domain) {
  const parts = pointer.split("/").slice(1);
  const at = (entry, index) => ({ entry, route: entry?.routes[index] });
  if (parts[0] === "entries") return at(domain.entries[parts[1]], parts[2] === "routes" ? parts[3] : undefined);
  if (parts[0] === "applinks" && parts[1] === "details" && document !== "assetlinks.json") {
    const entry = appleEntries(domain)[parts[2]] ?? domain.entries.find((one) => one.apps.includes(parts[2]));
    return at(entry, ["components", "paths"].includes(parts[3]) ? parts[4] : undefined);
  }
  if (document === "assetlinks.json" && /^\d+$/.test(parts[0])) {
    // The statements stand in the order in which the entries name their apps.
    const app = [...new Set(domain.entries.flatMap((entry) => entry.androidApps ?? []))][parts[0]];
    return { entry: domain.entries.find((entry) => entry.androidApps?.includes(app)), android: true };
  }
  return {};
}

/** A message of the API with its pointers in words. */
export function inWords(text, domain) {
  const number = (entry) => domain.entries.indexOf(entry) + 1;
  return text
    .replace(/(?:route )?(?:\/applinks\/details\/(\d+)(?:\/(?:components|paths)\/(\d+))?|\/entries\/(\d+)\/routes\/(\d+))/g, (pointer) => {
      const { entry, route } = place(pointer.replace("route ", ""), undefined, domain);
      return !entry ? pointer : route ? w.routeAt(entry.routes.indexOf(route) + 1, number(entry)) : w.entryAt(number(entry));
    })
    .replace(/\/\d+\/relation_extensions\/\S+?\/dynamic_app_link_components\/(\d+)/g, (_, index) => w.ruleAt(Number(index) + 1));
}

/** Findings: how bad, what, and what to do. */
export function findingList(findings, domain, properties = {}) {
  if (findings.length === 0) return null;
  return h("ul", { class: "plain findings", ...properties }, findings.map((one, index) => h(
    "li", { key: `${one.code}${index}` },
    badge(words.severity[one.severity], one.severity), " ",
    one.suppressed && [badge(w.suppressed), " "],
    withCode(inWords(one.message, domain)), " ", h("span", { class: "quiet" }, withCode(inWords(one.help, domain))))));
}

/** A text of the API, with what stands between backticks as code. */
function withCode(text) {
  return text.split("`").map((part, index) => (index % 2 === 1 ? h("code", { key: index }, part) : part));
}

/** Changes in words, with a URL that shows each effect. Those that affect links come first. */
export function changeList(diff, names, most = 100) {
  const shown = diff.changes.slice(0, most);
  const list = (changes) => h("ul", { class: "plain changes" }, changes.map((change, index) => h(
    "li", { key: index }, change.summary,
    change.example && h("div", { class: "example" }, effect(change.example, names)))));
  const other = shown.filter((change) => change.affectsLinks === false);
  const links = shown.filter((change) => change.affectsLinks !== false);
  const more = (diff.moreChanges ?? 0) + diff.changes.length - shown.length;
  return [
    diff.changes.length === 0 && h("p", { class: "quiet", key: "none" }, w.draft.noEffects),
    links.length > 0 && h("div", { key: "links" }, h("h4", {}, w.draft.links), list(links)),
    other.length > 0 && h("div", { key: "other" }, h("h4", {}, w.draft.other), list(other)),
    more > 0 && h("p", { key: "more" }, w.draft.more(more)),
  ];
}

/** A URL that resolves differently: for which app, before and after. */
export function effect({ url, platform, app, before, after }, names) {
  const name = names?.[platform === "android" ? "android" : "apple"].get(app) || app;
  return [
    h("code", { title: url }, cut(url)), " ", h("span", { class: "quiet" }, h("bdi", {}, cut(name)), ": "),
    h("span", { class: "hidden" }, w.draft.before), " ", resolution(before), " → ", h("span", { class: "hidden" }, w.draft.after), " ", resolution(after),
  ];
}

/** A small button with a sign; its label says what it does. */
export function iconButton(sign, label, press, rest = {}) {
  return button(h("span", { "aria-hidden": "true" }, sign), press, { kind: "quiet", "aria-label": label, title: label, ...rest });
}
