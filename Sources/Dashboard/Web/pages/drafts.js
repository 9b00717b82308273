// Drafts that wait on the server for the approval of a second person.

import { get, path, request } from "../api.js";
import {
  badge,
  button,
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
} from "../parts.js";
import { to } from "../routing.js";
import { countApprovals, Loading, may, say, session } from "../state.js";
import { words } from "../words.js";
import { recordTabs, someDomains } from "./changes.js";
import { changed, confirmation, domainEffects, formDialog, planDialog } from "./plan.js";

const w = words.drafts;

const kinds = { open: "note", approved: "ok", declined: "error" };
const status = ({ status }) => badge(w.status[status], kinds[status], { key: "status" });

class Drafts extends View {
  #list = new Loading(this, (signal) =>
    get(
      "/v1/drafts",
      { cursor: this.address.query.cursor, limit: 50 },
      signal,
    ));

  render() {
    const [, id] = this.address.parts;
    if (id !== undefined) return h("aasa-draft", { key: id, number: id });
    this.#list.ask(this.address.query);
    return [
      h("h1", { key: "h1" }, words.pages.drafts),
      recordTabs("drafts"),
      h("p", { class: "quiet", key: "intro" }, w.intro),
      listing(this.#list, [w.empty, w.emptyText], {
        caption: words.pages.drafts,
        columns: [
          [
            w.draft,
            (
              one,
            ) => [
              h("a", { href: to(["drafts", one.id]) }, `#${one.id}`),
              " ",
              status(one),
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

  start() {
    this.#url = path`/v1/drafts/${this.number}`;
    for (const answer of [this.#draft, this.#plan]) answer.run();
    countApprovals();
  }

  #done(text) {
    this.close();
    say(text);
    this.start();
  }

  #approve() {
    this.set({
      open: planDialog({
        title: w.approveTitle(this.number),
        label: w.approve,
        close: this.close,
        send: (query) => request("POST", `${this.#url}/approve`, { query }),
        show: ({ domains }) => domainEffects(changed(domains)),
        said: () => w.approved(this.number),
        done: () => this.start(),
      }),
    });
  }

  #end(title, text, send) {
    const ask = (reason) => send(reason).then(() => this.#done(w.ended(this.number)));
    this.set({ open: confirmation({ title, label: title, text, close: this.close, ask }) });
  }

  #comment() {
    this.set({
      open: formDialog({
        title: w.comment,
        label: w.comment,
        close: this.close,
        fields: (draft) => draftField(w.comment, draft, "text", { tag: "textarea", rows: 4, maxlength: 4000 }),
        send: ({ text = "" }) => (
          request("POST", `${this.#url}/comments`, { body: { text } }).then(() => this.#done(w.commented))
        ),
      }),
    });
  }

  render() {
    return [
      h("h1", { key: "h1" }, w.one(this.number)),
      h("p", { key: "up" }, h("a", { href: to(["drafts"]) }, "← ", words.pages.drafts)),
      loaded(this.#draft, (draft) => this.#shown(draft)),
      this.open,
    ];
  }

  #shown(draft) {
    const { value: plan, problem } = this.#plan;
    const isOpen = draft.status === "open";
    const isOwn = draft.author === session.name;
    // Others have changed what it changes, so nobody can approve it any more.
    const isOutdated = plan?.refused?.some(({ code }) => code === "draft-outdated");
    const decline = (reason) => request("POST", `${this.#url}/decline`, { query: { reason } });
    const withdraw = (reason) => request("DELETE", this.#url, { query: { reason } });
    return [
      h(
        "section",
        { class: "sheet", key: "about" },
        facts([
          [w.state, [status(draft), draft.endedBy && [" ", h("bdi", {}, draft.endedBy), " ", draft.endedReason]]],
          [words.settings.audit.author, h("bdi", {}, draft.author)],
          [words.changes.at, exactTime(draft.createdAt)],
          draft.reason && [words.common.reason, h("bdi", {}, draft.reason)],
          draft.change && [words.changes.change, h("a", { href: to(["changes", draft.change]) }, `#${draft.change}`)],
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
        isOpen && may("editor") &&
          h(
            "div",
            { class: "actions", key: "actions" },
            !isOwn && !isOutdated && button(`${w.approve} …`, () => this.#approve(), { kind: "primary" }),
            !isOwn && button(`${w.decline} …`, () => this.#end(w.decline, w.declineText, decline)),
            isOwn && button(`${w.withdraw} …`, () => this.#end(w.withdraw, w.withdrawText, withdraw)),
            button(`${w.comment} …`, () => this.#comment()),
          ),
      ),
      // The plan of an outdated draft does not show what was asked for, and one that has ended has none.
      (!isOpen || isOutdated) && h(
        "details",
        { class: "sheet", key: "asked" },
        h("summary", {}, w.asked),
        h("pre", {}, JSON.stringify(draft.state, undefined, 2)),
      ),
      isOpen && problem && problemBox(problem, () => this.#plan.run()),
      isOpen && plan &&
      h(
        "section",
        { class: "sheet", key: "plan" },
        h("h2", {}, w.plan),
        (plan.refused ?? []).map((one, index) => problemBox({ key: index, detail: one.detail, body: one })),
        domainEffects(changed(plan.domains)),
      ),
    ];
  }
}

define({ "aasa-drafts": Drafts, "aasa-draft": One });
