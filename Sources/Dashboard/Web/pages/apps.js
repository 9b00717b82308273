// The apps of both platforms: where each is used, its fingerprints, renaming, and what to paste into its project.

import { add, get, path, refused, request } from "../api.js";
import {
  badge,
  button,
  count,
  define,
  draftField,
  empty,
  facts,
  failure,
  field,
  findingCounts,
  form,
  h,
  linkButton,
  listing,
  loaded,
  mono,
  quiet,
  snippet,
  submit,
  tabs,
  time,
  View,
} from "../parts.js";
import { ask, go, to } from "../routing.js";
import { isUnlimited, Loading, say } from "../state.js";
import { words } from "../words.js";
import { findingList } from "./domain-parts.js";
import { pause } from "./domains.js";
import { confirmation, counted, domainEffects, formDialog, planDialog } from "./plan.js";

const text = words.apps;
const platforms = {
  apple: { list: "/v1/apps", id: "app", filter: "app", one: (id) => path`/v1/apps/${id}` },
  android: { list: "/v1/android-apps", id: "package", filter: "androidApp", one: (id) => path`/v1/android-apps/${id}` },
};
const verbatim = { required: true, spellcheck: "false", autocapitalize: "none" };
const listOf = (platform) => platform === "apple" ? ["apps"] : ["apps", platform];

class Apps extends View {
  render() {
    const [, platform = "apple", name] = this.address.parts;
    const { cursor, domain, q = "" } = this.address.query;
    if (!Object.hasOwn(platforms, platform)) return empty(words.pages.notFound, words.pages.notFoundText);
    // Tokens that are limited to domains can neither read nor change apps.
    if (!isUnlimited()) return [h("h1", {}, words.pages.apps), h("p", { class: "box" }, text.limited)];
    if (name === undefined) return h("aasa-apps-list", { platform, cursor, q });
    return h("aasa-apps-one", { platform, name, domain });
  }
}

class List extends View {
  platform;
  cursor;
  q = "";
  #apps = new Loading(this, async (signal) => {
    const { platform, cursor, q } = this;
    return { platform, q, ...(await get(platforms[platform].list, { q: q.trim(), limit: 100, cursor }, signal)) };
  });
  #timer;

  #type(q) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.isConnected && ask({ q, cursor: undefined }, { replace: true }), pause);
  }

  render() {
    const { platform, cursor, q } = this;
    this.#apps.ask(platform, q, cursor);
    // Those of the other platform are none of this list.
    if (this.#apps.value?.platform !== platform) this.#apps.value = undefined;
    const add = button(text.add[platform], () => this.set({ open: adding(platform, this.close) }), { kind: "primary" });
    /** @type {[string, string]} */
    const nothing = !this.#apps.value?.q
      ? [text.empty[platform], isUnlimited("editor") ? text.emptyText : text.emptyViewer]
      : [text.noneFound, text.noneFoundText];
    return [
      h("div", { class: "headline", key: "head" }, h("h1", {}, words.pages.apps), isUnlimited("editor") && add),
      tabs(text.platforms, Object.keys(platforms).map((one) => [one, text.platform[one], to(listOf(one))]), platform),
      form(
        () => {},
        { class: "toolbar", key: "search", role: "search" },
        field(words.domains.search, {
          id: "app-search",
          type: "search",
          value: q,
          placeholder: text.searchHint,
          spellcheck: "false",
          on: { input: ({ target: { value } }) => this.#type(value) },
        }),
      ),
      listing(this.#apps, nothing, {
        caption: text.platform[platform],
        key: (app) => app[platforms[platform].id],
        columns: (items) => columns(platform, items),
      }),
      this.open,
    ];
  }
}

