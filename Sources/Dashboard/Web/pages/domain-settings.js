// The settings of a domain beside its routes. Changes go to the draft.

import { get, refused } from "../api.js";
import { badge, button, checkbox, closeButton, draftField, field, h, quiet, resolution, View } from "../parts.js";
import { Loading, mayAdd } from "../state.js";
import { duration, words } from "../words.js";
import { appList, appName, flags, plainList } from "./domain-parts.js";
import { isEqual } from "./draft.js";
import { blank } from "./domain-template.js";
import { formDialog } from "./plan.js";

const w = words.domain.settings;
/** Members of adopted files that are published unchanged. */
const extras = ["extra", "applinksExtra", "serviceExtra", "assetlinksExtra", "webauthnExtra"];
const groups = {
  names: ["aliases", "labels", "environment", "managedBy", "protected"],
  files: ["cacheSeconds", "format", "strict", "dynamicAppLinks", "defaults", "substitutionVariables"],
  apps: ["webcredentials", "androidCredentials", "appclips", "activitycontinuation"],
  site: ["webauthnOrigins", "passkeyEndpoints", "changePassword"],
  people: ["fallback"],
  others: ["extra"],
};
/** Members that templates do not have. */
const own = ["environment", "aliases", "labels", "managedBy", "protected", "changePassword", "extra"];
const platforms = {
  webcredentials: "apple",
  appclips: "apple",
  activitycontinuation: "apple",
  androidCredentials: "android",
};

/** Variables with their values, one per line: "lang: en, de". A comma of a value has a backslash before it. */
function written(variables = {}) {
  const line = ([name, values]) => `${name}: ${values.map((one) => one.replaceAll(",", "\\,")).join(", ")}`;
  return Object.entries(variables).map(line).join("\n");
}

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

const languages = (text) => typeof text === "object" ? membersIn(text) : text;

function filled(object) {
  const members = Object.entries(object).filter(([, value]) => value);
  return members.length > 0 ? Object.fromEntries(members) : undefined;
}

/** The value of a setting, as it is read; undefined without any. */
function valueText(name, value, names) {
  const list = (values = [], /** @type {any} */ show = (text) => h("bdi", {}, text)) => (
    values.length > 0 && plainList(values, show)
  );
  const lines = (text) => list(text.split("\n").filter(Boolean));
  const platform = platforms[name];
  if (platform) return list(value, (id) => appName(id, names?.[platform].get(id)));
  switch (name) {
    case "environment":
      return words.environment[value];
    case "cacheSeconds":
      return value === undefined ? undefined : duration(value);
    case "format":
      return w.formats[value];
    case "managedBy":
    case "changePassword":
      return value && h("bdi", {}, value);
    case "protected":
      return value && words.common.yes;
    case "strict":
      return words.common[value ? "yes" : "no"];
    case "dynamicAppLinks":
      return words.common[value === false ? "no" : "yes"];
    case "defaults":
      return list(flags(value));
    case "passkeyEndpoints":
      return lines(membersIn(value));
    case "substitutionVariables":
      return lines(written(value));
    case "fallback":
      return lines(
        Object.entries(fallbackParts(value)).map(([part, text]) => (
          `${w.fallbackParts[part][0]}: ${languages(text).replaceAll("\n", ", ")}`
        )).join("\n"),
      );
    case "extra":
      return list(value.filter((one) => one && Object.keys(one).length > 0), (one) => (
        h("pre", {}, h("code", {}, JSON.stringify(one, undefined, 2)))
      ));
    default:
      return list(value);
  }
}

class DomainSettings extends View {
  /** @type {import("./draft.js").Draft} */ draft;
  /** What is in force: the draft and, where it sets nothing, what its template gives. @type {any} */ shown;
  /** Whether it is a template itself, which has fewer settings. */ isTemplate = false;
  /** The names of the apps. @type {any} */ names;
  isEditor = false;
  isOpen = false;
  /** Texts while they are being typed, by member. */ #texts = {};
  #protecting = new Loading(this, (signal) => get("/v1/protected-labels", {}, signal));

  /** What protects the domain, whatever its own setting is. */
  get #protectingLabel() {
    return this.shown.labels?.find((one) => this.#protecting.value?.labels.includes(one));
  }

  #set(member, value) {
    const [typedIn] = Object.keys(this.#texts);
    this.draft.change((domain) => Object.assign(domain, { [member]: value }), typedIn);
  }

