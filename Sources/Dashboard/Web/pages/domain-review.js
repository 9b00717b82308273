// What a draft would do, and the way to publish it.

import { h, View } from "../dom.js";
import { size } from "../format.js";
import { button, checkbox, dialog, field, form, problemBox } from "../parts.js";
import { say } from "../state.js";
import { words } from "../words.js";
import { changeList, cut, effect, findingList, inWords, place } from "./domain-parts.js";

const w = words.domain.draft;
const limit = 131072;

class DraftReview extends View {
  /** @type {import("./draft.js").Draft} */
  draft;
  /** The names of the apps. @type {any} */
  names;
  #reason = "";
  #consent = new Set();
  #problem;
  #isPublishing = false;

  start() {
    this.draft.follow(this);
    // What failed, and what was agreed to, belong to the draft as it was.
    this.draft.addEventListener("change", () => {
      if (!this.draft.preview?.isRunning || this.#isPublishing) return;
      this.#problem = undefined;
      this.#consent.clear();
    }, { signal: this.ending });
  }

  async #publish() {
    this.#isPublishing = true;
    this.#problem = undefined;
    this.update();
    try {
      const { revision, changed } = await this.draft.publish(this.#reason, this.draft.preview.accept);
      this.#reason = "";
      say(changed ? w.published(revision) : w.nothing);
    } catch (problem) {
      if (problem.code === "stale-revision") await this.draft.reload().catch((other) => { this.#problem = other; });
      else this.#problem = problem;
    }
    this.#isPublishing = false;
    this.update();
  }

  #dropBroken() {
    const { broken } = this.draft.preview;
    this.draft.change((domain) => {
      domain.expectations = domain.expectations.filter(
        (one) => !broken.some(({ url, app, platform }) => one.url === url && one.app === app && (one.platform ?? platform) === platform));
    });
  }

  /** One line: whether the draft can be published. */
  #status() {
    const { preview } = this.draft;
    if (!preview || preview.isRunning) return w.checking;
    if (preview.problem && (!preview.result || preview.broken.length > 0)) return w.refused;
    if (preview.accept.length > 0) return w.needs;
    if (!preview.result.changed) return w.nothing;
    const { changes, moreChanges = 0 } = preview.result.diff ?? { changes: [] };
    return w.ready(changes.length + moreChanges, changes.some((change) => change.affectsLinks !== false));
  }

  /** The size of the files, by app. */
  #size(preview) {
    const documents = preview.result?.documents ?? [];
    const account = preview.result?.account ?? preview.problem?.body.account;
    const bytes = account?.bytes ?? documents.find((one) => one.kind === "apple-app-site-association")?.bytes;
    const others = documents.filter((one) => one.kind !== "apple-app-site-association");
    if (bytes === undefined && others.length === 0) return null;
    const top = account?.limit ?? limit;
    const apps = account?.apps.slice(0, 5) ?? [];
    const rest = Math.max(0, bytes - apps.reduce((sum, one) => sum + one.bytes, 0));
    const parts = [...apps.map((one) => ({ ...one, name: cut(this.names?.apple.get(one.app) || one.app) })), { app: "", name: account ? w.others : w.files, bytes: rest }]
      .filter((one) => one.bytes > 0);
    // Over the limit, the bar shows the whole file.
    const whole = Math.max(top, bytes ?? 0);
    return h(
      "section", { key: "size" }, h("h3", {}, w.size),
      bytes !== undefined && [
        h("p", { key: "sum", class: bytes > top ? "fault" : null }, words.document["apple-app-site-association"], ": ", w.sizeOf(size(bytes), size(top))),
        h(
          "div", { key: "bar", class: bytes > top ? "size-bar over" : "size-bar", "aria-hidden": "true" },
          parts.map((one, index) => h("span", { key: one.app, class: `part-${index}`, vars: { "--share": `${(one.bytes / whole) * 100}%` } }))),
        account && h("ul", { key: "parts", class: "plain size-parts" }, parts.map((one, index) => h(
          "li", { key: one.app }, h("span", { class: `swatch part-${index}`, "aria-hidden": "true" }), h("bdi", {}, one.name), " ", h("span", { class: "quiet" }, size(one.bytes))))),
      ],
      others.map((one) => h("p", { key: one.kind, class: "quiet" }, words.document[one.kind], ": ", size(one.bytes))));
  }

