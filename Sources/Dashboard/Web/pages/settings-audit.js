// Who did what; the servers on the database; and the version.

import { get } from "../api.js";
import { h, View } from "../dom.js";
import { count } from "../format.js";
import { badge, button, cursorPages, empty, facts, field, form, loaded, mono, submit, table, time } from "../parts.js";
import { ask, to } from "../routing.js";
import { Loading, session } from "../state.js";
import { words } from "../words.js";

class Audit extends View {
  address;
  #records = new Loading(this, (signal) => {
    const { domain, author, cursor } = this.address.query;
    return get("/v1/audit", { domain, author, cursor, limit: 50 }, signal);
  });

  render() {
    const text = words.settings.audit;
    const { domain, author } = this.address.query;
    this.#records.ask(this.address.query);
    const filter = (domain, author) => ask({ domain: domain?.trim(), author: author?.trim(), cursor: undefined });
    const input = (label, id, value = "") => field(label, { id, name: id, value, type: "search", spellcheck: "false" });
    return [
      form(({ domain, author }) => filter(domain, author), { class: "toolbar", key: "filters" },
        input(words.settings.domain, "domain", domain), input(text.author, "author", author), submit(text.filter),
        (domain || author) && button(text.clear, () => filter(), { kind: "quiet", key: "clear" })),
      loaded(this.#records, ({ items, next }) => [
        items.length === 0 ? empty(text.empty, text.emptyText)
          : h("ol", { class: "audit", key: "records", "aria-label": words.settings.sections.audit }, items.map(entry)),
        cursorPages(next)])];
  }
}

function entry({ id, at, author, address, action, reason, changes, domain, revision, ...named }) {
  const { app, androidApp, token, webhook, user } = named;
  const text = words.settings.audit;
  const isNamed = (name) => name !== undefined && !action.includes(name);
  const link = (parts, text, query) => h("a", { key: text, href: to(parts, query), class: "mono" }, text);
  return h("li", { key: id },
    h("p", {},
      h("a", { class: "author", href: to(["settings", "audit"], { author }) }, h("bdi", {}, author)), " ", did(action),
      domain && [/(domain|apply)$/.test(action) ? " " : ` ${text.in} `, link(["domains", domain], domain)],
      isNamed(app) && [" ", link(["apps", "apple", app], app)],
      isNamed(androidApp) && [" ", link(["apps", "android", androidApp], androidApp)],
      [token, webhook, user].filter(isNamed).map((name) => [" ", h("bdi", { key: "name", class: "mono" }, name)]),
      domain && revision && h("span", { key: "revision" }, ", ", h(
        "a", { href: to(["domains", domain, "history"], { to: revision }) }, text.revision(count(revision))))),
    h("p", { class: "help when", key: "when" }, time(at), address && [" · ", text.from(address)]),
    reason && h("p", { key: "reason", class: "reason", dir: "auto" }, reason),
    changes && h("p", { key: "changes", class: "help changed" }, changes));
}

/** The API's action, such as "put domain" or "rename app A to B", in the past tense. */
function did(action) {
  const { past } = words.settings.audit;
  return action.replace(/^\w+/, (verb) => past[verb] ?? verb.replace(/e?$/, "ed"));
}

class Replicas extends View {
  #list = new Loading(this, async (signal) => (await get("/v1/replicas", {}, signal)).items);

  start() {
    this.#list.run();
    // What is behind changes by itself.
    this.every(15, () => this.#list.run());
  }

  render() {
    const text = words.settings.replicas;
    const state = ({ lag }) => lag === 0 ? badge(text.current, "ok") : badge(text.behind(lag), "warning");
    return [h("p", { key: "help" }, text.help),
      loaded(this.#list, (rows) => rows.length === 0 ? empty(text.empty, text.emptyText) : table({
        caption: words.settings.sections.replicas, rows, key: (one) => `${one.name} ${one.url}`,
        columns: [
          { title: words.settings.name, cell: (one) => h("bdi", {}, one.name) },
          { title: words.settings.url, cell: (one) => mono(one.url) },
          { title: words.settings.version, cell: (one) => one.version },
          { title: words.settings.state, cell: state }, { title: text.started, cell: (one) => time(one.startedAt) },
          { title: text.seen, cell: (one) => time(one.seenAt) }],
      }))];
  }
}

class About extends View {
  start() {
    session.follow(this);
  }

  render() {
    const text = words.settings;
    return h("section", { class: "sheet" }, h("h2", {}, text.server),
      facts([
        [text.version, session.version], [text.you, [h("bdi", {}, session.name), ", ", words.role[session.role]]],
        [text.domains, session.domains?.length > 0 ? session.domains.join(", ") : text.allDomains],
        [text.until, session.expiresAt ? time(session.expiresAt) : words.common.never]]),
      h("p", {}, text.api, " ", h("a", { href: "/openapi.json" }, "/openapi.json")));
  }
}

customElements.define("aasa-settings-audit", Audit);
customElements.define("aasa-settings-replicas", Replicas);
customElements.define("aasa-settings-about", About);
