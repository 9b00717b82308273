// What a link does: on the published file, on the draft, and with Apple's copy.

import { get, path, request } from "../api.js";
import {
  badge,
  button,
  chips,
  cursorPages,
  define,
  dialog,
  empty,
  failure,
  field,
  form,
  h,
  icon,
  loaded,
  mono,
  problemBox,
  quiet,
  resolution,
  submit,
  table,
  time,
  View,
} from "../parts.js";
import { ask, to } from "../routing.js";
import { Loading, mayEditDomain, say } from "../state.js";
import { words } from "../words.js";
import { appName, cut, domainHeader, inWords, loadNames } from "./domain-parts.js";
import { changeStored, draftStored, isEqual, storedDraft, toInput } from "./draft.js";
import "./drop.js";
import "./explain.js";

const text = words.try;
const apple = "apple-app-site-association";
const kindOf = (platform) => platform === "ios" ? "apple" : "android";
const kinds = { ios: apple, android: "assetlinks.json" };
/** So many URLs are tried at once, so many are shown at once, and so long a list is kept in the address. */
const limits = { asked: 1000, shown: 20, address: 200_000 };

/** The page. Its address asks for URLs in `url`, and `show` and `page` say which results are shown. */
class Try extends View {
  /** What is typed, until it is tried; undefined if nothing was. */ #typed;
  #fault;
  /** How often URLs were tried: what is shown of their domains is as fresh as the results. */ #round = 0;
  #published = new Loading(this, (signal) => this.#match(signal));

