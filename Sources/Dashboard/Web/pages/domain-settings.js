// The settings of a domain beside its routes. Changes go to the draft.

import { refused } from "../api.js";
import { h, View } from "../dom.js";
import { count } from "../format.js";
import { badge, button, checkbox, closeButton, draftField, field, quiet, resolution } from "../parts.js";
import { mayLabel } from "../state.js";
import { words } from "../words.js";
import { appList, appName, flags, plainList } from "./domain-parts.js";
import { isEqual } from "./draft.js";
import { formDialog } from "./plan.js";

const w = words.domain.settings;
/** Members of adopted files that are published unchanged. */
const extras = ["extra", "applinksExtra", "serviceExtra", "assetlinksExtra", "webauthnExtra"];
/** Members that templates do not have. */
const own = ["environment", "aliases", "labels", "managedBy", "changePassword", "extra"];
const apple = ["webcredentials", "appclips", "activitycontinuation"];

/** Variables with their values, one per line: "lang: en, de". A comma of a value has a backslash before it. */
function written(variables = {}) {
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

/** What people without the app get, by its parts. */
const fallbackParts = ({ page, ...urls } = /** @type {any} */ ({})) => ({ ...urls, ...page });

/** A text, or one for each language as lines. */
const languages = (text) => typeof text === "object" ? membersIn(text) : text;

/** The members that say something; undefined without any. */
function filled(object) {
  const members = Object.entries(object).filter(([, value]) => value);
  return members.length > 0 ? Object.fromEntries(members) : undefined;
}

/** The value of a setting, as it is read; undefined without any. */
function valueText(name, value, names) {
  const list = (values = [], /** @type {any} */ show = (text) => h("bdi", {}, text)) => (
    values.length > 0 && plainList(values, show));
  const lines = (text) => list(text.split("\n").filter(Boolean));
  const platform = apple.includes(name) ? "apple" : name === "androidCredentials" && "android";
  if (platform) return list(value, (id) => appName(id, names?.[platform].get(id)));
  switch (name) {
    case "environment": return words.environment[value];
    case "cacheSeconds": return value === undefined ? undefined : count(value);
    case "format": return w.formats[value];
    case "managedBy": case "changePassword": return value && h("bdi", {}, value);
    case "protected": return value && words.common.yes;
    case "strict": return words.common[value ? "yes" : "no"];
    case "dynamicAppLinks": return words.common[value === false ? "no" : "yes"];
    case "defaults": return list(flags(value));
    case "passkeyEndpoints": return lines(membersIn(value));
    case "substitutionVariables": return lines(written(value));
    case "fallback": return lines(Object.entries(fallbackParts(value)).map(([part, text]) => (
      `${w.fallbackParts[part][0]}: ${languages(text).replaceAll("\n", ", ")}`)).join("\n"));
    case "extra": return list(value.filter((one) => one && Object.keys(one).length > 0), (one) => (
      h("code", {}, JSON.stringify(one))));
    default: return list(value);
  }
}

class DomainSettings extends View {
  /** @type {import("./draft.js").Draft} */ draft;
  /** What is in force: the draft and, where it sets nothing, what its template gives. @type {any} */ shown;
  /** Whether it is a template itself, which has fewer settings. */ isTemplate = false;
  /** The names of the apps. @type {any} */ names;
  isEditor = false;
  isOpen = false;
  /** The dialog that is open. */ open;
  /** Texts while they are being typed, by member. */ #texts = {};

  #set(member, value) {
    this.draft.change((domain) => Object.assign(domain, { [member]: value }));
  }

  /** A field whose text is parsed as it is typed, and shown as it is kept once it is left. */
  #typed(member, text, parse, { label = w[member], ...rest }) {
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
    return field(label, {
      id: `set-${member}`, value, spellcheck: "false", on: { input, blur }, fault: this.#fault(member), ...rest,
    });
  }

  /** What the API says of a member; it names variables as Apple does. */
  #fault(member) {
    const faults = (this.draft.preview?.problem?.body.errors ?? []).filter(({ pointer = "" }) => (
      pointer.split("/")[1] === (member === "variables" ? "substitutionVariables" : member)));
    return faults.map(({ message }) => message).join(" ") || undefined;
  }

  /** What people without the app get: URLs, and the texts of a page. */
  #fallback() {
    const parts = fallbackParts(this.shown.fallback);
    const isText = (part) => ["title", "text", "button"].includes(part);
    const isByLanguage = (text) => text.trim() && text.trim().split("\n").every((line) => (
      /^[a-z]{2,3}(-[A-Za-z\d]+)*:/.test(line)));
    const set = (part, text) => {
      const { title, text: body, button, ...urls } = {
        ...parts, [part]: isText(part) && isByLanguage(text) ? object(text) : text.trim() };
      this.#set("fallback", filled({ ...urls, page: filled({ title, text: body, button }) }));
    };
    const fault = this.#fault("fallback");
    return h("fieldset", { key: "fallback", class: "field" }, h("legend", {}, w.fallback),
      Object.entries(w.fallbackParts).map(([part, [label, help]]) => this.#typed(
        `fallback-${part}`, languages(parts[part] ?? ""), (text) => set(part, text), {
          label, help, ...isText(part) && { tag: "textarea", rows: 2 } })),
      fault && h("p", { class: "fault", key: "fault" }, fault));
  }

  #lines(member, help) {
    const parse = (text) => text.split("\n").map((line) => line.trim()).filter(Boolean);
    const text = (this.shown[member] ?? []).join("\n");
    return this.#typed(member, text, parse, { tag: "textarea", rows: 3, help });
  }

  #apps(member, platform) {
    const list = this.shown[member] ?? [];
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
    const { defaults = {} } = this.shown;
    const options = [["", w.asSystem], ...Object.entries(words.domain.flags[name])];
    return this.#choice(words.domain.editor[name], name, String(defaults[name] ?? ""), options, (value) => this.#set(
      "defaults", { ...defaults, [name]: value === "" ? undefined : value === "true" }));
  }

  /** A member that a template may give: with the button that leaves it to the template, or else the one that sets it
   * here. Of a template, it leaves the member out. */
  #own(member, content, /** @type {any} */ initial = []) {
    const name = w[member] ?? w.variables;
    const of = this.isTemplate ? w.ofTemplate : this.draft.domain.template && w.ofDomain;
    if (!of) return content();
    const set = (value) => button(value === undefined ? of.unset : of.set, () => this.#set(member, value), {
      kind: "quiet", key: "own", "aria-label": `${value === undefined ? of.unset : of.set}: ${name}`,
    });
    const given = this.shown[member];
    return this.draft.domain[member] !== undefined ? h("div", { key: member, class: "own" }, content(), set(undefined))
      : h("div", { key: member, class: "own section-head" },
        h("div", { key: "given", class: "long" }, h("strong", {}, name), " ", quiet(of.from),
          !this.isTemplate && h("div", { key: "value" },
            valueText(member, given, this.names) || quiet(words.common.none))), set(given ?? initial));
  }

  #form() {
    const domain = this.shown;
    const seconds = (text) => text === "" ? undefined : Number(text);
    const choice = (member, options) => this.#choice(
      w[member], member, domain[member], Object.entries(options), (value) => this.#set(member, value));
    const check = (member, checked) => this.#own(member, () => this.#check(member, checked, false), checked);
    const apps = (member, platform) => this.#own(member, () => this.#apps(member, platform));
    return h("div", { class: "columns", key: "form" }, !this.isTemplate && [this.#lines("aliases", w.aliasesHelp),
      h("div", { key: "management" }, mayLabel() && this.#lines("labels", w.labelsHelp),
        this.#typed("managedBy", domain.managedBy ?? "", (text) => this.#set("managedBy", text.trim() || undefined),
          { maxlength: 200, help: w.managedByHelp }),
        this.#typed("changePassword", domain.changePassword ?? "", (text) => this.#set(
          "changePassword", text.trim() || undefined), { maxlength: 2000, help: w.changePasswordHelp }))],
      h("div", { key: "publishing" }, !this.isTemplate && choice("environment", words.environment),
        check("strict", domain.strict ?? false),
        !this.isTemplate && this.#check("protected", domain.protected ?? false, undefined),
        this.#own("cacheSeconds", () => this.#typed("cacheSeconds", String(domain.cacheSeconds), seconds, {
          type: "number", help: w.cacheHelp }), 3600),
        this.#own("format", () => choice("format", w.formats), "modern")),
      apple.map((member) => apps(member, "apple")),
      h("div", { key: "android" }, apps("androidCredentials", "android"),
        check("dynamicAppLinks", domain.dynamicAppLinks !== false)),
      this.#own("webauthnOrigins", () => this.#lines("webauthnOrigins", w.originsHelp)),
      // Members of an adopted file that are no texts stay as they are.
      Object.values(domain.passkeyEndpoints ?? {}).every((one) => typeof one === "string") && this.#own(
        "passkeyEndpoints", () => this.#typed("passkeyEndpoints", membersIn(domain.passkeyEndpoints),
          (text) => this.#set("passkeyEndpoints", object(text)), { tag: "textarea", rows: 3, help: w.endpointsHelp }),
        {}),
      this.#own("substitutionVariables", () => this.#typed("variables", written(domain.substitutionVariables),
        (text) => this.#set("substitutionVariables", variables(text)),
        { tag: "textarea", rows: 3, help: w.variablesHelp }), {}),
      this.#own("fallback", () => this.#fallback(), {}),
      this.#own("defaults", () => h("fieldset", { key: "defaults", class: "field" }, h("legend", {}, w.defaults),
        ["caseSensitive", "percentEncoded"].map((name) => this.#default(name))), {}));
  }

  #list() {
    const domain = this.shown;
    const names = ["environment", "cacheSeconds", "format", "aliases", "labels", "managedBy", "changePassword",
      "webauthnOrigins", "passkeyEndpoints", "fallback", "strict", "protected", "dynamicAppLinks", ...apple,
      "androidCredentials", "defaults",
      "substitutionVariables", "extra"].filter((name) => !this.isTemplate || !own.includes(name));
    const isGiven = (name) => domain.template && !this.isTemplate && this.draft.domain[name] === undefined
      && domain.sources?.[name] === "template";
    const rows = names.map((name) => [
      w[name] ?? w.variables, this.isTemplate && domain[name] === undefined ? undefined : valueText(
        name, name === "extra" ? extras.map((one) => domain[one]) : domain[name], this.names),
      isGiven(name) && [" ", badge(words.domain.given)]]);
    const [set, unset] = [rows.filter(([, value]) => value), rows.filter(([, value]) => !value)];
    return [
      h("dl", { class: "settings", key: "list" }, set.map(([name, value, given]) => h(
        "div", { key: name }, h("dt", {}, name, given), h("dd", {}, value)))),
      unset.length > 0 && h("p", { class: "help", key: "others" }, w.notSet(unset.map(([name]) => name)))];
  }

  #expectations() {
    const { expectations = [] } = this.shown;
    const own = this.draft.domain.expectations ?? [];
    const remove = (one) => this.draft.change((domain) => {
      domain.expectations = domain.expectations.filter((other) => !isEqual(one, other));
    });
    return (expectations.length > 0 || this.isTemplate) && h("section", { key: "expectations" },
      h("h3", {}, w.expectations),
      plainList(expectations, (one) => [h("bdi", {}, one.url), " ", resolution(one.resolution), " ",
        this.isTemplate && [quiet(words.domain.draft.forApp, " "), h("bdi", {}, one.app), " "],
        !own.includes(one) ? badge(words.domain.given)
          : this.isEditor && closeButton(w.removeExpectation(one.url), () => remove(one))]),
      this.isTemplate && this.isEditor && button(w.addExpectation, () => this.#addExpectation(), { key: "add" }));
  }

  #addExpectation() {
    const close = () => this.set({ open: undefined });
    this.set({ open: formDialog({
      title: w.addExpectation, label: words.common.add, close,
      draft: { url: "https://{domain}/", app: "", resolution: "match" },
      fields: (draft) => [
        draftField(w.expectedUrl, draft, "url", { spellcheck: "false", focus: true, help: w.expectedUrlHelp }),
        draftField(words.try.app, draft, "app", { spellcheck: "false", help: w.expectedAppHelp }),
        draftField(w.expected, draft, "resolution", { tag: "select", options: Object.entries(words.resolution) })],
      send: ({ url, app, resolution }) => {
        if (app.trim() === "") throw refused("app", words.common.required);
        const name = this.shown.parameters.find((one) => `{${one.name}}` === app.trim());
        const platform = name?.type.startsWith("package") ? { platform: "android" } : {};
        this.draft.change((domain) => Object.assign(domain, {
          expectations: [...(domain.expectations ?? []), { url: url.trim(), ...platform, app: app.trim(), resolution }],
        }));
        close();
      },
    }) });
  }

  render() {
    const isOpen = this.isOpen && this.isEditor;
    return h("section", { class: "sheet" },
      h("div", { class: "section-head", key: "head" }, h("h2", {}, words.pages.settings),
        this.isEditor && button(
          isOpen ? w.done : w.edit, () => this.set({ isOpen: !isOpen }), { "aria-expanded": String(isOpen) })),
      isOpen ? this.#form() : this.#list(), this.#expectations(), this.open);
  }
}

customElements.define("aasa-domain-settings", DomainSettings);
