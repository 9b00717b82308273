// Changes: what somebody did at once to one domain or many, and the way back.

import { get, path, request } from "../api.js";
import {
  badge,
  button,
  count,
  cursorPages,
  define,
  exactTime,
  facts,
  field,
  filters,
  form,
  h,
  listing,
  loaded,
  quiet,
  submit,
  tabs,
  time,
  View,
  waitingBadge,
} from "../parts.js";
import { ask, ifAsked, to } from "../routing.js";
import { approvals, Loading, may, mayEditDomains } from "../state.js";
import { words } from "../words.js";
import { cut, plainList } from "./domain-parts.js";
import { hostName } from "./domains-add.js";
import { actionCounts, changed, domainEffects, planDialog } from "./plan.js";
import { skippedBox } from "./template-parts.js";

const w = words.changes;

class Changes extends View {
  render() {
    const [, id] = this.address.parts;
    return id === undefined
      ? h("aasa-changes-list", { key: "list", address: this.address })
      : h("aasa-changes-one", { key: id, id: `change-${id}`, number: id, query: this.address.query });
  }
}

/** The API's action, such as "put template white-label", in the past tense. */
export function did(action, applied = undefined) {
  if (action === "apply" && applied) return applied;
  const [, name] = /^put template (.+)$/.exec(action) ?? [];
  const said = action.replace(/^\w+/, words.settings.audit.did);
  return name === undefined ? said : [said.slice(0, -name.length), h("a", { href: to(["templates", name]) }, name)];
}

/** What records are filtered by; the address has it. `more` are further inputs. */
export function recordFilters(query, ...more) {
  const { audit } = words.settings;
  const names = ["domain", "author", ...more.map(({ name }) => name)];
  const input = (label, name) =>
    field(label, { id: name, name, value: query[name] ?? "", type: "search", spellcheck: "false" });
  const filter = ({ domain = "", author = "", ...rest }) =>
    ask({ domain: hostName(domain) ?? domain.trim(), author: author.trim(), ...rest, cursor: undefined });
  const clear = () => ask(Object.fromEntries([...names, "cursor"].map((name) => [name, undefined])));
  const set = names.filter((name) => query[name]);
  return form(
    filter,
    { class: "toolbar", key: "filters", role: "search" },
    input(words.settings.domain, "domain"),
    filters(
      set.filter((name) => name !== "domain").length,
      input(audit.author, "author"),
      more,
      submit(audit.filter),
      set.length > 0 && button(audit.clear, clear, { kind: "quiet", key: "clear" }),
    ),
  );
}

export const recordTabs = (current) =>
  tabs(
    words.pages.changes,
    ["changes", "drafts"].map((
      one,
    ) => [one, [words.pages[one], one === "drafts" && waitingBadge(approvals.count)], to([one])]),
    current,
  );

function relation(/** @type {any} */ { reverts, revertedBy }) {
  const link = (id) => h("a", { href: to(["changes", id]) }, w.number(id));
  return [
    reverts && h("span", { key: "reverts" }, " ", w.reverts, " ", link(reverts)),
    revertedBy && h("span", { key: "reverted" }, " ", badge(w.undone, "note"), " ", w.by, " ", link(revertedBy)),
  ];
}

/** The reason for a change, and the draft that it was, which the API appends: "Sale (draft 6, approved by Anna)". Without
 * the action, anybody could have written that. */
function reasonParts(/** @type {any} */ { action, reason = "" }) {
  const found = action === "publish draft" &&
      /^(?:([^]*) \(draft (\d+), approved by ([^]*)\)|draft (\d+), approved by ([^]*))$/.exec(reason) || [];
  const [, text = "", id = found[4], author = found[5]] = found;
  return id === undefined ? { reason } : {
    reason: text,
    draft: [h("a", { href: to(["drafts", id]) }, words.drafts.one(id)), ", ", w.approvedBy(h("bdi", {}, author))],
  };
}

/** The line of a list with the reason for a change, and with its draft. */
export function why(change, kind = "help") {
  const { reason, draft } = reasonParts(change);
  return (reason || draft) &&
    h("div", { class: kind, dir: "auto", key: "reason" }, reason, reason && draft && " · ", draft);
}

/** What a record is called on its page: its number and, if there is one, its reason. */
export const titled = (title, reason) => [
  title,
  reason && [": ", h("bdi", { key: "reason", class: "reason" }, cut(reason))],
];

/** The reason, if the title has not all of it. */
export const longReason = (reason) => reason && cut(reason) !== reason && [words.common.reason, h("bdi", {}, reason)];

/** The first domain of a change or of a draft, and how many more there are. */
export const someDomains = ({ domain, domains = [domain], domainCount }) =>
  domainCount === 0 ? quiet(words.common.none) : [
    h("a", { href: to(["domains", domains[0]]) }, h("bdi", {}, domains[0])),
    domainCount > 1 && words.templates.andMore(domainCount - 1),
  ];

