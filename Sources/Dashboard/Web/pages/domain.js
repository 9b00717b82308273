// A domain: its entries and routes in their order, its settings, and the draft that changes them.

import { get, path, request } from "../api.js";
import { h } from "../dom.js";
import { button, empty, failure, findingCounts, loaded } from "../parts.js";
import { go, to } from "../routing.js";
import { Loading, say } from "../state.js";
import { words } from "../words.js";
import {
  apartAndroid,
  changeList,
  domainHeader,
  foldedFindings,
  isForApple,
  keptList,
  loadNames,
  place,
  plainList,
} from "./domain-parts.js";
import { DraftPage } from "./draft-page.js";
import { draftOfDomain, effectsOf, inForce } from "./draft.js";
import { counted, effects, planDialog } from "./plan.js";
import "./domain-documents.js";
import "./domain-review.js";
import "./domain-settings.js";
import "./domain-template.js";
import "./entries.js";

const w = words.domain;

/** The route with a path, which findings of Android's file name: `{ entry, route }`, as far as there is one. */
function routeNamed(path, { entries }) {
  const isIt = (one) => one.path === path;
  const entry = entries.find(({ androidApps, routes }) => androidApps?.length > 0 && routes.some(isIt));
  return { entry, route: entry?.routes.find(isIt) };
}

