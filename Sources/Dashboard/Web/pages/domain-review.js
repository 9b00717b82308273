// What a draft would do, and the way to publish it.

import { get } from "../api.js";
import { h, View } from "../dom.js";
import { size } from "../format.js";
import { button, choices, draftField, form, icon, linkButton, problemBox, quiet, submit, time } from "../parts.js";
import { go, to } from "../routing.js";
import { Loading, say, undoLink } from "../state.js";
import { words } from "../words.js";
import {
  byRoute,
  changeList,
  cut,
  effect,
  effectList,
  findingList,
  foldedFindings,
  inWords,
  place,
  plainList,
} from "./domain-parts.js";
import { effectsOf } from "./draft.js";
import { formDialog, left } from "./plan.js";

const w = words.domain.draft;
const appleFile = "apple-app-site-association";

/** The end of a message: where what has been edited is managed, if anywhere. */
export const managedSaid = (place) => place ? " " + words.domain.managedBy(place).join("") : "";

export class DraftReview extends View {
  /** @type {import("./draft.js").Draft} */ draft;
  /** What is shown: the draft and what its template gives. @type {any} */ domain;
  /** The names of the apps. @type {any} */ names;
  consent = new Set();
  /** On a narrow screen, the review is a bar at the bottom until it is opened. */ isOpen = false;
  #publishing = new Loading(this, () => this.#publish());
  /** The drafts of the domain that wait for approval, which publishing would outdate. */
  #waiting = new Loading(this, async (signal) => {
    const { domain } = this.draft.domain;
    return domain && (await get("/v1/drafts", { status: "open", domain, limit: 10 }, signal)).items;
  });

  start() {
    // What failed, and what was agreed to, belong to the draft as it was.
    this.draft.addEventListener("change", () => {
      if (!this.draft.preview?.isRunning || this.#publishing.isRunning) return;
      this.#publishing.clear();
      this.consent.clear();
    }, { signal: this.ending });
  }

  async #publish() {
    const { accept, needsApproval } = this.draft.preview;
    try {
      if (needsApproval) return go(["drafts", (await this.draft.publish({ accept, draft: true })).id]);
      this.say(await this.draft.publish({ accept, skip: this.skip }));
    } catch (problem) {
      if (problem.code !== "stale-revision") throw problem;
      await this.draft.reload();
    }
  }

  /** Which domains to leave as they are. @type {string | undefined} */
  get skip() {
    return undefined;
  }

  say(/** @type {any} */ { revision, changed, change, managedBy }) {
    say(changed ? w.published(revision) + managedSaid(managedBy) : w.nothing, "ok", undoLink(change));
  }

  #dropBroken() {
    const isKept = ({ url, app, platform }) =>
      !this.draft.preview.broken.some(
        (one) => one.url === url && one.app === app && one.platform === (platform ?? one.platform),
      );
    this.draft.change((domain) => Object.assign(domain, { expectations: domain.expectations.filter(isKept) }));
  }

  status(/** @type {any} */ { isRunning, problem, result, broken, accept }) {
    if (isRunning) return w.checking;
    if (problem && (!result || broken.length > 0)) return w.refused;
    if (accept.length > 0) return w.needs;
    if (!result.changed) return w.nothing;
    const { changes, moreChanges = 0 } = result.diff ?? { changes: [] };
    const warnings = result.findings.filter((one) => one.severity === "warning" && !one.suppressed).length;
    const affectsLinks = changes.some((change) => change.affectsLinks !== false);
    return w.ready(byRoute(changes).length + moreChanges, affectsLinks, warnings);
  }

  /** The sizes of the files; that of Apple's by app. */
  #size({ result, problem }) {
    const account = result?.account ?? problem?.body.account;
    // Which app takes how much matters when the file is large.
    const isLarge = account?.bytes > account?.limit / 2;
    const others = (result?.documents ?? []).filter((one) => one.kind !== appleFile || !isLarge);
    return (isLarge || others.length > 0) && h(
      "section",
      { key: "size" },
      h("h3", {}, w.size),
      isLarge && this.#apps(account),
      others.map((one) => h("p", { key: one.kind, class: "quiet" }, words.document[one.kind], ": ", size(one.bytes))),
    );
  }

  #apps({ bytes, limit, apps }) {
    return [
      h("p", { key: "sum", class: bytes > limit ? "fault" : null }, w.sizeOf(size(bytes), size(limit))),
      plainList(apps.slice(0, 5), (one) => [
        h("bdi", {}, cut(this.names?.apple.get(one.app) || one.app)),
        " ",
        quiet(size(one.bytes)),
      ]),
      left("apps", apps.length - 5),
      apps.length > 1 && h("p", { key: "shared", class: "help" }, w.shared),
    ];
  }

  details(preview) {
    const { domain } = this;
    const { result, problem, accept, broken, moreBroken, findings } = preview;
    // Those of a route stand beside it.
    const isHere = (one) => !place(one.pointer, one.document, domain).entry;
    const here = findings.filter((one) => !accept.includes(one.code) && isHere(one));
    // The problem says its errors itself.
    const isSaid = accept.length > 0 || broken.length > 0;
    const isLoud = ({ severity }) => severity === "warning" || (severity === "error" && (isSaid || !problem));
    const notes = here.filter((one) => one.severity === "note");
    const errors = problem?.body.errors?.filter(isHere);
    const section = (title, content) => h("section", { key: title }, h("h3", {}, title), content);
    return [
      problem && !isSaid && problemBox(
        { ...problem, detail: inWords(problem.detail, domain), body: { ...problem.body, errors, findings: [] } },
        problem.status === 0 || problem.status >= 500 ? () => this.draft.refresh() : undefined,
      ),
      problem?.code === "unknown-android-app" && linkButton(words.apps.add.android, to(["apps", "android"])),
      broken.length > 0 &&
      h(
        "div",
        { class: "box error", key: "broken" },
        h("h3", {}, w.broken),
        plainList(broken, (one) => [
          effect([{ ...one, before: one.expected, after: one.resolution }], this.names),
          h("div", { class: "quiet" }, inWords(one.reason, domain)),
        ]),
        moreBroken > 0 && h("p", { key: "more" }, w.more(moreBroken)),
        h("p", {}, w.dropHelp),
        button(w.dropBroken, () => this.#dropBroken()),
      ),
      here.some(isLoud) && section(words.pages.findings, findingList(here.filter(isLoud), domain)),
      result?.diff && section(w.effects, changeList(effectsOf(preview), this.names)),
      result?.androidApps && section(
        w.androidApps,
        plainList(result.androidApps, (one) => [h("bdi", { class: "mono" }, one.package), ": ", one.message]),
      ),
      result?.changedResolutions.length > 0 && section(
        w.resolutions,
        effectList(result.changedResolutions.slice(0, 50), this.names),
      ),
      this.#size(preview),
      foldedFindings(words.severity.count("note", notes.length), notes, domain),
    ];
  }

  /** What has to be agreed to, as questions: the errors that publishing would accept. */
  questions({ accept, findings }) {
    const question = (code) => {
      const found = findings.find((one) => one.code === code && one.severity === "error");
      return [code, w.anyway(found ? inWords(found.message, this.domain) : code)];
    };
    return accept.map(question);
  }

  render() {
    const { draft } = this;
    const { isRunning, problem } = this.#publishing;
    if (!draft.exists || draft.isStale) return [];
    const preview = draft.preview ?? { isRunning: true };
    this.#waiting.ask(draft.base.revision);
    const isReady = !preview.isRunning && preview.result && preview.broken.length === 0;
    const questions = isReady ? this.questions(preview) : [];
    const { needsApproval } = preview;
    const status = needsApproval && isReady ? inWords(needsApproval, this.domain) : this.status(preview);
    const warns = preview.findings?.some((one) => one.severity === "warning");
    const isAsked = needsApproval || questions.length > 0 || warns;
    const kind = preview.isRunning || status === w.nothing ? "" : !isReady ? "error" : isAsked ? "warning" : "ok";
    const mayPublish = isReady && !isRunning && questions.every(([code]) => this.consent.has(code));
    return [
      h(
        "div",
        { class: "section-head", key: "head" },
        h("h2", { id: "review", tabindex: "-1" }, w.title),
        h(
          "div",
          { class: "actions" },
          button([icon("undo"), w.undo], () => draft.undo(), {
            key: "undo",
            class: "button undo",
            title: w.undoHelp,
            disabled: draft.past.length === 0,
          }),
          discardButton(this),
          button(this.isOpen ? words.common.close : w.review, () => (
            this.set({ isOpen: !this.isOpen })
          ), { key: "to-review", class: "button primary to-review", "aria-expanded": String(this.isOpen) }),
        ),
      ),
      h(
        "p",
        { class: draft.isStored ? "quiet" : "box warning", key: "stored" },
        draft.isStored ? w.saved(time(draft.at)) : w.notStored,
      ),
      h("div", {
        class: "review-body",
        role: "region",
        tabindex: "0",
        "aria-label": w.effects,
        key: "body",
        "aria-busy": preview.isRunning ? "true" : null,
      }, preview.findings && this.details(preview)),
      form(
        () => mayPublish && this.#publishing.run(),
        { class: "review-foot", key: "foot" },
        h("p", { role: "status", key: "status", class: `box ${kind}` }, status),
        this.#waiting.value?.length > 0 && h(
          "p",
          { key: "waiting", class: "box warning" },
          w.outdates,
          this.#waiting.value.map((
            { id },
          ) => [" ", h("a", { key: id, href: to(["drafts", id]) }, words.drafts.one(id))]),
        ),
        problem && problemBox(problem),
        questions.length > 0 && h(
          "div",
          { key: "questions", on: { change: () => this.update() } },
          choices(this.consent, questions),
        ),
        draftField(words.common.reason, draft, "reason", {
          id: "draft-reason",
          maxlength: 1000,
          help: words.common.reasonHelp,
          change: () => draft.store(),
        }),
        submit(needsApproval ? words.drafts.ask : isRunning ? w.publishing : w.publish, {
          kind: "primary",
          disabled: !mayPublish,
        }),
      ),
      this.open,
    ];
  }
}

/** The button of a view that discards its draft, after a question. */
export const discardButton = (view) =>
  button(w.discard, () =>
    view.show(formDialog, {
      title: w.discardTitle,
      label: w.discard,
      kind: "danger",
      fields: () => [h("p", {}, w.discardText)],
      send: () => {
        view.close();
        view.draft.discard();
      },
    }), { key: "discard" });

customElements.define("aasa-draft-review", DraftReview);
