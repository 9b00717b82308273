// What the pages of a domain and of a template share: the draft, its findings, and what others published meanwhile.

import { h, View } from "../dom.js";
import { button, problemBox } from "../parts.js";
import { Loading } from "../state.js";
import { words } from "../words.js";
import { inWords, place, plainList, routeText } from "./domain-parts.js";
import { discardButton } from "./domain-review.js";
import { Draft } from "./draft.js";

const w = words.domain;

export class DraftPage extends View {
  /** What it is a draft of, such as a domain. @type {any} */ of;
  /** @type {import("./draft.js").Draft} */ draft;
  loading = new Loading(this, async (signal) => this.draft.begin(await this.of.load(signal)));

  begin(of) {
    this.of = of;
    this.draft = new Draft(of, this.ending);
    this.draft.follow(this);
    this.loading.run();
  }

  /** Whether a draft can be changed. One that others have overtaken waits until the person has decided. */
  get canEdit() {
    return this.draft.mayEdit && !this.draft.isStale;
  }

  /** Findings by what of `domain` they are about: routes, entries, what Android does with an entry, or the whole of it.
   * `published` are those without a draft. */
  placed(published, domain) {
    const { exists, isStale, preview } = this.draft;
    const placed = { routes: new Map(), entries: new Map(), android: new Map(), general: [] };
    const findings = !exists ? published : !isStale && preview?.findings;
    // Invalid values of the draft, too; the review says those of the whole domain.
    const faults = (preview?.problem?.body?.errors ?? []).filter(({ pointer }) => pointer.startsWith("/entries/"))
      .map((fault) => ({ ...fault, severity: "error", help: "" }));
    for (const finding of [...(findings || []), ...faults]) {
      const { entry, route, android } = place(finding.pointer, finding.document, domain);
      const map = route ? placed.routes : android ? placed.android : placed.entries;
      if (entry) map.set(route || entry, [...(map.get(route || entry) ?? []), finding]);
      else placed.general.push(finding);
    }
    return placed;
  }

  /** What both sides did since the draft began; `mine` and `theirs` describe it, as far as they are known. */
  conflict(theirs, mine = undefined) {
    const { base, published, merged, preview, domain } = this.draft;
    const number = (entry) => domain.entries.findIndex((one) => one.id === entry.id) + 1;
    const where = ({ kind, name, entry, route }) =>
      w.conflict.at[kind]({ name, route: route && routeText(route), entry: entry && number(entry) });
    const broken = preview?.broken?.length > 0;
    mine ??= preview?.problem
      ? problemBox({ ...preview.problem, detail: inWords(preview.problem.detail, domain) })
      : h("p", { class: "loading", role: "status" }, preview?.isRunning ? w.draft.checking : w.draft.nothing);
    return h(
      "section",
      { class: "sheet conflict", key: "conflict", "aria-labelledby": "conflict" },
      h(
        "div",
        { role: "alert", key: "title" },
        h("h2", { id: "conflict" }, w.conflict.title),
        h("p", {}, w.conflict.text(base.revision, published.revision)),
      ),
      h(
        "div",
        { class: "columns", key: "sides" },
        h("div", { key: "theirs" }, h("h3", {}, w.conflict.theirs), theirs),
        h("div", { key: "mine" }, h("h3", {}, w.conflict.mine), mine),
      ),
      merged.conflicts.length === 0
        ? h(
          "p",
          { class: broken ? "box warning" : "box ok", key: "fine" },
          w.conflict.combined,
          broken && [" ", w.conflict.broken],
        )
        : h("div", { class: "box warning", key: "clashes" }, w.conflict.clashes, plainList(merged.conflicts, where)),
      h(
        "div",
        { class: "actions", key: "actions" },
        button(w.conflict.rebase(published.revision), () => this.draft.adopt(), { kind: "primary" }),
        discardButton(this),
      ),
    );
  }
}
