// The settings of a domain beside its routes. Changes go to the draft.

import { h, View } from "../dom.js";
import { count } from "../format.js";
import { button, checkbox, closeButton, field, resolution } from "../parts.js";
import { words } from "../words.js";
import { appList, appName, flags, plainList } from "./domain-parts.js";
import { isEqual } from "./draft.js";

const w = words.domain.settings;
/** Members of adopted files that are published unchanged. */
const extras = ["extra", "applinksExtra", "serviceExtra", "assetlinksExtra", "webauthnExtra"];
const apple = ["webcredentials", "appclips", "activitycontinuation"];

/** Variables with their values, one per line: "lang: en, de". A comma of a value has a backslash before it. */
function written(variables) {
  const line = ([name, values]) => `${name}: ${values.map((one) => one.replaceAll(",", "\\,")).join(", ")}`;
  return Object.entries(variables).map(line).join("\n");
}

/** The variables of such lines. */
function variables(text) {
  const lines = text.split("\n").map((line) => /^([^:]+)(?::(.*))?$/.exec(line.trim())).filter(Boolean);
  const values = (list = "") => list.split(/(?<!\\),/).map((one) => one.trim().replaceAll("\\,", ",")).filter(Boolean);
  return Object.fromEntries(lines.map(([, name, list]) => [name.trim(), values(list)]));
}

/** Members of an object as lines: "enroll: https://example.com/passkeys". */
const membersIn = (object = {}) => Object.entries(object).map((member) => member.join(": ")).join("\n");

/** The object of such lines, or undefined without any. */
function object(text) {
  const lines = text.split("\n").map((line) => /^([^:]+):\s*(.*)$/.exec(line.trim())).filter(Boolean);
  return lines.length > 0 ? Object.fromEntries(lines.map(([, name, value]) => [name.trim(), value])) : undefined;
}

class DomainSettings extends View {
  /** @type {import("./draft.js").Draft} */ draft;
  /** The names of the apps. @type {any} */ names;
  isEditor = false;
  isOpen = false;
  /** Texts while they are being typed, by member. */ #texts = {};

