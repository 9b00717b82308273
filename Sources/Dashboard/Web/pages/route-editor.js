// The dialog in which a route is added or changed. It changes the draft, never what is published.

import { h, View } from "../dom.js";
import { button, closeButton, dialog, draftField, form, submit } from "../parts.js";
import { words } from "../words.js";

const w = words.domain.editor;
const flags = ["caseSensitive", "percentEncoded"];

/**
 * `route`: the route, or `{}` for a new one; `entries`: `[[id, title]]`; `entry`: the ID of its entry; `modern`:
 * whether its entry can say more than paths; `save(route, entryId)`; `close()`.
 */
class RouteEditor extends View {
  /** @type {any} */ route;
  /** @type {any[]} */ entries = [];
  entry;
  modern = true;
  /** @type {(route: any, entryId: number) => void} */ save;
  /** @type {() => void} */ close;
  /** What stands in the fields, by their names: the page may render anew while somebody types. @type {any} */ #values;
  /** The parameters of the query: `{ id, name, pattern }`. */ items = [];
  fault;

  start() {
    const { query, exclude, ...rest } = this.route;
    this.#values = {
      ...rest, effect: exclude ? "exclude" : "open", entry: String(this.entry), query: "*",
      kind: query === undefined ? "none" : typeof query === "string" ? "whole" : "items",
    };
    for (const name of flags) this.#values[name] = String(rest[name] ?? "default");
    if (this.#values.kind === "whole") this.#values.query = query;
    else Object.entries(query ?? {}).forEach(([name, pattern]) => this.#add(name, pattern));
  }

  #save() {
    const { kind, query, effect, entry, ...values } = this.#values;
    const route = { ...this.route, exclude: effect === "exclude" || undefined, query: undefined };
    // An empty text that was there stays; an empty field otherwise means "any".
    for (const name of ["path", "fragment", "comment"]) {
      if (values[name] !== this.route[name]) route[name] = values[name] || undefined;
    }
    for (const name of flags) route[name] = values[name] === "default" ? undefined : values[name] === "true";
    if (kind === "whole") route.query = query;
    if (kind === "items") {
      route.query = Object.fromEntries(this.items.map(({ name, pattern }) => [name, pattern]));
      const isRepeated = Object.keys(route.query).length < this.items.length;
      const fault = "" in route.query ? w.noName : isRepeated ? w.repeated : undefined;
      if (fault) return this.set({ fault });
    }
    this.save(route, Number(entry));
  }

  #add(name = "", pattern = "?*") {
    const id = Math.max(0, ...this.items.map((item) => item.id)) + 1;
    this.set({ items: [...this.items, { id, name, pattern }] });
  }

  /** The pairs of name and pattern. */
  #pairs() {
    const text = (item, member, label) => h("input", {
      key: member, "aria-label": label, value: item[member], spellcheck: "false", placeholder: label,
      on: { input: ({ target }) => Object.assign(item, { [member]: target.value }) },
    });
    const remove = (item) => this.set({ items: this.items.filter((one) => one !== item) });
    return h("fieldset", { key: "items", class: "field" }, h("legend", {}, w.items),
      this.items.map((item) => h(
        "div", { key: item.id, class: "pair" }, text(item, "name", w.itemName), text(item, "pattern", w.itemPattern),
        closeButton(w.removeItem(item.name), () => remove(item)))),
      this.fault && h("p", { class: "fault", role: "alert", key: "fault" }, this.fault),
      h("div", { key: "add" }, button(w.addItem, () => this.#add(), { kind: "quiet" })));
  }

  /** Whether the route opens the app. */
  #effect() {
    const change = ({ target }) => Object.assign(this.#values, { effect: target.value });
    const choice = (value, text) => h("label", { key: value, class: "checkbox" }, h("input", {
      type: "radio", name: "effect", value, checked: value === this.#values.effect, on: { change },
    }), text);
    return h("fieldset", { class: "field", key: "effect" }, h("legend", {}, w.effect),
      choice("open", words.domain.opens), choice("exclude", words.domain.stays));
  }

  render() {
    const { kind } = this.#values;
    const text = (name, rest) => draftField(w[name], this.#values, name, { autocomplete: "off", ...rest });
    const select = (name, options, rest) => text(name, { tag: "select", options, ...rest });
    const kinds = [["none", w.noQuery], ["items", w.items], ["whole", w.whole]];
    const asFlag = (name) => [["default", w.asDefault], ...Object.entries(words.domain.flags[name])];
    return dialog({ title: this.route.id === undefined ? w.add : w.edit, close: this.close },
      form(
        () => this.#save(), {}, this.#effect(), text("path", { placeholder: "/buy/*", help: w.pathHelp, focus: true }),
        this.modern && [
          select("kind", kinds, { change: () => (this.items.length > 0 ? this.update() : this.#add()) }),
          kind === "items" && this.#pairs(),
          kind === "whole" && text("query"), text("comment", { help: w.commentHelp, dir: "auto" }),
          h("details", { key: "more", class: "field" }, h("summary", {}, w.more),
            text("fragment", { help: w.fragmentHelp }),
            flags.map((name) => select(name, asFlag(name))))],
        this.entries.length > 1 && select("entry", this.entries),
        h("div", { class: "actions", key: "actions" }, submit(w.save, { kind: "primary" }),
          button(words.common.cancel, this.close))));
  }
}

customElements.define("aasa-route-editor", RouteEditor);