class List extends View {
  #list = new Loading(this, (signal) => {
    const { domain, author, cursor } = this.address.query;
    return get("/v1/changes", { domain, author, cursor, limit: 50 }, signal);
  });

  render() {
    this.#list.ask(this.address.query);
    const { audit } = words.settings;
    return [
      h("h1", { key: "h1" }, words.pages.changes),
      recordTabs("changes"),
      h("p", { class: "quiet", key: "intro" }, w.intro),
      recordFilters(this.address.query),
      listing(this.#list, [w.empty, w.emptyText], {
        caption: words.pages.changes,
        columns: [
          [
            w.change,
            (one) => [
              h("a", { href: to(["changes", one.id]) }, w.number(one.id)),
              " ",
              did(one.action, w.applied),
              relation(one),
              why(one),
            ],
          ],
          [audit.author, (one) => h("bdi", {}, one.author)],
          [words.pages.domains, someDomains],
          [w.at, (one) => time(one.at)],
        ],
      }),
    ];
  }
}

/** A domain of a change, as those of plans are. */
export const withAction = (one) => ({
  ...one,
  action: one.before === undefined ? "create" : one.after === undefined ? "delete" : "update",
});

class One extends View {
  number;
  query;
  #url = "";
  #change = new Loading(this, (signal) => get(this.#url, { limit: 100, cursor: this.query.cursor }, signal));

  start() {
    this.#url = path`/v1/changes/${this.number}`;
  }

  #plan() {
    this.show(planDialog, {
      title: w.undoTitle(this.number),
      text: w.undoText,
      label: w.undo,
      kind: "danger",
      send: (query) => request("POST", `${this.#url}/revert`, { query }),
      show: ({ domains, skipped = [], moreSkipped = 0 }) => [
        h("p", { key: "counts" }, actionCounts(domains)),
        skippedBox(skipped, moreSkipped),
        domainEffects(changed(domains)),
      ],
      isEmpty: (plan) => changed([...plan.domains, ...plan.apps, ...(plan.androidApps ?? [])]).length === 0,
      options: ({ value, problem }) => [
        (problem ? problem.code === "changed-since" : value?.skipped) &&
        ["skip=changed", w.skipChanged],
      ],
      said: ({ domains }) => w.done(this.number, changed(domains).length),
      done: () => this.#change.run(),
    });
  }

  render() {
    this.#change.ask(this.query.cursor);
    // Whoever follows "Undo" sees at once what that does, on this page, too.
    if (this.query.undo) ifAsked(() => may("editor") && this.#plan(), "undo");
    return [
      h("h1", { key: "h1" }, titled(w.one(this.number), this.#change.value && reasonParts(this.#change.value).reason)),
      h("p", { key: "up" }, h("a", { href: to(["changes"]) }, "← ", words.pages.changes)),
      loaded(this.#change, (change) => this.#shown(change)),
      this.open,
    ];
  }

  #shown({ items, next, apps, moreApps = 0, templates = [], ...change }) {
    // What was undone as a whole cannot be undone again.
    const isWhole = next === null && !this.query.cursor;
    const isThere = !change.revertedBy || !isWhole || items.length === 0 || items.some((one) => !one.changedSince);
    const { reason, draft } = reasonParts(change);
    return [
      h(
        "section",
        { class: "sheet", key: "about" },
        facts([
          [w.what, did(change.action, w.applied)],
          [words.settings.audit.author, h("bdi", {}, change.author)],
          [w.at, exactTime(change.at)],
          longReason(reason),
          draft && [words.drafts.draft, draft],
          [words.pages.domains, count(change.domainCount)],
          apps.length > 0 && [words.pages.apps, [
            apps.map(({ before, after }) =>
              (after ?? before).app ??
                (after ?? before).package
            ).join(", "),
            moreApps > 0 && words.templates.andMore(moreApps),
          ]],
          templates.length > 0 && [
            words.pages.templates,
            plainList(templates, (one) => [
              h("a", { href: to(["templates", one.template]) }, h("bdi", {}, one.template)),
              ", ",
              one.before ? words.history.between(one.before, one.after) : words.history.revision(one.after),
            ]),
          ],
          (change.reverts || change.revertedBy) && [w.state, relation(change)],
        ]),
        mayEditDomains(items.map(({ domain }) => domain)) && isThere && button(`${w.undo} …`, () => this.#plan()),
      ),
      items.length > 0 &&
      h("section", { class: "sheet", key: "changed" }, h("h2", {}, w.changed), domainEffects(items.map(withAction))),
      cursorPages(next),
    ];
  }
}

define({ "aasa-changes": Changes, "aasa-changes-list": List, "aasa-changes-one": One });