class Domain extends DraftPage {
  #name;
  #url;
  #names = new Loading(this, (signal) => loadNames(this.#shown, signal));
  #findings = new Loading(
    this,
    (signal) => get("/v1/findings", { domain: this.#name, source: "lint", limit: 200 }, signal),
  );
  /** What others changed since the draft began. */
  #theirs = new Loading(this, async (signal) => {
    const [from, to] = [this.draft.base.revision, this.draft.published.revision];
    const [diff, { items }] = await Promise.all([
      get(`${this.#url}/diff`, { from, to }, signal),
      get(`${this.#url}/revisions`, { limit: 10 }, signal),
    ]);
    return { diff, revisions: items.filter(({ revision }) => revision > from && revision <= to) };
  });

  start() {
    this.#name = this.address.parts[1];
    this.#url = path`/v1/domains/${this.#name}`;
    this.begin(draftOfDomain(this.#name));
  }

  render() {
    const isGone = this.loading.problem?.code === "domain-not-found";
    return [
      domainHeader(
        this.#name,
        this.address.parts[2] ?? "routes",
        this.draft.published?.revision,
        { restored: () => this.loading.run(), isGone },
      ),
      !isGone && loaded(this.loading, () => this.#page()),
    ];
  }

  /** The draft with what comes from its template. */
  get #shown() {
    return inForce(this.draft.domain, this.of.given);
  }

  #page() {
    const { draft, canEdit } = this;
    const domain = this.#shown;
    const names = this.#names.value;
    const hasReview = canEdit && draft.exists;
    const { general, ...findings } = this.placed(this.#findings.value?.items, domain);
    this.#names.ask(draft.published.revision);
    this.#findings.ask(draft.published.revision);
    if (draft.isStale) this.#theirs.ask(draft.base.revision, draft.published.revision);
    // Findings are of what is published.
    const { at = "", route: named } = this.address.query;
    const published = inForce(draft.published, this.of.given);
    const { entry, route } = named === undefined ? place(at, undefined, published) : routeNamed(named, published);
    return [
      draft.isStale && this.conflict(
        this.#whatOthersDid(),
        draft.preview?.result?.diff && changeList(effectsOf(draft.preview), names, 15),
      ),
      draft.published.managedBy &&
      h("p", { class: "box", key: "managed" }, w.managedBy(h("bdi", {}, draft.published.managedBy))),
      draft.published.behindTemplate && h("p", { class: "box warning", key: "behind" }, w.behindTemplate),
      h(
        "div",
        { class: hasReview ? "with-review" : null, key: "main" },
        this.address.parts[2] === "settings" ? this.#settings(domain, names) : h(
          "div",
          { key: "routes" },
          failure(this.#findings),
          this.#more(),
          !domain.enabled && h("p", { class: "box warning", key: "off" }, w.disabledText),
          domain.template && this.#template(),
          !hasReview && general.length > 0 &&
            h(
              "div",
              { class: "sheet", key: "findings" },
              foldedFindings([words.pages.findings, ": ", findingCounts(counted(general))], general, domain),
            ),
          h("h2", { class: "hidden", key: "title" }, w.tabs.routes),
          h("p", { class: "quiet", key: "order" }, w.order),
          domain.entries.length === 0 && empty(w.noEntries, w.noEntriesText),
          !domain.entries.some(isForApple) && keptList(w.keptWithoutRoutes, apartAndroid(domain).kept, names),
          h("aasa-entries", {
            draft,
            domain,
            names,
            findings,
            marked: route && `${entry.id} ${route.id}`,
            isEditor: canEdit,
            key: "entries",
          }),
          canEdit && !domain.template && this.#template(),
        ),
        hasReview && h("aasa-draft-review", { class: "sheet review", draft, domain, names, key: "review" }),
      ),
      this.open,
    ];
  }

  /** That there are more findings than are shown. */
  #more() {
    const { items = [], total = 0 } = this.#findings.value ?? {};
    const address = to(["findings"], { domain: this.#name, source: "lint", suppressed: "all" });
    return total > items.length &&
      h(
        "p",
        { class: "help", key: "more" },
        w.moreFindings(items.length),
        h("a", { href: address }, w.allFindings(total)),
      );
  }

  #settings(shown, names) {
    const { draft, canEdit } = this;
    return h(
      "div",
      { key: "settings" },
      h("aasa-domain-settings", { draft, shown, names, isEditor: canEdit, key: "settings" }),
      h("aasa-domain-documents", {
        domain: this.#name,
        revision: draft.published.revision,
        isEditor: canEdit,
        key: "documents",
        changed: () => draft.reload(),
      }),
      canEdit && this.#serving(),
    );
  }

  #template = () =>
    h("aasa-domain-template", {
      draft: this.draft,
      given: this.of.given,
      isEditor: this.canEdit,
      key: "template",
      detach: () => this.#planDetaching(),
    });

  #whatOthersDid = () =>
    loaded(this.#theirs, ({ diff, revisions }) => [
      plainList(revisions, (one) => w.conflict.by(one.revision, h("bdi", {}, one.author), h("bdi", {}, one.reason))),
      changeList(diff, this.#names.value, 15),
    ]);

  #serving() {
    const { enabled, expectations } = this.draft.domain;
    const change = (members) => {
      this.draft.change((domain) => Object.assign(domain, members));
      say(w.serving.inDraft);
    };
    const row = (key, text, press) => h("div", { class: "section-head", key }, h("p", {}, text), press);
    return h(
      "section",
      { class: "sheet", key: "serving" },
      h("h2", {}, w.serving.title),
      row("enabled", w.serving.text[enabled], button(w.serving.toggle[enabled], () => change({ enabled: !enabled }))),
      expectations.length > 0
        ? row("drop", w.serving.expected, button(w.draft.dropBroken, () => change({ expectations: [] })))
        : this.#shown.expectations.length > 0
        ? row("drop", w.serving.expectedByTemplate)
        : row("delete", w.serving.deleteText, button(w.serving.delete, () => this.#planDeletion(), { kind: "danger" })),
    );
  }

  #planDeletion() {
    let revision;
    this.show(planDialog, {
      title: w.serving.deleteTitle(this.#name),
      label: w.serving.delete,
      kind: "danger",
      send: async (query) => {
        // The plan is about what is published now, maybe by others.
        if (query.dryRun) await this.draft.reload();
        if (query.dryRun) ({ revision } = this.draft.published);
        // Of what the linter refuses, this is what the person wants.
        return request("DELETE", this.#url, { ifMatch: revision, query: { accept: "opens-nothing", ...query } });
      },
      show: ({ diff }) => [
        this.draft.exists && h("p", { key: "draft" }, w.serving.draftGoes),
        changeList(diff, this.#names.value),
      ],
      said: () => w.serving.deleted(this.#name),
      done: () => {
        this.draft.discard();
        go(["domains"]);
      },
    });
  }

  #planDetaching() {
    this.show(planDialog, {
      title: w.template.detachTitle(this.#name),
      text: w.template.detachText,
      label: w.template.detach,
      send: (query) => request("POST", `${this.#url}/detach`, { query, ifMatch: this.draft.published.revision }),
      show: (value) => effects({ ...value, domain: undefined }),
      said: () => w.template.detached(this.#name),
      done: () => this.loading.run(),
    });
  }
}

customElements.define("aasa-domain", Domain);
