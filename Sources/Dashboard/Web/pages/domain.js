// A domain: its entries and routes in their order, its settings, and the draft that changes them.

import { get, path, request } from "../api.js";
import { h, View } from "../dom.js";
import { badge, button, empty, failure, findingCounts, linkButton, loaded, problemBox, time } from "../parts.js";
import { go, to } from "../routing.js";
import { Loading, mayEditDomain, say } from "../state.js";
import { words } from "../words.js";
import { apartAndroid, appList, appName, changeList, conditions, domainHeader, findingList, flags, foldedFindings,
  inWords, isForApple, loadNames, place, plainList, routeText, useForAndroid } from "./domain-parts.js";
import { Draft, effectsOf, newId } from "./draft.js";
import { counted, formDialog, planDialog } from "./plan.js";
import { editRoute } from "./route-editor.js";
import "./domain-review.js";
import "./domain-settings.js";

const w = words.domain;
const byId = (list, id) => list.find((one) => one.id === id);
/** Puts one into a list, before another or at its end. */
const insert = (list, one, before) => {
  const index = list.findIndex(({ id }) => id === before);
  list.splice(index < 0 ? list.length : index, 0, one);
};
const about = (key, ...text) => h("p", { class: "quiet", key }, text);

class Domain extends View {
  /** @type {any} */ address;
  #name;
  #url;
  #draft;
  #loading = new Loading(this, async (signal) => this.#draft.begin(await get(this.#url, {}, signal)));
  #names = new Loading(this, (signal) => loadNames(this.#draft.published, signal));
  #findings = new Loading(this, (signal) => get(
    "/v1/findings", { domain: this.#name, source: "lint", limit: 200 }, signal));
  /** What others changed since the draft began. */
  #theirs = new Loading(this, async (signal) => {
    const [from, to] = [this.#draft.base.revision, this.#draft.published.revision];
    const [diff, { items }] = await Promise.all([
      get(`${this.#url}/diff`, { from, to }, signal), get(`${this.#url}/revisions`, { limit: 10 }, signal)]);
    return { diff, revisions: items.filter(({ revision }) => revision > from && revision <= to) };
  });
  /** The dialog that is open. */ open;
  /** The entry whose apps are being edited. */ editedEntry;
  /** A route or an entry that is dragged, and where it would go: `{ entry, route, isOver, to, before }`. */ drag;
  said = "";
  #discardButton = button(w.draft.discard, () => this.#askDiscard(), { key: "discard" });
  #close = () => this.set({ open: undefined });

  start() {
    this.#name = this.address.parts[1];
    this.#url = path`/v1/domains/${this.#name}`;
    this.#draft = new Draft(this.#name, this.ending);
    this.#draft.follow(this);
    this.#loading.run();
  }

  /** A draft that others have overtaken waits until the person has decided. */
  get #canEdit() {
    return mayEditDomain(this.#name) && !this.#draft.isStale;
  }

  // Changes of the draft

