// The apps of both platforms: where each is used, its fingerprints, renaming, and what to paste into its project.

import { get, path, request } from "../api.js";
import { h, View } from "../dom.js";
import { count } from "../format.js";
import {
  badge, button, dialog, empty, facts, failure, field, findingCounts, findingList, form, formEnd, loaded, pages,
  snippet, submit, table, tabs, time,
} from "../parts.js";
import { ask, go, to } from "../routing.js";
import { isUnlimited, Loading, may, say } from "../state.js";
import { words } from "../words.js";
import { bound, domainEffects } from "./plan.js";

/** How the API names things on each platform. */
const platforms = {
  apple: { list: "/v1/apps", id: "app", filter: "app", one: (id) => path`/v1/apps/${id}` },
  android: { list: "/v1/android-apps", id: "package", filter: "androidApp", one: (id) => path`/v1/android-apps/${id}` },
};
const labels = ["play-signing", "upload", "debug"];
const environments = Object.keys(words.environment);

/** Tokens that are limited to domains can neither read nor change apps. */
function mayEdit() {
  return may("editor") && isUnlimited();
}

/** The address of the list of a platform. */
function listOf(platform) {
  return to(platform === "apple" ? ["apps"] : ["apps", platform]);
}

class Apps extends View {
  address;

  render() {
    const [, platform = "apple", id] = this.address.parts;
    if (!(platform in platforms)) {
      return empty(words.pages.notFound, words.pages.notFoundText, h("a", { href: to(["apps"]) }, words.apps.all));
    }
    if (!isUnlimited()) {
      return [h("h1", {}, words.apps.title), h("p", { class: "box", key: "limited" }, words.apps.limited)];
    }
    if (id !== undefined) return h("aasa-apps-one", { platform, name: id, domain: this.address.query.domain ?? "" });
    return h("aasa-apps-list", { platform, cursor: this.address.query.cursor });
  }
}

class List extends View {
  platform;
  #cursor;
  #isAdding = false;
  #apps = new Loading(this, (signal) => get(this.#of.list, { limit: 100, cursor: this.#cursor }, signal));

