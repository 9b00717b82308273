// What a domain published: by whom and why, how two revisions differ in meaning, and the way back.

import { get, path, request } from "../api.js";
import { badge, button, capital, cursorPages, exactTime, field, h, loaded, size, View } from "../parts.js";
import { ask, here, to } from "../routing.js";
import { Loading, mayEditDomain } from "../state.js";
import { words } from "../words.js";
import { did } from "./changes.js";
import { changeList, domainHeader } from "./domain-parts.js";
import { effects, planDialog } from "./plan.js";

const text = words.history;

class History extends View {
  /** The number of the current revision, or undefined if the domain is deleted. */ #current;
  #revisions = new Loading(this, (signal) => this.#list(signal));
  #diff = new Loading(this, (signal) => {
    const { from, to } = this.address.query;
    return get(path`/v1/domains/${this.#name}/diff`, { from, to }, signal);
  });

  get #name() {
    return this.address.parts[1];
  }

  async #list(signal) {
    const of = path`/v1/domains/${this.#name}`;
    const [list, current] = await Promise.all([
      get(`${of}/revisions`, { limit: 25, cursor: this.address.query.cursor }, signal),
      // The revisions of a deleted domain stay.
      get(of, {}, signal).then((domain) => domain.revision,
        (problem) => { if (problem.status !== 404) throw problem; })]);
    this.#current = current;
    return list;
  }

  async #restore(number, query) {
    try {
      return await request("POST", path`/v1/domains/${this.#name}/revisions/${number}/restore`, {
        query, ifMatch: this.#current, signal: this.ending });
    } catch (problem) {
      // Somebody published meanwhile. "Try again" shows what the way back from there changes.
      if (problem.status === 412) await this.#revisions.run();
      throw problem;
    }
  }

  #restored() {
    ask({ from: undefined, to: undefined, cursor: undefined });
    this.#revisions.run();
    this.#diff.run();
  }

  render() {
    const { cursor, from, to } = here().query;
    this.#revisions.ask(cursor);
    this.#diff.ask(from, to);
    return [domainHeader(this.#name, "history", this.#current),
      loaded(this.#revisions, (list) => h("div", { class: "history", key: "history" },
        h("section", { "aria-labelledby": "revisions", key: "list" }, h("h2", { id: "revisions" }, text.list),
          h("ol", { class: "plan history-list" }, list.items.map((one) => this.#revision(one))),
          cursorPages(list.next)),
        h("section", { "aria-labelledby": "compared", class: "sheet history-diff", key: "diff" },
          h("h2", { id: "compared", tabindex: "-1" }, this.#title()),
          loaded(this.#diff, (diff) => this.#comparison(diff, list.items))))),
      this.open];
  }

  #title() {
    const { from, to } = this.#diff.value ?? {};
    return to === undefined ? text.changes : from === to ? text.revision(to) : text.between(from, to);
  }

  #revision(one) {
    const { revision, documents, accepted } = one;
    const isCurrent = revision === this.#current;
    const isShown = revision === this.#diff.value?.to;
    return revisionItem(one, {
      isCurrent, isShown, title: h("a", {
        href: to(["domains", this.#name, "history"], { ...here().query, from: undefined, to: revision }),
        "aria-current": isShown ? "true" : null, on: { click: () => this.find("#compared").focus() },
      }, text.revision(revision)),
      back: !isCurrent && this.#current !== undefined && mayEditDomain(this.#name) && (() => (
        this.#planRestore(revision))),
      more: [" · ", documents.map(({ kind, bytes }) => [h("a", {
        key: kind, href: path`/v1/domains/${this.#name}/revisions/${revision}/documents/${kind}`, target: "_blank",
      }, text.document(words.document[kind] ?? kind, size(bytes))), " "]),
        accepted.length > 0 && [" · ", text.accepted(accepted.join(", "))]],
    });
  }

  #comparison(diff, items) {
    const numbers = new Set([...items.map((one) => one.revision), diff.from, diff.to]);
    const options = [...numbers].sort((a, b) => b - a).map((number) => {
      const known = items.find((one) => one.revision === number);
      return [String(number), known ? text.option(number, why(known) || known.author) : String(number)];
    });
    const select = (name) => field(text[name], {
      id: name, tag: "select", options, value: String(diff[name]),
      on: { change: ({ target }) => ask({ from: diff.from, to: diff.to, [name]: target.value }, { replace: true }) },
    });
    return [h("div", { class: "toolbar", key: "choose" }, select("from"), select("to")),
      h("div", { role: "status", key: "status" }, this.#sum(diff)),
      diff.settingsRecorded === false && h("p", { class: "box", key: "settings" }, text.noSettings),
      diff.changes.length > 0 && changeList(diff)];
  }

  #sum({ from, to, changes, affectsLinks }) {
    if (from === to) {
      const isFirst = this.address.query.from === undefined;
      return h("p", {}, isFirst && h("strong", {}, text.first, ". "), isFirst ? text.firstText : text.same);
    }
    // The heading of the first group says the same.
    return h("p", { class: affectsLinks ? "hidden" : null },
      changes.length === 0 ? text.none : h("strong", {}, text.links[affectsLinks]));
  }

  #planRestore(number) {
    this.set({ open: planDialog({
      title: text.rollBackTo(number), text: text.rollBackText(number), label: text.rollBack,
      send: (query) => this.#restore(number, query), show: (value) => effects({ ...value, domain: undefined }),
      isEmpty: (value) => !value.changed, close: this.close, done: () => this.#restored(),
      said: ({ revision }) => text.rolledBack(number, revision),
    }) });
  }
}

/** The reason for a revision. Without one, the API says what was done, such as "put domain". */
const why = ({ revision, reason }) => reason === "put domain" && revision === 1 ? text.created
  : done.test(reason) ? capital(String(did(reason))) : reason;
const done = /^(put|patch|set|add|change|replace|delete) (domain|routes?|entry|expectations)$/;

/** A revision in a list: its `title`, who published it and why, `more`, and the way `back`, if there is one.
 * @type {(revision: any, options: any) => any} */
export const revisionItem = ({ revision, author, reason, publishedAt }, { title, isCurrent, isShown, back, more }) => (
  h("li", { key: revision, class: isShown ? "shown" : null },
    h("div", { class: "section-head", key: "head" },
      h("p", {}, h("strong", {}, title), " ", isCurrent && badge(text.current, "ok", { key: "current" })),
      back && button(text.rollBack, back, { key: "back", kind: "quiet", "aria-label": text.rollBackTo(revision) })),
    reason !== "" && h("p", { dir: "auto", key: "reason" }, why({ revision, reason })),
    h("p", { class: "help", key: "about" }, exactTime(publishedAt), " ", h("bdi", {}, text.by(author)), more)));

customElements.define("aasa-history", History);
