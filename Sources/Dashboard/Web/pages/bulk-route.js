// An edit of routes in many domains at once: which domains, which edit, and what it does to their links.

import { get, request } from "../api.js";
import {
  asHere,
  draftCheckbox,
  draftField,
  failure,
  field,
  form,
  h,
  loaded,
  submit,
  suggestions,
  View,
} from "../parts.js";
import { ask } from "../routing.js";
import { isUnlimited, Loading, may } from "../state.js";
import { words } from "../words.js";
import { allApps, allLabels, byName, plainList } from "./domain-parts.js";
import { exact } from "./domains-add.js";
import { changed, domainEffects, doneBox, left, planDialog } from "./plan.js";
import { domainNames, skippingRefused } from "./template-parts.js";

const w = words.bulk.route;
const given = (members) => Object.fromEntries(Object.entries(members).filter(([, value]) => value));

class Route extends View {
  fault = {};
  result;
  #route = { action: "add", position: "last" };
  /** What is sent. @type {any} */ #wanted;
  /** The apps of both platforms: `[identifier, name]` of each. */
  #apps = new Loading(this, async (signal) => (
    (await allApps(signal)).flat().map(({ app, package: id = app, name }) => [id, name])
  ));
  #labels = new Loading(this, allLabels);
  #found = new Loading(this, async (signal) => {
    const { domains, filter } = this.#selection();
    return domains ? { total: domains.length } : filter && await get("/v1/domains", { ...filter, limit: 1 }, signal);
  });

  /** How the API chooses the domains. A list of names replaces the filter. */
  #selection() {
    const { q, app, environment, label, template, list = "" } = this.address.query;
    const domains = [...new Set(list.split(/[\s,]+/).filter(Boolean))];
    if (domains.length > 0) return { domains };
    // Apple's identifiers begin with ten capitals and digits, package names do not.
    const platform = /^[A-Z0-9]{10}\./.test(app) ? "app" : "androidApp";
    const filter = given({ q, environment, label, template, [platform]: app });
    return Object.keys(filter).length > 0 ? { filter } : {};
  }

  #edit() {
    const { action, path = "", query = "", comment = "", exclude, position, place = "", by = "" } = this.#route;
    const route = { query: query.trim(), exclude, comment: comment.trim() };
    const isBeside = ["before", "after"].includes(position);
    return {
      [action]: given({ path: path.trim(), ...route }),
      ...(action === "replace" && { with: given({ path: by.trim(), ...route }) }),
      ...(hasPlace(action) && { [isBeside ? position : "position"]: isBeside ? { path: place.trim() } : position }),
    };
  }

  #preview() {
    const { action, path = "", query = "", by = "", position, place = "" } = this.#route;
    const fault = given({
      path: !path.trim() && !query.trim() && w.needPath,
      by: action === "replace" && !by.trim() && w.needPath,
      place: hasPlace(action) && ["before", "after"].includes(position) && !place.trim() && w.needPath,
      list: this.#found.value?.total > 0 ? "" : w.needDomains,
    });
    this.set({ fault, result: undefined });
    if (Object.keys(fault).length > 0) return queueMicrotask(() => this.find("[aria-invalid]")?.focus());
    this.#wanted = { ...this.#selection(), ...given({ app: this.address.query.app }), edits: [this.#edit()] };
    this.show(planDialog, {
      title: w.actions[action],
      label: w.button,
      mayDo: may("editor"),
      send: (query) => request("POST", "/v1/routes", { body: this.#wanted, query }),
      show: (plan) => this.#plan(plan),
      isEmpty: ({ domains }) => changed(domains).length === 0,
      done: (result) => this.set({ result }),
      options: (state) => [skippingRefused(state, w.skipRefused)],
    });
  }

  render() {
    const { fault, result } = this;
    const { action, position } = this.#route;
    const update = () => this.update();
    this.#found.ask(this.address.query);
    if (isUnlimited()) this.#apps.ask();
    this.#labels.ask();
    return [
      h("p", { key: "help" }, w.help),
      form(
        () => this.#preview(),
        { key: "form" },
        h(
          "div",
          { class: "columns" },
          this.#domainSheet(),
          h(
            "section",
            { class: "sheet" },
            h("h2", {}, w.what),
            this.#input("action", { tag: "select", options: Object.entries(w.actions), change: update }),
            this.#input("path", { spellcheck: "false", fault: fault.path }),
            action === "replace" && this.#input("by", { spellcheck: "false", fault: fault.by }),
            this.#input("query"),
            draftCheckbox(w.exclude, this.#route, "exclude"),
            hasPlace(action) && this.#input("position", {
              tag: "select",
              options: Object.entries(w.positions),
              change: update,
            }),
            hasPlace(action) && ["before", "after"].includes(position) &&
              this.#input("place", { spellcheck: "false", fault: fault.place }),
            ["add", "replace"].includes(action) && this.#input("comment"),
            submit(words.bulk.preview, { kind: "primary" }),
          ),
        ),
      ),
      result && doneBox(result),
      this.open,
    ];
  }

  #input = (name, rest = {}) => draftField(w[name], this.#route, name, { help: w[`${name}Help`], key: name, ...rest });

  #domainSheet() {
    const { query } = this.address;
    const names = new Map(this.#apps.value);
    const filter = (label, name, rest = {}) =>
      field(label, {
        ...exact,
        id: name,
        value: query[name] ?? "",
        ...rest,
        on: {
          change: ({ target }) => {
            const value = target.value.trim();
            ask({ [name]: name === "app" ? byName(value, names) : value }, { replace: true });
          },
        },
      });
    const disabled = Boolean(query.list);
    return h(
      "section",
      { class: "sheet" },
      h("h2", {}, w.which),
      filter(w.app, "app", { list: "apps", help: w.appHelp }),
      suggestions("apps", this.#apps.value),
      filter(w.label, "label", { disabled, list: "labels" }),
      suggestions("labels", this.#labels.value),
      filter(w.template, "template", { disabled }),
      filter(w.search, "q", { type: "search", disabled }),
      filter(words.domains.environment, "environment", {
        tag: "select",
        disabled,
        options: [["", words.common.all], ...Object.entries(words.environment)],
      }),
      filter(w.list, "list", { tag: "textarea", maxlength: null, help: w.listHelp, fault: this.fault.list }),
      failure(this.#apps),
      loaded(this.#found, (value) =>
        value && h(
          "p",
          { role: "status", key: "found" },
          value.totalIsEstimate ? words.domains.about(w.found(value.total)) : w.found(value.total),
        )),
    );
  }

  #plan({ domains, skipped = [], moreSkipped = 0, problems = [], moreProblems = 0 }) {
    const wanted = changed(domains);
    const idle = wanted.filter((one) => one.diff?.affectsLinks === false).length;
    return [
      h("p", { key: "count" }, w.planText(wanted.length, domains.length - wanted.length)),
      idle > 0 && h("p", { class: "box warning", key: "idle" }, w.idle(idle)),
      skipped.length > 0 &&
      h(
        "details",
        { key: "skipped" },
        h("summary", {}, w.skipped(skipped.length + moreSkipped)),
        h("p", {}, domainNames(skipped.slice(0, 20), skipped.length + moreSkipped)),
        plainList(problems, (one) => asHere(one.detail)),
        left("problems", moreProblems),
      ),
      wanted.length > 0 && domainEffects(wanted),
    ];
  }
}

const hasPlace = (action) => ["add", "move"].includes(action);

customElements.define("aasa-bulk-route", Route);