  #set(member, value) {
    this.draft.change((domain) => Object.assign(domain, { [member]: value }));
  }

  /** A field whose text is parsed as it is typed, and shown as it is kept once it is left. */
  #typed(member, text, parse, rest) {
    const input = ({ target }) => {
      this.#texts[member] = target.value;
      const value = parse(target.value);
      if (value !== undefined) this.#set(member, value);
    };
    const blur = () => {
      delete this.#texts[member];
      this.update();
    };
    const value = this.#texts[member] ?? text;
    return field(w[member], {
      id: `set-${member}`, value, spellcheck: "false", on: { input, blur }, fault: this.#fault(member), ...rest,
    });
  }

  /** What the API says of a member; it names variables as Apple does. */
  #fault(member) {
    const faults = (this.draft.preview?.problem?.body.errors ?? []).filter(({ pointer = "" }) => (
      pointer.split("/")[1] === (member === "variables" ? "substitutionVariables" : member)));
    return faults.map(({ message }) => message).join(" ") || undefined;
  }

  #lines(member, help) {
    const parse = (text) => text.split("\n").map((line) => line.trim()).filter(Boolean);
    const text = (this.draft.domain[member] ?? []).join("\n");
    return this.#typed(member, text, parse, { tag: "textarea", rows: 3, help });
  }

  #apps(member, platform) {
    const list = this.draft.domain[member] ?? [];
    const fault = this.#fault(member);
    return h("fieldset", { key: member, class: "field" }, h("legend", {}, w[member]), appList({
      id: `set-${member}`, platform, none: words.common.none, list, names: this.names?.[platform],
      change: (changed) => this.#set(member, changed),
    }), fault && h("p", { class: "fault" }, fault));
  }

  #check(member, checked, off) {
    const change = ({ target }) => this.#set(member, target.checked || off);
    return checkbox(w[member], { id: `set-${member}`, checked, on: { change } });
  }

  #choice(label, id, value, options, set) {
    const change = ({ target }) => set(target.value);
    return field(label, { id: `set-${id}`, tag: "select", value, options, on: { change } });
  }

  /** A default for all routes: true, false, or left to the system. */
  #default(name) {
    const { defaults } = this.draft.domain;
    const options = [["", w.asSystem], ...Object.entries(words.domain.flags[name])];
    return this.#choice(words.domain.editor[name], name, String(defaults[name] ?? ""), options, (value) => this.#set(
      "defaults", { ...defaults, [name]: value === "" ? undefined : value === "true" }));
  }

  #form() {
    const { domain } = this.draft;
    const seconds = (text) => text === "" ? undefined : Number(text);
    const choice = (member, options) => this.#choice(
      w[member], member, domain[member], Object.entries(options), (value) => this.#set(member, value));
    return h("div", { class: "columns", key: "form" }, this.#lines("aliases", w.aliasesHelp),
      h("div", { key: "publishing" }, choice("environment", words.environment),
        this.#check("strict", domain.strict, false),
        this.#typed("cacheSeconds", String(domain.cacheSeconds), seconds, { type: "number", help: w.cacheHelp }),
        choice("format", w.formats)),
      apple.map((member) => this.#apps(member, "apple")),
      h("div", { key: "android" }, this.#apps("androidCredentials", "android"),
        this.#check("dynamicAppLinks", domain.dynamicAppLinks !== false, false)),
      this.#lines("webauthnOrigins", w.originsHelp),
      // Members of an adopted file that are no texts stay as they are.
      Object.values(domain.passkeyEndpoints ?? {}).every((one) => typeof one === "string") && this.#typed(
        "passkeyEndpoints", membersIn(domain.passkeyEndpoints), (text) => this.#set("passkeyEndpoints", object(text)),
        { tag: "textarea", rows: 3, help: w.endpointsHelp }),
      this.#typed("variables", written(domain.substitutionVariables), (text) => this.#set(
        "substitutionVariables", variables(text)), { tag: "textarea", rows: 3, help: w.variablesHelp }),
      h("fieldset", { key: "defaults", class: "field" }, h("legend", {}, w.defaults),
        ["caseSensitive", "percentEncoded"].map((name) => this.#default(name))));
  }

  #list() {
    const { domain } = this.draft;
    const list = (values = [], /** @type {any} */ show = (text) => h("bdi", {}, text)) => (
      values.length > 0 && plainList(values, show));
    const apps = (member, platform) => [
      w[member], list(domain[member], (id) => appName(id, this.names?.[platform].get(id)))];
    /** @type {any[]} */
    const rows = [
      [w.environment, words.environment[domain.environment]], [w.cacheSeconds, count(domain.cacheSeconds)],
      [w.format, w.formats[domain.format]], [w.aliases, list(domain.aliases)],
      [w.webauthnOrigins, list(domain.webauthnOrigins)],
      [w.passkeyEndpoints, list(membersIn(domain.passkeyEndpoints).split("\n").filter(Boolean))],
      [w.strict, words.common[domain.strict ? "yes" : "no"]],
      [w.dynamicAppLinks, words.common[domain.dynamicAppLinks === false ? "no" : "yes"]],
      ...apple.map((member) => apps(member, "apple")), apps("androidCredentials", "android"),
      [w.defaults, list(flags(domain.defaults))],
      [w.variables, list(written(domain.substitutionVariables).split("\n").filter(Boolean))],
      [w.extra, list(extras.map((one) => domain[one]).filter((one) => one && Object.keys(one).length > 0), (one) => (
        h("code", {}, JSON.stringify(one))))]];
    const [set, unset] = [rows.filter(([, value]) => value), rows.filter(([, value]) => !value)];
    return [
      h("dl", { class: "settings", key: "list" }, set.map(([name, value]) => h(
        "div", { key: name }, h("dt", {}, name), h("dd", {}, value)))),
      h("p", { class: "help", key: "others" }, w.notSet(unset.map(([name]) => name)))];
  }

  #expectations() {
    const { expectations } = this.draft.domain;
    const remove = (one) => this.draft.change((domain) => {
      domain.expectations = domain.expectations.filter((other) => !isEqual(one, other));
    });
    return expectations.length > 0 && h("section", { key: "expectations" }, h("h3", {}, w.expectations),
      plainList(expectations, (one) => [h("bdi", {}, one.url), " ", resolution(one.resolution), " ",
        this.isEditor && closeButton(w.removeExpectation(one.url), () => remove(one))]));
  }

  render() {
    const isOpen = this.isOpen && this.isEditor;
    return h("section", { class: "sheet" },
      h("div", { class: "section-head", key: "head" }, h("h2", {}, words.pages.settings),
        this.isEditor && button(
          isOpen ? w.done : w.edit, () => this.set({ isOpen: !isOpen }), { "aria-expanded": String(isOpen) })),
      isOpen ? this.#form() : this.#list(), this.#expectations());
  }
}

customElements.define("aasa-domain-settings", DomainSettings);
