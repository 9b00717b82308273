// A domain: its entries and routes in their order, its settings, and the draft that changes them.

import { get, path, request } from "../api.js";
import { h, View } from "../dom.js";
import { badge, button, checkbox, dialog, empty, field, findingCounts, form, linkButton, loaded, problemBox, time } from "../parts.js";
import { go, to } from "../routing.js";
import { Loading, mayEditDomain, say, session } from "../state.js";
import { words } from "../words.js";
import {
  appList, appName, changeList, conditions, findingList, flags, iconButton, inWords, loadNames, place, routeText,
} from "./domain-parts.js";
import { discardDialog } from "./domain-review.js";
import { domainHeader } from "./domain-tabs.js";
import { Draft, dryRun, newId } from "./draft.js";
import "./domain-settings.js";
import "./route-editor.js";

const w = words.domain;

class Domain extends View {
  /** @type {any} */
  address;
  #name;
  #draft;
  #names;
  #findings;
  #theirs;
  /** The revisions between which `#theirs` compares. */
  #compared;
  #seen;
  #hadDraft = false;
  #loading = new Loading(this, (signal) => this.#load(signal));
  /** The route in the dialog: `{ entry, route }` with their IDs; none for a new route. */
  #edited;
  /** The entry whose apps are being edited. */
  #editedEntry;
  /** What is dragged, and where it would go: `{ entry, route, toEntry, before }`. */
  #drag;
  #said = "";
  #isDiscarding = false;
  #deletion;

  start() {
    this.#name = this.address.parts[1];
    this.#draft = new Draft(this.#name, this.ending);
    this.#draft.follow(this);
    this.#draft.addEventListener("change", () => this.#arrive(), { signal: this.ending });
    session.follow(this);
    this.#names = new Loading(this, (signal) => loadNames(this.#draft.published, signal));
    this.#findings = new Loading(this, (signal) => get("/v1/findings", { domain: this.#name, source: "lint", limit: 200 }, signal));
    this.#theirs = new Loading(this, (signal) => this.#loadTheirs(signal));
    this.#loading.run();
  }

  get #isEditor() {
    return mayEditDomain(this.#name);
  }