  get #name() {
    return this.address.parts[0] === "domains" ? this.address.parts[1] : undefined;
  }

  get #asked() {
    return parsed(this.address.query.url ?? "", this.#name);
  }

  #submit(given) {
    this.#fault = parsed(given, this.#name).urls.length === 0 && text.none;
    this.#typed = this.#fault ? given : undefined;
    if (this.#fault) this.find("textarea").focus();
    else if (given.trim() === this.address.query.url) this.#published.run();
    else ask({ url: given.trim().slice(0, limits.address), show: undefined, page: undefined });
    this.update();
  }

  /** The results of each URL on what is published, and how many URLs there are of each kind. */
  async #match(signal) {
    const place = this.#name === undefined ? "/v1/match" : path`/v1/domains/${this.#name}/match`;
    const asked = this.#asked.urls.slice(0, limits.asked);
    const round = ++this.#round;
    const { value: found } = await request("POST", place, { body: { urls: asked }, signal });
    const byUrl = Map.groupBy(found.results, (one) => one.url);
    const all = asked.map((url) => {
      const results = byUrl.get(url) ?? [];
      // What the URL does in the best case, of all apps.
      const best = ["match", "blocked"].find((word) => results.some((one) => one.resolution === word)) ?? "no-match";
      return { url, results, best };
    });
    const counts = { all: all.length, match: 0, blocked: 0, "no-match": 0 };
    for (const { best } of all) counts[best]++;
    return { all, counts, round };
  }

  render() {
    const name = this.#name;
    const { urls, added, others } = this.#asked;
    if (urls.length > 0) this.#published.ask(urls);
    else if (this.#published.value) this.#published.clear();
    const { value } = this.#published;
    const some = (list, note) => list.length > 0 && note(list.slice(0, 3).map(cut).join("”, “"), list.length);
    const notes = [
      some(others, text.noLinks),
      added > 0 && text.schemeAdded(added),
      urls.length > limits.asked && text.tooMany(limits.asked, urls.length),
    ];
    return [
      name === undefined ? h("h1", { key: "h1" }, text.title) : domainHeader(name, "try"),
      this.#form(name),
      notes.map((note) => note && h("p", { class: "box", key: note }, note)),
      // The verdict of one link says it.
      h(
        "p",
        { role: "status", key: "status", class: urls.length === 1 ? "hidden" : null },
        value && text.summary(value.counts),
      ),
      urls.length === 0
        ? empty(text.emptyTitle, text.emptyText)
        : loaded(this.#published, (found) => this.#results(found)),
      name === undefined && h("aasa-explain", { key: "explain" }),
    ];
  }

  #form(name) {
    const value = this.#typed ?? this.address.query.url ?? "";
    const input = ({ target }) => {
      this.#typed = target.value;
      this.update();
    };
    const keydown = ({ key, ctrlKey, metaKey, target }) =>
      key === "Enter" && (ctrlKey || metaKey) && target.form.requestSubmit();
    return form(
      ({ links }) => this.#submit(links),
      { key: "form", class: "try-form" },
      field(text.links, {
        id: "links",
        name: "links",
        tag: "textarea",
        value,
        fault: this.#fault,
        spellcheck: "false",
        autocapitalize: "none",
        help: name === undefined ? text.linksHelp : text.linksHelpDomain(name),
        placeholder: text.placeholder(name),
        rows: value === "" ? 3 : Math.min(12, value.split("\n").length),
        on: { input, keydown },
      }),
      h(
        "div",
        { class: "actions", key: "actions" },
        submit(text.button, { kind: "primary", disabled: this.#published.isRunning }),
        h("aasa-drop", {
          text: "",
          button: text.choose,
          accept: ".txt,text/plain",
          around: "form",
          on: { files: ({ detail }) => this.#submit(detail.map((one) => one.text).join("\n")) },
        }),
      ),
    );
  }

  #results({ all, counts, round }) {
    const { show = "all", page: given } = this.address.query;
    const page = Math.max(0, Math.trunc(Number(given)) || 0);
    const chip = (word) => [
      word,
      text.filterCount(words.resolution[word] ?? words.common.all, counts[word]),
      word === show,
      () => ask({ show: word === "all" ? undefined : word, page: undefined }, { replace: true }),
    ];
    const wanted = show === "all" ? all : all.filter((one) => one.best === show);
    const items = wanted.slice(page * limits.shown, (page + 1) * limits.shown);
    const byHost = Map.groupBy(items, ({ url }) => hostOf(url));
    return [
      counts.all > 1 && chips(text.filter, Object.keys(counts).filter((word) => counts[word] > 0).map(chip)),
      [...byHost].map(([host, items]) =>
        h("aasa-try-host", { key: [round, ...items.map((one) => one.url)].join(" "), host, items, only: this.#name })
      ),
      cursorPages((page + 1) * limits.shown < wanted.length ? page + 1 : null, { name: "page" }),
    ];
  }
}

/** The results of the URLs of one host, and what the draft of its domain and Apple's copy do with them. */
class TryHost extends View {
  /** @type {string | undefined} */ host;
  /** @type {{ url: string, results: any[], best: string }[]} */ items;
  /** The domain of the page, if it is about one. @type {string | undefined} */ only;
  /** The dialog: `{ url, hasFailed? }`. */ qr;
  #expected;
  #facts = new Loading(this, (signal) => this.#look(signal));
  #expecting = new Loading(this, (signal) => this.#expect(signal));

  async #look(signal) {
    // What is no name, such as an IP address, is refused.
    const { items } = await get("/v1/domains", { host: this.host, limit: 1 }, signal)
      .catch((problem) => problem.status === 400 ? { items: [] } : Promise.reject(problem));
    if (items.length === 0) return undefined;
    const [{ domain: name, documents }] = items;
    if (this.only !== undefined && this.only !== name) return { name };
    const of = path`/v1/domains/${name}`;
    const [domain, checks, fetches, file] = await Promise.all([
      get(of, { resolved: true }, signal),
      get(`${of}/checks`, { limit: 1 }, signal),
      get(`${of}/fetches`, { limit: 1 }, signal),
      documents.includes(apple) && get(`${of}/documents/${apple}`, {}, signal),
    ]);
    const cdn = file && copy(checks.items[0], fetches.fetchers);
    const [draft, copied, names] = await Promise.all([
      this.#onDraft(domain, signal),
      cdn?.revision && this.#onCopy(of, cdn.revision, signal).catch((problem) => ({ problem, document: undefined })),
      // A token that is limited to some domains may not see names.
      loadNames(domain, signal).catch(() => undefined),
    ]);
    // A revision that changed only settings has the same file.
    const isCurrent = cdn?.revision === domain.revision || isEqual(copied?.document, file);
    const { check } = items[0];
    return { name, domain, file, names, draft, cdn: cdn && { ...cdn, ...copied, isCurrent }, check };
  }

  /** What the draft does, whatever is expected of it. */
  async #onDraft(domain, signal) {
    const draft = mayEditDomain(domain.domain) ? storedDraft(domain.domain) : undefined;
    if (!draft) return undefined;
    try {
      const { contents } = (await request("PUT", path`/v1/domains/${domain.domain}`, {
        body: { ...toInput(draft.domain), expectations: [] },
        ifMatch: domain.revision,
        signal,
        query: { dryRun: true, approved: true, accept: "opens-nothing" },
      })).value;
      const results = Object.keys(kinds).filter((platform) => contents[kinds[platform]])
        .map((platform) => this.#matches(contents[kinds[platform]], signal));
      return { ...draft, results: (await Promise.all(results)).flat() };
    } catch (problem) {
      return { ...draft, problem };
    }
  }

  async #matches(document, signal) {
    const body = { document, urls: this.items.map((one) => one.url) };
    return (await request("POST", "/v1/match", { body, signal })).value.results;
  }

  async #onCopy(of, revision, signal) {
    const document = await get(`${of}/revisions/${revision}/documents/${apple}`, {}, signal);
    return { document, results: await this.#matches(document, signal) };
  }

  /** Adds expectations to those that there are now, so that another person's are kept. */
  async #expect(signal) {
    const { wanted, isDrafted } = this.#expected;
    const { domain, draft } = this.#facts.value;
    const isNew = ({ expectations }) => (one) => !expectations.some((other) => isExpectation(other, one));
    const add = (one) => Object.assign(one, { expectations: [...one.expectations, ...wanted.filter(isNew(one))] });
    const said = wanted.length === 1 ? wanted[0].url : text.results(wanted.length);
    if (isDrafted) {
      changeStored(domain.domain, (kept) => add(kept.domain));
      add(draft.domain);
      return say(text.expectDrafted(said));
    }
    const of = path`/v1/domains/${domain.domain}`;
    const { expectations = [], revision } = await get(of, {}, signal);
    let value;
    try {
      ({ value } = await request("PUT", `${of}/expectations`, {
        body: { expectations: add({ expectations }).expectations },
        ifMatch: revision,
        query: { reason: text.expectReason(said).slice(0, 1000) },
        signal,
      }));
    } catch (problem) {
      if (problem.code !== "approval-required") throw problem;
      // A second person approves it with the rest of the draft.
      await draftStored(domain.domain, add);
      say(text.expectProtected(said), "ok", { text: text.openDraft, href: to(["domains", domain.domain, "settings"]) });
      return this.#facts.run();
    }
    // The file is the same, so all else is as before, and the person's own draft has this behind it.
    const now = { expectations: value.expectations, revision: value.revision };
    changeStored(domain.domain, ({ base, domain }) => {
      if (base.revision !== revision) return;
      Object.assign(base, now);
      Object.assign(add(domain), { revision: value.revision });
    });
    Object.assign(add(domain), { revision: value.revision });
    say(text.expectDone(said));
  }

  /** That a result is expected, or the button that makes it so. */
  #expectation(result, url, isDrafted) {
    const { domain, draft } = this.#facts.value ?? {};
    const of = isDrafted ? draft?.domain : domain;
    if (!result || !of) return null;
    const known = [...of.expectations, ...draft?.domain.expectations ?? []];
    if (known.some((one) => isExpectation(one, { ...result, url }))) return badge(text.expected, "ok");
    if (!of.enabled || !mayEditDomain(domain.domain)) return null;
    return this.#expectButton(
      text.expect,
      [result],
      isDrafted,
      text.expectOf(words.resolution[result.resolution], url, result.app),
    );
  }

  #expectButton(said, results, isDrafted, label) {
    const expect = () => {
      if (this.#expecting.isRunning) return;
      const wanted = results.map(({ url, platform, app, resolution }) => ({ url, platform, app, resolution }));
      this.#expected = { wanted, isDrafted };
      this.#expecting.run();
    };
    return button(said, expect, {
      kind: "quiet",
      key: "expect",
      title: text.expectHelp,
      "aria-label": label,
      "aria-disabled": this.#expecting.isRunning ? "true" : null,
    });
  }

  #expectAll({ domain, draft }) {
    const known = [...domain.expectations, ...draft?.domain.expectations ?? []];
    const all = this.items.flatMap(({ results }) => results)
      .filter((one) => one.app && !known.some((other) => isExpectation(other, one)));
    return all.length > 1 && domain.enabled && mayEditDomain(domain.domain) &&
      this.#expectButton(text.expectAll(all.length), all, false);
  }

  render() {
    if (this.host) this.#facts.ask();
    const facts = this.#facts.value;
    const again = () => this.#facts.run();
    const refused = (key, said, problem) => problem && h("div", { key }, h("p", {}, said), problemBox(problem, again));
    return [
      this.items.map((item) => this.#result(item, facts)),
      this.#facts.isRunning && h("p", { class: "loading", role: "status", key: "looking" }, text.looking),
      refused("facts", text.factsFailed, this.#facts.problem),
      facts?.domain && [this.#evidence(facts), this.#expectAll(facts)],
      facts && !facts.domain &&
      h(
        "p",
        { class: "help", key: "elsewhere" },
        h(
          "a",
          { href: to(["domains", facts.name, "try"], { url: this.items.map((one) => one.url).join("\n") }) },
          text.elsewhere(facts.name),
        ),
      ),
      refused("draft", text.draftRefused, facts?.draft?.problem),
      refused("cdn", text.cdnRefused, facts?.cdn?.problem),
      this.qr && this.#qrDialog(),
    ];
  }

  #result({ url, results, best }, facts) {
    const all = rows(url, { published: results, draft: facts?.draft?.results, cdn: facts?.cdn?.results });
    const said = best === "match" ? text.opens(opened(results, facts?.names)) : text.verdict[best];
    // Apple's devices get Apple's copy.
    const isAhead = facts?.cdn?.results &&
      all.some(({ platform, cdn, published }) => platform === "ios" && cdn?.resolution !== published?.resolution);
    return h(
      "section",
      { class: "try-result", key: url },
      h(
        "header",
        { class: "section-head" },
        h(
          "h2",
          {},
          h(
            "span",
            { class: `verdict ${isAhead ? "warning" : best === "match" ? "ok" : ""}` },
            isAhead ? text.ahead(said, facts.domain.revision) : said,
          ),
          " ",
          h("bdi", { class: "mono" }, url),
        ),
        url.startsWith("https://") && this.host &&
          button(text.qr, () => this.set({ qr: { url } }), { kind: "quiet", "aria-label": text.qrOf(url) }),
      ),
      this.#expected?.wanted[0].url === url && failure(this.#expecting),
      all.length === 0
        ? h("p", { key: "none" }, resolution("no-match"), " ", results[0]?.reason)
        : table({ caption: text.caption(url), columns: this.#columns(url, facts), rows: all, key: (row) => row.key }),
    );
  }

  /** What the columns are about: which revision, and how old. */
  #evidence({ name, domain, cdn, file, check }) {
    const isFailing = check?.status === "failing";
    const checks = h("a", { href: to(["domains", name, "checks"]) }, text.seeChecks);
    return [
      isFailing && h("p", { class: "box warning", key: "failing" }, text.checkFailing, " ", checks),
      h(
        "p",
        { class: "help", key: "evidence" },
        this.only === undefined && [h("a", { key: "domain", href: to(["domains", name]) }, h("bdi", {}, name)), ": "],
        domain.enabled ? text.revision(domain.revision) : text.disabled,
        " ",
        !file ? text.cdnNoFile : !cdn ? text.cdnUnknown : [
          cdn.revision === null
            ? text.cdnForeign
            : cdn.isCurrent
            ? text.cdnCurrent
            : h("strong", { key: "old" }, text.cdnOld(cdn.revision, domain.revision - cdn.revision)),
          " ",
          cdn.isChecked ? text.seenByCheck : text.fetched,
          " ",
          time(cdn.at),
          ".",
        ],
        file && !cdn?.revision && !isFailing && [" ", checks],
        cdn && this.host !== name && [" ", text.cdnName(this.host, name)],
      ),
    ];
  }

  #columns(url, facts) {
    const { domain, names, draft, cdn } = facts ?? {};
    const app = ({ app, platform }) => [
      icon(kindOf(platform)),
      h("span", { class: "hidden" }, text.platform[platform]),
      " ",
      appName(app, names?.[kindOf(platform)].get(app)),
    ];
    const absent = { resolution: "no-match", reason: text.notPublishedApp };
    const now = (row) => [answer(row.published ?? absent, domain), this.#expectation(row.published, url)];
    const drafted = (row) => [
      compared(row.draft, row.published, draft),
      row.draft?.resolution !== row.published?.resolution && this.#expectation(row.draft, url, true),
    ];
    const copied = (row) =>
      row.platform === "android"
        ? quiet(text.onlyApple)
        : compared(row.cdn, row.published, { ...cdn, domain: undefined });
    return [
      [text.app, app, "try-app"],
      [text.published, now],
      draft && [text.draft, drafted],
      cdn?.revision && [text.cdn, copied],
    ].filter(Boolean);
  }

  #qrDialog() {
    const { url, hasFailed } = this.qr;
    const src = "/v1/qr?" + new URLSearchParams({ url: new URL(url).href });
    const fail = () => this.set({ qr: { url, hasFailed: true } });
    return dialog(
      { title: text.qr, close: () => this.set({ qr: undefined }) },
      hasFailed
        ? h("p", { class: "box warning", role: "alert", key: "failed" }, text.qrFailed)
        : h("img", { key: "img", class: "qr", src, alt: text.qrOf(url), on: { error: fail } }),
      h("p", {}, mono(url)),
      h("p", { class: "help" }, text.qrHelp),
    );
  }
}

function linksIn(line) {
  const links = line.trim().includes(" ") && line.match(/https?:\/\/[^\s<>"']+/gi);
  return links ? links.map((one) => one.replace(/[.,;:!?)]+$/, "")) : [line];
}

/** The URLs of a text, each once, with a scheme; `added` is how many had none, and `others` are no URLs. */
function parsed(given, name) {
  let added = 0;
  const all = given.split(/[\r\n]+/).flatMap(linksIn).map((line) => {
    const url = line.trim().replace(/^(["'<])(.*)["'>,]$/, "$2");
    if (url === "" || /^[a-z][a-z0-9+.-]*:\/\//i.test(url)) return url;
    if (name !== undefined && /^\/(?!\/)/.test(url)) return `https://${name}${url}`;
    added++;
    return `https://${url.replace(/^\/\//, "")}`;
  });
  const urls = [...new Set(all.filter(Boolean).map(withALabels))];
  const others = urls.filter((url) => !hostOf(url)).map((url) => url.replace("https://", ""));
  return { urls: urls.filter((url) => hostOf(url)), added: Math.max(0, added - others.length), others };
}

/** A URL with its host as devices ask for it: with A-labels. */
const withALabels = (url) =>
  url.replace(
    /^https?:\/\/[^/?#]+/i,
    (origin) => /[^\0-\x7f]/.test(origin) && hostOf(url) ? new URL(url).origin : origin,
  );

function hostOf(url) {
  const { protocol, hostname } = URL.parse(url) ?? {};
  // Chromium takes spaces in a host for "%20".
  return ["http:", "https:"].includes(protocol) && !hostname.includes("%") ? hostname : undefined;
}

/** Which revision Apple's CDN has, by the newer of what a check saw and what the CDN fetched from this server. */
function copy(check, fetchers) {
  const fetch = fetchers.find((one) => one.fetcher === "apple-cdn");
  const seen = check && (check.cdnRevision !== null || check.last?.cdn);
  if (seen && !(fetch?.lastAt > check.at)) return { revision: check.cdnRevision, at: check.at, isChecked: true };
  return fetch?.lastRevision ? { revision: fetch.lastRevision, at: fetch.lastAt, isChecked: false } : undefined;
}

/** Which apps a link opens on which platforms: "Example on iOS and Android". */
function opened(results, names) {
  const platforms = Object.keys(kinds).filter((one) => results.some(({ platform }) => platform === one));
  const apps = (one) =>
    results.filter(({ platform, resolution }) => platform === one && resolution === "match")
      .map(({ app }) => cut(names?.[kindOf(one)].get(app) || app)).join(", ") || text.noApp;
  return [...Map.groupBy(platforms, apps)].map(([said, of]) => text.on(said, of.map((one) => text.platform[one])))
    .join(", ");
}

/** One row per app and platform that any of the files names, with the result of each file. */
function rows(url, files) {
  const all = {};
  for (const [file, results = []] of Object.entries(files)) {
    for (const result of results.filter((one) => one.url === url && one.app)) {
      const { app, platform } = result;
      const key = `${platform} ${app}`;
      (all[key] ??= { key, app, platform })[file] ??= result;
    }
  }
  return Object.values(all);
}

const isExpectation = (one, { url, app, resolution }) => (
  one.url === url && one.app === app && one.resolution === resolution
);

const answer = (
  { resolution: word, reason },
  domain,
) => [resolution(word), h("p", { class: "help", key: "reason" }, inWords(reason, domain))];

/** A result beside the published one: that it is the same, or what is different. */
function compared(result, published, { problem, domain }) {
  if (problem) return quiet(words.common.unknown);
  const found = result ?? { resolution: "no-match", reason: text.absent };
  if (found.resolution === (published?.resolution ?? "no-match")) return quiet(text.same);
  return [badge(text.differs, "warning", { key: "differs" }), " ", answer(found, domain)];
}

define({ "aasa-try": Try, "aasa-try-host": TryHost });
