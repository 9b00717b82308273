// What the world gets for one domain: its last check from outside, who fetched its files, and the timeline of checks.

import { get, path, request } from "../api.js";
import { h, View } from "../dom.js";
import { count, fromNow, fullTime, size } from "../format.js";
import { badge, button, linkButton, loaded, pages, problemBox, table, time } from "../parts.js";
import { ask, to } from "../routing.js";
import { Loading, may } from "../state.js";
import { words } from "../words.js";
import { domainHeader } from "./domain-tabs.js";

const said = words.checks;
const kinds = ["apple-app-site-association", "assetlinks.json", "webauthn"];

/** How a check ended, as a word in a box. */
export function checkStatus(status) {
  return badge(said.status[status], { ok: "ok", warning: "warning", failing: "error" }[status]);
}

/** A check in full: what the site and Apple's CDN have, each finding with its next step, and the requests. */
export function checkReport(check) {
  return [
    (check.origin ?? check.cdn ?? check.certificate) && h(
      "ul", { class: "check-facts", key: "facts" },
      check.origin && h("li", { key: "origin" }, held(said.site, check.origin), differences(check.origin)),
      check.cdn && h("li", { key: "cdn" }, held(said.cdn, check.cdn), " ", freshness(check), differences(check.cdn)),
      check.certificate && h("li", { key: "certificate" }, certificate(check.certificate))),
    check.findings.length > 0 && h(
      "ul", { class: "check-findings", key: "findings" },
      check.findings.map((one, index) => h(
        "li", { key: `${one.code} ${index}` }, h("div", {}, badge(words.severity[one.severity], one.severity)),
        h(
          "div", {}, h("p", { dir: "auto" }, one.message),
          h("p", {}, h("span", { class: "quiet" }, said.nextStep), " ", one.help),
          h(
            "p", { class: "help" }, h("code", {}, one.code), one.url && [" · ", h("span", { class: "mono" }, one.url)],
            one.appleCode && [" · ", said.appleCode, " ", h("code", {}, one.appleCode)],
            one.suppressed && [" · ", h("strong", {}, said.suppressed)]))))),
    check.requests.length > 0 && h(
      "details", { key: "requests" },
      h("summary", {}, said.requests(check.requests.length), ", ", said.milliseconds(check.milliseconds)),
      requests(check))];
}

/** Which revision a site or a CDN has. */
function held(say, { revision, current, bytes }) {
  if (revision === undefined) return say.file(size(bytes));
  if (revision === null) return say.foreign(size(bytes));
  return revision === current ? say.current(count(revision)) : say.old(count(revision), count(current));
}

function freshness({ at, cdn: { age, expires } }) {
  if (age === undefined) return null;
  const fetched = new Date(Date.parse(at) - age * 1000).toISOString();
  return said.cdn.fetched(time(fetched), expires && time(expires));
}

function differences({ changes = [] }) {
  if (changes.length === 0) return null;
  return h(
    "details", {}, h("summary", {}, said.differences(changes.length)),
    h("ul", {}, changes.map((change, index) => h("li", { key: index, dir: "auto" }, change))));
}

function certificate({ names, issuer, expires }) {
  const isOver = Date.parse(expires) < Date.now();
  const listed = h("bdi", {}, names.slice(0, 3).join(", "));
  return said.certificate(listed, names.length - 3, h("bdi", {}, issuer), time(expires), isOver);
}

function requests({ requests, domain }) {
  return table({
    caption: said.requestsOf(domain), rows: requests.map((one, index) => ({ ...one, index })), key: (one) => one.index,
    columns: [
      { title: said.columns.url, cell: (one) => h("span", { class: "mono" }, one.url) },
      {
        title: said.columns.agent, class: "check-short",
        cell: (one) => h("span", { title: one.agent }, agent(one.agent)),
      },
      { title: said.columns.answer, cell: answer },
      { title: said.columns.time, class: "number check-short", cell: (one) => said.milliseconds(one.milliseconds) }],
  });
}

function agent(text) {
  const known = Object.keys(said.agents).find((start) => text.startsWith(start));
  return known ? said.agents[known] : text;
}

function answer({ error, status, contentType, bytes, redirect, address, fields = {} }) {
  const facts = [status, contentType, bytes !== undefined && size(bytes)].filter(Boolean).join(", ");
  return [
    error ? h("span", { class: "fault", key: "error" }, error) : h("span", { key: "status" }, facts),
    redirect && h("div", { key: "redirect" }, said.redirects, " ", h("span", { class: "mono" }, redirect)),
    h("div", { class: "help", key: "address" }, address),
    Object.entries(fields).map(([name, value]) => h("div", { class: "help mono", key: name }, `${name}: ${value}`))];
}