function columns(platform, items) {
  const { id } = platforms[platform];
  const link = (app, said) => h("a", { href: to(["apps", platform, app[id]]) }, said);
  const onlyAndroid = [
    [text.fingerprints, (app) => count(app.fingerprints.length), "number"],
    [words.pages.findings, (app) => findingCounts(counted(app.findings ?? []))],
  ];
  return [
    [words.settings.name, (app) => app.name ? link(app, h("bdi", {}, app.name)) : quiet(text.unnamed)],
    [text.identifier[platform], (app) => app.name ? mono(app[id]) : link(app, mono(app[id])), "short"],
    ...items.every((app) => app.environment === "production")
      ? []
      : [[words.domains.environment, (app) => words.environment[app.environment]]],
    ...platform === "android" ? onlyAndroid : [],
    [words.pages.domains, (app) => uses(app, platform, count(app.domains)), "number"],
    [text.changed, (app) => time(app.updatedAt), "short"],
  ];
}

function uses(app, platform, said = text.usedBy(app.domains)) {
  if (app.domains === 0) return quiet(words.common.none);
  const { filter, id } = platforms[platform];
  return h("a", { href: to(["domains"], { [filter]: app[id] }), "aria-label": text.usedBy(app.domains) }, said);
}

function fingerprintFields(draft) {
  return [
    draftField(text.fingerprint, draft, "sha256", { ...verbatim, help: text.fingerprintHelp }),
    draftField(text.label, draft, "label", { tag: "select", options: labelsToChoose() }),
  ];
}

const labelsToChoose = () => Object.entries(text.labels).filter(([label]) => label !== "unknown");

const planned = (domains) => [h("p", { key: "text" }, text.plan(domains.length)), domainEffects(domains)];

function detailFields(draft) {
  const options = Object.entries(words.environment);
  return [
    draftField(words.settings.name, draft, "name", { maxlength: 200, help: text.nameHelp }),
    draftField(words.domains.environment, draft, "environment", { tag: "select", options, help: text.environmentHelp }),
  ];
}

function adding(platform, close) {
  const isAndroid = platform === "android";
  const of = platforms[platform];
  const send = async ({ id = "", name, environment, sha256 = "", label }, signal) => {
    if (!isAndroid && !/^\s*[A-Z0-9]{10}\./.test(id)) throw refused("id", text.oddIdentifier);
    const fingerprints = isAndroid ? [{ sha256, label }] : undefined;
    const app = await add(of.one(id.trim()), { name, environment, fingerprints }, "id", text.exists, signal);
    say(text.added(app[of.id]));
    go(["apps", platform, app[of.id]]);
  };
  return formDialog({
    title: text.add[platform],
    label: words.common.add,
    close,
    send,
    draft: { environment: "production", label: "play-signing" },
    fields: (draft) => [
      draftField(text.identifier[platform], draft, "id", {
        ...verbatim,
        focus: true,
        help: text.identifierHelp[platform],
      }),
      detailFields(draft),
      isAndroid && fingerprintFields(draft),
    ],
  });
}

