// What a link does: on the published file, on the draft, and with Apple's copy.

import { get, path, request } from "../api.js";
import { h, View } from "../dom.js";
import {
  badge, button, chips, dialog, empty, field, form, loaded, mono, pages, problemBox, quiet, resolution, table, time,
} from "../parts.js";
import { ask, here, to } from "../routing.js";
import { Loading, mayEditDomain, say, session } from "../state.js";
import { words } from "../words.js";
import { conditions } from "./domain-parts.js";
import { domainHeader } from "./domain-tabs.js";
import { storedDraft, toInput } from "./draft.js";
import "./drop.js";

const text = words.try;
const apple = "apple-app-site-association";
const kinds = { ios: apple, android: "assetlinks.json" };
/** So many URLs are tried at once, so many are shown at once, and so many are kept in the address. */
const limits = { asked: 1000, shown: 20, inAddress: 3, addressLength: 1500 };

class Try extends View {
  /** @type {{ parts: string[], query: Record<string, string> }} */
  address;
  /** What the address asked for when it was last looked at. */
  #arrived = {};
  #text = "";
  #fault;
  #urls = [];
  #notes = [];
  /** Results by URL, on what is published. */
  #published = new Loading(this, (signal) => this.#match(signal));
  /** What is known of each domain, and what its draft and Apple's copy do with each URL. */
  #domains = new Map();
  #byHost = new Map();
  #byUrl = new Map();
  #names = new Map();
  #looking = 0;
  #adding;
  #failure;
  qr;

