// The dialog in which a route is added or changed. It changes the draft, never what is published.

import { h, View } from "../dom.js";
import { button, dialog, field, form } from "../parts.js";
import { words } from "../words.js";

const w = words.domain.editor;
const flags = ["caseSensitive", "percentEncoded"];

/**
 * `route`: the route, or `{}` for a new one; `entries`: `[[id, title]]`; `entry`: the ID of its entry; `modern`: whether its
 * entry can say more than paths; `save(route, entryId)`; `close()`.
 */
class RouteEditor extends View {
  /** @type {any} */
  route;
  /** @type {any[]} */
  entries = [];
  entry;
  modern = true;
  /** @type {(route: any, entryId: number) => void} */
  save;
  /** @type {() => void} */
  close;
  /** What stands in the fields, by their names: the page may render anew while somebody types. */
  #values;
  #kind;
  #items;
  #fault;

  start() {
    const { route } = this;
    const { query } = route;
    const flag = (name) => [name, String(route[name] ?? "default")];
    this.#values = {
      path: route.path ?? "", fragment: route.fragment ?? "", comment: route.comment ?? "", effect: route.exclude ? "exclude" : "open",
      query: typeof query === "string" ? query : "*", entry: String(this.entry), ...Object.fromEntries(flags.map(flag)),
    };
    this.#kind = query === undefined ? "none" : typeof query === "string" ? "whole" : "items";
    this.#items = Object.entries(this.#kind === "items" ? query : {}).map(([name, pattern], id) => ({ id, name, pattern }));
  }

  #save() {
    const values = this.#values;
    const route = { ...this.route };
    const set = (name, value) => {
      // An empty text that was there stays; an empty field otherwise means "any".
      if (value === (route[name] ?? "")) return;
      if (value === "") delete route[name];
      else route[name] = value;
    };
    for (const name of ["path", "fragment", "comment"]) set(name, values[name]);
    if (values.effect === "exclude") route.exclude = true;
    else if (route.exclude) delete route.exclude;
    for (const name of flags) {
      if (values[name] === "default") delete route[name];
      else route[name] = values[name] === "true";
    }
    if (this.#kind === "none") {
      delete route.query;
    } else if (this.#kind === "whole") {
      route.query = values.query;
    } else {
      this.#fault = this.#items.some((item) => item.name === "") ? w.noName
        : new Set(this.#items.map((item) => item.name)).size < this.#items.length ? w.repeated : undefined;
      if (this.#fault) return this.update();
      route.query = Object.fromEntries(this.#items.map(({ name, pattern }) => [name, pattern]));
    }
    this.save(route, Number(values.entry));
  }

  #setKind(kind) {
    this.#kind = kind;
    if (kind === "items" && this.#items.length === 0) this.#add();
    this.update();
  }

  #add() {
    this.#items.push({ id: Math.max(0, ...this.#items.map((item) => item.id)) + 1, name: "", pattern: "?*" });
    this.update();
  }

  /** The pairs of name and pattern. */
  #pairs() {
    const text = (item, member, label) => h("input", {
      key: member, "aria-label": label, value: item[member], spellcheck: "false", autocomplete: "off", placeholder: label,
      on: { input: (event) => { item[member] = event.target.value; } },
    });
    return h(
      "fieldset", { key: "items", class: "field" }, h("legend", {}, w.items),
      this.#items.map((item) => h(
        "div", { key: item.id, class: "pair" }, text(item, "name", w.itemName), text(item, "pattern", w.itemPattern),
        h("button", {
          type: "button", class: "close", "aria-label": w.removeItem(item.name),
          on: { click: () => { this.#items = this.#items.filter((one) => one !== item); this.update(); } },
        }, "×"))),
      this.#fault && h("p", { class: "fault", role: "alert", key: "fault" }, this.#fault),
      h("div", { key: "add" }, button(w.addItem, () => this.#add(), { kind: "quiet" })));
  }

  render() {
    const { route, modern } = this;
    const values = this.#values;
    const text = (name, rest) => field(w[name], { id: `route-${name}`, name, value: values[name], spellcheck: "false", autocomplete: "off", ...rest });
    const keep = ({ target }) => { if (target.name in values) values[target.name] = target.value; };
    return dialog(
      { title: route.id === undefined ? w.add : w.edit, close: this.close },
      form(
        () => this.#save(), { class: "route-form" },
        h("div", { key: "fields", on: { input: keep, change: keep } }, h(
          "fieldset", { class: "field", key: "effect" }, h("legend", {}, w.effect),
          ["open", "exclude"].map((value) => h(
            "label", { key: value, class: "choice" },
            h("input", { type: "radio", name: "effect", value, checked: value === values.effect }),
            value === "open" ? words.domain.opens : words.domain.stays))),
        text("path", { placeholder: "/buy/*", help: w.pathHelp, focus: true }),
        modern && [
          field(w.query, {
            id: "route-kind", tag: "select", value: this.#kind, options: [["none", w.noQuery], ["items", w.items], ["whole", w.whole]],
            on: { change: (event) => this.#setKind(event.target.value) },
          }),
          this.#kind === "items" && this.#pairs(),
          this.#kind === "whole" && field(w.queryPattern, {
            id: "route-query", name: "query", value: values.query, spellcheck: "false",
          }),
          text("comment", { help: w.commentHelp, spellcheck: "true", dir: "auto" }),
          h(
            "details", { key: "more" }, h("summary", {}, w.more),
            text("fragment", { help: w.fragmentHelp }),
            flags.map((name) => field(w[name], {
              id: `route-${name}`, name, tag: "select", value: values[name],
              options: [["default", w.asDefault], ["true", words.domain.flags[name].true], ["false", words.domain.flags[name].false]],
            }))),
        ],
        this.entries.length > 1 && field(w.entry, {
          id: "route-entry", name: "entry", tag: "select", value: values.entry, options: this.entries.map(([id, title]) => [String(id), title]),
        })),
        h(
          "div", { class: "actions", key: "actions" },
          h("button", { type: "submit", class: "button primary" }, w.save), button(words.common.cancel, this.close))));
  }
}

customElements.define("aasa-route-editor", RouteEditor);
