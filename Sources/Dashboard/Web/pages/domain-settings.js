// The settings of a domain beside its routes. Changes go to the draft.

import { h, View } from "../dom.js";
import { count } from "../format.js";
import { badge, button, checkbox, field } from "../parts.js";
import { words } from "../words.js";
import { appList, appName, flags } from "./domain-parts.js";

const w = words.domain.settings;
const lines = ["aliases", "webauthnOrigins"];
const apple = ["webcredentials", "appclips", "activitycontinuation"];

class DomainSettings extends View {
  /** @type {import("./draft.js").Draft} */
  draft;
  /** The names of the apps. @type {any} */
  names;
  isEditor = false;
  #isOpen = false;
  /** Texts while they are being typed, by member. */
  #texts = {};

  start() {
    this.draft.follow(this);
  }

  #set(member, value) {
    this.draft.change((domain) => {
      if (value === undefined) delete domain[member];
      else domain[member] = value;
    });
  }

  /** A field whose text is parsed as it is typed, and shown as it is kept once it is left. */
  #typed(member, label, text, parse, rest) {
    return field(label, {
      id: `set-${member}`, value: this.#texts[member] ?? text, spellcheck: "false", autocomplete: "off", ...rest,
      on: {
        input: ({ target }) => {
          this.#texts[member] = target.value;
          const value = parse(target.value);
          if (value !== undefined) this.#set(member, value);
        },
        blur: () => { delete this.#texts[member]; this.update(); },
      },
    });
  }

  #lines(member, help) {
    const parse = (text) => text.split("\n").map((line) => line.trim()).filter(Boolean);
    return this.#typed(member, w[member], (this.draft.domain[member] ?? []).join("\n"), parse, { tag: "textarea", rows: 3, help });
  }

  #apps(member, names) {
    const isAndroid = member === "androidCredentials";
    return h(
      "fieldset", { key: member, class: "field" }, h("legend", {}, w[member]),
      appList({
        id: `set-${member}`, label: isAndroid ? words.domain.addPackage : words.domain.addApp,
        help: isAndroid ? words.domain.addPackageHelp : words.domain.addAppHelp, none: words.common.none,
        list: this.draft.domain[member] ?? [], names, change: (list) => this.#set(member, list),
      }));
  }

  #form() {
    const { domain } = this.draft;
    const check = (member, isDefault) => checkbox(w[member], {
      id: `set-${member}`, checked: domain[member] ?? isDefault,
      on: { change: ({ target }) => this.#set(member, isDefault && target.checked ? undefined : target.checked) },
    });
    const seconds = (text) => (/^\d{1,8}$/.test(text.trim()) ? Number(text) : undefined);
    return h(
      "div", { key: "form" },
      h(
        "div", { class: "columns" },
        this.#lines("aliases", w.aliasesHelp),
        h(
          "div", {},
          field(w.environment, {
            id: "set-environment", tag: "select", value: domain.environment, options: Object.entries(words.environment),
            on: { change: ({ target }) => this.#set("environment", target.value) },
          }),
          check("strict", false),
          this.#typed("cacheSeconds", w.cacheSeconds, String(domain.cacheSeconds), seconds, { inputmode: "numeric", help: w.cacheHelp })),
        apple.map((member) => this.#apps(member, this.names?.apple)),
        h("div", { key: "android" }, this.#apps("androidCredentials", this.names?.android), check("dynamicAppLinks", true)),
        this.#lines("webauthnOrigins", w.originsHelp)));
  }

  #list() {
    const { domain } = this.draft;
    const texts = (list) => list?.length > 0 && h("ul", { class: "plain" }, list.map((text) => h("li", { key: text }, h("bdi", {}, text))));
    const apps = (list, names) => list?.length > 0 && h("ul", { class: "plain" }, list.map((id) => h("li", { key: id }, appName(id, names?.get(id)))));
    /** @type {any[]} */
    const rows = [
      [w.environment, words.environment[domain.environment]],
      [w.cacheSeconds, count(domain.cacheSeconds)],
      [w.format, w.formats[domain.format]],
      ...lines.map((member) => [w[member], texts(domain[member])]),
      [w.strict, words.common[domain.strict ? "yes" : "no"]],
      [w.dynamicAppLinks, words.common[domain.dynamicAppLinks === false ? "no" : "yes"]],
      ...apple.map((member) => [w[member], apps(domain[member], this.names?.apple)]),
      [w.androidCredentials, apps(domain.androidCredentials, this.names?.android)],
      [w.defaults, flags(domain.defaults).map((text) => badge(text, "quiet", { key: text }))],
      [w.variables, texts(Object.entries(domain.substitutionVariables).map(([name, values]) => `$(${name}): ${values.join(", ")}`))],
      [w.expectations, domain.expectations.length > 0 && w.expectationCount(domain.expectations.length)],
    ];
    const isSet = ([, value]) => value !== false && value !== undefined && value.length !== 0;
    return [
      h("dl", { class: "settings", key: "list" }, rows.filter(isSet).map(([name, value]) => h("div", { key: name }, h("dt", {}, name), h("dd", {}, value)))),
      h("p", { class: "help", key: "others" }, w.notSet(rows.filter((row) => !isSet(row)).map(([name]) => name))),
    ];
  }

  render() {
    const isOpen = this.#isOpen && this.isEditor;
    return h(
      "section", { class: "sheet" },
      h(
        "div", { class: "section-head" }, h("h2", {}, w.title),
        this.isEditor && button(isOpen ? w.done : w.edit, () => { this.#isOpen = !isOpen; this.update(); }, { "aria-expanded": String(isOpen) })),
      isOpen ? this.#form() : this.#list());
  }
}

customElements.define("aasa-domain-settings", DomainSettings);