class One extends View {
  platform;
  name;
  domain;
  fingerprint = { label: "play-signing" };
  #draft = {};
  #rename = {};
  #app = new Loading(this, async (signal) => {
    const app = await get(this.#path, {}, signal);
    const { name, environment } = app;
    // What is typed and not saved stays.
    const typed = Object.entries(this.#draft).filter(([member, value]) => value !== this.#app.value?.[member]);
    this.#draft = { name, environment, ...Object.fromEntries(typed) };
    return app;
  });
  #save = new Loading(this, async () => {
    // Others may have changed them.
    const { fingerprints } = await get(this.#path);
    await request("PUT", this.#path, { body: { ...this.#draft, fingerprints } });
    say(text.saved);
    this.#app.run();
  });
  #domains = new Loading(
    this,
    (signal) => get("/v1/domains", { [platforms[this.platform].filter]: this.name, limit: 100 }, signal),
  );
  // Of the chosen domain, or of all domains of an Apple app.
  #snippets = new Loading(this, async (signal) => {
    if (this.domain) return get(path`/v1/domains/${this.domain}/snippets`, {}, signal);
    const all = await get(path`/v1/apps/${this.name}/snippets`, {}, signal);
    return { entitlements: [all], moreDomains: all.moreDomains, notes: [] };
  });

  get #hasSnippets() {
    return this.domain || this.platform === "apple";
  }

  get #path() {
    return platforms[this.platform].one(this.name);
  }

  /** Changes the fingerprints, after a plan: all domains that use the app are published again. */
  #change(change, title) {
    const send = async (query) => {
      const { name, environment, fingerprints } = await get(this.#path);
      return request("PUT", this.#path, { body: { name, environment, fingerprints: change(fingerprints) }, query });
    };
    this.show(planDialog, {
      title,
      label: title,
      send,
      show: ({ publications = [], deviatingDomains = [], moreDeviatingDomains = 0 }) => [
        planned(publications),
        deviatingDomains.length > 0 &&
        h("p", { class: "box", key: "deviating" }, text.keptStatements(deviatingDomains, moreDeviatingDomains)),
      ],
      said: () => text.saved,
      done: () => {
        this.fingerprint = { label: "play-signing" };
        this.#app.run();
      },
    });
  }

  #planRename() {
    const wanted = (this.#rename.to ?? "").trim();
    this.show(planDialog, {
      title: `${text.rename}: ${wanted}`,
      label: text.rename,
      send: (query) => request("POST", `${this.#path}/rename`, { body: { to: wanted }, query }),
      show: ({ domains }) => planned(domains),
      said: ({ domains }) => text.renamed(domains.length),
      done: (value) => go(["apps", this.platform, value[platforms[this.platform].id]]),
    });
  }

  #askDelete() {
    this.show(confirmation, {
      title: text.delete,
      text: text.deleteText(this.name),
      label: words.common.delete,
      ask: async (reason) => {
        await request("DELETE", this.#path, { query: { reason } });
        say(text.deleted(this.name));
        go(listOf(this.platform));
      },
    });
  }

  render() {
    this.#app.ask();
    this.#domains.ask();
    if (this.#hasSnippets) this.#snippets.ask(this.domain ?? "");
    return [
      h("p", { key: "up" }, h("a", { href: to(listOf(this.platform)) }, "← ", text.platform[this.platform])),
      h("h1", { key: "title" }, h("bdi", {}, this.#app.value?.name || this.name)),
      // Somebody limited to domains may not read apps, only what they need for these domains.
      h(
        "div",
        { class: "columns", key: "columns" },
        h(
          "div",
          { key: "left" },
          loaded(this.#app, (app) => [this.#details(app), isUnlimited("editor") && this.#renameSheet(app)]),
        ),
        h(
          "div",
          { key: "right" },
          this.#app.value && this.platform === "android" && this.#fingerprints(this.#app.value),
          this.#snippetSheet(),
        ),
      ),
      this.open,
    ];
  }

  #details(app) {
    return h(
      "section",
      { class: "sheet", key: "details" },
      h("h2", {}, text.details),
      facts([
        [text.identifier[this.platform], mono(this.name)],
        [words.pages.domains, uses(app, this.platform)],
        [text.changed, time(app.updatedAt)],
        app.addedBy && [text.addedBy, text.limitedTo(app.addedBy)],
        !isUnlimited("editor") && [words.domains.environment, words.environment[app.environment]],
      ]),
      isUnlimited("editor") &&
        form(
          () => this.#save.run(),
          { key: "edit" },
          detailFields(this.#draft),
          failure(this.#save),
          submit(words.common.save, { disabled: this.#save.isRunning }),
        ),
      app.findings?.length > 0 && [h("h3", { key: "findings-h" }, words.pages.findings), findingList(app.findings)],
    );
  }

  #fingerprints({ fingerprints }) {
    const row = ({ sha256, label }) =>
      h(
        "li",
        { key: sha256 },
        badge(text.labels[label], label === "debug" || label === "unknown" ? "warning" : "quiet"),
        h("code", {}, sha256),
        isUnlimited("editor") && label === "unknown" && labelsToChoose().map(([known, name]) =>
          button(
            text.itIs(name),
            () =>
              this.#change(
                (all) => all.map((one) => one.sha256 === sha256 ? { ...one, label: known } : one),
                text.setLabel,
              ),
            { kind: "quiet", key: known },
          )
        ),
        isUnlimited("editor") && fingerprints.length > 1 && button(
          text.remove,
          () => this.#change((all) => all.filter((one) => one.sha256 !== sha256), text.removePrint),
          { kind: "quiet", "aria-label": text.removeWhat(sha256.slice(0, 11)) },
        ),
      );
    const grow = () => this.#change((all) => [...all, { sha256: "", ...this.fingerprint }], text.addPrint);
    return h(
      "section",
      { class: "sheet", key: "fingerprints" },
      h("h2", {}, text.fingerprints),
      h("p", { class: "help" }, text.fingerprintsHelp),
      h("ul", { class: "prints" }, fingerprints.map(row)),
      isUnlimited("editor") && form(
        grow,
        { key: "add" },
        h("h3", {}, text.addPrint),
        fingerprintFields(this.fingerprint),
        submit(text.preview),
      ),
    );
  }

  #renameSheet({ domains }) {
    return h(
      "section",
      { class: "sheet", key: "rename" },
      h("h2", {}, text.rename),
      h("p", { class: "help" }, text.renameHelp),
      form(
        () => this.#planRename(),
        {},
        draftField(text.renameTo[this.platform], this.#rename, "to", verbatim),
        submit(text.preview),
      ),
      h("h2", { class: "after" }, text.delete),
      domains > 0
        ? h("p", { key: "used" }, text.used(domains))
        : button(`${text.delete} …`, () => this.#askDelete(), { kind: "danger", key: "delete" }),
    );
  }

  #snippetSheet() {
    const choose = ({ target }) => ask({ domain: target.value.trim() }, { replace: true });
    const first = ["", this.platform === "apple" ? text.all : text.choose];
    const select = ({ items, total }) =>
      field(words.settings.domain, {
        id: "snippet-domain",
        value: this.domain ?? "",
        on: { change: choose },
        // A list of more would be too long to choose from.
        ...(total > items.length
          ? { autocomplete: "off", help: text.many(total) }
          : { tag: "select", options: [first, ...items.map(({ domain }) => [domain, domain])] }),
      });
    return h(
      "section",
      { class: "sheet", key: "snippets" },
      h("h2", {}, text.snippets),
      loaded(this.#domains, (domains) =>
        domains.total === 0
          ? [
            h("p", { key: "none" }, text.unused),
            linkButton(words.pages.toDomains, to(["domains"]), { key: "domains" }),
          ]
          : [h("p", { class: "help", key: "help" }, text.snippetsHelp), select(domains)]),
      // Those of another domain would mislead.
      this.#hasSnippets && this.#domains.value?.total > 0 &&
        loaded(this.#snippets, (snippets) => !this.#snippets.problem && this.#snippetList(snippets)),
    );
  }

  #snippetList({ entitlements, intentFilter, intentFilterFromAndroid15, mobileconfig, moreDomains, notes }) {
    const mine = entitlements.find(({ app }) => app === this.name);
    const all = this.platform === "android"
      ? [[text.filter, intentFilter], [text.filter15, intentFilterFromAndroid15]]
      : [[text.entitlements, mine?.associatedDomains.length > 0 && mine.plist], [text.mobileconfig, mobileconfig]];
    const shown = all.filter(([, content]) => content);
    return [
      shown.length > 0
        ? shown.map(([label, content]) => snippet(label, content))
        : h("p", { key: "nothing" }, text.nothing),
      moreDomains && h("p", { key: "more" }, text.moreDomains(moreDomains)),
      notes.length > 0 && h("ul", { key: "notes" }, notes.map((note) => h("li", { key: note }, note))),
    ];
  }
}

define({ "aasa-apps": Apps, "aasa-apps-list": List, "aasa-apps-one": One });