  get #of() {
    return platforms[this.platform];
  }

  set cursor(value) {
    const isNew = value !== this.#cursor;
    this.#cursor = value;
    if (isNew && this.isConnected) this.#apps.run();
  }

  start() {
    this.#apps.run();
  }

  #add(isAdding) {
    this.#isAdding = isAdding;
    this.update();
  }

  render() {
    const add = mayEdit() && button(words.apps.add[this.platform], () => this.#add(true), { kind: "primary" });
    return [
      h("div", { class: "headline", key: "head" }, h("h1", {}, words.apps.title), add),
      tabs(
        words.apps.platforms, Object.keys(platforms).map((one) => [one, words.apps.platform[one], listOf(one)]),
        this.platform),
      loaded(
        this.#apps, ({ items, next }) =>
          items.length === 0 && !this.#cursor
            ? empty(words.apps.empty[this.platform], mayEdit() ? words.apps.emptyText : words.apps.emptyViewer)
            : [
              table({
                caption: words.apps.platform[this.platform], columns: this.#columns(), rows: items,
                key: (app) => app[this.#of.id],
              }),
              pages({
                first: () => ask({ cursor: undefined }), next: () => ask({ cursor: next }), isFirst: !this.#cursor,
                hasNext: next !== null,
              })]),
      this.#isAdding && dialog(
        { title: words.apps.add[this.platform], close: () => this.#add(false) },
        h("aasa-apps-add", { platform: this.platform, close: () => this.#add(false) }))];
  }

  #columns() {
    const of = this.#of;
    const id = (app) => app[of.id];
    return [
      {
        title: words.apps.name,
        cell: (app) => h("a", { href: to(["apps", this.platform, id(app)]) }, h("bdi", {}, app.name || id(app))),
      },
      { title: words.apps.identifier[this.platform], cell: (app) => h("span", { class: "mono" }, id(app)) },
      { title: words.apps.environment, cell: (app) => words.environment[app.environment] },
      this.platform === "android" &&
      { title: words.apps.fingerprints, class: "number", cell: (app) => count(app.fingerprints.length) },
      this.platform === "android" &&
      { title: words.apps.findings, cell: (app) => findingCounts(counted(app.findings)) },
      { title: words.apps.domains, class: "number", cell: (app) => uses(app, of) },
      { title: words.apps.changed, cell: (app) => time(app.updatedAt) },
    ].filter(Boolean);
  }
}

/** How many domains use an app, as a link to them. */
function uses(app, of, text = count(app.domains)) {
  if (app.domains === 0) return h("span", { class: "quiet" }, words.common.none);
  const href = to(["domains"], { [of.filter]: app[of.id] });
  return h("a", { href, "aria-label": words.apps.usedBy(app.domains) }, text);
}

function counted(findings = []) {
  const counts = {};
  for (const { severity } of findings) counts[severity] = (counts[severity] ?? 0) + 1;
  return counts;
}

/** The inputs of a fingerprint. */
function fingerprintFields(draft, fault) {
  return [
    field(words.apps.fingerprint, {
      id: "sha256", ...bound(draft, "sha256"), required: true, spellcheck: "false", help: words.apps.fingerprintHelp,
      fault,
    }),
    field(words.apps.label, {
      id: "label", tag: "select", options: labels.map((one) => [one, words.apps.labels[one]]), ...bound(draft, "label"),
    })];
}

function detailFields(draft) {
  return [
    field(words.apps.name, { id: "name", ...bound(draft, "name"), maxlength: 200, help: words.apps.nameHelp }),
    field(words.apps.environment, {
      id: "environment", tag: "select", options: environments.map((one) => [one, words.environment[one]]),
      ...bound(draft, "environment"), help: words.apps.environmentHelp,
    })];
}

class Add extends View {
  platform;
  close;
  #draft = { environment: "production", label: "play-signing" };
  #doing = new Loading(this, async () => {
    const { id, name, environment, sha256, label } = this.#draft;
    const of = platforms[this.platform];
    const body = { name, environment };
    if (this.platform === "android") body.fingerprints = [{ sha256: sha256 ?? "", label }];
    const where = of.one((id ?? "").trim());
    // The API has no "only if it is new" for apps, so a dry run says whether it is.
    const { status } = await request("PUT", where, { body, query: { dryRun: true } });
    this.exists = status === 200;
    if (this.exists) return;
    const { value } = await request("PUT", where, { body });
    say(words.apps.added(value[of.id]));
    go(["apps", this.platform, value[of.id]]);
  });

  render() {
    return form(
      () => this.#doing.run(), {},
      field(words.apps.identifier[this.platform], {
        id: "identifier", ...bound(this.#draft, "id"), required: true, spellcheck: "false", autocapitalize: "none",
        focus: true, help: words.apps.identifierHelp[this.platform], fault: this.exists ? words.apps.exists : undefined,
      }),
      detailFields(this.#draft), this.platform === "android" && fingerprintFields(this.#draft),
      formEnd(this.#doing, words.common.add, () => this.close()));
  }
}

class One extends View {
  platform;
  name;
  #domain = "";
  #draft = {};
  #fingerprint = { label: "play-signing" };
  #rename = {};
  /** The dialog that is open: its title and its content. */
  #open;
  #app = new Loading(this, async (signal) => {
    const app = await get(this.#of.one(this.name), {}, signal);
    this.#draft = { name: app.name, environment: app.environment };
    return app;
  });
  #save = new Loading(this, async () => {
    const { fingerprints } = this.#app.value;
    await request("PUT", this.#of.one(this.name), { body: { ...this.#draft, ...(fingerprints && { fingerprints }) } });
    say(words.apps.saved);
    await this.#app.run();
  });
  #domains = new Loading(this, (signal) => get("/v1/domains", { [this.#of.filter]: this.name, limit: 100 }, signal));
  #snippets = new Loading(
    this, (signal) => this.#domain && get(path`/v1/domains/${this.#domain}/snippets`, {}, signal));

  get #of() {
    return platforms[this.platform];
  }

  set domain(value) {
    const isNew = value !== this.#domain;
    this.#domain = value;
    if (isNew && this.isConnected) {
      this.#snippets.clear();
      this.#snippets.run();
    }
  }

  start() {
    this.#app.run();
    this.#domains.run();
    this.#snippets.run();
  }

  #show(open) {
    this.#open = open;
    this.update();
  }

  #done(text) {
    this.#show(undefined);
    say(text);
    this.#app.run();
  }

  /** Changes the fingerprints, after a plan: all domains that use the app are published again. */
  #change(fingerprints, title) {
    const { name, environment } = this.#app.value;
    this.#show({
      title, wide: true,
      content: h("aasa-plan", {
        key: title, label: title,
        send: (query) => request("PUT", this.#of.one(this.name), { body: { name, environment, fingerprints }, query }),
        show: ({ publications = [] }) => [
          h("p", { key: "text" }, words.apps.fingerprintPlan(publications.length)), domainEffects(publications)],
        done: () => {
          this.#fingerprint = { label: "play-signing" };
          this.#done(words.apps.saved);
        },
        close: () => this.#show(undefined),
      }),
    });
  }

  #planRename() {
    const wanted = (this.#rename.to ?? "").trim();
    this.#show({
      title: words.apps.rename.title(wanted), wide: true,
      content: h("aasa-plan", {
        key: "rename", label: words.apps.rename.button,
        send: (query) => request("POST", `${this.#of.one(this.name)}/rename`, { body: { to: wanted }, query }),
        show: (
          { domains },
        ) => [h("p", { key: "text" }, words.apps.rename.plan(domains.length)), domainEffects(domains)],
        done: (value) => {
          say(words.apps.rename.done);
          go(["apps", this.platform, value[this.#of.id]]);
        },
        close: () => this.#show(undefined),
      }),
    });
  }

  #askDelete() {
    this.#show({
      title: words.apps.delete.title,
      content: h("aasa-confirm", {
        text: words.apps.delete.text(this.name), label: words.common.delete, close: () => this.#show(undefined),
        ask: async (reason) => {
          await request("DELETE", this.#of.one(this.name), { query: { reason } });
          say(words.apps.delete.done(this.name));
          location.hash = listOf(this.platform);
        },
      }),
    });
  }

  render() {
    const app = this.#app.value;
    return [
      h("p", { key: "up" }, h("a", { href: listOf(this.platform) }, "← ", words.apps.platform[this.platform])),
      h("h1", { key: "title" }, h("bdi", {}, app?.name || this.name)),
      loaded(this.#app, (app) =>
        h(
          "div", { class: "columns", key: "columns" },
          h("div", { key: "left" }, this.#details(app), mayEdit() && this.#renameSheet(app)),
          h("div", { key: "right" }, this.platform === "android" && this.#fingerprints(app), this.#snippetSheet()))),
      this.#open &&
      dialog({
        title: this.#open.title, wide: this.#open.wide, close: () => this.#show(undefined),
      }, this.#open.content)];
  }

  #details(app) {
    return h(
      "section", { class: "sheet", key: "details" }, h("h2", {}, words.apps.details),
      facts([
        [words.apps.identifier[this.platform], h("span", { class: "mono" }, this.name)],
        [words.apps.domains, uses(app, this.#of, words.apps.usedBy(app.domains))],
        [words.apps.changed, time(app.updatedAt)],
        !mayEdit() && [words.apps.environment, words.environment[app.environment]]]),
      mayEdit() && form(
        () => this.#save.run(), { key: "edit" }, detailFields(this.#draft), failure(this.#save),
        submit(words.common.save, { disabled: this.#save.isRunning })),
      app.findings?.length > 0 && h("h3", { key: "findings-title" }, words.apps.findings),
      app.findings?.length > 0 && findingList(app.findings));
  }

  #fingerprints({ fingerprints }) {
    return h(
      "section", { class: "sheet", key: "fingerprints" }, h("h2", {}, words.apps.fingerprints),
      h("p", { class: "help" }, words.apps.fingerprintsHelp),
      h(
        "ul", { class: "prints" },
        fingerprints.map(({ sha256, label }, index) =>
          h(
            "li", { key: sha256 }, badge(words.apps.labels[label], label === "debug" ? "warning" : "quiet"),
            h("code", {}, sha256), mayEdit() && fingerprints.length > 1 &&
              button(words.apps.remove, () => this.#change(fingerprints.toSpliced(index, 1), words.apps.removePrint), {
                kind: "quiet", "aria-label": words.apps.removeWhat(sha256.slice(0, 11)),
              })))),
      mayEdit() && form(
        () =>
          this.#change(
            [...fingerprints, { sha256: this.#fingerprint.sha256 ?? "", label: this.#fingerprint.label }],
            words.apps.addPrint),
        { key: "add" }, h("h3", {}, words.apps.addPrint), fingerprintFields(this.#fingerprint),
        submit(words.apps.preview)));
  }

  #renameSheet(app) {
    return h(
      "section", { class: "sheet", key: "rename" }, h("h2", {}, words.apps.rename.head),
      h("p", { class: "help" }, words.apps.rename.help),
      form(
        () => this.#planRename(), {},
        field(words.apps.rename.to[this.platform], {
          id: "rename", ...bound(this.#rename, "to"), required: true, spellcheck: "false", autocapitalize: "none",
        }),
        submit(words.apps.preview)),
      h("h2", { class: "after" }, words.apps.delete.title), app.domains > 0
        ? h("p", { key: "used" }, words.apps.delete.used(app.domains))
        : button(words.apps.delete.button, () => this.#askDelete(), { kind: "danger", key: "delete" }));
  }

  #snippetSheet() {
    return h(
      "section", { class: "sheet", key: "snippets" }, h("h2", {}, words.apps.snippets.title),
      loaded(this.#domains, ({ items, total }) =>
        total === 0 ? h("p", { key: "none" }, words.apps.snippets.unused) : [
          h("p", { class: "help", key: "help" }, words.apps.snippets.help),
          field(words.apps.snippets.domain, {
            id: "snippet-domain", value: this.#domain,
            ...(total > items.length
              ? { list: "snippet-domains", autocomplete: "off", help: words.apps.snippets.many(total) }
              : {
                tag: "select",
                options: [["", words.apps.snippets.choose], ...items.map(({ domain }) => [domain, domain])],
              }),
            on: { change: (event) => ask({ domain: event.target.value.trim() }, { replace: true }) },
          }),
          total > items.length && h(
            "datalist", { id: "snippet-domains", key: "list" },
            items.map(({ domain }) => h("option", { key: domain, value: domain })))]),
      this.#domain && loaded(this.#snippets, (value) => this.#snippetList(value)));
  }

  #snippetList({ entitlements, intentFilter, intentFilterFromAndroid15, mobileconfig, notes }) {
    const mine = entitlements.find(({ app }) => app === this.name);
    const shown = this.platform === "android"
      ? [
        intentFilter && snippet(words.apps.snippets.filter, intentFilter),
        intentFilterFromAndroid15 && snippet(words.apps.snippets.filter15, intentFilterFromAndroid15)]
      : [
        mine && snippet(words.apps.snippets.entitlements, mine.plist),
        mobileconfig && snippet(words.apps.snippets.mobileconfig, mobileconfig)];
    return [
      shown.some(Boolean) ? shown : h("p", { key: "nothing" }, words.apps.snippets.nothing),
      notes.length > 0 && h("ul", { key: "notes" }, notes.map((note) => h("li", { key: note }, note)))];
  }
}

customElements.define("aasa-apps", Apps);
customElements.define("aasa-apps-list", List);
customElements.define("aasa-apps-add", Add);
customElements.define("aasa-apps-one", One);
