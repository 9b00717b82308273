// Changes of many domains: files to import, a whole state to apply, and a route to add.

import { path, request } from "../api.js";
import { h, View } from "../dom.js";
import { badge, button, checkbox, dialog, empty, facts, field, form, problemBox, submit, tabs } from "../parts.js";
import { to } from "../routing.js";
import { may, say } from "../state.js";
import { words } from "../words.js";
import { acceptable, actionBadge, actionCounts, bound, domainEffects, effects, reasonField } from "./plan.js";
import "./bulk-route.js";
import "./drop.js";

const sections = { import: "aasa-bulk-import", apply: "aasa-bulk-apply", route: "aasa-bulk-route" };
const kinds = ["apple-app-site-association", "assetlinks.json", "webauthn"];

class Bulk extends View {
  address;

  render() {
    const [, section = "import"] = this.address.parts;
    return [
      h("h1", { key: "title" }, words.bulk.title),
      tabs(
        words.bulk.title,
        Object.keys(sections).map((
          one,
        ) => [one, words.bulk.sections[one], to(one === "import" ? ["bulk"] : ["bulk", one])]),
        section),
      !may("editor") && h("p", { class: "box", key: "viewer" }, words.bulk.viewer[section]), sections[section]
        ? h(sections[section], { key: section, address: this.address })
        : empty(words.pages.notFound, words.pages.notFoundText)];
  }
}

let number = 0;

/**
 * Files that become documents of domains. A row has `name`, `body` (the file), `text`, `kind`, `domain`, `report` (what the
 * linter says), and `state`: "checking", "faulty", "ready", "waiting", "publishing", "published" or "failed".
 */
class Import extends View {
  #rows = [];
  #isPublishing = false;
  #draft = {};
  #shown;

