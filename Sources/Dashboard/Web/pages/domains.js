// All domains: what a person sees at a glance, and searches.

import { get, path, request } from "../api.js";
import { h, View } from "../dom.js";
import { count, day } from "../format.js";
import {
  badge, button, dialog, empty, field, findingCounts, form, loaded, pages, problemBox, table, time,
} from "../parts.js";
import { ask, to } from "../routing.js";
import { isUnlimited, Loading, may, say, session } from "../state.js";
import { words } from "../words.js";
import { exact, hostName } from "./domains-add.js";
import "./welcome.js";

const text = words.domains;
const perPage = 50;
const pause = 250;
const daysToWarn = 14;

/** The row that had the focus last: who comes back from a domain continues there. */
let active;

/** The parameters of the address that are also those of `GET /v1/domains`. */
const filters = ["q", "environment", "app", "androidApp", "finding", "check", "collected", "enabled", "deleted"];

/** What each chip asks for. */
const chips = [
  ["environment", "production"], ["environment", "staging"], ["environment", "development"],
  ["check", "failing"], ["collected", "false"], ["enabled", "false"], ["deleted", "true"]];

class Domains extends View {
  #address = { parts: [], query: {} };
  #typed = "";
  #timer;
  #focusesRow = false;
  #isAdding = false;
  #restoring;