  async #load(signal) {
    try {
      this.#draft.begin(await get(path`/v1/domains/${this.#name}`, {}, signal));
    } catch (problem) {
      if (problem.code !== "domain-not-found") throw problem;
      // A deleted domain has revisions.
      const { items } = await get(path`/v1/domains/${this.#name}/revisions`, { limit: 1 }, signal).catch(() => ({ items: [] }));
      return { isGone: true, wasThere: items.length > 0 };
    }
    return {};
  }

  /** Loads what belongs to a new revision, and what others published since the draft began. */
  #arrive() {
    const { base, published, isStale, exists } = this.#draft;
    if (published.revision !== this.#seen) {
      this.#seen = published.revision;
      this.#names.run();
      this.#findings.run();
    }
    // The draft's panel is gone, maybe with the focus.
    if (this.#hadDraft && !exists) this.#refocus("h1");
    this.#hadDraft = exists;
    const compared = isStale ? `${base.revision}-${published.revision}` : undefined;
    if (compared === this.#compared) return;
    this.#compared = compared;
    this.#theirs.clear();
    if (isStale) this.#theirs.run();
  }

  #focus(selector) {
    const element = this.querySelector(selector);
    if (element instanceof HTMLElement) element.focus({ preventScroll: selector === "h1" });
  }

  /** Moves the focus after the next rendering, if that took it away. */
  #refocus(selector) {
    setTimeout(() => document.activeElement === document.body && this.#focus(selector));
  }

  async #loadTheirs(signal) {
    const { base, published } = this.#draft;
    const of = path`/v1/domains/${this.#name}`;
    const [diff, { items }] = await Promise.all([
      get(`${of}/diff`, { from: base.revision, to: published.revision }, signal), get(`${of}/revisions`, { limit: 20 }, signal),
    ]);
    return { diff, revisions: items.filter((one) => one.revision > base.revision) };
  }

  // Changes of the draft

  #change(change) {
    this.#draft.change(change);
  }

  /** Moves a route; `step` is −1 or 1. */
  #step(entryId, route, step) {
    const { routes } = this.#draft.domain.entries.find((one) => one.id === entryId);
    const index = routes.findIndex((one) => one.id === route.id);
    const target = index + step;
    if (target < 0 || target >= routes.length) return this.#say(step < 0 ? w.isFirst : w.isLast);
    this.#change((domain) => {
      const list = domain.entries.find((one) => one.id === entryId).routes;
      list.splice(target, 0, ...list.splice(index, 1));
    });
    this.#say(w.moved(routeText(route), target + 1, routes.length));
  }

  /** Puts a route before another of an entry, or at its end. */
  #drop() {
    const { entry, route, toEntry, before } = this.#drag;
    this.#drag = undefined;
    if (toEntry === undefined || (toEntry === entry && before === route)) return this.update();
    this.#change((domain) => {
      const [source, target] = [entry, toEntry].map((id) => domain.entries.find((one) => one.id === id));
      const [moved] = source.routes.splice(source.routes.findIndex((one) => one.id === route), 1);
      // IDs count in each entry of its own.
      if (source !== target) moved.id = newId(target.routes);
      const index = target.routes.findIndex((one) => one.id === before);
      target.routes.splice(index < 0 ? target.routes.length : index, 0, moved);
      this.#say(w.moved(routeText(moved), target.routes.indexOf(moved) + 1, target.routes.length));
    });
    this.update();
  }

  #saveRoute(route, entryId) {
    const { entry } = this.#edited;
    this.#change((domain) => {
      const find = (id) => domain.entries.find((one) => one.id === id).routes;
      const target = find(entryId);
      const old = route.id === undefined ? -1 : find(entry).findIndex((one) => one.id === route.id);
      if (old >= 0 && entry === entryId) target[old] = route;
      else {
        if (old >= 0) find(entry).splice(old, 1);
        const id = newId(target);
        target.push({ ...route, id });
        this.#refocus(`#handle-${entryId}-${id}`);
      }
    });
    this.#edit(undefined);
  }

  #removeRoute(entryId, route, event) {
    // The focus goes to the next route, not to the top of the page.
    const item = event.target.closest("li");
    const next = item.nextElementSibling ?? item.previousElementSibling;
    (next?.querySelector("button") ?? item.closest("section").querySelector(".add-route"))?.focus();
    this.#change((domain) => {
      const entry = domain.entries.find((one) => one.id === entryId);
      entry.routes = entry.routes.filter((one) => one.id !== route.id);
    });
    this.#say(w.removed(routeText(route)));
  }

  #addEntry() {
    let id;
    this.#change((domain) => {
      id = newId(domain.entries);
      domain.entries.push({ id, apps: [], routes: [] });
    });
    this.#editedEntry = id;
    this.update();
    queueMicrotask(() => this.#focus(`#apple-${-id}n`));
  }

  #stepEntry(index, step) {
    const { length } = this.#draft.domain.entries;
    if (index + step < 0 || index + step >= length) return this.#say(step < 0 ? w.isFirst : w.isLast);
    this.#change((domain) => { domain.entries.splice(index + step, 0, ...domain.entries.splice(index, 1)); });
    this.#say(w.movedEntry(index + step + 1, length));
  }

  #say(text) {
    this.#said = text;
    this.update();
  }

  #edit(edited) {
    this.#edited = edited;
    this.update();
  }

  async #restore() {
    try {
      await request("POST", path`/v1/domains/${this.#name}/restore`);
      say(w.gone.restored(this.#name));
      this.#loading.run();
    } catch (problem) {
      say(problem.detail, "error");
    }
  }

  // Deleting

  async #beginDeletion() {
    this.#deletion = {};
    this.update();
    const preview = await dryRun("DELETE", this.#name, { ifMatch: this.#draft.published.revision, signal: this.ending })
      .catch((problem) => ({ problem, accept: [], broken: [], findings: [] }));
    if (this.#deletion) this.#deletion = { preview };
    this.update();
  }

  async #delete({ name, reason, drop }) {
    const { preview } = this.#deletion;
    const fault = name.trim() === this.#name ? undefined : w.serving.wrongName(this.#name);
    const dropFault = preview.broken.length > 0 && !drop;
    this.#deletion = { preview, fault, dropFault, isRunning: !fault && !dropFault };
    this.update();
    if (fault || dropFault) return this.#focus(fault ? "#delete-name" : "#delete-drop");
    const of = path`/v1/domains/${this.#name}`;
    let ifMatch = this.#draft.published.revision;
    try {
      // No domain with expectations can be deleted.
      if (drop) ifMatch = (await request("PUT", `${of}/expectations`, { ifMatch, body: { expectations: [] }, query: { reason: reason.trim() } })).value.revision;
      await request("DELETE", of, { ifMatch, query: { reason: reason.trim(), accept: [...new Set([...preview.accept, drop && "opens-nothing"])].filter(Boolean).join(",") } });
      this.#draft.discard();
      say(w.serving.deleted(this.#name));
      go(["domains"]);
    } catch (problem) {
      this.#deletion = { preview, problem };
      this.update();
    }
  }

  // What is shown

  render() {
    const { value } = this.#loading;
    const { domain } = this.#draft;
    const badges = value && domain && !value.isGone && [
      badge(words.environment[domain.environment], "quiet", { key: "environment" }), !domain.enabled && badge(w.disabled, "warning", { key: "disabled" }),
      h("span", { class: "quiet", key: "revision" }, w.revision(this.#draft.published.revision), ", ", w.updated, " ", time(this.#draft.published.updatedAt)),
    ];
    return [
      domainHeader(this.#name, "routes", badges),
      loaded(this.#loading, ({ isGone, wasThere }) => (isGone ? this.#gone(wasThere) : this.#page())),
    ];
  }

  #gone(wasThere) {
    const all = linkButton(words.pages.toDomains, to(["domains"]), { key: "all" });
    return wasThere
      ? empty(w.gone.title, w.gone.text, this.#isEditor && button(w.gone.restore, () => this.#restore(), { kind: "primary" }),
        linkButton(w.tabs.history, to(["domains", this.#name, "history"])), all)
      : empty(w.gone.none, w.gone.noneText, all);
  }

  #page() {
    const draft = this.#draft;
    const { domain } = draft;
    const isEditor = this.#isEditor;
    // A draft that others have overtaken waits until the person has decided.
    const canEdit = isEditor && !draft.isStale;
    const hasReview = canEdit && draft.exists;
    const findings = this.#placed(draft.exists ? hasReview && draft.preview?.findings : this.#findings.value?.items);
    return [
      h("p", { class: "hidden", role: "status", key: "said" }, this.#said),
      h("p", { hidden: true, id: "move-help", key: "help" }, w.moveHelp),
      hasReview && h(
        "div", { class: "box draft-notice", key: "notice" },
        h("span", { key: "text" }, w.draft.from, " ", time(draft.at), ". ", w.draft.notPublished),
        h(
          "div", { class: "actions", key: "actions" },
          button(w.draft.review, () => this.#focus("#review"), { key: "review", class: "button to-review" }),
          button(w.draft.discard, () => { this.#isDiscarding = true; this.update(); }, { key: "discard" }))),
      draft.isStale && isEditor && this.#conflict(),
      h(
        "div", { class: hasReview ? "with-review" : null, key: "main" },
        h(
          "div", { key: "routes" },
          !domain.enabled && h("p", { class: "box warning", key: "off" }, w.disabledText),
          !hasReview && this.#general(findings.general),
          h("h2", { class: "hidden", key: "title" }, w.tabs.routes),
          h("p", { class: "quiet", key: "order" }, w.order),
          domain.entries.length === 0 && empty(w.noEntries, isEditor ? w.noEntriesText : w.noEntriesViewer),
          domain.entries.map((entry, index) => this.#entry(entry, index, findings)),
          canEdit && button(w.addEntry, () => this.#addEntry(), { key: "add", class: "button add-entry" }),
          h("aasa-domain-settings", { draft, names: this.#names.value, isEditor: canEdit, key: "settings" }),
          canEdit && this.#serving()),
        hasReview && h("aasa-draft-review", { class: "sheet review", draft, names: this.#names.value, key: "review" })),
      this.#edited && this.#editor(),
      this.#isDiscarding && discardDialog(draft, () => { this.#isDiscarding = false; this.update(); }),
      this.#deletion && this.#deletionDialog(),
    ];
  }

  /** Findings by what they are about: routes, entries, or the whole domain. */
  #placed(findings) {
    const placed = { routes: new Map(), entries: new Map(), android: new Map(), general: [] };
    const put = (map, key, finding) => map.set(key, [...(map.get(key) ?? []), finding]);
    for (const finding of findings || []) {
      const { entry, route, android } = place(finding.pointer, finding.document, this.#draft.domain);
      if (route) put(placed.routes, route, finding);
      else if (entry) put(android ? placed.android : placed.entries, entry, finding);
      else placed.general.push(finding);
    }
    // Invalid values of the draft, too.
    for (const fault of this.#draft.preview?.problem?.body?.errors ?? []) {
      const { entry, route } = place(fault.pointer, undefined, this.#draft.domain);
      const finding = { severity: "error", code: fault.code, message: fault.message, help: "" };
      if (!fault.pointer.startsWith("/entries/")) continue;
      if (route) put(placed.routes, route, finding);
      else if (entry) put(placed.entries, entry, finding);
    }
    return placed;
  }

  #general(findings) {
    if (findings.length === 0) return null;
    const counts = {};
    for (const { severity } of findings) counts[severity] = (counts[severity] ?? 0) + 1;
    return h(
      "details", { class: "sheet", key: "findings" }, h("summary", {}, w.findings, ": ", findingCounts(counts)),
      findingList(findings, this.#draft.domain));
  }

  /** What Android does with the routes: problems are open, the usual differences can be looked up. */
  #android(findings) {
    const notes = findings.filter((one) => one.severity === "note");
    return [
      findingList(findings.filter((one) => one.severity !== "note"), this.#draft.domain, { key: "loud" }),
      notes.length > 0 && h(
        "details", { key: "notes" },
        h("summary", {}, notes.some((one) => one.code === "android-differs") ? w.differs : w.notes(notes.length)), findingList(notes, this.#draft.domain)),
    ];
  }

  #conflict() {
    const { base, published, merged, preview, domain } = this.#draft;
    const where = ({ kind, name, entry, route }) => {
      const number = domain.entries.findIndex((one) => one.id === entry?.id) + 1;
      if (kind === "route") return w.conflict.at.route(routeText(route));
      if (kind === "member") return entry ? w.conflict.at.apps(name, number) : w.conflict.at.member(name);
      return kind === "entry" ? w.conflict.at.entry(number || "?") : w.conflict.at.order;
    };
    return h(
      "section", { class: "sheet conflict", key: "conflict", "aria-labelledby": "conflict" },
      h(
        "div", { role: "alert", key: "title" }, h("h2", { id: "conflict" }, w.conflict.title),
        h("p", {}, w.conflict.text(base.revision, published.revision))),
      h(
        "div", { class: "columns" },
        h("div", { key: "theirs" }, h("h3", {}, w.conflict.theirs), loaded(this.#theirs, ({ diff, revisions }) => [
          h("ul", { class: "plain", key: "who" }, revisions.map((one) => h(
            "li", { key: one.revision, class: "quiet" }, w.revision(one.revision), ", ", time(one.publishedAt), ", ", h("bdi", {}, w.conflict.by(one.author, one.reason))))),
          changeList(diff, this.#names.value, 15),
        ])),
        h(
          "div", { key: "mine" }, h("h3", {}, w.conflict.mine),
          preview?.result?.diff ? changeList(preview.result.diff, this.#names.value, 15)
            : preview?.problem ? problemBox({ ...preview.problem, detail: inWords(preview.problem.detail, domain) })
            : h("p", { class: "loading", role: "status" }, preview?.isRunning ? w.draft.checking : w.draft.nothing))),
      merged.conflicts.length === 0
        ? h("p", { class: "box ok", key: "fine" }, w.conflict.combined)
        : h(
          "div", { class: "box warning", key: "clashes" }, h("p", {}, w.conflict.clashes),
          h("ul", {}, merged.conflicts.map((one, index) => h("li", { key: index }, where(one))))),
      h(
        "div", { class: "actions" },
        button(w.conflict.rebase(published.revision), () => this.#draft.adopt(), { kind: "primary" }),
        button(w.draft.discard, () => { this.#isDiscarding = true; this.update(); }, { kind: "danger" })));
  }

  #entry(entry, index, findings) {
    const isEditor = this.#isEditor && !this.#draft.isStale;
    const isEdited = isEditor && this.#editedEntry === entry.id;
    const names = this.#names.value;
    const set = (member) => (list) => this.#change((domain) => {
      const one = domain.entries.find((other) => other.id === entry.id);
      if (list.length === 0 && member === "androidApps") delete one[member];
      else one[member] = list;
    });
    const id = entry.id < 0 ? `${-entry.id}n` : entry.id;
    const list = (member, platform, label, help, none) => appList({
      id: `${platform}-${id}`, label, help, none, list: entry[member] ?? [], names: names?.[platform], change: isEdited ? set(member) : undefined,
    });
    return h(
      "section", { class: "sheet entry", key: entry.id, "aria-label": w.entry(index + 1) },
      h(
        "div", { class: "section-head" }, h("h3", {}, w.entry(index + 1)),
        isEditor && h(
          "div", { class: "actions" },
          this.#draft.domain.entries.length > 1 && [
            iconButton("↑", w.entryUp(index + 1), () => this.#stepEntry(index, -1), { key: "up", "aria-disabled": index === 0 ? "true" : null }),
            iconButton("↓", w.entryDown(index + 1), () => this.#stepEntry(index, 1), {
              key: "down", "aria-disabled": index === this.#draft.domain.entries.length - 1 ? "true" : null,
            }),
          ],
          button(isEdited ? w.doneApps : w.editApps, () => { this.#editedEntry = isEdited ? undefined : entry.id; this.update(); }, {
            kind: "quiet", key: "apps", "aria-expanded": String(isEdited), "aria-label": `${isEdited ? w.doneApps : w.editApps}, ${w.entry(index + 1)}`,
          }),
          button(w.deleteEntry, () => {
            this.#change((domain) => { domain.entries.splice(index, 1); });
            this.#say(w.removed(w.entry(index + 1)));
          }, { kind: "quiet", key: "delete", "aria-label": `${w.deleteEntry} ${index + 1}` }))),
      h(
        "div", { class: "sides" },
        h(
          "div", { key: "apple" }, h("h4", {}, w.apple), list("apps", "apple", w.addApp, w.addAppHelp, w.noApple),
          entry.appID && h("p", { class: "quiet" }, "appID: ", appName(entry.appID, names?.apple.get(entry.appID)))),
        h(
          "div", { key: "android" }, h("h4", {}, w.android), list("androidApps", "android", w.addPackage, w.addPackageHelp, w.noAndroid),
          entry.androidApps?.length > 0 && this.#draft.domain.dynamicAppLinks === false && h("p", { class: "quiet" }, w.noDynamic),
          this.#android(findings.android.get(entry) ?? []))),
      findings.entries.has(entry) && findingList(findings.entries.get(entry), this.#draft.domain, { key: "findings" }),
      flags(entry.defaults).length > 0 && h("p", { class: "quiet", key: "defaults" }, w.defaults, " ", flags(entry.defaults).join(", ")),
      entry.routes.length === 0
        ? h("p", { class: "quiet", key: "empty", on: this.#dropTarget(entry, undefined) }, w.noRoutes)
        : h(
          "ol", { class: "routes", key: "routes", "aria-label": w.routesOf(index + 1) },
          entry.routes.map((route, position) => this.#route(entry, route, position, isEditor, findings))),
      entry.paths && h("p", { class: "quiet", key: "paths" }, w.olderPaths, " ", entry.paths.map((one, number) => [h("code", { key: number }, one), " "])),
      entry.extra && h("p", { class: "quiet", key: "extra" }, w.extra, " ", h("code", {}, JSON.stringify(entry.extra))),
      isEditor && button(w.addRoute, () => this.#edit({ entry: entry.id }), { key: "add", class: "button add-route", "aria-label": `${w.addRoute}, ${w.entry(index + 1)}` }));
  }

  #route(entry, route, position, isEditor, findings) {
    const text = routeText(route);
    const all = entry.routes.length;
    const isTarget = this.#drag?.toEntry === entry.id;
    const drop = !isTarget ? "" : this.#drag.before === route.id ? " drop" : this.#drag.before === undefined && position === all - 1 ? " drop-after" : "";
    const keys = (event) => {
      const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
      if (!event.altKey || !step) return;
      event.preventDefault();
      this.#step(entry.id, route, step);
    };
    return h(
      "li", {
        key: route.id, class: `route${route.exclude ? " exclusion" : ""}${this.#drag?.entry === entry.id && this.#drag.route === route.id ? " dragged" : ""}${drop}`,
        on: isEditor ? { keydown: keys, ...this.#dropTarget(entry, route) } : {},
      },
      isEditor && h("button", {
        type: "button", class: "handle", draggable: "true", id: `handle-${entry.id}-${route.id}`, key: "handle",
        "aria-label": w.position(position + 1, all, text), "aria-describedby": "move-help", title: w.moveHelp,
        on: {
          dragstart: (event) => {
            event.dataTransfer.effectAllowed = "move";
            event.dataTransfer.setData("text/plain", text);
            event.dataTransfer.setDragImage(event.target.closest("li"), 10, 10);
            this.#drag = { entry: entry.id, route: route.id };
            this.update();
          },
          dragend: () => { this.#drag = undefined; this.update(); },
        },
      }, h("span", { "aria-hidden": "true" }, "⠿")),
      h("span", { class: "position", key: "position", "aria-hidden": "true" }, position + 1),
      h(
        "div", { class: "route-body", key: "body" },
        h("div", { class: "conditions" }, badge(route.exclude ? w.stays : w.opens, route.exclude ? "warning" : "ok"), conditions(route)),
        route.comment !== undefined && h("p", { class: "comment quiet", key: "comment", dir: "auto" }, route.comment),
        route.extra && h("p", { class: "quiet", key: "extra" }, w.extra, " ", h("code", {}, JSON.stringify(route.extra))),
        findings.routes.has(route) && findingList(findings.routes.get(route), this.#draft.domain)),
      isEditor && h(
        "div", { class: "route-actions", key: "actions" },
        iconButton("↑", w.moveUp(text), () => this.#step(entry.id, route, -1), { "aria-disabled": position === 0 ? "true" : null, key: "up" }),
        iconButton("↓", w.moveDown(text), () => this.#step(entry.id, route, 1), { "aria-disabled": position === all - 1 ? "true" : null, key: "down" }),
        button(words.common.edit, () => this.#edit({ entry: entry.id, route: route.id }), { kind: "quiet", "aria-label": w.editRoute(text), key: "edit" }),
        button(words.common.delete, (event) => this.#removeRoute(entry.id, route, event), { kind: "quiet", "aria-label": w.deleteRoute(text), key: "delete" })));
  }

  /** Listeners of a place where a dragged route can go: before a route or after it, or in an entry without any. */
  #dropTarget(entry, route) {
    return {
      dragover: (event) => {
        if (!this.#drag) return;
        event.preventDefault();
        const box = event.currentTarget.getBoundingClientRect();
        const isAfter = event.clientY > box.top + box.height / 2;
        const next = entry.routes[entry.routes.findIndex((one) => one.id === route?.id) + 1];
        const before = isAfter ? next?.id : route?.id;
        if (this.#drag.toEntry === entry.id && this.#drag.before === before) return;
        Object.assign(this.#drag, { toEntry: entry.id, before });
        this.update();
      },
      drop: (event) => {
        if (!this.#drag) return;
        event.preventDefault();
        this.#drop();
      },
    };
  }

  #editor() {
    const { entries } = this.#draft.domain;
    const entry = entries.find((one) => one.id === this.#edited.entry);
    const route = entry?.routes.find((one) => one.id === this.#edited.route) ?? {};
    const title = (one, index) => `${w.entry(index + 1)}: ${[...one.apps.map((id) => this.#names.value?.apple.get(id) || id), ...(one.androidApps ?? [])].slice(0, 3).join(", ")}`;
    return h("aasa-route-editor", {
      key: "editor", route, entry: this.#edited.entry, entries: entries.map((one, index) => [one.id, title(one, index)]),
      modern: entry?.keys ? entry.keys.includes("components") : this.#draft.domain.format === "modern",
      save: (changed, target) => this.#saveRoute(changed, target), close: () => this.#edit(undefined),
    });
  }

  #serving() {
    const { domain } = this.#draft;
    const toggle = () => {
      this.#change((one) => { one.enabled = !one.enabled; });
      say(w.serving.inDraft);
    };
    return h(
      "section", { class: "sheet", key: "serving" }, h("h2", {}, w.serving.title),
      h("div", { class: "serving" }, h("p", {}, domain.enabled ? w.serving.disableText : w.serving.enableText), button(domain.enabled ? w.serving.disable : w.serving.enable, toggle)),
      h("div", { class: "serving" }, h("p", {}, w.serving.deleteText), button(w.serving.delete, () => this.#beginDeletion(), { kind: "danger" })));
  }

  #deletionDialog() {
    const { preview, problem, fault, dropFault, isRunning } = this.#deletion;
    const close = () => { this.#deletion = undefined; this.update(); };
    return dialog(
      { title: w.serving.deleteTitle(this.#name), close, wide: true }, h("p", {}, w.serving.deleteText),
      this.#draft.exists && h("p", { key: "draft" }, w.serving.draftGoes),
      !preview && h("p", { class: "loading", role: "status", key: "loading" }, words.common.loading),
      preview?.problem && problemBox(preview.problem),
      (preview?.result || preview?.broken.length > 0) && [
        preview.result?.diff && h("div", { class: "effects", key: "effects" }, changeList(preview.result.diff, this.#names.value)),
        findingList(preview.findings.filter((one) => preview.accept.includes(one.code) && one.severity === "error"), this.#draft.domain, { key: "errors" }),
        problem && problemBox(problem),
        form(
          (values) => this.#delete(values), { key: "form" },
          field(w.serving.typeName, { id: "delete-name", name: "name", autocomplete: "off", spellcheck: "false", fault, help: this.#name }),
          preview.broken.length > 0 && [
            checkbox(w.serving.drop, { id: "delete-drop", name: "drop", "aria-describedby": dropFault ? "drop-fault" : null }),
            dropFault && h("p", { class: "fault", id: "drop-fault", key: "drop-fault" }, w.serving.dropFault),
          ],
          field(words.common.reason, { id: "delete-reason", name: "reason", help: words.common.reasonHelp, autocomplete: "off" }),
          h("div", { class: "actions" }, h("button", { type: "submit", class: "button danger", disabled: isRunning }, w.serving.delete), button(words.common.cancel, close))),
      ]);
  }
}

customElements.define("aasa-domain", Domain);