class DomainChecks extends View {
  #address;
  #name;
  #last = new Loading(this, async (signal) => {
    const { items } = await get(path`/v1/domains/${this.#name}/checks`, { limit: 1 }, signal);
    return items[0] ?? null;
  });
  #runs = new Loading(this, (signal) => get(
    path`/v1/domains/${this.#name}/checks`, { limit: 20, cursor: this.#address.query.cursor }, signal));
  #fetches = new Loading(this, (signal) => {
    const { revisions } = this.#address.query;
    return get(path`/v1/domains/${this.#name}/fetches`, { limit: 10, kind: this.#kind, cursor: revisions }, signal);
  });
  /** The check that runs now, and how the one before it ended. */
  #now = { isRunning: false };
  /** The checks of the timeline that are open, by their times. */
  #open = new Set();

  set address(address) {
    if (address === this.#address) return;
    const before = this.#address?.query;
    this.#address = address;
    if (!this.isConnected) return;
    const { cursor, kind, revisions } = address.query;
    if (cursor !== before.cursor) this.#runs.run();
    if (kind !== before.kind || revisions !== before.revisions) this.#fetches.run();
  }

  get #kind() {
    const { kind } = this.#address.query;
    return kinds.includes(kind) ? kind : kinds[0];
  }

  start() {
    this.#name = this.#address.parts[1];
    this.#reload();
  }

  #reload() {
    this.#last.run();
    this.#runs.run();
    this.#fetches.run();
  }

  async #check() {
    if (this.#now.isRunning) return;
    this.#now = { isRunning: true };
    this.update();
    try {
      const { value } = await request("POST", "/v1/check", { body: { domains: [this.#name] }, signal: this.ending });
      const [check] = value.items;
      this.#now = { isRunning: false, text: said.done(said.status[check.status], check.findings.length) };
      this.#reload();
    } catch (problem) {
      if (problem.name === "AbortError") return;
      this.#now = { isRunning: false, problem };
    }
    this.update();
  }

  render() {
    const { problem, value } = this.#last;
    // What all three questions would answer is said once.
    const header = domainHeader(this.#name, "checks");
    if (problem && value === undefined) return [header, problemBox(problem, () => this.#reload())];
    return [
      header,
      h(
        "section", { class: "sheet", key: "last", "aria-labelledby": "last-check" },
        h(
          "div", { class: "check-head" }, h("h2", { id: "last-check" }, said.last),
          may("editor") && button(this.#now.isRunning ? said.checking : said.checkNow, () => this.#check(), {
            kind: "primary", key: "check", "aria-disabled": this.#now.isRunning ? "true" : null,
          })),
        h(
          "div", { role: "status", key: "progress" }, this.#now.isRunning
            ? [h("p", { key: "text" }, said.progress), h("progress", { key: "bar", "aria-label": said.checking })]
            : this.#now.text && h("p", { class: "help", key: "text" }, this.#now.text)),
        this.#now.problem && problemBox(this.#now.problem, () => this.#check()),
        loaded(this.#last, (run) => run ? this.#latest(run) : h(
          "p", { key: "none" }, said.never, " ", may("editor") ? said.neverEditor : said.neverViewer))),
      h(
        "section", { class: "sheet", key: "fetches", "aria-labelledby": "fetches" },
        h("h2", { id: "fetches" }, said.fetches),
        h(
          "div", { class: "chips", role: "group", "aria-label": said.kind, key: "kinds" },
          kinds.map((kind) => h(
            "button", {
              type: "button", class: "chip", key: kind, "aria-pressed": String(kind === this.#kind),
              on: { click: () => ask({ kind: kind === kinds[0] ? undefined : kind, revisions: undefined }) },
            }, words.document[kind]))),
        loaded(this.#fetches, (fetches) => this.#fetchers(fetches))),
      h(
        "section", { class: "sheet", key: "timeline", "aria-labelledby": "timeline" },
        h("h2", { id: "timeline" }, said.timeline),
        loaded(this.#runs, (runs) => this.#timeline(runs)))];
  }

  #latest(run) {
    return h(
      "div", { key: "run" },
      h(
        "p", {}, checkStatus(run.status), " ", said.checked(time(run.at)), " ",
        run.checks > 1 && said.sameSince(exactTime(run.since), count(run.checks))),
      run.last === null ? h("p", { class: "help" }, said.deleted) : [
        run.last.findings.length === 0 && h("p", { key: "fine" }, said.fine), checkReport(run.last),
        may("editor") && run.last.findings.length > 0 && h(
          "p", { class: "check-suppress", key: "suppress" },
          linkButton(said.suppress, to(["findings"], { domain: this.#name, source: "check" }), { kind: "quiet" }))]);
  }

  #fetchers({ current, fetchers, items, next }) {
    const { revisions } = this.#address.query;
    const came = fetchers.filter((one) => one.count > 0);
    return h(
      "div", { key: this.#kind },
      h("p", {}, this.#kind === kinds[0] ? collected(current, fetchers) : visited(fetchers)),
      came.length > 0 && table({
        caption: said.fetchersOf(this.#name), rows: came, key: (one) => one.fetcher,
        columns: [
          { title: said.columns.fetcher, cell: (one) => said.fetcher[one.fetcher] },
          { title: said.columns.last, cell: (one) => time(one.lastAt) },
          { title: said.columns.revision, cell: (one) => number(one.lastRevision) ?? words.common.unknown },
          { title: said.columns.first, cell: (one) => time(one.firstAt) },
          { title: said.columns.count, class: "number", cell: (one) => count(one.count) }],
      }),
      h(
        "details", { key: "revisions", open: revisions ? true : undefined }, h("summary", {}, said.byRevision),
        table({
          caption: said.byRevision, rows: items, key: (one) => one.revision,
          columns: [
            { title: said.columns.revision, cell: (one) => count(one.revision) },
            { title: said.columns.published, cell: (one) => time(one.publishedAt) },
            ...(this.#kind === kinds[0] ? [{
              title: said.columns.collected,
              cell: (one) => one.firstFetchedByAppleAt ? time(one.firstFetchedByAppleAt) : words.common.never,
            }] : []),
            ...["apple-cdn", "device", "google", "other"].map((who) => (
              { title: said.fetcher[who], class: "number", cell: (one) => count(one.counts[who]) }))],
        }),
        pages({
          isFirst: !revisions, hasNext: next !== null,
          first: () => ask({ revisions: undefined }), next: () => ask({ revisions: next }),
        })),
      h("p", { class: "help" }, said.fetchesHelp));
  }

  #timeline({ items, next }) {
    const { cursor } = this.#address.query;
    if (items.length === 0) return h("p", { key: "none" }, said.noTimeline);
    return [
      h(
        "ol", { class: "check-timeline", key: "list" },
        items.map((run) => h(
          "li", { key: run.since },
          h(
            "details", {
              on: {
                toggle: (event) => {
                  this.#open[event.target.open ? "add" : "delete"](run.since);
                  this.update();
                },
              },
            },
            h(
              "summary", {}, checkStatus(run.status), " ", run.checks === 1
                ? exactTime(run.since) : said.between(exactTime(run.since), exactTime(run.at), count(run.checks)),
              run.codes.map((code, index) => [index > 0 ? ", " : " · ", h("code", { key: code }, code)]),
              run.cdnRevision !== null && h(
                "span", { class: "quiet", key: "cdn" }, " · ", said.cdnHad(count(run.cdnRevision)))),
            this.#open.has(run.since) && h(
              "div", { class: "check-past", key: "report" },
              run.last === null ? h("p", { class: "help" }, said.deleted) : checkReport(run.last)))))),
      pages({
        isFirst: !cursor, hasNext: next !== null,
        first: () => ask({ cursor: undefined }), next: () => ask({ cursor: next }),
      })];
  }
}

/** A time in full, where "since" or "by" precedes it. */
export function exactTime(text) {
  return h("time", { datetime: text, title: fromNow(text) }, fullTime(text));
}

/** The number of a revision, if it is known. */
function number(revision) {
  return revision === null ? undefined : count(revision);
}

/** Whether Apple's CDN has the current file, and what that means for devices. */
function collected(current, fetchers) {
  const apple = fetchers.find((one) => one.fetcher === "apple-cdn");
  const revision = count(current.revision);
  if (current.collected) {
    const by = current.devicesExpectedBy;
    const isOver = Date.parse(by) < Date.now();
    return said.collected(revision, time(current.firstFetchedByAppleAt), exactTime(by), isOver);
  }
  if (apple.count === 0) return said.notFetched(revision, time(current.publishedAt));
  return said.notCollected(revision, time(current.publishedAt), time(apple.lastAt), number(apple.lastRevision));
}

/** Who reads the files of Android and of passkeys. */
function visited(fetchers) {
  const google = fetchers.find((one) => one.fetcher === "google");
  if (google.count > 0) return said.googleFetched(time(google.lastAt), number(google.lastRevision));
  return fetchers.some((one) => one.count > 0) ? said.googleNever : said.nobody;
}

customElements.define("aasa-domain-checks", DomainChecks);
