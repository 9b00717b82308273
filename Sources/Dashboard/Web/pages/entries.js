// Entries with their routes, in their order: of a domain, or of a template. Changes go to the draft.

import { badge, button, h, icon, resolution, View } from "../parts.js";
import { to } from "../routing.js";
import { words } from "../words.js";
import {
  apartAndroid,
  appList,
  appName,
  conditions,
  findingList,
  flags,
  foldedFindings,
  isForApple,
  keptList,
  routeText,
  useForAndroid,
} from "./domain-parts.js";
import { newId } from "./draft.js";
import { editRoute } from "./route-editor.js";

const w = words.domain;
const byId = (list, id) => list.find((one) => one.id === id);
const insert = (list, one, before) => {
  const index = list.findIndex(({ id }) => id === before);
  list.splice(index < 0 ? list.length : index, 0, one);
};
const glyph = (name, label, press, rest = {}) =>
  button(icon(name), press, { kind: "quiet", key: name, title: label, "aria-label": label, ...rest });
const about = (key, ...text) => h("p", { class: "quiet", key }, text);
/** Whether a route matches every URL, so that none after it has an effect. */
const takesAll = ({ path = "*", query, fragment }) => (
  ["*", "/*"].includes(path) && query === undefined && fragment === undefined
);

class Entries extends View {
  /** @type {import("./draft.js").Draft} */ draft;
  /** What is shown: the draft and, behind its entries, those that come from a template. @type {any} */ domain;
  /** The names of the apps. @type {any} */ names;
  /** Findings by what they are about. @type {any} */ findings;
  isEditor = false;
  /** The IDs of the route that the address names, and of its entry. @type {string | undefined} */ marked;
  /** The entry whose apps are being edited. */ editedEntry;
  /** A route or an entry that is dragged, and where it would go: `{ entry, route, isOver, to, before }`. */ drag;
  said = "";

  render() {
    const { entries } = this.domain;
    return [
      h("p", { class: "hidden", role: "status", key: "said" }, this.said),
      entries.map((entry, index) => this.#entry(entry, index, this.findings)),
      this.isEditor && button(w.addEntry, () => this.#addEntry(), { key: "add", class: "button add-entry" }),
      this.open,
    ];
  }

  /** Moves a route or an entry by `step`, −1 or 1, in the list that `of` finds in a domain. */
  #step(of, index, step, said) {
    const { length } = of(this.draft.domain);
    const target = index + step;
    if (target < 0 || target >= length) return this.set({ said: step < 0 ? w.isFirst : w.isLast });
    this.draft.change((domain) => {
      of(domain).splice(target, 0, ...of(domain).splice(index, 1));
    });
    this.set({ said: said(target + 1, length) });
    setTimeout(() => document.activeElement.scrollIntoView({ block: "nearest" }));
  }

  /** Puts a route, new, changed or as it was, before another of an entry, or at its end. */
  #put(route, sourceId, targetId, before) {
    this.draft.change(({ entries }) => {
      const [source, target] = [sourceId, targetId].map((id) => byId(entries, id).routes);
      const old = source.findIndex((one) => one.id === route.id);
      if (old >= 0) source.splice(old, 1);
      // IDs count in each entry of its own.
      const id = old >= 0 && source === target ? route.id : newId(target);
      insert(target, { ...route, id }, before);
    });
  }