  /** A field whose text `set` gets as it is typed, and that shows what is kept once it is left. */
  #typed(member, text, set, { label = w[member], ...rest } = /** @type {any} */ ({})) {
    const input = ({ target }) => {
      this.#texts[member] = target.value;
      set(target.value);
    };
    const blur = () => {
      delete this.#texts[member];
      this.update();
    };
    return field(label, {
      id: `set-${member}`,
      value: this.#texts[member] ?? text,
      spellcheck: "false",
      help: w[`${member}Help`],
      on: { input, blur },
      fault: this.#fault(member),
      ...rest,
    });
  }

  #lines = (member, text, parse) => (
    this.#typed(member, text, (typed) => this.#set(member, parse(typed)), { tag: "textarea", rows: 3 })
  );

  #fault = (member) => this.draft.faults((pointer) => pointer.split("/")[1] === member);

  /** What people without the app get: URLs, and the texts of a page. */
  #fallback() {
    const parts = fallbackParts(this.shown.fallback);
    const isText = (part) => ["title", "text", "button"].includes(part);
    const isByLanguage = (text) =>
      text.trim() && text.trim().split("\n").every((line) => /^[a-z]{2,3}(-[A-Za-z\d]+)*:/.test(line));
    const set = (part, text) => {
      const { title, text: body, button, ...urls } = {
        ...parts,
        [part]: isText(part) && isByLanguage(text) ? object(text) : text.trim(),
      };
      this.#set("fallback", filled({ ...urls, page: filled({ title, text: body, button }) }));
    };
    const fault = this.#fault("fallback");
    return h(
      "fieldset",
      { key: "fallback", class: "field settings" },
      h("legend", { class: "hidden" }, w.fallback),
      Object.entries(w.fallbackParts).map(([part, [label, help]]) =>
        this.#typed(
          `fallback-${part}`,
          languages(parts[part] ?? ""),
          (text) => set(part, text),
          { label, help, ...isText(part) && { tag: "textarea", rows: 2 } },
        )
      ),
      fault && h("p", { class: "fault", key: "fault" }, fault),
    );
  }

  #apps(member, platform) {
    const list = this.shown[member] ?? [];
    const fault = this.#fault(member);
    return h(
      "fieldset",
      { key: member, class: "field" },
      h("legend", {}, w[member]),
      appList({
        id: `set-${member}`,
        platform,
        none: words.common.none,
        list,
        names: this.names?.[platform],
        change: (changed) => this.#set(member, changed),
      }),
      fault && h("p", { class: "fault" }, fault),
    );
  }

  #check = (member, checked, rest = {}) =>
    checkbox(w[member], {
      id: `set-${member}`,
      checked,
      on: { change: ({ target }) => this.#set(member, target.checked) },
      ...rest,
    });

  #protected(checked) {
    const label = this.#protectingLabel;
    if (label === undefined) return this.#check("protected", checked);
    const id = "set-protected-help";
    return h(
      "div",
      { key: "protected" },
      // One that is disabled would not get the focus, and nobody would hear why.
      this.#check("protected", true, {
        "aria-disabled": "true",
        "aria-describedby": id,
        on: { click: (event) => event.preventDefault() },
      }),
      h("p", { class: "help", id }, w.protectedBy(label)),
    );
  }

  #choice = (label, id, value, options, set) =>
    field(label, {
      id: `set-${id}`,
      tag: "select",
      value,
      options: Object.entries(options),
      on: { change: ({ target }) => set(target.value) },
    });

  /** A default for all routes: true, false, or left to the system. */
  #default(name) {
    const { defaults = {} } = this.shown;
    const options = { "": w.asSystem, ...words.domain.flags[name] };
    return this.#choice(
      words.domain.editor[name],
      name,
      String(defaults[name] ?? ""),
      options,
      (value) => this.#set("defaults", { ...defaults, [name]: value === "" ? undefined : value === "true" }),
    );
  }

  /** A member that a template may give: with the button that leaves it to the template, or else the one that sets it
   * here. Of a template, it leaves the member out. */
  #own(member) {
    const of = this.isTemplate ? w.ofTemplate : this.draft.domain.template && !own.includes(member) && w.ofDomain;
    const input = this.#input(member);
    if (!of || !input) return input;
    const set = (value) =>
      button(value === undefined ? of.unset : of.set, () => this.#set(member, value), {
        kind: "quiet",
        key: "own",
        "aria-label": `${value === undefined ? of.unset : of.set}: ${w[member]}`,
      });
    const given = this.shown[member];
    return this.draft.domain[member] !== undefined ? h("div", { key: member, class: "own" }, input, set(undefined)) : h(
      "div",
      { key: member, class: "own section-head" },
      h(
        "div",
        { key: "given", class: "long" },
        h("strong", {}, w[member]),
        " ",
        quiet(of.from),
        !this.isTemplate &&
          h("div", { key: "value" }, valueText(member, given, this.names) || quiet(words.common.none)),
      ),
      set(given ?? blank[member] ?? {}),
    );
  }

  #input(member) {
    const value = this.shown[member];
    const set = (value) => this.#set(member, value);
    const trimmed = (text) => text.split("\n").map((line) => line.trim()).filter(Boolean);
    switch (member) {
      case "environment":
        return this.#choice(w[member], member, value, words.environment, set);
      case "format":
        return this.#choice(w[member], member, value, w.formats, set);
      case "strict":
        return this.#check(member, value ?? false);
      case "protected":
        return this.#protected(value ?? false);
      case "dynamicAppLinks":
        return this.#check(member, value !== false);
      case "cacheSeconds":
        return this.#typed(member, String(value), (text) => text !== "" && set(Number(text)), { type: "number" });
      case "managedBy":
      case "changePassword":
        return this.#typed(member, value ?? "", (text) => set(text.trim() || undefined), { maxlength: 2000 });
      // Members of an adopted file that are no texts stay as they are.
      case "passkeyEndpoints":
        return Object.values(value ?? {}).every((one) => typeof one === "string") &&
          this.#lines(member, membersIn(value), object);
      case "substitutionVariables":
        return this.#lines(member, written(value), variables);
      case "fallback":
        return this.#fallback();
      case "defaults":
        return h(
          "fieldset",
          { key: "defaults", class: "field" },
          h("legend", {}, w.defaults),
          ["caseSensitive", "percentEncoded"].map((name) => this.#default(name)),
        );
      case "labels":
        return mayAdd(this.draft.domain.domain) && this.#lines(member, (value ?? []).join("\n"), trimmed);
      case "extra":
        return false;
      default:
        return platforms[member]
          ? this.#apps(member, platforms[member])
          : this.#lines(member, (value ?? []).join("\n"), trimmed);
    }
  }

  #groups(show) {
    const isShown = (name) => !this.isTemplate || !own.includes(name);
    const group = (name, settings) =>
      settings.length > 0 &&
      h(
        "section",
        { key: name, class: "settings-group" },
        h("h3", {}, w.groups[name]),
        h("div", { class: "settings" }, settings),
      );
    return Object.entries(groups).map(([name, members]) => (
      group(name, members.filter(isShown).map(show).filter(Boolean))
    ));
  }

  #value(name) {
    const domain = this.shown;
    const isGiven = domain.template && !this.isTemplate && this.draft.domain[name] === undefined &&
      domain.sources?.[name] === "template";
    const label = name === "protected" && this.#protectingLabel;
    const value = label ? w.protectedBy(label) : !(this.isTemplate && domain[name] === undefined) && valueText(
      name,
      name === "extra" ? extras.map((one) => domain[one]) : domain[name],
      this.names,
    );
    return value &&
      h("dl", { key: name }, h("dt", {}, w[name], isGiven && [" ", badge(words.domain.given)]), h("dd", {}, value));
  }

  #expectations() {
    const { expectations = [] } = this.shown;
    const own = this.draft.domain.expectations ?? [];
    const remove = (one) =>
      this.draft.change((domain) => {
        domain.expectations = domain.expectations.filter((other) => !isEqual(one, other));
      });
    return (expectations.length > 0 || this.isTemplate) &&
      h(
        "section",
        { class: "sheet", key: "expectations" },
        h("h2", {}, w.expectations),
        plainList(
          expectations,
          (one) => [
            h("bdi", {}, one.url),
            " ",
            resolution(one.resolution),
            " ",
            one.app && [quiet(words.domain.draft.forApp, " "), h("bdi", {}, this.#nameOf(one.app)), " "],
            !own.includes(one)
              ? badge(words.domain.given)
              : this.isEditor && closeButton(w.removeExpectation(one.url), () => remove(one)),
          ],
        ),
        this.isTemplate && this.isEditor && button(w.addExpectation, () => this.#addExpectation(), { key: "add" }),
      );
  }

  #nameOf(app) {
    const { apple, android } = this.names ?? {};
    return apple?.get(app) ? `${apple.get(app)} (iOS)` : android?.get(app) ? `${android.get(app)} (Android)` : app;
  }

  #addExpectation() {
    this.show(formDialog, {
      title: w.addExpectation,
      label: words.common.add,
      draft: { url: "https://{domain}/", app: "", resolution: "match" },
      fields: (draft) => [
        draftField(w.expectedUrl, draft, "url", { spellcheck: "false", focus: true, help: w.expectedUrlHelp }),
        draftField(words.try.app, draft, "app", { spellcheck: "false", help: w.expectedAppHelp }),
        draftField(w.expected, draft, "resolution", { tag: "select", options: Object.entries(words.resolution) }),
      ],
      send: ({ url, app, resolution }) => {
        if (app.trim() === "") throw refused("app", words.common.required);
        const name = this.shown.parameters.find((one) => `{${one.name}}` === app.trim());
        const platform = name?.type.startsWith("package") ? { platform: "android" } : {};
        this.draft.change((domain) =>
          Object.assign(domain, {
            expectations: [...(domain.expectations ?? []), {
              url: url.trim(),
              ...platform,
              app: app.trim(),
              resolution,
            }],
          })
        );
        this.close();
      },
    });
  }

  render() {
    const isOpen = this.isOpen && this.isEditor;
    if (!this.isTemplate) this.#protecting.ask();
    return [
      h(
        "section",
        { class: "sheet", key: "settings" },
        h(
          "div",
          { class: "section-head", key: "head" },
          h("h2", {}, words.pages.settings),
          this.isEditor && button(
            isOpen ? w.done : w.edit,
            () => this.set({ isOpen: !isOpen }),
            { "aria-expanded": String(isOpen) },
          ),
        ),
        this.#groups((name) => isOpen ? this.#own(name) : this.#value(name)),
      ),
      this.#expectations(),
      this.open,
    ];
  }
}

customElements.define("aasa-domain-settings", DomainSettings);
