// Drafts that wait on the server for the approval of a second person.

import { get, path, request } from "../api.js";
import {
  badge,
  button,
  chips,
  define,
  draftField,
  exactTime,
  facts,
  h,
  listing,
  loaded,
  problemBox,
  time,
  View,
  waiting,
} from "../parts.js";
import { ask, to } from "../routing.js";
import { countApprovals, Loading, mayEditDomains, say, session } from "../state.js";
import { words } from "../words.js";
import { longReason, recordTabs, someDomains, titled, withAction } from "./changes.js";
import { appsOf, changed, confirmation, domainEffects, formDialog, otherEffects, planDialog } from "./plan.js";

const w = words.drafts;

const kinds = { open: "warning", approved: "ok", declined: "error" };
const status = ({ status }) => badge(w.status[status], kinds[status], { key: "status" });

class Drafts extends View {
  #list = new Loading(this, async (signal) => {
    const { cursor, status } = this.address.query;
    return await get("/v1/drafts", { cursor, status: status === "all" ? undefined : "open", limit: 50 }, signal);
  });

  render() {
    const [, id] = this.address.parts;
    if (id !== undefined) return h("aasa-draft", { key: id, number: id });
    this.#list.ask(this.address.query);
    const { status: shown = "open" } = this.address.query;
    const chip = (one) => [one, w.show[one], one === shown, () => ask({ status: one, cursor: undefined })];
    return [
      h("h1", { key: "h1" }, words.pages.drafts),
      recordTabs("drafts"),
      h("p", { class: "quiet", key: "intro" }, w.intro),
      chips(words.common.filters, ["open", "all"].map(chip)),
      listing(this.#list, [w.empty, w.emptyText], {
        caption: words.pages.drafts,
        columns: [
          [
            w.draft,
            (one) => [
              h("a", { href: to(["drafts", one.id]) }, `#${one.id}`),
              " ",
              status(one),
              one.status === "open" && one.author === session.name && [" ", badge(w.own)],
              one.reason && h("div", { class: "help", dir: "auto", key: "reason" }, one.reason),
            ],
          ],
          [words.settings.audit.author, (one) => h("bdi", {}, one.author)],
          [words.pages.domains, someDomains],
          [words.changes.at, (one) => time(one.createdAt)],
        ],
      }),
    ];
  }
}