  /** Moves a route or an entry by `step`, −1 or 1, in the list that `of` finds in a domain. */
  #step(of, index, step, said) {
    const { length } = of(this.#draft.domain);
    const target = index + step;
    if (target < 0 || target >= length) return this.set({ said: step < 0 ? w.isFirst : w.isLast });
    this.#draft.change((domain) => {
      of(domain).splice(target, 0, ...of(domain).splice(index, 1));
    });
    this.set({ said: said(target + 1, length) });
    setTimeout(() => document.activeElement.scrollIntoView({ block: "nearest" }));
  }

  /** Puts a route, new, changed or as it was, before another of an entry, or at its end. */
  #put(route, sourceId, targetId, before) {
    this.#draft.change(({ entries }) => {
      const [source, target] = [sourceId, targetId].map((id) => byId(entries, id).routes);
      const old = source.findIndex((one) => one.id === route.id);
      if (old >= 0) source.splice(old, 1);
      // IDs count in each entry of its own.
      const id = old >= 0 && source === target ? route.id : newId(target);
      insert(target, { ...route, id }, before);
    });
  }

  #addEntry() {
    const id = newId(this.#draft.domain.entries);
    this.#draft.change(({ entries }) => entries.push({ id, apps: [], routes: [] }));
    this.set({ editedEntry: id });
    queueMicrotask(() => this.find(`#apple-${-id}n`)?.focus());
  }

  // What is shown

  render() {
    const isGone = this.#loading.problem?.code === "domain-not-found";
    return [domainHeader(this.#name, "routes", this.#draft.published?.revision),
      isGone ? empty(w.gone.title, w.gone.text,
        linkButton(words.domains.showDeleted, to(["domains"], { deleted: "true" })),
        linkButton(w.tabs.history, to(["domains", this.#name, "history"])))
        : loaded(this.#loading, () => this.#page())];
  }

  #page() {
    const draft = this.#draft;
    const { domain } = draft;
    const names = this.#names.value;
    const canEdit = this.#canEdit;
    const hasReview = canEdit && draft.exists;
    const { general, ...findings } = this.#placed();
    this.#names.ask(draft.published.revision);
    this.#findings.ask(draft.published.revision);
    if (draft.isStale) this.#theirs.ask(draft.base.revision, draft.published.revision);
    return [h("p", { class: "hidden", role: "status", key: "said" }, this.said),
      hasReview && h("div", { class: "box section-head", key: "notice" },
        h("span", {}, w.draft.from, " ", time(draft.at), ". ", w.draft.notPublished),
        h("div", { class: "actions" }, button(
          w.draft.review, () => this.find("#review").focus(), { key: "review", class: "button to-review" }),
        this.#discardButton)),
      draft.isStale && this.#conflict(),
      h("div", { class: hasReview ? "with-review" : null, key: "main" },
        h("div", { key: "routes" }, failure(this.#findings),
          !domain.enabled && h("p", { class: "box warning", key: "off" }, w.disabledText),
          !hasReview && general.length > 0 && h("div", { class: "sheet", key: "findings" },
            foldedFindings([words.pages.findings, ": ", findingCounts(counted(general))], general, domain)),
          h("h2", { class: "hidden", key: "title" }, w.tabs.routes), h("p", { class: "quiet", key: "order" }, w.order),
          domain.entries.length === 0 && empty(w.noEntries, w.noEntriesText),
          !domain.entries.some(isForApple) && this.#keptList(w.keptWithoutRoutes, apartAndroid(domain).kept),
          domain.entries.map((entry, index) => this.#entry(entry, index, findings)),
          canEdit && button(w.addEntry, () => this.#addEntry(), { key: "add", class: "button add-entry" }),
          h("aasa-domain-settings", { draft, names, isEditor: canEdit, key: "settings" }), canEdit && this.#serving()),
        hasReview && h("aasa-draft-review", { class: "sheet review", draft, names, key: "review" })),
      this.open];
  }

  /** Findings by what they are about: routes, entries, what Android does with an entry, or the whole domain. */
  #placed() {
    const { domain, exists, isStale, preview } = this.#draft;
    const placed = { routes: new Map(), entries: new Map(), android: new Map(), general: [] };
    const findings = !exists ? this.#findings.value?.items : !isStale && preview?.findings;
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

  /** What Android does with the routes: problems are open, the usual differences can be looked up. */
  #android(findings = []) {
    const { domain } = this.#draft;
    const notes = findings.filter((one) => one.severity === "note");
    const differs = notes.some((one) => one.code === "android-differs");
    const title = differs ? w.differs : words.severity.count.note(notes.length);
    return [
      findingList(findings.filter((one) => one.severity !== "note"), domain), foldedFindings(title, notes, domain)];
  }

  /** Android apps that the routes of an entry for Apple apps do not reach, and the way to change that. */
  #apart(entry, index, title) {
    const { kept, others } = apartAndroid(this.#draft.domain);
    if (kept.length + others.length === 0 || !isForApple(entry)) return false;
    const use = () => {
      this.#draft.change((domain) => useForAndroid(domain, domain.entries[index]));
      this.set({ said: w.usedForAndroid });
      queueMicrotask(() => this.find("#review")?.focus());
    };
    return h("div", { key: "apart" }, this.#keptList(w.keptAndroid, kept), this.#keptList(w.apartAndroid, others),
      this.#canEdit && button(w.useForAndroid, use, { key: "use", "aria-label": `${w.useForAndroid}, ${title}` }));
  }

  #keptList(text, apps) {
    const names = this.#names.value?.android;
    return apps.length > 0 && h("div", { key: text }, about("text", text), plainList(
      apps, (app) => appName(app, names?.get(app)), { "aria-label": text }));
  }

  #conflict() {
    const { base, published, merged, preview, domain } = this.#draft;
    const number = (entry) => domain.entries.findIndex((one) => one.id === entry.id) + 1;
    const where = ({ kind, name, entry, route }) => w.conflict.at[kind](
      { name, route: route && routeText(route), entry: entry && number(entry) });
    const broken = preview?.broken?.length > 0;
    const mine = preview?.result?.diff ? changeList(effectsOf(preview), this.#names.value, 15)
      : preview?.problem ? problemBox({ ...preview.problem, detail: inWords(preview.problem.detail, domain) })
      : h("p", { class: "loading", role: "status" }, preview?.isRunning ? w.draft.checking : w.draft.nothing);
    const theirs = loaded(this.#theirs, ({ diff, revisions }) => [plainList(revisions, (one) => w.conflict.by(
      one.revision, h("bdi", {}, one.author), h("bdi", {}, one.reason))), changeList(diff, this.#names.value, 15)]);
    return h("section", { class: "sheet conflict", key: "conflict", "aria-labelledby": "conflict" },
      h("div", { role: "alert", key: "title" }, h("h2", { id: "conflict" }, w.conflict.title),
        h("p", {}, w.conflict.text(base.revision, published.revision))),
      h("div", { class: "columns", key: "sides" }, h("div", { key: "theirs" }, h("h3", {}, w.conflict.theirs), theirs),
        h("div", { key: "mine" }, h("h3", {}, w.conflict.mine), mine)),
      merged.conflicts.length === 0
        ? h("p", { class: broken ? "box warning" : "box ok", key: "fine" },
          w.conflict.combined, broken && [" ", w.conflict.broken])
        : h("div", { class: "box warning", key: "clashes" }, w.conflict.clashes, plainList(merged.conflicts, where)),
      h("div", { class: "actions", key: "actions" },
        button(w.conflict.rebase(published.revision), () => this.#draft.adopt(), { kind: "primary" }),
        this.#discardButton));
  }

  /** The buttons that move something up and down. */
  #arrows(what, index, length, move) {
    const arrow = (sign, label, step, isLast) => button(sign, () => move(step), {
      kind: "quiet", key: sign, "aria-label": label(what), "aria-disabled": isLast ? "true" : null,
    });
    return [arrow("↑", w.moveUp, -1, index === 0), arrow("↓", w.moveDown, 1, index === length - 1)];
  }

  #entry(entry, index, findings) {
    const { domain } = this.#draft;
    const number = index + 1;
    const title = w.entry(number);
    const canEdit = this.#canEdit;
    const isEdited = canEdit && this.editedEntry === entry.id;
    const names = this.#names.value;
    const apps = (member, platform, none) => appList({
      id: `${platform}-${entry.id < 0 ? `${-entry.id}n` : entry.id}`, platform, none, list: entry[member] ?? [],
      names: names?.[platform], change: isEdited && ((list) => this.#draft.change((changed) => {
        changed.entries[index][member] = list.length === 0 && member === "androidApps" ? undefined : list;
      })),
    });
    const step = (by) => this.#step(({ entries }) => entries, index, by, w.movedEntry);
    const remove = () => {
      this.#draft.change((changed) => changed.entries.splice(index, 1));
      this.set({ said: w.removed(title) });
    };
    const edit = isEdited ? w.doneApps : w.editApps;
    const apart = this.#apart(entry, index, title);
    const target = this.#dropTarget(domain.entries, entry);
    return h("section", { class: `sheet entry ${target.class}`, key: entry.id, "aria-label": title, on: target.on },
      h("div", { class: "section-head", key: "head", on: canEdit ? { keydown: this.#keys(step) } : {} }, h("h3", {},
        canEdit && domain.entries.length > 1 && this.#handle(title, { entry: entry.id }), title),
        canEdit && h("div", { class: "actions" },
          domain.entries.length > 1 && this.#arrows(title, index, domain.entries.length, step),
          button(edit, () => this.set({ editedEntry: isEdited ? undefined : entry.id }), {
            kind: "quiet", key: "apps", "aria-expanded": String(isEdited), "aria-label": `${edit}, ${title}`,
          }),
          button(w.deleteEntry, remove, { kind: "quiet", key: "delete", "aria-label": `${w.deleteEntry} ${number}` }))),
      h("div", { class: "columns", key: "apps" },
        h("div", { key: "apple" }, h("h4", {}, w.apple), apps("apps", "apple", w.noApple),
          entry.appID && about("id", "appID: ", appName(entry.appID, names?.apple.get(entry.appID)))),
        h("div", { key: "android" }, h("h4", {}, w.android),
          (!apart || entry.androidApps || isEdited) && apps("androidApps", "android", w.noAndroid), apart,
          entry.androidApps && domain.dynamicAppLinks === false && about("none", w.noDynamic),
          this.#android(findings.android.get(entry)))),
      findingList(findings.entries.get(entry) ?? [], domain),
      flags(entry.defaults).length > 0 && about("defaults", w.defaults, " ", flags(entry.defaults).join(", ")),
      entry.routes.length === 0
        ? h("p", { class: "quiet", key: "empty", on: this.#dropTarget([], undefined, entry.id).on }, w.noRoutes)
        : h("ol", { class: "plain routes", key: "routes", "aria-label": w.routesOf(number) },
          entry.routes.map((route, position) => this.#route(entry, index, route, position, findings))),
      entry.paths && about("paths", w.olderPaths, " ", h("code", {}, entry.paths.join(" "))),
      entry.extra && about("extra", w.extra, " ", h("code", {}, JSON.stringify(entry.extra))),
      canEdit && button(w.addRoute, () => this.#edit(entry), {
        key: "add", class: "button add-route", "aria-label": `${w.addRoute}, ${title}`,
      }));
  }

  #route(entry, entryIndex, route, position, findings) {
    const text = routeText(route);
    const change = route.id < 0 ? "added" : this.#draft.preview?.routes?.get(`${entry.id} ${route.id}`);
    const all = entry.routes.length;
    const target = this.#dropTarget(entry.routes, route, entry.id);
    const found = findings.routes.get(route) ?? [];
    const notes = found.filter((one) => one.severity === "note");
    const state = ["route", route.exclude && "exclusion", found.some((one) => one.severity === "error") && "wrong",
      target.class];
    const move = (step) => this.#step(
      ({ entries }) => entries[entryIndex].routes, position, step, (n, length) => w.moved(text, n, length));
    const action = (name, label, press) => button(name, press, { kind: "quiet", key: name, "aria-label": label(text) });
    return h("li", {
        key: route.id, id: `route-${entry.id}-${route.id}`, class: state.filter(Boolean).join(" "),
        on: this.#canEdit ? { keydown: this.#keys(move), ...target.on } : {},
      },
      this.#canEdit && this.#handle(text, { entry: entry.id, route: route.id }),
      h("span", { class: "position", key: "position", "aria-hidden": "true" }, position + 1),
      h("div", { class: "route-body", key: "body" },
        h("div", { class: "conditions", key: "conditions" },
          route.exclude ? badge(w.stays, "warning") : badge(w.opens, "ok"), conditions(route),
          change && badge(w.draft.kinds[change], "note", { key: "change" })),
        route.comment !== undefined && h("p", { class: "comment", key: "comment", dir: "auto" }, route.comment),
        route.extra && about("extra", w.extra, " ", h("code", {}, JSON.stringify(route.extra))),
        findingList(found.filter((one) => one.severity !== "note"), this.#draft.domain),
        foldedFindings(words.severity.count.note(notes.length), notes, this.#draft.domain)),
      this.#canEdit && h("div", { class: "route-actions", key: "actions" }, this.#arrows(text, position, all, move),
        action(words.common.edit, w.editRoute, () => this.#edit(entry, route)),
        action(words.common.delete, w.deleteRoute, () => {
          this.#draft.change(({ entries }) => entries[entryIndex].routes.splice(position, 1));
          this.set({ said: w.removed(text) });
        })));
  }

  /** Moves what has the focus with Alt and an arrow key. */
  #keys(move) {
    return (event) => {
      const step = event.altKey && { ArrowUp: -1, ArrowDown: 1 }[event.key];
      if (!step) return;
      event.preventDefault();
      move(step);
    };
  }

  /** What a route or an entry is dragged by. */
  #handle(text, drag) {
    const dragstart = (event) => {
      event.dataTransfer.effectAllowed = "move";
      event.dataTransfer.setData("text/plain", text);
      event.dataTransfer.setDragImage(event.target.closest("li, .section-head"), 10, 10);
      this.set({ drag });
    };
    return h("span", {
      class: "handle", key: "handle", draggable: "true", title: w.drag, "aria-hidden": "true",
      on: { dragstart, dragend: () => this.set({ drag: undefined }) },
    }, "⠿");
  }

  /** A place where what is dragged can go: before or after `one` of a list, or in a list without any. Routes go into
   * the entry `to`, entries into the list of entries. */
  #dropTarget(list, one, to = undefined) {
    const { drag } = this;
    const isHere = one && drag?.isOver && drag.to === to;
    const marks = [
      one && drag && drag.entry === (to ?? one.id) && drag.route === (to && one.id) && "dragged",
      isHere && drag.before === one.id && "drop-before",
      isHere && drag.before === undefined && one === list.at(-1) && "drop-after"];
    const dragover = (event) => {
      const { entry, route, ...now } = this.drag ?? {};
      if (entry === undefined || (route === undefined) !== (to === undefined)) return;
      event.preventDefault();
      const box = event.currentTarget.getBoundingClientRect();
      const isAfter = event.clientY > box.top + box.height / 2;
      const before = (isAfter ? list[list.indexOf(one) + 1] : one)?.id;
      if (now.isOver && now.to === to && now.before === before) return;
      this.set({ drag: { entry, route, isOver: true, to, before } });
    };
    const drop = (event) => {
      const { entry, route, isOver, to, before } = this.drag ?? {};
      if (!isOver) return;
      event.preventDefault();
      this.set({ drag: undefined });
      if (before === (route ?? entry) && (to ?? entry) === entry) return;
      const source = byId(this.#draft.domain.entries, entry);
      const dragged = route === undefined ? source : byId(source?.routes ?? [], route);
      if (dragged && route !== undefined) this.#put(dragged, entry, to, before);
      else if (dragged) this.#draft.change(({ entries }) => insert(
        entries, ...entries.splice(entries.findIndex(({ id }) => id === entry), 1), before));
    };
    return { class: marks.filter(Boolean).join(" "), on: this.#canEdit ? { dragover, drop } : {} };
  }

  /** Edits a route of an entry, or a new one. */
  #edit(entry, route = undefined) {
    const { entries, format } = this.#draft.domain;
    const next = entry.routes[entry.routes.indexOf(route) + 1]?.id;
    const save = (edited, target) => {
      this.#close();
      this.#put(edited, entry.id, target, route && target === entry.id ? next : undefined);
    };
    this.set({ open: editRoute(route ?? {}, {
      entry: entry.id, save, close: this.#close,
      entries: entries.map((one, index) => [String(one.id), w.entry(index + 1)]),
      isModern: entry.keys ? entry.keys.includes("components") : format === "modern",
    }) });
  }

  #askDiscard() {
    this.set({ open: formDialog({
      title: w.draft.discardTitle, label: w.draft.discard, kind: "danger", close: this.#close,
      fields: () => [h("p", {}, w.draft.discardText)], send: () => {
        this.#close();
        this.#draft.discard();
      },
    }) });
  }

  /** What takes links out of service. */
  #serving() {
    const { enabled, expectations } = this.#draft.domain;
    const change = (members) => {
      this.#draft.change((domain) => Object.assign(domain, members));
      say(w.serving.inDraft);
    };
    const row = (key, text, press) => h("div", { class: "section-head", key }, h("p", {}, text), press);
    return h("section", { class: "sheet", key: "serving" }, h("h2", {}, w.serving.title),
      row("enabled", w.serving.text[enabled], button(w.serving.toggle[enabled], () => change({ enabled: !enabled }))),
      expectations.length > 0
        ? row("drop", w.serving.expected, button(w.draft.dropBroken, () => change({ expectations: [] })))
        : row("delete", w.serving.deleteText, button(
          w.serving.delete, () => this.#planDeletion(), { kind: "danger" })));
  }

  #planDeletion() {
    let revision;
    this.set({ open: planDialog({
      title: w.serving.deleteTitle(this.#name), label: w.serving.delete, kind: "danger", close: this.#close,
      send: async (query) => {
        // The plan is about what is published now, maybe by others.
        if (query.dryRun) await this.#draft.reload();
        if (query.dryRun) ({ revision } = this.#draft.published);
        // Of what the linter refuses, this is what the person wants.
        return request("DELETE", this.#url, { ifMatch: revision, query: { accept: "opens-nothing", ...query } });
      },
      show: ({ diff }) => [
        this.#draft.exists && h("p", { key: "draft" }, w.serving.draftGoes), changeList(diff, this.#names.value)],
      done: () => {
        this.#draft.discard();
        say(w.serving.deleted(this.#name));
        go(["domains"]);
      },
    }) });
  }
}

customElements.define("aasa-domain", Domain);
