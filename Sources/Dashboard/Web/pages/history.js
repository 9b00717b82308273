// What a domain published: by whom and why, how two revisions differ in meaning, and the way back.

import { get, path, request } from "../api.js";
import { badge, button, capital, cursorPages, exactTime, field, h, loaded, size, View } from "../parts.js";
import { ask, here, to } from "../routing.js";
import { Loading, mayEditDomain } from "../state.js";
import { words } from "../words.js";
import { did } from "./changes.js";
import { appNames, changeList, domainHeader } from "./domain-parts.js";
import { effects, planDialog } from "./plan.js";

const text = words.history;

class History extends View {
  /** The number of the current revision, or undefined if the domain is deleted. */ #current;
  #revisions = new Loading(this, (signal) => this.#list(signal));
  #diff = new Loading(this, async (signal) => {
    const { from, to } = this.address.query;
    const of = path`/v1/domains/${this.#name}`;
    const diff = await get(`${of}/diff`, { from, to }, signal);
    // The list has only some of them.
    return { ...diff, published: await get(`${of}/revisions/${diff.to}`, {}, signal) };
  });

  #names = new Loading(this, appNames);

  get #name() {
    return this.address.parts[1];
  }

  async #list(signal) {
    const of = path`/v1/domains/${this.#name}`;
    const [list, current] = await Promise.all([
      get(`${of}/revisions`, { limit: 25, cursor: this.address.query.cursor }, signal),
      // The revisions of a deleted domain stay.
      get(of, {}, signal).then((domain) => domain.revision, (problem) => {
        if (problem.status !== 404) throw problem;
      }),
    ]);
    this.#current = current;
    return list;
  }

  async #restore(number, query) {
    try {
      return await request("POST", path`/v1/domains/${this.#name}/revisions/${number}/restore`, {
        query,
        ifMatch: this.#current,
        signal: this.ending,
      });
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
    this.#names.ask();
    return [
      domainHeader(this.#name, "history", this.#current, { restored: () => this.#restored() }),
      loaded(this.#revisions, (list) =>
        h(
          "div",
          { class: "history", key: "history" },
          h(
            "section",
            { "aria-labelledby": "revisions", key: "list" },
            h("h2", { id: "revisions" }, text.list),
            h("ol", { class: "plan history-list" }, list.items.map((one) => this.#revision(one))),
            cursorPages(list.next),
          ),
          h(
            "section",
            { "aria-labelledby": "compared", class: "sheet history-diff", key: "diff" },
            h("h2", { id: "compared", tabindex: "-1" }, this.#title()),
            loaded(this.#diff, (diff) => this.#comparison(diff, list.items)),
          ),
        )),
      this.open,
    ];
  }

  #title() {
    const { from, to } = this.#diff.value ?? {};
    return to === undefined ? text.changes : from === to ? text.revision(to) : text.between(from, to);
  }

  #revision(one) {
    const { revision } = one;
    const isShown = revision === this.#diff.value?.to;
    return revisionItem(one, this.#current, isShown, (title, label) =>
      h("a", {
        href: to(["domains", this.#name, "history"], { ...here().query, from: undefined, to: revision }),
        "aria-label": label,
        "aria-current": isShown ? "true" : null,
        on: { click: () => this.find("#compared").focus() },
      }, title), mayEditDomain(this.#name) && (() => this.#planRestore(revision)));
  }

  #comparison(diff, items) {
    const numbers = new Set([...items.map((one) => one.revision), diff.from, diff.to]);
    const known = (number) => items.find((one) => one.revision === number) ?? {};
    const options = [...numbers].sort((a, b) => b - a).map((
      number,
    ) => [String(number), text.option(number, why(known(number)) || known(number).author)]);
    const select = (name) =>
      field(text[name], {
        id: name,
        tag: "select",
        options,
        value: String(diff[name]),
        on: { change: ({ target }) => ask({ from: diff.from, to: diff.to, [name]: target.value }, { replace: true }) },
      });
    const { documents = [], accepted = [] } = diff.published;
    const file = ({ kind, bytes }) =>
      h(
        "li",
        { key: kind },
        h("a", {
          href: path`/v1/domains/${this.#name}/revisions/${diff.to}/documents/${kind}`,
          target: "_blank",
        }, text.document(words.document[kind] ?? kind, size(bytes))),
      );
    return [
      h("div", { role: "status", key: "status" }, this.#sum(diff)),
      diff.settingsRecorded === false && h("p", { class: "box", key: "settings" }, text.noSettings),
      diff.changes.length > 0 && changeList(diff, this.#names.value),
      h(
        "details",
        { key: "more" },
        h("summary", {}, text.more),
        h("div", { class: "toolbar" }, select("from"), select("to")),
        documents.length > 0 && [h("h3", { key: "files" }, text.files(diff.to)), h("ul", {}, documents.map(file))],
        accepted.length > 0 && h("p", { key: "accepted" }, text.accepted(accepted.join(", "))),
      ),
    ];
  }

  #sum({ from, to, changes, affectsLinks }) {
    if (from === to) {
      const isFirst = this.address.query.from === undefined;
      return h("p", {}, isFirst && h("strong", {}, text.first, ". "), isFirst ? text.firstText : text.same);
    }
    // The heading of the first group says the same.
    return h(
      "p",
      { class: affectsLinks ? "hidden" : null },
      changes.length === 0 ? text.none : h("strong", {}, text.links[affectsLinks]),
    );
  }

  #planRestore(number) {
    this.show(planDialog, {
      title: text.rollBackTo(number),
      text: text.rollBackText(number),
      label: text.rollBack,
      send: (query) => this.#restore(number, query),
      show: (value) => effects({ ...value, domain: undefined }),
      isEmpty: (value) => !value.changed,
      done: () => this.#restored(),
      said: ({ revision }) => text.rolledBack(number, revision),
    });
  }
}

/** The reason for a revision. Without one, the API says what was done, such as "put domain". */
const why = ({ revision, reason = "" }) =>
  reason === "put domain" && revision === 1
    ? text.created
    : done.test(reason)
    ? capital(String(did(reason, words.changes.applied)))
    : reason;
const done = /^(apply|(put|patch|set|add|change|replace|delete) (domain|template|routes?|entry|expectations))$/;

/** A revision in a list: what was done, which `link` makes the way to it, who did it and when, and the way `back`.
 * @type {(one: any, current: any, isShown: boolean, link: (title: string, label: string) => any, back: any) => any} */
export const revisionItem = ({ revision, author, reason, publishedAt }, current, isShown, link, back) => (
  h(
    "li",
    { key: revision, class: isShown ? "shown" : null },
    h(
      "div",
      { class: "section-head", key: "head" },
      h(
        "p",
        { dir: "auto" },
        link(
          why({ revision, reason }) || text.revision(revision),
          `${text.revision(revision)}: ${why({ revision, reason })}`,
        ),
        " ",
        revision === current && badge(text.current, "ok", { key: "current" }),
      ),
      back && current !== undefined && revision !== current && button(text.rollBack, back, {
        key: "back",
        kind: "quiet",
        "aria-label": text.rollBackTo(revision),
      }),
    ),
    h(
      "p",
      { class: "help", key: "about" },
      text.revision(revision),
      " · ",
      exactTime(publishedAt),
      " ",
      h("bdi", {}, text.by(author)),
    ),
  )
);

customElements.define("aasa-history", History);