  #add(files) {
    for (const { name, text, file } of files) {
      const row = {
        id: ++number, name, text, body: file ?? text, kind: kindOf(name), domain: domainOf(name), state: "checking",
      };
      this.#rows.push(row);
    }
    this.#checkAll();
  }

  async #checkAll() {
    // One after the other: a folder may have hundreds of files.
    for (const row of this.#rows.filter((one) => one.report === undefined && !one.problem)) await this.#check(row);
  }

  /** Lints the file, and asks what publishing it would do. */
  async #check(row) {
    const mine = (row.run = (row.run ?? 0) + 1);
    Object.assign(row, { state: "checking", problem: undefined, result: undefined, isNew: undefined });
    this.update();
    try {
      const { value } = await request("POST", "/v1/validate", {
        body: row.body, query: { kind: row.kind }, signal: this.ending,
      });
      if (mine !== row.run) return;
      row.report = value;
      row.kind = value.kind;
      row.state = isState(row.text) ? "state" : row.domain === "" ? "nameless" : "ready";
      if (row.state === "ready") row.result = await this.#put(row, { dryRun: true, accept: row.accepted });
    } catch (problem) {
      if (problem.name === "AbortError" || mine !== row.run) return;
      row.problem = problem;
      row.state = "failed";
    }
    if (mine === row.run) this.update();
  }

  /** Publishes, or does as if. A domain that exists is replaced only in the revision that was looked at. */
  async #put(row, query) {
    const where = path`/v1/domains/${row.domain}/documents/${row.kind}`;
    const { body } = row;
    if (row.isNew !== false) {
      try {
        row.isNew = true;
        return (await request("PUT", where, { body, query, ifNoneMatch: "*", signal: this.ending })).value;
      } catch (problem) {
        if (problem.code !== "already-exists") throw problem;
        row.isNew = false;
        row.etag = undefined;
      }
    }
    row.etag ??= (await request("GET", path`/v1/domains/${row.domain}`, { signal: this.ending })).etag;
    return (await request("PUT", where, { body, query, ifMatch: row.etag, signal: this.ending })).value;
  }

  #canPublish(row) {
    return row.state === "ready" && row.result !== undefined && !this.#isTwice(row);
  }

  /** Whether another row is for the same document. */
  #isTwice(row) {
    return this.#rows.some((one) =>
      one.id < row.id && one.domain === row.domain && one.kind === row.kind && one.domain !== "");
  }

  async #publish() {
    const wanted = this.#rows.filter((row) => this.#canPublish(row));
    this.#isPublishing = true;
    const revisions = {};
    let done = 0;
    for (const row of wanted) {
      row.state = "publishing";
      this.update();
      try {
        // Another file of this list may have published the domain a moment ago.
        if (revisions[row.domain]) Object.assign(row, { isNew: false, etag: revisions[row.domain] });
        row.result = await this.#put(row, { reason: this.#draft.reason, accept: row.accepted });
        revisions[row.domain] = String(row.result.revision);
        row.state = "published";
        done++;
      } catch (problem) {
        if (problem.name === "AbortError") return;
        row.problem = problem;
        row.state = "failed";
      }
    }
    this.#isPublishing = false;
    this.update();
    say(words.bulk.import.done(done, wanted.length), done === wanted.length ? "ok" : "error");
  }

  render() {
    const ready = this.#rows.filter((row) => this.#canPublish(row)).length;
    return [
      h("p", { key: "help" }, words.bulk.import.help),
      h("aasa-drop", { key: "drop", text: words.bulk.import.drop, on: { files: (event) => this.#add(event.detail) } }),
      h(
        "p", { class: "hidden", role: "status", key: "status" },
        this.#rows.length > 0 && words.bulk.import.status(ready, this.#rows.length)),
      this.#rows.length > 0 &&
      h(
        "ul", { class: "plan rows", key: "rows", "aria-label": words.bulk.import.files },
        this.#rows.map((row) => this.#row(row))),
      this.#rows.length > 0 && may("editor") && form(
        () => this.#publish(), { key: "publish" }, ready > 0 &&
          reasonField(this.#draft),
        h(
          "div", { class: "actions" }, ready > 0 &&
            h(
              "button", { type: "submit", class: "button primary", disabled: this.#isPublishing },
              words.bulk.import.publish(ready)),
          button(words.bulk.import.clear, () => {
            this.#rows = [];
            this.update();
          }, { disabled: this.#isPublishing }))),
      this.#shown && dialog(
        {
          title: this.#shown.name, wide: true,
          close: () => {
            this.#shown = undefined;
            this.update();
          },
        },
        this.#shown.result && effects({ ...this.#shown.result, domain: this.#shown.domain }),
        this.#shown.problem && problemBox(this.#shown.problem))];
  }

  #row(row) {
    const isFixed = ["publishing", "published"].includes(row.state);
    const codes = row.problem ? acceptable(row.problem).join(",") : "";
    const state = this.#isTwice(row) ? "twice" : row.state;
    const kind =
      { ready: "ok", published: "ok", failed: "error", twice: "error", nameless: "warning", state: "warning" }[state] ??
        "quiet";
    return h(
      "li", { key: row.id },
      h(
        "p", { class: "file" }, h("bdi", { class: "mono" }, row.name), " ",
        row.report && state !== "state" && badge(words.document[row.kind], "quiet", { key: "kind" })),
      state !== "state" && field(words.bulk.import.domain, {
        id: `domain-${row.id}`, value: row.domain, disabled: isFixed || this.#isPublishing, spellcheck: "false",
        autocapitalize: "none",
        on: {
          change: (event) => {
            row.domain = event.target.value.trim();
            row.accepted = undefined;
            this.#check(row);
          },
        },
      }),
      h(
        "div", { class: "state" }, badge(words.bulk.import.states[state](row), kind), " ",
        state !== "state" && row.report?.findings.length > 0 &&
          h("span", { key: "counts" }, words.bulk.import.findings(row.report.findings.length, row.report.moreFindings)),
        state === "state" && h("a", { href: to(["bulk", "apply"]), key: "apply" }, words.bulk.sections.apply),
        state === "published" && h("a", { href: to(["domains", row.domain]), key: "open" }, words.bulk.plan.open),
        row.problem &&
          h(
            "p", { class: "fault", key: "fault" },
            row.problem.status === 0 ? words.problem.offline : row.problem.detail),
        h(
          "span", { class: "actions", key: "more" },
          (row.result || row.problem) && button(words.bulk.import.details, () => {
            this.#shown = row;
            this.update();
          }, {
            kind: "quiet", "aria-label": words.bulk.import.detailsOf(row.name),
          }),
          state === "failed" && codes !== "" && button(words.bulk.import.accept(codes), () => {
            row.accepted = codes;
            this.#check(row);
          }, { kind: "quiet" }),
          state === "failed" && button(words.common.tryAgain, () => this.#check(row), { kind: "quiet" }),
          !isFixed && button(words.bulk.import.leave, () => {
            this.#rows = this.#rows.filter((one) => one !== row);
            this.update();
          }, {
            kind: "quiet", disabled: this.#isPublishing, "aria-label": words.bulk.import.leaveWhat(row.name),
          }))));
  }
}

/** The kind that a file's name says; without it, the server goes by the content. */
function kindOf(name) {
  return kinds.find((kind) => name.includes(kind.replace(".json", "")));
}

/** The domain that a file's path names: the innermost folder that looks like a host name, or else the file's own name. */
function domainOf(name) {
  const parts = name.split("/").toReversed();
  const file = parts.shift().replace(/\.(json|txt)$/i, "").replace(
    /apple-app-site-association|assetlinks|webauthn/g, "");
  const own = file.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "");
  return [own, ...parts].find((one) => /^([\p{L}\p{N}-]+\.)+[\p{L}-]{2,}$/u.test(one) && one !== ".well-known")
    ?.toLowerCase() ?? "";
}

/** Whether a file is what `aasa export` writes, not a document. */
function isState(text) {
  try {
    return Array.isArray(JSON.parse(text).domains);
  } catch {
    return false;
  }
}

/** A state that becomes the state of the server, after its plan. */
class Apply extends View {
  #draft = { text: "" };
  #prune = false;
  #overwrite = false;
  #isPlanning = 0;
  #done;

  #plan() {
    this.#done = undefined;
    this.#isPlanning++;
    this.update();
  }

  render() {
    const { text } = this.#draft;
    // Both forms of a state: an object, or lines of objects, which may be of any size.
    const type = /^\s*\{\s*"(app|package|domain|keep)"\s*:/.test(text) ? "application/x-ndjson" : "application/json";
    return [
      h(
        "p", { key: "help" }, words.bulk.apply.help, " ",
        h("a", { href: "/v1/export", download: "aasa-state.json" }, words.bulk.apply.download)),
      h("aasa-drop", {
        key: "drop", text: words.bulk.apply.drop, accept: ".json,.ndjson",
        on: {
          files: ({ detail }) => {
            this.#draft.text = detail[0].text;
            this.update();
          },
        },
      }),
      form(
        () => this.#plan(), { key: "form" },
        field(words.bulk.apply.state, {
          id: "state", tag: "textarea", rows: 10, spellcheck: "false", placeholder: '{"apps": […], "domains": […]}',
          ...bound(this.#draft, "text", () => this.update()),
        }),
        checkbox(words.bulk.apply.prune, {
          id: "prune", checked: this.#prune,
          on: {
            change: (event) => {
              this.#prune = event.target.checked;
            },
          },
        }),
        checkbox(words.bulk.apply.overwrite, {
          id: "overwrite", checked: this.#overwrite,
          on: {
            change: (event) => {
              this.#overwrite = event.target.checked;
            },
          },
        }),
        submit(words.bulk.preview, { disabled: text.trim() === "" })),
      this.#done &&
      h("div", { class: "box ok", role: "status", key: "done" }, words.bulk.done(actionCounts(this.#done.domains))),
      this.#isPlanning > 0 && dialog(
        { title: words.bulk.apply.plan, wide: true, close: () => this.#close() },
        h("aasa-plan", {
          key: this.#isPlanning, label: words.bulk.apply.button, mayDo: may("editor"), close: () => this.#close(),
          show: showState, send: (query) =>
            request("POST", "/v1/apply", {
              body: text, type,
              query: { ...query, prune: this.#prune || undefined, overwrite: this.#overwrite || undefined },
            }),
          isEmpty: (plan) =>
            [...plan.domains, ...plan.apps, ...(plan.androidApps ?? [])].every(({ action }) => action === "unchanged"),
          done: (plan) => {
            this.#done = plan;
            this.#close();
          },
        }))];
  }

  #close() {
    this.#isPlanning = 0;
    this.update();
  }
}

/** A plan of `apply`: how much of each kind, then what changes. */
export function showState({ apps = [], androidApps = [], domains }) {
  const changed = domains.filter(({ action }) => action !== "unchanged");
  const changedApps = [...apps, ...androidApps].filter(({ action }) => action !== "unchanged");
  return [
    facts([
      [words.pages.domains, actionCounts(domains) || words.common.none],
      [words.pages.apps, actionCounts([...apps, ...androidApps]) || words.common.none]]),
    changedApps.length > 0 && h(
      "ul", { key: "apps", class: "plan" },
      changedApps.slice(0, 100).map((one) =>
        h(
          "li", { key: one.app ?? one.package, class: "line" }, h("bdi", { class: "mono" }, one.app ?? one.package),
          " ", actionBadge(one.action)))),
    changedApps.length > 100 &&
    h("p", { class: "help", key: "more-apps" }, words.bulk.plan.moreChanges(changedApps.length - 100)),
    changed.length > 0 && domainEffects(changed)];
}

customElements.define("aasa-bulk", Bulk);
customElements.define("aasa-bulk-import", Import);
customElements.define("aasa-bulk-apply", Apply);
