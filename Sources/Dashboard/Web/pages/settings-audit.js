// Who did what; the servers on the database; and the version.

import { get } from "../api.js";
import { h, View } from "../dom.js";
import { count } from "../format.js";
import { badge, button, empty, facts, field, form, loaded, pages, submit, table, time } from "../parts.js";
import { ask, to } from "../routing.js";
import { Loading, session } from "../state.js";
import { words } from "../words.js";

class Audit extends View {
  #address;
  #records = new Loading(this, (signal) => {
    const { domain, author, cursor } = this.#address.query;
    return get("/v1/audit", { domain, author, cursor, limit: 50 }, signal);
  });

  set address(value) {
    const before = JSON.stringify(this.#address?.query);
    this.#address = value;
    if (this.isConnected && before !== JSON.stringify(value.query)) this.#records.run();
  }

  start() {
    this.#records.run();
  }

  render() {
    const text = words.settings.audit;
    const { domain, author, cursor } = this.#address.query;
    return [
      form(
        ({ domain, author }) => ask({ domain: domain.trim(), author: author.trim(), cursor: undefined }),
        { class: "toolbar", key: "filters" },
        field(text.domain, {
          id: "domain", name: "domain", value: domain ?? "", type: "search", spellcheck: "false",
          autocapitalize: "none",
        }),
        field(text.author, { id: "author", name: "author", value: author ?? "", type: "search", spellcheck: "false" }),
        submit(text.filter), (domain || author) &&
          button(text.clear, () => ask({ domain: undefined, author: undefined, cursor: undefined }), {
            kind: "quiet", key: "clear",
          })),
      loaded(this.#records, ({ items, next }) => [
        items.length === 0 ? empty(text.empty, text.emptyText) : h(
          "ol", { class: "audit", key: "records", "aria-label": words.settings.sections.audit },
          items.map((record) => this.#record(record))),
        pages({
          first: () => ask({ cursor: undefined }), next: () => ask({ cursor: next }), isFirst: !cursor,
          hasNext: next !== null,
        })])];
  }

  #record({ id, at, author, address, action, reason, domain, app, androidApp, token, webhook, revision, changes }) {
    const text = words.settings.audit;
    const isNamed = (name) => name !== undefined && !action.includes(name);
    return h(
      "li", { key: id },
      h(
        "p", {}, h("a", { class: "author", href: to(["settings", "audit"], { author }) }, h("bdi", {}, author)), " ",
        text.did(action), domain &&
          [
            /(domain|apply)$/.test(action) ? " " : ` ${text.in} `,
            h("a", { key: "domain", href: to(["domains", domain]), class: "mono" }, domain)],
        isNamed(app) && [" ", h("a", { key: "app", href: to(["apps", "apple", app]), class: "mono" }, app)],
        isNamed(androidApp) &&
          [" ", h("a", { key: "app", href: to(["apps", "android", androidApp]), class: "mono" }, androidApp)],
        isNamed(token) && [" ", h("bdi", { key: "token", class: "mono" }, token)],
        isNamed(webhook) && [" ", h("bdi", { key: "webhook", class: "mono" }, webhook)], domain && revision &&
          [
            ", ",
            h(
              "a", { key: "revision", href: to(["domains", domain, "history"], { to: revision }) },
              text.revision(count(revision)))]),
      h("p", { class: "help when", key: "when" }, time(at), address && [" · ", text.from(address)]),
      reason && h("p", { key: "reason", class: "reason", dir: "auto" }, reason),
      changes && h("p", { key: "changes", class: "help changed" }, changes));
  }
}

class Replicas extends View {
  #list = new Loading(this, async (signal) => (await get("/v1/replicas", {}, signal)).items);

  start() {
    this.#list.run();
    // What is behind changes by itself.
    const timer = setInterval(() => document.hidden || this.#list.run(), 15000);
    this.ending.addEventListener("abort", () => clearInterval(timer));
  }

  render() {
    const text = words.settings.replicas;
    return [
      h("p", { key: "help" }, text.help),
      loaded(this.#list, (items) =>
        items.length === 0 ? empty(text.empty, text.emptyText) : table({
          caption: words.settings.sections.replicas, rows: items, key: (one) => `${one.name} ${one.url}`,
          columns: [
            { title: text.name, cell: (one) => h("bdi", {}, one.name) },
            { title: text.url, cell: (one) => h("span", { class: "mono" }, one.url) },
            { title: text.version, cell: (one) => one.version },
            {
              title: text.lag,
              cell: (one) => one.lag === 0 ? badge(text.current, "ok") : badge(text.behind(one.lag), "warning"),
            },
            { title: text.started, cell: (one) => time(one.startedAt) },
            { title: text.seen, cell: (one) => time(one.seenAt) }],
        }))];
  }
}

class About extends View {
  start() {
    session.follow(this);
  }

  render() {
    const text = words.settings.about;
    return h(
      "section", { class: "sheet" }, h("h2", {}, text.title),
      facts([
        [text.version, session.version ?? words.common.unknown],
        [text.you, [h("bdi", {}, session.name), ", ", words.role[session.role]]],
        [words.settings.domains, session.domains?.length > 0 ? session.domains.join(", ") : words.settings.allDomains],
        [text.until, session.expiresAt ? time(session.expiresAt) : words.common.never]]),
      h("p", {}, text.api, " ", h("a", { href: "/openapi.json" }, "/openapi.json")));
  }
}

customElements.define("aasa-settings-audit", Audit);
customElements.define("aasa-settings-replicas", Replicas);
customElements.define("aasa-settings-about", About);