  /** What the API said about the draft. */
  #details(preview) {
    const { domain } = this.draft;
    const { result, problem, broken, moreBroken, findings } = preview;
    // Those of a route stand beside it.
    const here = findings.filter((one) => !preview.accept.includes(one.code) && !place(one.pointer, one.document, domain).entry);
    // The problem says its errors itself.
    const isSaid = preview.accept.length > 0 || broken.length > 0;
    const loud = here.filter((one) => one.severity === "warning" || (one.severity === "error" && (isSaid || !problem)));
    const notes = here.filter((one) => one.severity === "note");
    const faults = problem?.body?.errors?.filter((fault) => !place(fault.pointer, undefined, domain).entry) ?? [];
    return [
      problem && !isSaid && problemBox(
        { ...problem, status: problem.status, title: problem.title, detail: inWords(problem.detail, domain), body: { ...problem.body, errors: faults, findings: [] } },
        problem.status === 0 || problem.status >= 500 ? () => this.draft.refresh() : undefined),
      broken.length > 0 && h(
        "div", { class: "box error", key: "broken" }, h("h3", {}, w.broken),
        h("ul", { class: "plain" }, broken.map((one, index) => h(
          "li", { key: index }, effect({ ...one, before: one.expected, after: one.resolution }, this.names), " ", h("span", { class: "quiet" }, inWords(one.reason, domain))))),
        moreBroken > 0 && h("p", { key: "more" }, w.moreBroken(moreBroken)),
        h("p", {}, w.dropHelp), button(w.dropBroken, () => this.#dropBroken())),
      loud.length > 0 && h("section", { key: "loud" }, h("h3", {}, words.domain.findings), findingList(loud, domain)),
      result?.diff && h("section", { key: "effects" }, h("h3", {}, w.effects), changeList(
        // Expectations were left out to learn the effects.
        broken.length > 0 ? { ...result.diff, changes: result.diff.changes.filter((change) => change.what !== "expectation") } : result.diff, this.names)),
      result?.changedResolutions.length > 0 && h(
        "section", { key: "resolutions" }, h("h3", {}, w.resolutions),
        h("ul", { class: "plain" }, result.changedResolutions.slice(0, 50).map((one, index) => h("li", { key: index }, effect(one, this.names))))),
      this.#size(preview),
      notes.length > 0 && h("details", { key: "notes" }, h("summary", {}, words.domain.notes(notes.length)), findingList(notes, domain)),
    ];
  }

  /** The errors that publishing would accept, as questions. */
  #questions(preview) {
    return preview.accept.map((code) => {
      const found = preview.findings.find((one) => one.code === code && one.severity === "error");
      return checkbox(w.anyway(found ? inWords(found.message, this.draft.domain) : code), {
        id: `accept-${code}`, checked: this.#consent.has(code),
        on: { change: ({ target }) => { this.#consent[target.checked ? "add" : "delete"](code); this.update(); } },
      });
    });
  }

  render() {
    const { draft } = this;
    if (!draft.exists || draft.isStale) return [];
    const preview = draft.preview ?? { isRunning: true };
    const isReady = !preview.isRunning && preview.result && preview.broken.length === 0;
    const agrees = (preview.accept ?? []).every((code) => this.#consent.has(code));
    return [
      h("h2", { id: "review", tabindex: "-1", key: "title" }, w.title),
      h("p", { role: "status", key: "status", class: "quiet" }, this.#status()),
      !draft.isStored && h("p", { class: "box warning", key: "stored" }, w.notStored),
      h(
        "div", { class: "review-body", role: "region", tabindex: "0", "aria-label": w.effects, "aria-busy": preview.isRunning ? "true" : null, key: "body" },
        preview.findings && this.#details(preview)),
      form(
        () => isReady && agrees && this.#publish(), { class: "review-foot", key: "foot" },
        this.#problem && problemBox(this.#problem),
        isReady && this.#questions(preview),
        field(words.common.reason, {
          id: "reason", value: this.#reason, help: words.common.reasonHelp, autocomplete: "off", maxlength: "500", dir: "auto",
          on: { input: ({ target }) => { this.#reason = target.value; } },
        }),
        h(
          "div", { class: "actions", key: "actions" },
          h("button", { type: "submit", class: "button primary", disabled: !isReady || !agrees || this.#isPublishing }, this.#isPublishing ? w.publishing : w.publish),
          button(w.undo, () => draft.undo(), { disabled: !draft.canUndo }))),
    ];
  }
}

/** Asks before a draft is thrown away. */
export function discardDialog(draft, close) {
  return dialog(
    { title: w.discardTitle, close }, h("p", {}, w.discardText),
    h(
      "div", { class: "actions" }, button(w.discard, () => { close(); draft.discard(); }, { kind: "danger" }), button(words.common.cancel, close)));
}

customElements.define("aasa-draft-review", DraftReview);
