// A route that many domains get at once: which domains, for which app, where, and what it does to their links.

import { get, path, request } from "../api.js";
import { h, View } from "../dom.js";
import { checkbox, dialog, field, form, loaded, submit } from "../parts.js";
import { ask } from "../routing.js";
import { isUnlimited, Loading, may } from "../state.js";
import { words } from "../words.js";
import { actionCounts, bound, domainEffects } from "./plan.js";

/** So many domains get a route at a time: each is read before the plan. */
const most = 500;

class Route extends View {
  #address;
  #route = { position: "last" };
  #exclude = false;
  #fault = {};
  #wanted;
  #doneText;
  #apps = new Loading(this, async (signal) => {
    const [apple, android] = await Promise.all([
      get("/v1/apps", { limit: 1000 }, signal), get("/v1/android-apps", { limit: 1000 }, signal)]);
    return {
      apple: apple.items.map(({ app, name }) => [app, name]),
      android: android.items.map((one) => [one.package, one.name]),
    };
  });
  #found = new Loading(this, (signal) => this.#find(1, signal));

  set address(value) {
    const before = JSON.stringify(this.#address?.query);
    this.#address = value;
    if (this.isConnected && before !== JSON.stringify(value.query)) this.#found.run();
  }

  start() {
    if (isUnlimited()) this.#apps.run();
    this.#found.run();
  }

  /** Apple's identifiers begin with ten capitals and digits, package names do not. */
  #isAndroid(app) {
    return this.#apps.value?.android.some(([id]) => id === app) ?? !/^[A-Z0-9]{10}\./.test(app);
  }

  /** The domains that the filter finds. A list of names finds itself. */
  async #find(limit, signal) {
    const { q, app, environment, list } = this.#address.query;
    if (list) {
      const names = [...new Set(list.split(/[\s,]+/).filter(Boolean))];
      return { total: names.length, items: names.slice(0, limit).map((domain) => ({ domain })) };
    }
    if (!app) return undefined;
    return await get(
      "/v1/domains", { q, environment, [this.#isAndroid(app) ? "androidApp" : "app"]: app, limit }, signal);
  }

  /**
   * What goes to `apply`: each domain with all its entries, one of which has the new route, and the revision that was read,
   * so that nobody's change is undone. Domains that do not need it are told apart.
   */
  async #prepare(signal) {
    const { app } = this.#address.query;
    const { items } = await this.#find(most, signal);
    const lines = [];
    const left = { "no-entry": [], "has-it": [], gone: [] };
    const waiting = [...items];
    const read = async () => {
      for (let one; (one = waiting.shift());) {
        let domain;
        try {
          domain = await get(path`/v1/domains/${one.domain}`, {}, signal);
        } catch (problem) {
          if (problem.status !== 404) throw problem;
          left.gone.push(one.domain);
          continue;
        }
        const entry = domain.entries.find((entry) => [...entry.apps, ...(entry.androidApps ?? [])].includes(app));
        if (!entry) left["no-entry"].push(domain.domain);
        else if (entry.routes.some((route) => isSame(route, this.#wanted))) left["has-it"].push(domain.domain);
        else {
          entry.routes[this.#route.position === "first" ? "unshift" : "push"](this.#wanted);
          lines.push(JSON.stringify({ domain: domain.domain, entries: domain.entries, revision: domain.revision }));
        }
      }
    };
    await Promise.all(Array.from({ length: 4 }, read));
    return { lines, left };
  }

  #preview() {
    const { path, query, comment } = this.#route;
    const { app } = this.#address.query;
    this.#fault = {
      app: app ? undefined : words.bulk.route.needApp,
      path: path?.trim() || query?.trim() ? undefined : words.bulk.route.needPath,
      domains: this.#found.value?.total > 0 ? undefined : words.bulk.route.needDomains,
    };
    this.#doneText = undefined;
    const isFine = Object.values(this.#fault).every((fault) => fault === undefined);
    if (isFine) {
      this.#wanted = Object.fromEntries(
        Object.entries({
          path: path?.trim(), query: query?.trim(), exclude: this.#exclude || undefined, comment: comment?.trim(),
        }).filter(([, value]) => value));
      this.#prepared = undefined;
      this.#isOpen = true;
    }
    this.update();
    if (!isFine) queueMicrotask(() => /** @type {any} */ (this.querySelector("[aria-invalid]"))?.focus());
  }

  #prepared;
  #isOpen = false;

  async #send(query) {
    // A plan reads the domains; what follows it sends the same.
    if (query.dryRun) this.#prepared = await this.#prepare(this.ending);
    if (this.#prepared.lines.length === 0) return { value: { apps: [], domains: [] } };
    return await request("POST", "/v1/apply", {
      body: this.#prepared.lines.join("\n"), type: "application/x-ndjson", query,
    });
  }

  #close() {
    this.#isOpen = false;
    this.update();
  }

  render() {
    const { q, app, environment, list } = this.#address.query;
    const change = (name) => ({ change: (event) => ask({ [name]: event.target.value.trim() }, { replace: true }) });
    const text = words.bulk.route;
    return [
      h("p", { key: "help" }, text.help),
      form(
        () => this.#preview(), { key: "form" },
        h(
          "div", { class: "columns" },
          h(
            "section", { class: "sheet" }, h("h2", {}, text.which),
            field(text.app, {
              id: "app", value: app ?? "", list: "apps", autocomplete: "off", spellcheck: "false", help: text.appHelp,
              fault: this.#fault.app, on: change("app"),
            }),
            h(
              "datalist", { id: "apps", key: "apps" },
              Object.values(this.#apps.value ?? {}).flat().map(([id, name]) =>
                h("option", { key: id, value: id }, name))),
            field(text.search, { id: "q", type: "search", value: q ?? "", disabled: Boolean(list), on: change("q") }),
            field(words.apps.environment, {
              id: "environment", tag: "select", value: environment ?? "", disabled: Boolean(list),
              on: change("environment"), options: [["", words.common.all], ...Object.entries(words.environment)],
            }),
            field(text.list, {
              id: "list", tag: "textarea", value: list ?? "", help: text.listHelp, on: change("list"),
            }),
            loaded(this.#found, (found) =>
              h(
                "p", { class: this.#fault.domains ? "fault" : "", role: "status", key: "found" },
                !found ? text.needApp : found.total > most ? text.tooMany(found.total, most) : text.found(found.total),
              ))),
          h(
            "section", { class: "sheet" }, h("h2", {}, text.route),
            field(text.path, {
              id: "path", ...bound(this.#route, "path"), spellcheck: "false", help: text.pathHelp,
              fault: this.#fault.path,
            }),
            field(text.query, {
              id: "query", ...bound(this.#route, "query"), spellcheck: "false", help: text.queryHelp,
            }),
            checkbox(text.exclude, {
              id: "exclude", checked: this.#exclude,
              on: {
                change: (event) => {
                  this.#exclude = event.target.checked;
                },
              },
            }),
            field(text.position, {
              id: "position", tag: "select", options: Object.entries(text.positions), ...bound(this.#route, "position"),
              help: text.positionHelp,
            }),
            field(text.comment, { id: "comment", ...bound(this.#route, "comment"), help: text.commentHelp }),
            submit(words.bulk.preview, { kind: "primary" })))),
      this.#doneText && h("div", { class: "box ok", role: "status", key: "done" }, this.#doneText),
      this.#isOpen && dialog(
        { title: text.plan, wide: true, close: () => this.#close() },
        h("aasa-plan", {
          label: text.button, mayDo: may("editor"), close: () => this.#close(), send: (query) => this.#send(query),
          show: (plan) => this.#show(plan),
          isEmpty: ({ domains }) => domains.every(({ action }) => action === "unchanged"),
          done: ({ domains }) => {
            this.#doneText = words.bulk.done(actionCounts(domains));
            this.#close();
          },
        }))];
  }

  #show({ domains }) {
    const { left } = this.#prepared;
    const changed = domains.filter(({ action }) => action !== "unchanged");
    return [
      h("p", { key: "count" }, words.bulk.route.planText(changed.length)),
      Object.entries(left).map(([why, names]) =>
        names.length > 0 && h(
          "details", { key: why }, h("summary", {}, words.bulk.route.left[why](names.length)),
          h("p", { class: "mono" }, names.join(", ")))),
      changed.length > 0 && domainEffects(changed)];
  }
}

function isSame(route, wanted) {
  const members = Object.entries(route).filter(([name]) => name !== "id");
  return JSON.stringify(members.toSorted()) === JSON.stringify(Object.entries(wanted).toSorted());
}

customElements.define("aasa-bulk-route", Route);