  #addEntry() {
    const id = newId(this.draft.domain.entries);
    this.draft.change(({ entries }) => entries.push({ id, apps: [], routes: [] }));
    this.set({ editedEntry: id });
    setTimeout(() => this.find(`#apple-${-id}n`)?.focus());
  }

  /** What Android does with the routes: problems are open, the usual differences can be looked up. */
  #android(findings = []) {
    const { domain } = this;
    const notes = findings.filter((one) => one.severity === "note");
    const differs = notes.some((one) => one.code === "android-differs");
    const title = differs ? w.differs : words.severity.count("note", notes.length);
    return [
      findingList(findings.filter((one) => one.severity !== "note"), domain),
      foldedFindings(title, notes, domain),
    ];
  }

  /** Android apps that the routes of an entry for Apple apps do not reach, and the way to change that. */
  #apart(entry, index, title) {
    const { kept, others } = apartAndroid(this.domain);
    if (kept.length + others.length === 0 || !isForApple(entry)) return false;
    const use = () => {
      this.draft.change((domain) => useForAndroid(domain, domain.entries[index]));
      this.set({ said: w.usedForAndroid });
      setTimeout(() => document.getElementById("review")?.focus());
    };
    return h(
      "div",
      { key: "apart" },
      keptList(w.keptAndroid, kept, this.names),
      keptList(w.apartAndroid, others, this.names),
      this.#isMine(entry) && button(w.useForAndroid, use, { key: "use", "aria-label": `${w.useForAndroid}, ${title}` }),
    );
  }

  #arrows(what, index, length, move) {
    const arrow = (sign, label, step, isLast) =>
      glyph(sign, label(what), () => move(step), { "aria-disabled": isLast ? "true" : null });
    return [arrow("up", w.moveUp, -1, index === 0), arrow("down", w.moveDown, 1, index === length - 1)];
  }

  /** Whether the person can change an entry: those of a template are changed there. */
  #isMine = (entry) => this.isEditor && this.draft.domain.entries.includes(entry);

  #entry(entry, index, findings) {
    const { domain } = this;
    const { entries } = this.draft.domain;
    const number = index + 1;
    const title = w.entry(number);
    const canEdit = this.#isMine(entry);
    const isEdited = canEdit && this.editedEntry === entry.id;
    const names = this.names;
    const apps = (member, platform, none) =>
      appList({
        id: `${platform}-${entry.id < 0 ? `${-entry.id}n` : entry.id}`,
        platform,
        none,
        list: entry[member] ?? [],
        names: names?.[platform],
        change: isEdited && ((list) =>
          this.draft.change((changed) => {
            changed.entries[index][member] = list.length === 0 && member === "androidApps" ? undefined : list;
          })),
      });
    const step = (by) => this.#step(({ entries }) => entries, index, by, w.movedEntry);
    const remove = () => {
      this.draft.change((changed) => changed.entries.splice(index, 1));
      this.set({ said: w.removed(title) });
    };
    const edit = isEdited ? w.doneApps : w.editApps;
    const apart = this.#apart(entry, index, title);
    const target = canEdit ? this.#dropTarget(entries, entry) : { class: "", on: {} };
    return h(
      "section",
      { class: `sheet entry ${target.class}`, key: entry.id, "aria-label": title, on: target.on },
      h(
        "div",
        { class: "section-head", key: "head", on: canEdit ? { keydown: this.#keys(step) } : {} },
        h(
          "h3",
          {},
          canEdit && entries.length > 1 && this.#handle(title, { entry: entry.id }),
          title,
          domain.template && !entries.includes(entry) && [
            " ",
            h("a", {
              class: "badge",
              key: "template",
              href: to(["templates", domain.template]),
            }, w.fromTemplate(domain.template)),
          ],
        ),
        canEdit &&
          h(
            "div",
            { class: "actions" },
            entries.length > 1 && this.#arrows(title, index, entries.length, step),
            button(w.deleteEntry, remove, { kind: "quiet", key: "delete", "aria-label": `${w.deleteEntry} ${number}` }),
            button(edit, () => this.set({ editedEntry: isEdited ? undefined : entry.id }), {
              kind: "quiet",
              key: "apps",
              "aria-expanded": String(isEdited),
              "aria-label": `${edit}, ${title}`,
            }),
          ),
      ),
      h(
        "div",
        { class: "columns", key: "apps" },
        h(
          "div",
          { key: "apple" },
          h("h4", {}, icon("apple"), " ", w.apple),
          apps("apps", "apple", w.noApple),
          entry.appID && about("id", "appID: ", appName(entry.appID, names?.apple.get(entry.appID))),
        ),
        h(
          "div",
          { key: "android" },
          h("h4", {}, icon("android"), " ", w.android),
          (!apart || entry.androidApps || isEdited) && apps("androidApps", "android", w.noAndroid),
          apart,
          entry.androidApps && domain.dynamicAppLinks === false && about("none", w.noDynamic),
          this.#android(findings.android.get(entry)),
        ),
      ),
      findingList(findings.entries.get(entry) ?? [], domain),
      flags(entry.defaults).length > 0 && about("defaults", w.defaults, " ", flags(entry.defaults).join(", ")),
      entry.routes.length === 0
        ? h("p", {
          class: "quiet",
          key: "empty",
          on: canEdit ? this.#dropTarget([], undefined, entry.id).on : {},
        }, w.noRoutes)
        : h(
          "ol",
          { class: "plain routes", key: "routes", "aria-label": w.routesOf(number) },
          entry.routes.map((route, position) => this.#route(entry, index, route, position, findings)),
        ),
      entry.paths && about("paths", w.olderPaths, " ", h("code", {}, entry.paths.join(" "))),
      entry.extra && about("extra", w.extra, " ", h("code", {}, JSON.stringify(entry.extra))),
      canEdit && button(w.addRoute, () => this.#edit(entry), {
        key: "add",
        class: "button add-route",
        "aria-label": `${w.addRoute}, ${title}`,
      }),
    );
  }

  #route(entry, entryIndex, route, position, findings) {
    const text = routeText(route);
    const canEdit = this.#isMine(entry);
    // Only the person's own: others' are published.
    const isOwn = ![this.draft.base, this.draft.published].some(({ entries }) => (
      byId(byId(entries, entry.id)?.routes ?? [], route.id)
    ));
    const change = canEdit && (isOwn ? "added" : this.draft.preview?.routes?.get(`${entry.id} ${route.id}`));
    const all = entry.routes.length;
    const target = canEdit ? this.#dropTarget(entry.routes, route, entry.id) : { class: "", on: {} };
    const found = findings.routes.get(route) ?? [];
    const notes = found.filter((one) => one.severity === "note");
    const state = [
      "route",
      route.exclude && "exclusion",
      found.some((one) => one.severity === "error") && "wrong",
      target.class,
    ];
    const move = (step) =>
      this.#step(({ entries }) => entries[entryIndex].routes, position, step, (n, length) => w.moved(text, n, length));
    return h(
      "li",
      {
        key: route.id,
        class: state.filter(Boolean).join(" "),
        ...this.marked === `${entry.id} ${route.id}` && { "aria-current": "true", tabindex: "-1", focus: true },
        on: canEdit ? { keydown: this.#keys(move), ...target.on } : {},
      },
      canEdit && this.#handle(text, { entry: entry.id, route: route.id }),
      h("span", { class: "position", key: "position", "aria-hidden": "true" }, position + 1),
      h(
        "div",
        { class: "route-body", key: "body" },
        h(
          "div",
          { class: "conditions", key: "conditions" },
          resolution(route.exclude ? "blocked" : "match"),
          conditions(route),
          change && badge(w.draft.kinds[change], "note", { key: "change" }),
        ),
        route.comment !== undefined && h("p", { class: "comment", key: "comment", dir: "auto" }, route.comment),
        route.fallback && about("fallback", w.editor.fallback, " ", h("bdi", {}, route.fallback)),
        route.extra && about("extra", w.extra, " ", h("code", {}, JSON.stringify(route.extra))),
        findingList(found.filter((one) => one.severity !== "note"), this.domain),
        foldedFindings(words.severity.count("note", notes.length), notes, this.domain),
      ),
      canEdit &&
        h(
          "div",
          { class: "route-actions", key: "actions" },
          this.#arrows(text, position, all, move),
          glyph("delete", w.deleteRoute(text), () => {
            this.draft.change(({ entries }) => entries[entryIndex].routes.splice(position, 1));
            this.set({ said: w.removed(text) });
          }),
          glyph("edit", w.editRoute(text), () => this.#edit(entry, route)),
        ),
    );
  }

  #keys = (move) => (event) => {
    const step = event.altKey && { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    move(step);
  };

  #handle(text, drag) {
    const dragstart = (event) => {
      event.dataTransfer.effectAllowed = "move";
      event.dataTransfer.setData("text/plain", text);
      event.dataTransfer.setDragImage(event.target.closest("li, .section-head"), 10, 10);
      this.set({ drag });
    };
    return h("span", {
      class: "handle",
      key: "handle",
      draggable: "true",
      title: w.drag,
      "aria-hidden": "true",
      on: { dragstart, dragend: () => this.set({ drag: undefined }) },
    }, icon("grip"));
  }

  /** A place where what is dragged can go: before or after `one` of a list, or in a list without any. Routes go into
   * the entry `to`, entries into the list of entries. */
  #dropTarget(list, one, to = undefined) {
    const { drag } = this;
    const isHere = one && drag?.isOver && drag.to === to;
    const marks = [
      one && drag && drag.entry === (to ?? one.id) && drag.route === (to && one.id) && "dragged",
      isHere && drag.before === one.id && "drop-before",
      isHere && drag.before === undefined && one === list.at(-1) && "drop-after",
    ];
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
      const source = byId(this.draft.domain.entries, entry);
      const dragged = route === undefined ? source : byId(source?.routes ?? [], route);
      if (dragged && route !== undefined) this.#put(dragged, entry, to, before);
      else if (dragged) {
        this.draft.change(({ entries }) =>
          insert(entries, ...entries.splice(entries.findIndex(({ id }) => id === entry), 1), before)
        );
      }
    };
    return { class: marks.filter(Boolean).join(" "), on: { dragover, drop } };
  }

  #edit(entry, route = undefined) {
    const { entries, domain, aliases = [] } = this.draft.domain;
    const { format } = this.domain;
    const next = entry.routes[entry.routes.indexOf(route) + 1]?.id;
    const save = (edited, target) => {
      this.close();
      // What comes to an entry goes to its end, but before routes that would leave it nothing.
      const { routes } = byId(entries, target);
      const last = routes.findLastIndex((one) => !takesAll(one));
      const end = takesAll(edited) ? undefined : routes[last + 1]?.id;
      this.#put(edited, entry.id, target, route && target === entry.id ? next : end);
    };
    this.set({
      open: editRoute(route ?? {}, {
        entry: entry.id,
        save,
        close: this.close,
        hosts: domain && [domain, ...aliases],
        entries: entries.map((one, index) => [String(one.id), w.entry(index + 1)]),
        isModern: entry.keys ? entry.keys.includes("components") : format !== "legacy",
      }),
    });
  }
}

customElements.define("aasa-entries", Entries);