  get #name() {
    return this.address.parts[0] === "domains" ? this.address.parts[1] : undefined;
  }

  start() {
    session.follow(this);
    this.#arrive();
  }

  update() {
    if (this.isConnected) this.#arrive();
    super.update();
  }

  /** Tries the URLs in the address, if they are new. A list that is too long for it is only in the field. */
  #arrive() {
    const { urls, show, page } = this.address.query;
    const before = this.#arrived;
    this.#arrived = { urls, shown: `${show} ${page}` };
    if (urls !== before.urls && urls !== this.#urls.join("\n")) this.#begin(urls ?? "");
    else if (before.shown !== this.#arrived.shown) this.#look();
  }

  #begin(given) {
    const { urls, added } = parsed(given, this.#name);
    this.#text = given;
    this.#urls = urls.slice(0, limits.asked);
    this.#notes = [
      added > 0 && text.schemeAdded(added), urls.length > limits.asked && text.tooMany(limits.asked, urls.length),
    ].filter(Boolean);
    for (const known of [this.#domains, this.#byHost, this.#byUrl]) known.clear();
    this.#failure = undefined;
    this.#published.clear();
    if (urls.length > 0) this.#published.run();
  }

  #submit(given) {
    this.#begin(given);
    this.#fault = this.#urls.length === 0 ? text.none : undefined;
    this.update();
    if (this.#fault) return this.find("textarea").focus();
    const urls = this.#urls.join("\n");
    const isShort = this.#urls.length <= limits.inAddress && urls.length <= limits.addressLength;
    ask({ urls: isShort ? urls : undefined, show: undefined, page: undefined });
  }

  async #match(signal) {
    const place = this.#name === undefined ? "/v1/match" : path`/v1/domains/${this.#name}/match`;
    const { value } = await request("POST", place, { body: { urls: this.#urls }, signal });
    const results = Map.groupBy(value.results, (one) => one.url);
    queueMicrotask(() => this.#look());
    return results;
  }

  /** The URLs of this page of the results, and how many there are of each kind. */
  get #page() {
    const { query } = here();
    const all = this.#urls.map((url) => {
      const results = this.#published.value?.get(url) ?? [];
      return { url, results, outcome: outcome(results) };
    });
    const counts = { all: all.length, match: 0, blocked: 0, "no-match": 0 };
    for (const one of all) counts[one.outcome]++;
    const wanted = query.show ? all.filter((one) => one.outcome === query.show) : all;
    const page = Math.max(0, Math.trunc(Number(query.page)) || 0);
    const first = page * limits.shown;
    return { counts, page, items: wanted.slice(first, first + limits.shown), isFirst: first === 0,
      hasNext: first + limits.shown < wanted.length };
  }

  /** Asks for the rest of what is shown, domain by domain, so that many domains do not mean many requests at once. */
  async #look() {
    const mine = ++this.#looking;
    const isOver = () => mine !== this.#looking || this.ending.aborted;
    const byDomain = new Map();
    for (const { url } of this.#page.items) {
      const host = hostOf(url);
      if (!host) continue;
      if (!this.#byHost.has(host)) this.#byHost.set(host, await this.#domainOf(host));
      if (isOver()) return;
      const domain = this.#byHost.get(host);
      if (domain === undefined || (this.#name !== undefined && domain !== this.#name)) continue;
      if (!byDomain.has(domain)) byDomain.set(domain, []);
      byDomain.get(domain).push(url);
    }
    for (const [name, urls] of byDomain) {
      if (!this.#domains.has(name)) this.#domains.set(name, await this.#facts(name).catch((problem) => ({ problem })));
      if (isOver()) return;
      this.update();
      const facts = this.#domains.get(name);
      const missing = urls.filter((url) => !this.#byUrl.has(url));
      if (facts.problem || missing.length === 0) continue;
      const [draft, cdn] = await Promise.all([this.#onDraft(facts, missing), this.#onCopy(facts, missing)]);
      if (isOver()) return;
      for (const url of missing) this.#byUrl.set(url, { draft: of(draft, url), cdn: of(cdn, url) });
      await this.#findNames(missing);
    }
    this.update();
  }

  async #domainOf(host) {
    try {
      return (await get("/v1/domains", { host, limit: 1 }, this.ending)).items[0]?.domain;
    } catch {
      return undefined; // No host name.
    }
  }

  async #facts(name) {
    const of = path`/v1/domains/${name}`;
    const [{ value: domain }, { documents }, checks, fetches] = await Promise.all([
      request("GET", of, { signal: this.ending }), get(`${of}/documents`, {}, this.ending),
      get(`${of}/checks`, { limit: 1 }, this.ending), get(`${of}/fetches`, { limit: 1 }, this.ending)]);
    const published = {};
    for (const kind of Object.values(kinds)) {
      if (documents.some((one) => one.kind === kind)) published[kind] = await get(`${of}/documents/${kind}`, {},
        this.ending);
    }
    const draft = mayEditDomain(name) ? storedDraft(name) : undefined;
    const cdn = published[apple] && copy(checks.items[0], fetches.fetchers);
    if (cdn?.revision) {
      cdn.behind = domain.revision - cdn.revision;
      // Apple's CDN may still have the file of a domain that is disabled.
      cdn.isCurrent = domain.enabled && (cdn.behind === 0 || await this.#hasSameFile(of, cdn.revision, documents));
    }
    return { name, domain, published, draft, cdn };
  }

  /** Whether a revision has the same file for Apple: one that changed only settings has. */
  async #hasSameFile(of, revision, documents) {
    const sha256 = (list) => list.find((one) => one.kind === apple)?.sha256;
    try {
      return sha256((await get(`${of}/revisions/${revision}`, {}, this.ending)).documents) === sha256(documents);
    } catch {
      return false; // It is no longer kept; the column says so.
    }
  }

  /**
   * What the draft does. No request answers with the document of a draft, but a dry run says of every expectation that
   * would break how its URL resolves and why. Of two that contradict each other, one always breaks.
   */
  async #onDraft({ name, domain, draft }, urls) {
    if (!draft) return undefined;
    const apps = (list, platform) =>
      [...new Set(draft.domain.entries.flatMap((entry) => entry[list] ?? []))].map((app) => ({ app, platform }));
    const all = [...apps("apps", "ios"), ...apps("androidApps", "android")];
    const expectations = urls.flatMap((url) =>
      all.flatMap((app) => ["match", "blocked"].map((word) => ({ url, ...app, resolution: word }))));
    try {
      await request("PUT", path`/v1/domains/${name}`, {
        body: { ...toInput(draft.domain), expectations: expectations.slice(0, 1000) }, ifMatch: domain.revision,
          query: { dryRun: true },
        signal: this.ending,
      });
      return { results: new Map() };
    } catch (problem) {
      if (problem.code !== "expectation-broken") return { problem };
      return { results: Map.groupBy(problem.body.expectations, (one) => one.url) };
    }
  }

  /** What Apple's copy does, if it is an older revision. */
  async #onCopy({ name, cdn }, urls) {
    if (!cdn?.revision || cdn.isCurrent) return undefined;
    try {
      const document = await get(path`/v1/domains/${name}/revisions/${cdn.revision}/documents/${apple}`, {},
        this.ending);
      const { value } = await request("POST", "/v1/match", { body: { document, urls }, signal: this.ending });
      return { results: Map.groupBy(value.results.filter((one) => one.app), (one) => one.url), document };
    } catch (problem) {
      return { problem };
    }
  }

  async #findNames(urls) {
    const shown = urls.flatMap((url) => rows(this.#published.value?.get(url) ?? [], this.#byUrl.get(url)));
    for (const { app, platform } of shown) {
      if (this.#names.has(app)) continue;
      this.#names.set(app, "");
      const place = platform === "android" ? path`/v1/android-apps/${app}` : path`/v1/apps/${app}`;
      this.#names.set(app, await get(place, {}, this.ending).then((found) => found.name, () => ""));
    }
  }

  async #expect(name, url, { app, platform, resolution }) {
    this.#adding = url + app;
    this.#failure = undefined;
    this.update();
    try {
      const of = path`/v1/domains/${name}`;
      const { value: { expectations }, etag } = await request("GET", of, { signal: this.ending });
      const isThere = expectations.some((one) => one.url === url && one.app === app && one.resolution === resolution);
      const all = isThere ? expectations : [...expectations, { url, platform, app, resolution }];
      const { value } = await request("PUT", `${of}/expectations`, {
        body: { expectations: all }, ifMatch: etag, query: { reason: text.expectReason(url).slice(0, 1000) },
          signal: this.ending,
      });
      // The file is the same, so all else is as before.
      Object.assign(this.#domains.get(name).domain, { expectations: value.expectations, revision: value.revision });
      say(text.expectDone(url));
    } catch (problem) {
      if (problem.name === "AbortError") return;
      this.#failure = { url, problem, again: () => this.#expect(name, url, { app, platform, resolution }) };
    }
    this.#adding = undefined;
    this.update();
  }

  render() {
    const name = this.#name;
    return [
      name === undefined ? h("h1", { key: "h1" }, text.title) : domainHeader(name, "try"), this.#form(name),
      h("p", { class: "hidden", role: "status", key: "status" },
        this.#published.value && this.#urls.length > 0 && text.summary(this.#page.counts)),
      this.#urls.length === 0
        ? empty(text.emptyTitle, text.emptyText)
        : loaded(this.#published, () => this.#results()),
      this.qr && this.#qrDialog()];
  }

  #form(name) {
    const help = name === undefined ? text.linksHelp : text.linksHelpDomain(name);
    return form(
      (values) => this.#submit(values.links), { key: "form", class: "try-form" },
      h("div", { class: "try-links", key: "links" },
        field(text.links, {
          id: "links", name: "links", tag: "textarea", value: this.#text, help, fault: this.#fault,
            spellcheck: "false", autocapitalize: "none",
          placeholder: text.placeholder(name), rows: Math.min(12, Math.max(3, this.#text.split("\n").length)),
          on: {
            input: (event) => { this.#text = event.target.value; this.update(); },
            keydown: (event) => {
              if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.target.form.requestSubmit();
            },
          },
        }),
        h("button", { type: "submit", class: "button primary", disabled: this.#published.isRunning }, text.button)),
      h("aasa-drop", {
        key: "drop", text: text.drop, button: text.choose, accept: ".txt,.csv,text/plain,text/csv",
        on: { files: (event) => this.#submit(event.detail.map((one) => one.text).join("\n")) },
      }));
  }

  #results() {
    const { counts, page, items, isFirst, hasNext } = this.#page;
    const show = here().query.show ?? "all";
    const chip = (word) => [
      word, text.filterCount(text.filters[word], counts[word]), word === show,
      () => ask({ show: word === "all" ? undefined : word, page: undefined }, { replace: true })];
    return h("div", { key: "results", class: "try-results" },
      this.#notes.map((note) => h("p", { class: "box", key: note }, note)),
      counts.all > 1 && [
        h("p", { key: "summary", "aria-hidden": "true" }, text.summary(counts)),
        chips(text.filter, Object.keys(counts).filter((word) => counts[word] > 0).map(chip))],
      items.map((one) => this.#result(one)),
      pages({ isFirst, hasNext, first: () => ask({ page: undefined }), next: () => ask({ page: page + 1 }) }));
  }

  #result({ url, results }) {
    const name = this.#byHost.get(hostOf(url));
    const facts = this.#domains.get(name);
    const more = this.#byUrl.get(url);
    const all = rows(results, more);
    return h("section", { class: "try-result", key: url },
      h(
        "header", {}, h("h2", {}, h("bdi", { class: "mono" }, url)), url.startsWith("https://") && hostOf(url) &&
          button(text.qr, () => this.set({ qr: { url } }), { kind: "quiet", "aria-label": text.qrOf(url) })),
      facts && !facts.problem && this.#evidence(facts, url),
      name !== undefined && this.#name !== undefined && name !== this.#name &&
        h("p", { class: "help", key: "elsewhere" },
          h("a", { href: to(["domains", name, "try"], { urls: url }) }, text.elsewhere(name))),
      facts?.problem && h("div", { key: "facts" }, h("p", {}, text.factsFailed),
        problemBox(facts.problem, () => this.#retry(name, url))),
      [["draft", text.draftRefused], ["cdn", text.cdnRefused]].map(([column, said]) => more?.[column]?.problem &&
        h("div", { key: column }, h("p", {}, said), problemBox(more[column].problem, () => this.#retry(name, url)))),
      this.#failure?.url === url &&
        h("div", { key: "failure" }, problemBox(this.#failure.problem, this.#failure.again)),
      all.length === 0
        ? h("p", { key: "none" }, resolution(results[0]?.resolution ?? "no-match"), " ", results[0]?.reason)
        : table({ caption: text.caption(url), columns: this.#columns(url, facts, more, all), rows: all,
          key: (row) => row.key }));
  }

  #retry(name, url) {
    if (this.#domains.get(name)?.problem) this.#domains.delete(name);
    this.#byUrl.delete(url);
    this.#look();
  }

  /** What the columns are about: which revision, and how old. */
  #evidence({ name, domain, draft, cdn, published }, url) {
    return h("p", { class: "help", key: "evidence" },
      this.#name === undefined && [h("a", { key: "a", href: to(["domains", name]) }, h("bdi", {}, name)), ": "],
      domain.enabled ? text.revision(domain.revision) : text.disabled, " ", !published[apple] ? text.cdnNoFile
        : !cdn ? text.cdnUnknown
        : [
          cdn.revision === null ? text.cdnForeign : cdn.isCurrent || cdn.behind === 0 ? text.cdnCurrent
            : h("strong", { key: "old" }, text.cdnOld(cdn.revision, cdn.behind)),
          " ", cdn.isChecked ? text.seenByCheck : text.fetched, " ", time(cdn.at), "."],
      " ", published[apple] && (!cdn || cdn.revision === null) &&
        h("a", { key: "checks", href: to(["domains", name, "checks"]) }, text.seeChecks),
      cdn && hostOf(url) !== name && [" ", text.cdnName(hostOf(url), name)],
      draft && [" ", text.draft, ": ", text.draftOf, " ", time(draft.at), "."]);
  }

  #columns(url, facts, more, all) {
    const isKnown = facts !== undefined && !facts.problem;
    const expectations = facts?.domain?.expectations ?? [];
    const isExpected = ({ app, published }) =>
      expectations.some((one) => one.url === url && one.app === app && one.resolution === published?.resolution);
    const document = (row) => facts?.published?.[kinds[row.platform]];
    /** @type {any[]} */
    const columns = [
      {
        title: text.app, class: "try-app",
        cell: ({ app, platform }) => [
          this.#names.get(app) && h("bdi", { class: "name", key: "name" }, this.#names.get(app)), " ",
          badge(text.platform[platform], "quiet", { key: "platform" }),
            h("div", { class: "mono quiet", key: "app", dir: "auto" }, app)],
      },
      {
        title: text.published, cell: (row) => row.published ? answer(row.published, document(row))
          : [resolution("no-match"), reason(text.notPublishedApp)],
      }];
    if (facts?.draft) {
      columns.push({ title: text.draft,
        cell: (row) => more ? compared(row.draft, row.published, more.draft) : quiet(text.looking) });
    }
    if (isKnown && facts.cdn?.revision) {
      columns.push({
        title: text.cdn, cell: (row) => row.platform === "android" ? quiet(text.onlyApple)
          : facts.cdn.isCurrent ? quiet(text.same) : !more ? quiet(text.looking)
          : compared(row.cdn, row.published, more.cdn, more.cdn?.document),
      });
    }
    if (isKnown && (mayEditDomain(facts.name) || all.some(isExpected))) {
      columns.push({
        title: text.expectation, cell: (row) => isExpected(row) ? badge(text.expected, "ok")
          : !row.published || !mayEditDomain(facts.name) ? ""
          : button(text.expect, () => this.#expect(facts.name, url, row.published), {
            disabled: this.#adding !== undefined, title: text.expectHelp,
            "aria-label": text.expectOf(words.resolution[row.published.resolution], url, row.app),
          }),
      });
    }
    return columns;
  }

  #qrDialog() {
    const { url, hasFailed } = this.qr;
    return dialog(
      { title: text.qr, close: () => this.set({ qr: undefined }) },
      hasFailed ? h("p", { class: "box warning", role: "alert", key: "failed" }, text.qrFailed) : h("img", {
        key: "img", class: "qr", src: "/v1/qr?" + new URLSearchParams({ url: new URL(url).href }), alt: text.qrOf(url),
        on: { error: () => this.set({ qr: { url, hasFailed: true } }) },
      }),
      h("p", {}, mono(url)), h("p", { class: "help" }, text.qrHelp));
  }
}

/** The URLs of a text, each once, with a scheme; `added` is how many had none. */
function parsed(given, name) {
  const urls = new Set();
  let added = 0;
  for (const line of given.split(/\r\n|[\r\n]/)) {
    const url = line.trim().replace(/^(["'<])(.*)["'>,]$/, "$2");
    if (url === "") continue;
    const isPath = name !== undefined && url.startsWith("/") && !url.startsWith("//");
    const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(url);
    const whole = isPath ? `https://${name}${url}` : hasScheme ? url : `https://${url.replace(/^\/\//, "")}`;
    if (!isPath && !hasScheme && !urls.has(whole)) added++;
    urls.add(whole);
  }
  return { urls: [...urls], added };
}

function hostOf(url) {
  try {
    const { protocol, hostname } = new URL(url);
    return ["http:", "https:"].includes(protocol) ? hostname : undefined;
  } catch {
    return undefined;
  }
}

/** What a URL does in the best case, of all apps. */
function outcome(results) {
  return ["match", "blocked"].find((word) => results.some((one) => one.resolution === word)) ?? "no-match";
}

/** Which revision Apple's CDN has, by the newer of what a check saw and what the CDN fetched from this server. */
function copy(check, fetchers) {
  const fetch = fetchers.find((one) => one.fetcher === "apple-cdn");
  const seen = check && (check.cdnRevision !== null || check.last?.cdn);
  if (seen && !(fetch?.lastAt > check.at)) return { revision: check.cdnRevision, at: check.at, isChecked: true };
  return fetch?.lastRevision ? { revision: fetch.lastRevision, at: fetch.lastAt, isChecked: false } : undefined;
}

/** The part of an answer that is about one URL. */
function of(answer, url) {
  return answer && { ...answer, results: answer.results?.get(url) ?? [] };
}

/** One row per app and platform that any of the files names. */
function rows(published, more) {
  const all = new Map();
  for (const [column, results] of [["published", published], ["draft", more?.draft?.results ?? []],
    ["cdn", more?.cdn?.results ?? []]]) {
    for (const one of results) {
      if (!one.app) continue;
      const key = `${one.platform} ${one.app}`;
      if (!all.has(key)) all.set(key, { key, app: one.app, platform: one.platform });
      all.get(key)[column] ??= one;
    }
  }
  return [...all.values()];
}

function reason(said) {
  return h("p", { class: "help", key: "reason" }, said);
}

/** The result, the route that decides, and why. */
function answer(result, document) {
  const route = result.pointer && at(document, result.pointer);
  return [resolution(result.resolution), " ", h("span", { key: "route" }, routeParts(route)), reason(result.reason)];
}

/** A result beside the published one: that it is the same, or what is different. */
function compared(result, published, asked, document) {
  if (!asked || asked.problem) return quiet(words.common.unknown);
  const found = result ?? { resolution: "no-match", reason: text.absent };
  if (found.resolution === (published?.resolution ?? "no-match")) return quiet(text.same);
  return [h("strong", { key: "differs" }, text.differs), " ", answer(found, document)];
}

/** The value at a JSON pointer. */
function at(document, pointer) {
  let value = document;
  for (const part of pointer.split("/").slice(1)) value = value?.[part.replaceAll("~1", "/").replaceAll("~0", "~")];
  return value;
}

/** A route of a document as people read it. Older files have paths instead. */
function routeParts(route) {
  if (typeof route === "string") return h("code", {}, route);
  if (!route) return null;
  const { "/": path, "?": query, "#": fragment, exclude, ...flags } = route;
  return [exclude && [text.exclusion, " "], conditions({ path, query, fragment, ...flags }).map((part) => [part, " "])];
}

customElements.define("aasa-try", Try);