class One extends View {
  number;
  #url = "";
  #draft = new Loading(this, (signal) => get(this.#url, {}, signal));
  #plan = new Loading(this, (signal) => get(this.#url + "/plan", {}, signal));
  /** What an approved draft did. */
  #change = new Loading(this, (signal) => get(path`/v1/changes/${this.#draft.value.change}`, { limit: 100 }, signal));
  /** What others declined, or have overtaken, as it would change what is published now. */
  #proposal = new Loading(this, async (signal) => {
    const { domains = [], ...state } = this.#draft.value.state;
    const body = { ...state, domains: domains.map(({ revision: _, ...one }) => one) };
    const query = { dryRun: true, approved: true, overwrite: true };
    return (await request("POST", "/v1/apply", { body, query, signal })).value;
  });

  start() {
    this.#url = path`/v1/drafts/${this.number}`;
    this.#draft.run();
    countApprovals();
  }

  #done(text) {
    this.close();
    say(text);
    this.start();
  }

  #approve() {
    this.show(planDialog, {
      title: w.approveTitle(this.number),
      label: w.approve,
      send: (query) => request("POST", `${this.#url}/approve`, { query }),
      show: (plan) => [otherEffects(plan), domainEffects(changed(plan.domains))],
      said: () => w.approved(this.number),
      done: () => this.start(),
    });
  }

  #end(title, text, send) {
    const ask = (reason) => send(reason).then(() => this.#done(w.ended(this.number)));
    this.show(confirmation, { title, label: title, text, ask });
  }

  #comment() {
    this.show(formDialog, {
      title: w.comment,
      label: w.comment,
      fields: (draft) => draftField(w.comment, draft, "text", { tag: "textarea", rows: 4, maxlength: 4000 }),
      send: ({ text = "" }) => (
        request("POST", `${this.#url}/comments`, { body: { text } }).then(() => this.#done(w.commented))
      ),
    });
  }

  render() {
    return [
      h("h1", { key: "h1" }, titled(w.one(this.number), this.#draft.value?.reason)),
      h("p", { key: "up" }, h("a", { href: to(["drafts"]) }, "← ", words.pages.drafts)),
      loaded(this.#draft, (draft) => this.#shown(draft)),
      this.open,
    ];
  }

  #shown(draft) {
    const isOpen = draft.status === "open";
    const isOwn = draft.author === session.name;
    if (isOpen) this.#plan.ask(draft.comments.length);
    const { value: plan, problem } = this.#plan;
    // Others have changed what it changes, so nobody can approve it any more.
    const isOutdated = isOpen && plan?.refused?.some(({ code }) => code === "draft-outdated");
    if (draft.change) this.#change.ask(draft.change);
    const isGone = (!isOpen && !draft.change) || isOutdated || this.#change.problem;
    if (isGone) this.#proposal.ask(draft.id);
    const proposal = this.#proposal.value;
    const decline = (reason) => request("POST", `${this.#url}/decline`, { query: { reason } });
    const withdraw = (reason) => request("DELETE", this.#url, { query: { reason } });
    return [
      h(
        "section",
        { class: "sheet", key: "about" },
        facts([
          [w.state, [
            status(draft),
            draft.endedBy && [" ", w.by(h("bdi", {}, draft.endedBy), exactTime(draft.endedAt))],
            draft.endedReason && [": ", h("bdi", {}, draft.endedReason)],
          ]],
          [words.settings.audit.author, h("bdi", {}, draft.author)],
          [words.changes.at, exactTime(draft.createdAt)],
          longReason(draft.reason),
          draft.change &&
          [words.changes.change, h("a", { href: to(["changes", draft.change]) }, words.changes.one(draft.change))],
        ]),
        draft.comments.map((one, index) =>
          h(
            "p",
            { key: `comment-${index}`, dir: "auto" },
            h("strong", {}, one.author),
            " ",
            time(one.at),
            ": ",
            one.text,
          )
        ),
        isOpen && mayEditDomains(draft.domains) &&
          h(
            "div",
            { class: "actions", key: "actions" },
            !isOwn && !isOutdated && button(`${w.approve} …`, () => this.#approve(), { kind: "primary" }),
            !isOwn && button(`${w.decline} …`, () => this.#end(w.decline, w.declineText, decline)),
            isOwn && button(`${w.withdraw} …`, () => this.#end(w.withdraw, w.withdrawText, withdraw)),
            button(`${w.comment} …`, () => this.#comment()),
          ),
      ),
      isOpen && problem && problemBox(problem, () => this.#plan.run()),
      isOpen && plan &&
      h(
        "section",
        { class: "sheet", key: "plan" },
        h("h2", {}, w.plan),
        (plan.refused ?? []).map((one, index) => problemBox({ key: index, detail: one.detail, body: one })),
        // Of an outdated draft, this is not what was asked for.
        !isOutdated && [otherEffects(plan), domainEffects(changed(plan.domains))],
      ),
      draft.change && !isGone && h(
        "section",
        { class: "sheet", key: "change" },
        h("h2", {}, words.changes.changed),
        loaded(this.#change, ({ items, next }) => [
          domainEffects(items.map(withAction)),
          next !== null && h("p", { key: "rest" }, h("a", { href: to(["changes", draft.change]) }, w.allOfChange)),
        ]),
      ),
      isGone && h(
        "section",
        { class: "sheet", key: "asked" },
        h("h2", {}, w.asked),
        this.#proposal.isRunning && waiting(),
        proposal && [
          h("p", { class: "quiet", key: "now" }, w.askedNow),
          otherEffects(proposal),
          domainEffects(changed(proposal.domains)),
          changed([...proposal.domains, ...appsOf(proposal)]).length === 0 &&
          h("p", { key: "nothing" }, words.bulk.nothing),
        ],
        // What cannot be planned any more is shown as it was sent.
        this.#proposal.problem && [
          problemBox(this.#proposal.problem, () => this.#proposal.run()),
          h("pre", { tabindex: "0", "aria-label": w.asked }, JSON.stringify(draft.state, undefined, 2)),
        ],
      ),
    ];
  }
}

define({ "aasa-drafts": Drafts, "aasa-draft": One });
