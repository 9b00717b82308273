// A route that many domains get at once: which domains, for which app, where, and what it does to their links.

import { get, path, request } from "../api.js";
import { h, View } from "../dom.js";
import { draftCheckbox, draftField, failure, field, form, loaded, submit } from "../parts.js";
import { ask } from "../routing.js";
import { isUnlimited, Loading, may } from "../state.js";
import { words } from "../words.js";
import { byName } from "./domain-parts.js";
import { isEqual } from "./draft.js";
import { changed, doneBox, domainEffects, planDialog } from "./plan.js";

/** So many domains get a route at a time: each is read before the plan. */
const most = 500;
/** Statuses of domains that are not there, or out of reach. */
const absent = [400, 403, 404];

class Route extends View {
  address;
  open;
  fault = {};
  result;
  #route = { position: "last" };
  #wanted;
  #prepared;
  /** The apps of both platforms: `[identifier, name]` of each. */
  #apps = new Loading(this, async (signal) => {
    const lists = ["/v1/apps", "/v1/android-apps"].map((list) => get(list, { limit: 1000 }, signal));
    const [apple, android] = await Promise.all(lists);
    return [...apple.items, ...android.items].map(({ app, package: id = app, name }) => [id, name]);
  });
  #found = new Loading(this, (signal) => this.#find({ limit: 1 }, signal));

  /** A page of the domains that the filter finds. A list of names finds itself. */
  async #find(page, signal) {
    const { q, app, environment, list } = this.address.query;
    if (list) {
      const names = [...new Set(list.split(/[\s,]+/).filter(Boolean))];
      return { total: names.length, items: names.map((domain) => ({ domain })), next: null };
    }
    if (!app) return undefined;
    // Apple's identifiers begin with ten capitals and digits, package names do not.
    const filter = /^[A-Z0-9]{10}\./.test(app) ? "app" : "androidApp";
    return await get("/v1/domains", { q, environment, [filter]: app, ...page }, signal);
  }

  /** What goes to `apply`: each domain with all its entries, one of which has the new route, and the revision that was
   * read, so that nobody's change is undone. Domains that do not need it are told apart. */
  async #prepare(signal) {
    const { app } = this.address.query;
    const lines = [];
    const items = [];
    const left = { without: [], has: [], gone: [] };
    const prepare = async (name) => {
      const { domain, entries, revision } = await get(path`/v1/domains/${name}`, {}, signal);
      const entry = entries.find((entry) => [...entry.apps, ...(entry.androidApps ?? [])].includes(app));
      if (!entry) return left.without.push(domain);
      if (entry.routes.some(({ id: _id, ...route }) => isEqual(route, this.#wanted))) return left.has.push(domain);
      entry.routes[this.#route.position === "first" ? "unshift" : "push"](this.#wanted);
      lines.push(JSON.stringify({ domain, entries, revision }));
    };
    const work = async () => {
      for (let one; lines.length < most && (one = items.shift());) {
        try {
          await prepare(one.domain);
        } catch (problem) {
          if (!absent.includes(problem.status)) throw problem;
          left.gone.push(one.domain);
        }
      }
    };
    let cursor;
    do {
      const page = await this.#find({ limit: 500, cursor }, signal);
      cursor = page.next;
      items.push(...page.items);
      await Promise.all(Array.from({ length: 4 }, work));
    } while (cursor !== null && lines.length < most);
    return { lines: lines.slice(0, most).sort(), left };
  }

  #preview() {
    const { path = "", query = "", comment = "", exclude } = this.#route;
    const { needApp, needPath } = words.bulk.route;
    const members = { path: path.trim(), query: query.trim(), exclude, comment: comment.trim() };
    this.#wanted = Object.fromEntries(Object.entries(members).filter(([, value]) => value));
    const fault = {
      app: !this.address.query.app && needApp, path: !members.path && !members.query && needPath,
      domains: !(this.#found.value?.total > 0),
    };
    this.set({ fault, result: undefined });
    if (Object.values(fault).some(Boolean)) return queueMicrotask(() => this.find("[aria-invalid]")?.focus());
    const text = words.bulk.route;
    this.set({ open: planDialog({
      title: text.button, label: text.button, mayDo: may("editor"), close: () => this.set({ open: undefined }),
      send: (query) => this.#send(query), show: (plan) => this.#plan(plan),
      isEmpty: ({ domains }) => changed(domains).length === 0, done: (result) => this.set({ open: undefined, result }),
    }) });
  }

  async #send(query) {
    // A plan reads the domains; what follows it sends the same.
    if (query.dryRun) this.#prepared = await this.#prepare(this.ending);
    const { lines } = this.#prepared;
    if (lines.length === 0) return { value: { domains: [] } };
    return await request("POST", "/v1/apply", { body: lines.join("\n"), type: "application/x-ndjson", query });
  }

  render() {
    const text = words.bulk.route;
    const { fault, result } = this;
    this.#found.ask(this.address.query);
    if (isUnlimited()) this.#apps.ask();
    return [h("p", { key: "help" }, text.help),
      form(() => this.#preview(), { key: "form" },
        h("div", { class: "columns" }, this.#domainSheet(), h("section", { class: "sheet" }, h("h2", {}, text.button),
          this.#input("path", { spellcheck: "false", fault: fault.path }), this.#input("query"),
          draftCheckbox(text.exclude, this.#route, "exclude"),
          this.#input("position", { tag: "select", options: Object.entries(text.positions) }), this.#input("comment"),
          submit(words.bulk.preview, { kind: "primary" })))),
      result && doneBox(result), this.open];
  }

  #input(name, rest = {}) {
    const text = words.bulk.route;
    return draftField(text[name], this.#route, name, { help: text[`${name}Help`], ...rest });
  }

  #domainSheet() {
    const text = words.bulk.route;
    const { query } = this.address;
    const names = new Map(this.#apps.value);
    const filter = (label, name, rest = {}) => field(label, {
      id: name, value: query[name] ?? "", ...rest, on: { change: ({ target }) => {
        const value = target.value.trim();
        ask({ [name]: name === "app" ? byName(value, names) : value }, { replace: true });
      } },
    });
    const disabled = Boolean(query.list);
    const found = ({ total }) => total > most ? text.tooMany(total, most) : text.found(total);
    return h("section", { class: "sheet" }, h("h2", {}, text.which),
      filter(text.app, "app", {
        list: "apps", autocomplete: "off", spellcheck: "false", help: text.appHelp, fault: this.fault.app,
      }),
      h("datalist", { id: "apps", key: "apps" }, this.#apps.value?.map(([id, name]) =>
        h("option", { key: id, value: id }, name))),
      filter(text.search, "q", { type: "search", disabled }),
      filter(words.domains.environment, "environment", {
        tag: "select", disabled, options: [["", words.common.all], ...Object.entries(words.environment)],
      }),
      filter(text.list, "list", { tag: "textarea", help: text.listHelp }),
      failure(this.#apps), loaded(this.#found, (value) => h("p", {
        class: this.fault.domains && value.total === 0 ? "fault" : null, role: "status", key: "found",
      }, found(value))));
  }

  #plan({ domains }) {
    const text = words.bulk.route;
    const wanted = changed(domains);
    const idle = wanted.filter((one) => one.diff?.affectsLinks === false).length;
    return [h("p", { key: "count" }, text.planText(wanted.length)),
      idle > 0 && h("p", { class: "box warning", key: "idle" }, text.idle(idle)),
      Object.entries(this.#prepared.left).map(([why, names]) => names.length > 0 && h(
        "details", { key: why }, h("summary", {}, text[why](names.length)),
        h("p", { class: "mono" }, names.join(", ")))),
      wanted.length > 0 && domainEffects(wanted)];
  }
}

customElements.define("aasa-bulk-route", Route);