  #list = new Loading(this, (signal) => get("/v1/domains", {
    ...this.#filters(), q: asStored(this.#address.query.q), cursor: this.#address.query.cursor, limit: perPage,
  }, signal));

  #choices = new Loading(this, async (signal) => {
    const [apps, android, findings] = await Promise.all([
      get("/v1/apps", { limit: 1000 }, signal), get("/v1/android-apps", { limit: 1000 }, signal),
      get("/v1/findings", { limit: 1 }, signal)]);
    return { apps: apps.items, android: android.items, findings: Object.entries(findings.counts) };
  });

  /** Set by the frame, also while the page stands. */
  set address(address) {
    const before = JSON.stringify(this.#address.query);
    this.#address = address;
    if (before === JSON.stringify(address.query)) return;
    this.#isAdding = false;
    this.#restoring = undefined;
    // What is being typed stays.
    const asked = address.query.q ?? "";
    if (this.#timer === undefined && this.#typed.trim() !== asked) this.#typed = asked;
    if (this.isConnected) this.#load();
  }

  start() {
    session.follow(this);
    document.addEventListener("keydown", (event) => this.#shortcut(event), { signal: this.ending });
    this.#load().then(() => this.#choices.run());
  }

  disconnectedCallback() {
    clearTimeout(this.#timer);
    super.disconnectedCallback();
  }

  async #load() {
    await this.#list.run();
    if (!this.#focusesRow || this.#list.isRunning) return;
    this.#focusesRow = false;
    this.querySelector("a[data-row]")?.focus();
  }

  #filters() {
    return Object.fromEntries(filters.map((name) => [name, this.#address.query[name]]).filter(([, value]) => value));
  }

  #isDeleted() {
    return this.#address.query.deleted === "true";
  }

  #type(value) {
    this.#typed = value;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#search(), pause);
  }

  #search() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    ask({ q: this.#typed.trim(), cursor: undefined }, { replace: true });
  }

  #toggle(name, value) {
    const isOn = this.#address.query[name] === value;
    // Deleted domains use no app, have no findings and are not checked.
    const others = name === "deleted"
      ? { app: "", androidApp: "", finding: "", check: "", collected: "", enabled: "" } : {};
    ask({ ...others, [name]: isOn ? undefined : value, cursor: undefined });
  }

  #clear() {
    this.#typed = "";
    clearTimeout(this.#timer);
    this.#timer = undefined;
    ask(Object.fromEntries([...filters, "cursor"].map((name) => [name, undefined])));
    this.querySelector("#q")?.focus();
  }

  #turn(cursor) {
    this.#focusesRow = true;
    ask({ cursor });
  }

  #shortcut(event) {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest?.("input, select, textarea, dialog")) return;
    event.preventDefault();
    this.querySelector("#q")?.select();
  }

  #move(event) {
    const rows = [...this.querySelectorAll("a[data-row]")];
    const index = rows.indexOf(event.target);
    if (index < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    const next = {
      ArrowDown: index + 1, j: index + 1, ArrowUp: index - 1, k: index - 1, Home: 0, End: rows.length - 1,
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    if (next < 0) this.querySelector("#q").focus();
    else rows[next]?.focus();
  }

  render() {
    const { value } = this.#list;
    const isFiltered = Object.keys(this.#filters()).length > 0;
    const isFirstStart = value?.total === 0 && !isFiltered && !this.#list.isRunning;
    return [
      h(
        "div", { class: "heading", key: "heading" }, h("h1", {}, text.title),
        may("editor") && button(text.add.open, () => this.#add(true), { kind: isFirstStart ? undefined : "primary" })),
      !isFirstStart && this.#toolbar(), !isFirstStart && this.#chips(isFiltered),
      !isFirstStart && h(
        "p", { class: "quiet", role: "status", key: "count" },
        value && !this.#list.isRunning && text.count(value.total, this.#isDeleted(), isFiltered)),
      isFirstStart ? this.#firstStart() : loaded(this.#list, (list) => this.#rows(list, isFiltered)),
      this.#isAdding && dialog(
        { title: text.add.open, close: () => this.#add(false) },
        h("aasa-add-domain", { key: "add", close: () => this.#add(false) })),
      this.#restoring && this.#restoreDialog()];
  }

  #add(isAdding) {
    this.#isAdding = isAdding;
    this.update();
  }

  #firstStart() {
    const address = to(["domains"], { deleted: "true" });
    const deleted = h("p", { key: "deleted" }, h("a", { href: address }, text.showDeleted));
    if (may("editor") && isUnlimited()) {
      return [h("aasa-welcome", { key: "welcome", done: () => this.#load() }), deleted];
    }
    return [empty(text.none, may("editor") ? text.noneLimited(session.domains.join(", ")) : text.noneViewer), deleted];
  }

  #toolbar() {
    const { query } = this.#address;
    const { apps = [], android = [], findings = [] } = this.#choices.value ?? {};
    const current = query.app ? `app ${query.app}` : query.androidApp ? `androidApp ${query.androidApp}` : "";
    return form(
      () => this.#search(), { class: "toolbar", role: "search", key: "toolbar" },
      field(text.search, {
        ...exact, id: "q", type: "search", value: this.#typed, placeholder: text.searchHint, dir: "auto",
        "aria-keyshortcuts": "/",
        on: {
          input: (event) => this.#type(event.target.value),
          keydown: (event) => {
            if (event.key !== "ArrowDown") return;
            event.preventDefault();
            this.querySelector("a[data-row][tabindex='0']")?.focus();
          },
        },
      }),
      !this.#isDeleted() && select(text.app, "app", current, [
        ...apps.map(({ app, name }) => [`app ${app}`, name ? text.appName(name, app) : app]),
        ...android.map((one) => [`androidApp ${one.package}`, text.androidName(one.name ?? one.package, one.package)]),
      ], (chosen) => {
        const [kind, id] = chosen.split(" ");
        ask({ app: undefined, androidApp: undefined, cursor: undefined, ...(kind && { [kind]: id }) });
      }),
      !this.#isDeleted() && select(
        text.finding, "finding", query.finding ?? "",
        findings.map(([code, number]) => [code, text.findingCount(code, number)]),
        (finding) => ask({ finding, cursor: undefined })));
  }

  #chips(isFiltered) {
    const shown = chips.filter(([name]) => !this.#isDeleted() || ["deleted", "environment"].includes(name));
    return h(
      "div", { class: "chips", role: "group", "aria-label": text.filters, key: "chips" },
      shown.map(([name, value]) => h(
        "button", {
          type: "button", class: "chip", key: name + value, "aria-pressed": String(this.#address.query[name] === value),
          on: { click: () => this.#toggle(name, value) },
        }, name === "environment" ? words.environment[value] : text.chip[name])),
      isFiltered && button(text.clear, () => this.#clear(), { kind: "quiet", key: "clear" }));
  }

  #rows({ items, next, total }, isFiltered) {
    if (total === 0) {
      const [title, help] = this.#isDeleted()
        ? [text.noneDeleted, text.noneDeletedText] : [text.noneFound, text.noneFoundText];
      return isFiltered && empty(
        title, help, button(text.clear, () => this.#clear()));
    }
    const reached = items.some((item) => item.domain === active) ? active : items[0]?.domain;
    return [
      table({
        caption: text.title, rows: items, key: (item) => item.domain,
        columns: this.#isDeleted() ? this.#deletedColumns() : columns(items, reached),
        on: {
          keydown: (event) => this.#move(event),
          focusin: (event) => {
            if (!event.target.dataset.row || event.target.dataset.row === active) return;
            active = event.target.dataset.row;
            this.update();
          },
        },
      }),
      pages({
        first: () => this.#turn(undefined), next: () => this.#turn(next),
        isFirst: !this.#address.query.cursor, hasNext: next !== null,
      }),
      !this.#isDeleted() && h("p", { class: "help keys", key: "keys" }, text.keys)];
  }

  #deletedColumns() {
    return [
      { title: text.domain, cell: nameAndForms },
      { title: text.environment, cell: (item) => words.environment[item.environment] },
      { title: text.lastRevision, cell: (item) => count(item.revision) },
      { title: text.deletedAt, cell: (item) => time(item.deletedAt) },
      may("editor") && {
        title: text.restore.column,
        cell: (item) => button(
          text.restore.button, () => this.#restore({ item }), { "aria-label": text.restore.title(item.domain) }),
      },
    ].filter(Boolean);
  }

  #restore(restoring) {
    this.#restoring = restoring;
    this.update();
  }

  #restoreDialog() {
    const { item, problem, isRunning } = this.#restoring;
    return dialog(
      { title: text.restore.title(item.domain), close: () => this.#restore(undefined) },
      h("p", {}, item.enabled === false ? text.restore.textDisabled(item.revision) : text.restore.text(item.revision)),
      problem && problemBox(problem),
      form(
        async ({ reason }) => {
          if (this.#restoring.isRunning) return;
          this.#restore({ item, isRunning: true });
          try {
            await request("POST", path`/v1/domains/${item.domain}/restore`, { query: { reason } });
          } catch (failure) {
            return this.#restore({ item, problem: failure });
          }
          this.#restore(undefined);
          say(text.restore.done(item.domain));
          await this.#load();
          // The button that opened the dialog is gone.
          (this.querySelector("td button") ?? this.querySelector("#q"))?.focus();
        }, {},
        field(words.common.reason, {
          id: "reason", name: "reason", help: words.common.reasonHelp, maxlength: 500, autocomplete: "off", focus: true,
        }),
        h(
          "div", { class: "actions" },
          h("button", { type: "submit", class: "button primary", disabled: isRunning === true }, text.restore.button),
          button(words.common.cancel, () => this.#restore(undefined)))));
  }
}

/** The API searches names as they are stored: `münchen` is `xn--mnchen-3ya`. */
function asStored(searched) {
  return /[^\x00-\x7f]/.test(searched ?? "") ? (hostName(searched) ?? searched) : searched;
}

/** A list of choices that may not have the current one yet, or no longer. */
function select(label, id, current, options, choose) {
  const isKnown = current === "" || options.some(([value]) => value === current);
  const known = isKnown ? options : [[current, current.split(" ").at(-1)], ...options];
  return field(label, {
    id, tag: "select", value: current, options: [["", words.common.all], ...known],
    on: { change: (event) => choose(event.target.value) },
  });
}

function columns(items, reached) {
  const shown = [
    {
      title: text.domain,
      cell: (item) => [
        h("a", {
          href: to(["domains", item.domain]), "data-row": item.domain, tabindex: item.domain === reached ? 0 : -1,
        }, h("bdi", {}, item.domain)),
        forms(item), !item.enabled && [" ", badge(text.disabled, "warning")]],
    },
    { title: text.environment, cell: (item) => words.environment[item.environment] ?? item.environment },
    {
      title: text.revision,
      cell: (item) => [count(item.revision), h("span", { class: "quiet" }, " · ", time(item.updatedAt))],
    },
    items.some((item) => item.findings) && { title: text.findings, cell: (item) => findingCounts(item.findings) },
    { title: text.apple, cell: apple }, items.some((item) => item.documents) && { title: text.android, cell: android },
    { title: text.certificate, cell: certificate },
  ].filter(Boolean);
  // A long name must not break the words beside it.
  return shown.map((column, index) => (index === 0 ? column : { ...column, class: "whole" }));
}

function nameAndForms(item) {
  return [h("bdi", {}, item.domain), forms(item)];
}

/** The name in its own script, beside the one that is never mistaken for another. */
function forms(item) {
  return item.unicode && item.unicode !== item.domain && h("span", { class: "quiet" }, " ", h("bdi", {}, item.unicode));
}

function quiet(word) {
  return h("span", { class: "quiet" }, word);
}

/** What Apple's CDN holds, and whether the last check from outside failed. */
function apple({ apple: copy, check, documents, enabled }) {
  const isPublished = documents?.includes("apple-app-site-association") ?? true;
  const failing = check?.status === "failing" && badge(text.copy.failing, "error");
  const said = !enabled || !isPublished ? quiet(text.copy.none)
    : !copy ? !failing && quiet(check ? text.copy.checked : text.copy.unchecked)
    : copy.collected ? badge(text.copy.current, "ok")
    : copy.behind === null ? quiet(text.copy.never)
    : badge(text.copy.behind(copy.behind), "warning");
  return [failing, said];
}

function android({ documents }) {
  return documents?.includes("assetlinks.json") ? text.published : quiet(text.notPublished);
}

function certificate({ check }) {
  const expires = check?.certificateExpiresAt;
  if (!expires) return quiet(words.common.unknown);
  const days = Math.floor((Date.parse(expires) - Date.now()) / 86400000);
  const said = days < 0 ? badge(text.expired, "error")
    : days < daysToWarn ? badge(text.daysLeft(days), "warning") : text.days(days);
  return h("time", { datetime: expires, title: day(expires) }, said);
}

customElements.define("aasa-domains", Domains);
