// The domains of a template with their values: a table that is edited, or a CSV file that is dropped on it.

import { get, path, Problem, request } from "../api.js";
import { badge, button, draftField, empty, field, form, h, loaded, quiet, submit, table, View } from "../parts.js";
import { to } from "../routing.js";
import { Loading, may, mayAdd, mayEditDomain, say, session } from "../state.js";
import { words } from "../words.js";
import { plainList } from "./domain-parts.js";
import { exact, hostName } from "./domains-add.js";
import { toInput } from "./draft.js";
import "./drop.js";
import { actionCounts, changed, domainEffects, planDialog } from "./plan.js";
import { defaultText, typedValue, valueAsText } from "./template-parts.js";

const w = words.templates.table;
/** So many rows, and faults of a file, are shown; the filter finds other rows. */
const most = 100;

/** What is typed stays while the person looks at other pages: the edits of each template, by domain. An edit has the
 * `domain`, the `revision` that it began with, the texts of changed `values`, and perhaps `isNew` or `isDetached`. */
const kept = new Map();

class TemplateTable extends View {
  name;
  query;
  #typed = "";
  #draft = {};
  /** What the API says of values, by domain and parameter. */ #faults = new Map();
  /** What is wrong with a file. @type {any} */ #file;
  #loading = new Loading(this, async (signal) => {
    /** @type {any[]} */
    const rows = [];
    const template = await get(path`/v1/templates/${this.name}`, {}, signal);
    let cursor;
    while (cursor !== null) {
      const page = await get("/v1/domains", { template: this.name, limit: 1000, cursor }, signal);
      rows.push(...page.items);
      cursor = page.next;
    }
    return { template, rows };
  });

  get #edits() {
    const key = `${session.name} ${this.name}`;
    if (!kept.has(key)) kept.set(key, new Map());
    return kept.get(key);
  }

  /** Changes the edit of a domain; one that changes nothing is none. */
  #edit(domain, change) {
    const row = this.#loading.value.rows.find((one) => one.domain === domain);
    const edit = this.#edits.get(domain) ?? { domain, revision: row?.revision, values: {} };
    change(edit);
    this.#edits.set(domain, edit);
    if (!edit.isNew && !edit.isDetached && Object.keys(edit.values).length === 0) this.#edits.delete(domain);
    this.update();
  }

  #drop(domain) {
    this.#edits.delete(domain);
    this.update();
  }

  #add(typed = "", rows) {
    const domain = hostName(typed) ?? typed.trim();
    if (domain === "") return;
    if (rows.some((row) => row.domain === domain) || this.#edits.has(domain)) return say(w.exists(domain), "error");
    this.#draft = {};
    this.#edit(domain, (edit) => Object.assign(edit, { isNew: true }));
    setTimeout(() => this.find("tbody input")?.focus());
  }

  /** The edits as domains of a state. Those that are detached have everything that is in force as their own. */
  async #state() {
    // The API lets a state replace what another one has applied, such as another person's table.
    await this.#loading.run();
    if (this.#loading.problem) throw this.#loading.problem;
    const { template, rows } = this.#loading.value;
    const revisions = new Map(rows.map((row) => [row.domain, row.revision]));
    const overtaken = [...this.#edits.values()].filter((one) => revisions.get(one.domain) !== one.revision);
    for (const edit of overtaken) edit.revision = revisions.get(edit.domain);
    if (overtaken.length > 0) throw new Problem(409, { detail: w.overtaken(overtaken.map((one) => one.domain)) });
    const state = [];
    for (const { domain, values, isDetached } of this.#edits.values()) {
      const row = rows.find((one) => one.domain === domain);
      if (isDetached) {
        const { entries, ...rest } = toInput(await get(path`/v1/domains/${domain}`, { resolved: true }, this.ending));
        const bare = ({ id: _id, ...one }) => one;
        state.push({
          ...rest,
          template: null,
          parameters: null,
          revision: row?.revision,
          entries: entries.map((entry) => bare({ ...entry, routes: entry.routes.map(bare) })),
        });
      } else {
        // The API asks for what a new domain lacks.
        const typed = template.parameters.filter(({ name }) => values[name] !== undefined)
          .map((one) => [one.name, typedValue(values[one.name] ?? "", one)]);
        const parameters = { ...row?.parameters, ...Object.fromEntries(typed) };
        state.push({ domain, template: template.template, parameters, revision: row?.revision });
      }
    }
    return state;
  }

  /** Shows what domains of a state would change, then changes it. `places` names each for faults. */
  #plan({ title, state, places, options = (/** @type {any} */ _found) => [], done, table = undefined }) {
    let domains;
    this.#faults.clear();
    this.show(planDialog, {
      title,
      label: w.save,
      mayDo: may("editor"),
      send: async (chosen) => {
        const query = { ...chosen, template: table };
        // What follows a plan sends the same.
        if (query.dryRun) domains = await state();
        try {
          return await request("POST", "/v1/apply", { body: { domains }, query });
        } catch (problem) {
          throw this.#placed(await withFaultsOfOthers(problem, domains, table), domains, places);
        }
      },
      show: (plan) => [h("p", { key: "counts" }, actionCounts(plan.domains)), domainEffects(changed(plan.domains))],
      isEmpty: (plan) => changed(plan.domains).length === 0,
      options: (found) => [
        ...options(found),
        (found.problem?.code === "changed-elsewhere" ||
          found.chosen.has("overwrite=true")) && ["overwrite=true", words.bulk.apply.overwrite],
      ],
      said: ({ domains }) => words.bulk.done(actionCounts(domains)),
      done: () => {
        done();
        this.#loading.run();
      },
    });
  }

  /** A problem whose faults name lines and columns, or domains and parameters, which are marked in the table. */
  #placed(problem, domains, places) {
    const { body } = problem;
    const parameter = /\/parameters\/([^/]+)$/;
    const place = (index, { pointer = "", message, ...rest }) => {
      const [, name] = parameter.exec(pointer) ?? [];
      const { domain } = domains[index] ?? {};
      if (name) this.#faults.set(`${domain} ${name}`, message);
      return { ...rest, pointer: "", message: `${places(index, name)}: ${message}` };
    };
    const indexOf = (name) => domains.findIndex((one) => one.domain === name);
    const indexIn = (pointer) => Number(/^\/domains\/(\d+)/.exec(pointer)?.[1] ?? -1);
    const own = (body.errors ?? []).map((one) => place(body.domain ? indexOf(body.domain) : indexIn(one.pointer), one));
    const others = (body.problems ?? []).filter((one) => one.errors)
      .flatMap((one) => one.errors.map((error) => place(indexOf(one.domain), error)));
    problem.body = { ...body, errors: [...own, ...others], problems: body.problems?.filter((one) => !one.errors) };
    return problem;
  }

  #save() {
    const edits = [...this.#edits.values()];
    this.#plan({
      title: w.review,
      state: () => this.#state(),
      places: (index, name) => name ? w.cell(edits[index]?.domain, name) : edits[index]?.domain,
      done: () => this.#edits.clear(),
    });
  }

  #take([file], { template, rows }) {
    const { faults, domains, lines } = readTable(file.text, template);
    this.#file = faults.length > 0 && { name: file.name, faults };
    this.update();
    if (faults.length > 0) return;
    const unlisted = rows.filter(({ domain }) => !domains.some((one) => one.domain === domain)).length;
    this.#plan({
      title: w.fromFile(file.name),
      state: () => domains,
      done: () => {},
      table: template.template,
      places: (index, name) => w.place(lines[index], name ?? "domain"),
      options: () => [unlisted > 0 && ["prune=true", w.prune(unlisted)]],
    });
  }

  render() {
    this.#loading.ask();
    return [loaded(this.#loading, (value) => this.#table(value)), this.open];
  }

  #table(value) {
    const { template, rows } = value;
    const { parameters } = template;
    const isEditor = may("editor");
    const edits = [...this.#edits.values()];
    const typed = this.#typed.trim().toLowerCase();
    const has = (row) =>
      [row.domain, ...Object.values(row.parameters ?? {}).map(valueAsText)]
        .some((text) => text.toLowerCase().includes(typed));
    const found = rows.filter(has);
    const shown = [
      ...edits.filter((one) => one.isNew && !rows.some(({ domain }) => domain === one.domain)),
      ...found.slice(0, most),
    ];
    const type = ({ target }) => {
      this.#typed = target.value;
      this.update();
    };
    return [
      h("p", { class: "quiet", key: "intro" }, w.intro),
      h(
        "div",
        { class: "toolbar", key: "tools" },
        field(w.filter, { ...exact, id: "table-filter", type: "search", value: this.#typed, on: { input: type } }),
        mayAdd() &&
          form(
            ({ domain }) => this.#add(domain, rows),
            { class: "toolbar-part", key: "add" },
            draftField(w.addDomain, this.#draft, "domain", {
              ...exact,
              id: "table-domain",
              placeholder: "links.example.com",
            }),
            submit(w.addRow),
          ),
      ),
      h("p", { class: "quiet", key: "count", role: "status" }, w.count(Math.min(found.length, most), found.length)),
      shown.length === 0 ? empty(w.none, isEditor ? w.noneText : "") : this.#rows(shown, parameters, isEditor),
      isEditor && edits.length > 0 &&
      h(
        "div",
        { class: "box section-head", key: "save" },
        h("span", {}, w.changed(edits)),
        h(
          "div",
          { class: "actions" },
          button(w.reviewButton, () => this.#save(), { kind: "primary", key: "save" }),
          button(w.discard, () => {
            this.#edits.clear();
            this.#faults.clear();
            this.update();
          }, { key: "discard" }),
        ),
      ),
      isEditor &&
      h(
        "section",
        { class: "sheet", key: "file" },
        h("h2", {}, w.fileTitle),
        h("p", {}, w.fileText, " ", h("code", {}, ["domain", ...parameters.map(({ name }) => name)].join(","))),
        this.#file &&
          h(
            "div",
            { class: "box error", role: "alert", key: "faults" },
            h("p", {}, w.fileRefused(this.#file.name)),
            plainList(this.#file.faults, (one) => one),
          ),
        h("aasa-drop", {
          text: w.drop,
          accept: ".csv,text/csv",
          isOne: true,
          key: "drop",
          on: { files: ({ detail }) => this.#take(detail, value) },
        }),
      ),
    ];
  }

  #rows(shown, parameters, isEditor) {
    const name = (/** @type {any} */ { domain }) => {
      const edit = this.#edits.get(domain);
      const said = h("bdi", {}, domain);
      return [
        edit?.isNew ? said : h("a", { href: to(["domains", domain]) }, said),
        edit && [" ", badge(edit.isNew ? w.isNew : edit.isDetached ? w.isDetached : w.isChanged, "note")],
      ];
    };
    const detach = ({ domain, labels = [] }) =>
      mayEditDomain(domain, labels) &&
      (this.#edits.has(domain)
        ? button(w.undo, () => this.#drop(domain), { kind: "quiet", key: "undo", "aria-label": w.undoWhat(domain) })
        : button(w.detach, () => this.#edit(domain, (one) => Object.assign(one, { isDetached: true })), {
          kind: "quiet",
          key: "detach",
          "aria-label": w.detachWhat(domain),
        }));
    return h(
      "div",
      { class: "cells", key: "cells" },
      table({
        caption: words.templates.sections.domains,
        rows: shown,
        key: (row) => row.domain,
        columns: [
          [words.domains.domain, name],
          ...parameters.map((one) => [one.name, (row) => this.#cell(row, one)]),
          ...isEditor ? [[words.settings.actions, detach, "no-title"]] : [],
        ],
      }),
    );
  }

  #cell({ domain, parameters, labels = [] }, one) {
    const edit = this.#edits.get(domain);
    const stored = valueAsText(parameters?.[one.name]);
    const typed = edit?.values[one.name];
    const fault = this.#faults.get(`${domain} ${one.name}`);
    const input = ({ target }) =>
      this.#edit(domain, ({ values, isNew }) => {
        this.#faults.delete(`${domain} ${one.name}`);
        if (target.value === stored && !isNew) delete values[one.name];
        else values[one.name] = target.value;
      });
    const id = `fault-${domain}-${one.name}`;
    if (!mayEditDomain(domain, labels) || edit?.isDetached) {
      return (typed ?? stored) === "" ? quiet(defaultText(one)) : h("bdi", {}, typed ?? stored);
    }
    return [
      h("input", {
        ...exact,
        maxlength: 8000,
        key: "input",
        "aria-label": w.cell(domain, one.name),
        value: typed ?? stored,
        class: typed === undefined ? null : "edited",
        placeholder: defaultText(one),
        on: { input },
        "aria-invalid": fault ? "true" : null,
        "aria-describedby": fault ? id : null,
      }),
      fault && h("p", { class: "fault", key: "fault", id }, fault),
    ];
  }
}

/** A problem with the faults of the other domains, too: while names are invalid, the API looks at nothing else. */
async function withFaultsOfOthers(problem, domains, table) {
  const named = (problem.body.errors ?? []).map(({ pointer }) => /^\/domains\/(\d+)\//.exec(pointer)?.[1]);
  const others = domains.filter((_, index) => !named.includes(String(index)));
  if (named.includes(undefined) || others.length === domains.length) return problem;
  const more = await request("POST", "/v1/apply", {
    body: { domains: others },
    query: { dryRun: true, template: table },
  }).catch(({ body }) => body);
  const { problems = more.errors ? [more] : [] } = more;
  return Object.assign(problem, { body: { ...problem.body, problems: problems.filter((one) => one.domain) } });
}

/** The domains of a CSV file (RFC 4180), as elements of a state, and their lines; or what is wrong, with lines and
 * columns. The file is that of `aasa apply --template NAME --from FILE`. The API checks the values. */
function readTable(text, template) {
  const faults = [];
  let more = 0;
  const fault = (...said) => faults.length < most ? faults.push(w.fault(...said)) : more++;
  const rows = text.includes("\uFFFD") ? undefined : readCSV(text, fault);
  if (!rows) return { faults: faults.length > 0 ? faults : [w.notUTF8] };
  const [header, ...others] = rows;
  if (!header) return { faults: [w.emptyFile] };
  const columns = header.cells;
  if (columns.length === 1 && columns[0].includes(";")) return { faults: [w.semicolons] };
  const known = new Map(template.parameters.map((one) => [one.name, one]));
  if (columns[0] !== "domain") fault(header.line, columns[0], w.firstColumn);
  columns.slice(1).forEach((name, index) => {
    if (columns.indexOf(name) <= index) fault(header.line, name, w.twiceColumn);
    else if (!known.has(name)) fault(header.line, name, w.unknownColumn([...known.keys()]));
  });
  const seen = new Map();
  const domains = [];
  const lines = [];
  for (const { line, cells } of faults.length > 0 ? [] : others) {
    if (cells.length !== columns.length) {
      fault(line, undefined, w.cells(cells.length, columns.length));
      continue;
    }
    const domain = hostName(cells[0]) ?? cells[0];
    if (seen.has(domain)) fault(line, "domain", w.twiceDomain(domain, seen.get(domain)));
    seen.set(domain, line);
    // A value without a column stays; an empty cell resets it.
    const values = columns.slice(1).map((name, index) => [name, typedValue(cells[index + 1], known.get(name)) ?? null]);
    domains.push({ domain, template: template.template, parameters: Object.fromEntries(values) });
    lines.push(line);
  }
  if (more > 0) faults.push(words.templates.andMore(more).trim());
  return { faults, domains, lines };
}

/** The rows of a CSV file, each with the line that it begins on; undefined for a quote in the wrong place. Blanks
 * around cells without quotes are no part of them, and empty lines are no rows. */
function readCSV(text, fault) {
  const pattern = /[ \t]*(?:"([^"]*(?:""[^"]*)*)"[ \t]*|([^",\r\n]*))(,|\r\n?|\n|$)/y;
  const rows = [];
  let line = 1;
  let row = { line, cells: [] };
  while (pattern.lastIndex < text.length || row.cells.length > 0) {
    const [all, quoted, plain, end] = pattern.exec(text) ?? [];
    if (all === undefined) {
      fault(line, undefined, w.quote);
      return undefined;
    }
    row.cells.push(quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"'));
    line += all.match(/\r\n?|\n/g)?.length ?? 0;
    if (end === ",") continue;
    if (row.cells.length > 1 || quoted !== undefined || row.cells[0] !== "") rows.push(row);
    row = { line, cells: [] };
  }
  return rows;
}

customElements.define("aasa-template-table", TemplateTable);
