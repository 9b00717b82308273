// Changes of many domains: files to import, a whole state to apply, and an edit of routes.

import { parsed, path, request } from "../api.js";
import {
  asHere,
  badge,
  button,
  coded,
  define,
  dialog,
  draftCheckbox,
  draftField,
  empty,
  facts,
  field,
  form,
  h,
  loaded,
  mono,
  problemBox,
  submit,
  tabs,
  View,
} from "../parts.js";
import { to } from "../routing.js";
import { Loading, may, say, session } from "../state.js";
import { words } from "../words.js";
import { plainList } from "./domain-parts.js";
import { exact, hostName } from "./domains-add.js";
import {
  acceptable,
  actionBadge,
  actionCounts,
  appsOf,
  changed,
  domainEffects,
  doneBox,
  effects,
  left,
  planDialog,
  reasonField,
} from "./plan.js";
import "./bulk-route.js";
import "./drop.js";
import { typedList } from "./settings-webhooks.js";

const text = words.bulk.import;
const sections = ["import", "apply", "route"];
const kinds = Object.keys(words.document);
const members = ["applinks", "webcredentials", "appclips", "activitycontinuation", "relation", "origins"];

class Bulk extends View {
  render() {
    const { sections: names, viewer } = words.bulk;
    const title = words.pages.bulk;
    const [, section = "import"] = this.address.parts;
    const link = (one) => [one, names[one], to(one === "import" ? ["bulk"] : ["bulk", one])];
    return [
      h("h1", { key: "title" }, title),
      tabs(title, sections.map(link), section),
      !may("editor") && h("p", { class: "box", key: "viewer" }, viewer),
      sections.includes(section)
        ? h(`aasa-bulk-${section}`, { key: section, address: this.address })
        : empty(words.pages.notFound, words.pages.notFoundText),
    ];
  }
}

let number = 0;
/** What was dropped stays while the person who did it looks at other pages. */
let kept = [];
let keptBy;
/** Whether they are being published, which goes on when the page is left. */
let isPublishing = false;
/** The page that shows them, if any. */
let page;
/** The names of files that were dropped and are no association files. */
let skipped = [];
/** The state to apply, maybe one that was dropped among files. How to apply it is chosen each time. */
let carried = { by: "", text: "" };

/** Files that become documents of domains. A row has `name`, `body` (the file), `text`, `kind`, `domain`, `report` (of
 * the linter), and `state`: "checking", "state", "nameless", "ready", "publishing", "published" or "failed". */
class Import extends View {
  #draft = {};
  /** What domains serve today; its value is what to say of it. */
  #fetching = new Loading(this, async (signal) => {
    const body = { domains: typedList(this.#draft.live).map((one) => hostName(one) ?? one) };
    const { items } = (await request("POST", "/v1/live-files", { body, signal })).value;
    this.#add(items.flatMap(({ domain, files }) =>
      files.map(({ url, content, mediaType }) => {
        const bytes = Uint8Array.from(atob(content), (one) => one.charCodeAt(0));
        const name = `${domain}/${url.split("/").at(-1)}`;
        // What has a media type is published as bytes, under its name.
        return {
          name,
          text: new TextDecoder().decode(bytes),
          file: new Blob([bytes]),
          ...mediaType && { kind: url.split("/").at(-1), domain, type: mediaType },
        };
      })
    ));
    return items.flatMap(({ failures, notes }) => [...failures.map((one) => one.message), ...notes]);
  });
  shown;

  start() {
    page = this;
    if (keptBy !== session.name) [keptBy, kept, skipped] = [session.name, [], []];
    this.#checkAll(kept.filter((row) => row.state === "checking"));
  }

  async #add(files) {
    skipped = files.filter((file) => !isRelated(file)).map(({ name }) => name);
    const rows = files.filter(isRelated).map(({ name, text, file, ...given }) => ({
      id: ++number,
      name,
      text,
      body: file,
      kind: kindOf(name),
      domain: domainOf(name),
      state: "checking",
      run: 0,
      ...given,
    }));
    kept.push(...rows);
    await this.#checkAll(rows.filter((row) => row.run === 0));
  }

  /** One after the other: a folder may have hundreds of files. */
  async #checkAll(rows) {
    this.update();
    for (const row of rows) await this.#check(row);
  }

  #drop(rows) {
    kept = kept.filter((one) => !rows.includes(one));
    this.update();
  }

  async #check(row) {
    const mine = ++row.run;
    Object.assign(row, { state: "checking", problem: undefined, result: undefined, isNew: undefined, etag: undefined });
    this.update();
    try {
      const query = { kind: row.kind };
      const { value } = await request("POST", "/v1/validate", { body: row.body, query, signal: this.ending });
      if (mine !== row.run) return;
      row.report = value;
      row.kind = value.kind;
      const state = isState(row.text) ? "state" : row.domain === "" ? "nameless" : "ready";
      const result = state === "ready" ? await this.#preview(row) : undefined;
      if (mine !== row.run) return;
      Object.assign(row, { state, result });
    } catch (problem) {
      if (problem.name === "AbortError" || mine !== row.run) return;
      Object.assign(row, { problem, state: "failed" });
    }
    this.update();
  }

  async #preview(row) {
    const query = { dryRun: true, accept: row.accepted };
    row.needsApproval = false;
    try {
      return await this.#put(row, query);
    } catch (problem) {
      if (problem.code !== "approval-required") throw problem;
      row.needsApproval = true;
      return await this.#put(row, { ...query, approved: true });
    }
  }

  /** Publishes, or does as if. A domain that exists is replaced only in the revision that was looked at. */
  async #put(row, query) {
    const domain = path`/v1/domains/${row.domain}`;
    const androidApps = this.#draft.androidApps ? "create" : undefined;
    // Who leaves the page looks at no plan any more, and still publishes all files.
    const signal = query.dryRun ? this.ending : undefined;
    const put = async (condition) => {
      const options = { body: row.body, type: row.type, query: { ...query, androidApps }, signal, ...condition };
      return (await request("PUT", `${domain}/documents/${row.kind}`, options)).value;
    };
    if (row.isNew !== false) {
      try {
        row.isNew = true;
        return await put({ ifNoneMatch: "*" });
      } catch (problem) {
        // One that somebody has added since the preview has a revision that nobody looked at.
        if (problem.code !== "already-exists" || !query.dryRun) throw problem;
        row.isNew = false;
      }
    }
    row.etag ??= (await request("GET", domain, { signal })).etag;
    return await put({ ifMatch: row.etag });
  }

  /** What to say of a row. Another row may be for the same document. */
  #stateOf(row) {
    const isSame = (one) => one.id < row.id && one.domain === row.domain && one.kind === row.kind;
    return row.domain !== "" && kept.some(isSame) ? "twice" : row.state;
  }

  #ready = () => kept.filter((row) => this.#stateOf(row) === "ready");

  async #publish() {
    // Android's routes are compared with those of Apple's file.
    const wanted = this.#ready().toSorted((one, other) => kinds.indexOf(one.kind) - kinds.indexOf(other.kind));
    const revisions = {};
    let [done, asked] = [0, 0];
    const { name } = session;
    isPublishing = true;
    for (const row of wanted) {
      // Somebody else has signed in since.
      if (session.name !== name) break;
      row.state = "publishing";
      page.update();
      try {
        // Another file of this list may have published the domain a moment ago.
        if (revisions[row.domain]) Object.assign(row, { isNew: false, etag: revisions[row.domain] });
        const draft = row.needsApproval || undefined;
        // A second draft over the same revision could not be approved after the first.
        const other = draft && wanted.find((one) => one.asked && one.domain === row.domain)?.asked;
        if (other) {
          Object.assign(row, { state: "failed", problem: { detail: text.after(other), body: {} } });
          continue;
        }
        const answer = await this.#put(row, { reason: this.#draft.reason, accept: row.accepted, draft });
        if (draft) {
          Object.assign(row, { state: "asked", asked: answer.id });
          asked++;
        } else {
          revisions[row.domain] = String(answer.revision);
          Object.assign(row, { state: "published", result: answer });
          done++;
        }
      } catch (problem) {
        Object.assign(row, { problem, state: "failed" });
      }
    }
    isPublishing = false;
    page.update();
    page.dispatchEvent(new Event("published"));
    if (session.name === name) {
      say(text.done(done, asked, wanted.length), done + asked === wanted.length ? "ok" : "error");
    }
  }

  render() {
    const rows = kept;
    const ready = this.#ready().length;
    const { shown } = this;
    return [
      h(
        "section",
        { class: "sheet", key: "drop" },
        h("h2", {}, text.title),
        h("p", {}, text.help),
        h("aasa-drop", { text: text.drop, on: { files: ({ detail }) => this.#add(detail) } }),
      ),
      may("editor") &&
      h(
        "section",
        { class: "sheet", key: "live" },
        h("h2", {}, text.liveTitle),
        form(
          () => this.#fetching.run(),
          {},
          draftField(text.live, this.#draft, "live", { ...exact, maxlength: 4000, help: text.liveHelp }),
          submit(text.fetch, { disabled: this.#fetching.isRunning }),
          loaded(this.#fetching, (said) => plainList(said, (one) => one)),
        ),
      ),
      h("p", { class: "hidden", role: "status", key: "status" }, rows.length > 0 && text.status(ready, rows.length)),
      skipped.length > 0 && h("p", { class: "help", role: "status", key: "skipped" }, text.skipped(skipped)),
      rows.length > 0 && [
        this.#groups(rows),
        may("editor") &&
        form(
          () => this.#publish(),
          { key: "publish" },
          this.#offer(),
          ready > 0 && reasonField(this.#draft),
          h(
            "div",
            { class: "actions" },
            ready > 0 && submit(text.publish(ready), { kind: "primary", disabled: isPublishing, key: "publish" }),
            button(text.clear, () => this.#drop(rows), { disabled: isPublishing }),
          ),
        ),
      ],
      shown &&
      dialog({
        title: shown.name,
        wide: true,
        close: () => this.set({ shown: undefined }),
      }, shown.problem ? problemBox(shown.problem) : effects({ ...shown.result, domain: shown.domain })),
    ];
  }

  #groups(rows) {
    const needy = ["failed", "twice", "nameless", "state"];
    const groupOf = (row) =>
      row.domain === "" || needy.includes(this.#stateOf(row))
        ? "needy"
        : ["published", "asked"].includes(this.#stateOf(row))
        ? "done"
        : "ready";
    const groups = Object.groupBy(rows, groupOf);
    return Object.keys(text.groups).filter((name) => groups[name]).map((name) =>
      h(
        "section",
        { key: name },
        h("h2", {}, text.groups[name](groups[name].length)),
        h("ul", { class: "plan rows", "aria-label": text.files }, groups[name].map((row) => this.#row(row))),
      )
    );
  }

  #offer() {
    // The files of the first two kinds name apps.
    const rows = kept.filter((row) => row.state === "ready" && kinds.indexOf(row.kind) < 2);
    const apps = [
      ...new Set(
        rows.flatMap(({ result }) => result?.androidApps ?? [])
          .filter(({ action }) => action !== "stored").map((one) => one.package),
      ),
    ];
    return apps.length > 0 && h(
      "div",
      { key: "android", on: { change: () => this.#checkAll(rows) } },
      draftCheckbox(
        text.androidApps(apps.slice(0, 5).join(", ") + (apps.length > 5 ? " …" : "")),
        this.#draft,
        "androidApps",
      ),
    );
  }

  #row(row) {
    const { name, report, problem, result, domain } = row;
    const state = this.#stateOf(row);
    const isState = state === "state";
    const isFixed = ["publishing", "published", "asked"].includes(state);
    const codes = problem ? acceptable(problem) : [];
    const error = !isState && report?.findings.find((one) => one.severity === "error");
    const isRefused = error && (problem?.code ?? error.code) === error.code;
    const fault = problem?.status === 0
      ? words.problem.offline
      : asHere(isRefused ? `${error.message} ${error.help}` : problem?.detail ?? "");
    const changesLinks = state === "ready" && result.diff?.affectsLinks;
    const kind = changesLinks
      ? "warning"
      : { ready: "ok", published: "ok", asked: "note", failed: "error", twice: "error", nameless: "warning" }[state];
    const check = (values) => {
      Object.assign(row, values);
      this.#check(row);
    };
    const action = (label, press, rest = {}) => button(label, press, { kind: "quiet", key: label, ...rest });
    return h(
      "li",
      { key: row.id },
      h(
        "p",
        { class: "file" },
        h("bdi", { class: "mono" }, name),
        " ",
        report && !isState && badge(words.document[row.kind] ?? row.kind, "quiet", { key: "kind" }),
      ),
      !isState && field(words.settings.domain, {
        id: `domain-${row.id}`,
        value: domain,
        disabled: isFixed || isPublishing,
        spellcheck: "false",
        autocapitalize: "none",
        on: {
          change: ({ target: { value } }) => check({ domain: hostName(value) ?? value.trim(), accepted: undefined }),
        },
      }),
      h(
        "div",
        { class: "state" },
        badge(stateText(row, state), kind),
        " ",
        changesLinks && [badge(words.bulk.links, "warning", { key: "links" }), " "],
        !isState && report?.findings.length > 0 &&
          h("span", { key: "counts" }, text.findings(report.findings.length + (report.moreFindings ?? 0)), " "),
        isState &&
          h(
            "a",
            {
              href: to(["bulk", "apply"]),
              key: "apply",
              on: { click: () => (carried = { by: session.name, text: row.text }) },
            },
            words.bulk.sections.apply,
          ),
        state === "ready" && row.needsApproval && [badge(text.needsApproval, "note", { key: "approval" }), " "],
        state === "published" && h("a", { href: to(["domains", domain]), key: "open" }, words.bulk.open),
        state === "asked" && h("a", { href: to(["drafts", row.asked]), key: "draft" }, words.drafts.one(row.asked)),
        fault && h("p", { class: "fault" }, coded(fault)),
        h(
          "span",
          { class: "actions", key: "more" },
          (result || problem) &&
            action(text.details, () => this.set({ shown: row }), { "aria-label": text.detailsOf(name) }),
          state === "failed" && codes.length > 0 && action(
            text.accept,
            () => check({ accepted: codes.join(",") }),
            { title: codes.join(", ") },
          ),
          state === "failed" && action(words.common.tryAgain, () => check()),
          !isFixed && action(text.leave, () => this.#drop([row]), {
            disabled: isPublishing,
            "aria-label": text.leaveWhat(name),
          }),
        ),
      ),
    );
  }
}

function stateText({ result, isNew, etag }, state) {
  if (state === "ready" && isNew) return text.isNew;
  if (state === "ready" && result.changed) return text.changes(etag);
  return state === "published" && result.changed ? text.publishedAs(result.revision) : text[state];
}

/** The kind that a file's name says; without it, the server goes by the content. */
function kindOf(name) {
  const find = (text) => kinds.find((kind) => text.includes(kind.replace(".json", "")));
  return find(name.slice(name.lastIndexOf("/") + 1)) ?? find(name);
}

/** The domain that a file's path names: the innermost folder that looks like a host name, or the file's own name. */
function domainOf(name) {
  const [file, ...folders] = name.split("/").toReversed();
  const own = kinds.reduce(
    (text, kind) => text.replaceAll(kind.replace(".json", ""), ""),
    file.replace(/\.(json|txt)$/i, ""),
  )
    .replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "");
  return [own, ...folders].find((one) => /^([\p{L}\p{N}-]+\.)+([\p{L}-]{2,}|xn--[\p{L}\p{N}-]+)$/u.test(one))
    ?.toLowerCase() ?? "";
}

/** Whether a file is what `aasa export` writes, not a document. */
function isState(text) {
  const json = parsed(() => text.replace(/^\uFEFF/, ""));
  if (!json || json.applinks) return false;
  const isList = (name) => Array.isArray(json[name]);
  const names = Object.keys(json);
  return typeof json.domain === "string" || isList("domains") ||
    names.length > 0 && names.every((name) => ["apps", "androidApps", "templates"].includes(name) && isList(name));
}

/** Whether somebody may want to publish a file: by its name, unless its content is something else altogether, or by its
 * content. A folder also has .DS_Store, README.md (a valid host name) and package.json. */
function isRelated({ name, text, type }) {
  if (type) return true;
  const parts = name.split("/");
  const own = parts.at(-1);
  if (parts.some((part) => part.startsWith(".") && part !== ".well-known")) return false;
  if (kindOf(own) || isState(text)) return true;
  const json = parsed(() => text.replace(/^\uFEFF/, ""));
  if (Array.isArray(json) ? json.some((one) => one?.relation) : members.some((one) => json?.[one])) return true;
  if (domainOf(own) === "") return false;
  // A JSON file that is broken, JSON in a signature, and the page of a failed download are reported.
  if (/\.json$/i.test(own) || /^[\s\uFEFF]*(?:[{[0]|$)/.test(text)) return true;
  return !(/^\s*</.test(text) ? markup : others).test(own);
}

/** Names of files that begin with "<", and of others that people keep beside these. Some suffixes are domains, too. */
const markup = /\.(html?|plist|svg|xhtml|xml)$/i;
const others = new RegExp(
  "^readme|\\.(bak|cfg|conf|crt|css|csv|gif|go|gz|html?|ico|ini|jpe?g|m?js|key|lock|log|map|md" +
    "|orig|pdf|pem|php|plist|png|py|rb|rs|sh|so|sql|svg|swift|swp|tar|toml|tsv?|txt|webp|xml|ya?ml|zip)$",
  "i",
);

class Apply extends View {
  result;
  /** What is checked: `prune` and `overwrite`. */
  #chosen = {};

  #send(query) {
    const { text } = carried;
    const { prune = false, overwrite = false } = this.#chosen;
    // Both forms of a state: an object, or lines of objects, which may be of any size.
    const type = isLines(text) ? "application/x-ndjson" : "application/json";
    return request("POST", "/v1/apply", { body: text, type, query: { ...query, prune, overwrite } });
  }

  render() {
    const { result } = this;
    const text = words.bulk.apply;
    if (carried.by !== session.name) carried = { by: session.name, text: "" };
    const take = ({ detail: [{ text }] }) => {
      carried.text = text;
      this.#chosen = {};
      this.update();
    };
    return [
      h("p", {}, text.help, " ", h("a", { href: "/v1/export", download: "aasa-state.json" }, text.download)),
      h("aasa-drop", { key: "drop", text: text.drop, accept: ".json,.ndjson", isOne: true, on: { files: take } }),
      form(
        () => this.#plan(),
        { key: "form" },
        draftField(text.state, carried, "text", {
          tag: "textarea",
          rows: 10,
          spellcheck: "false",
          placeholder: '{"apps": […], "domains": […]}',
          change: () => this.update(),
        }),
        h(
          "div",
          { key: "options", on: { change: () => this.update() } },
          draftCheckbox(text.prune, this.#chosen, "prune"),
          draftCheckbox(text.overwrite, this.#chosen, "overwrite"),
        ),
        submit(words.bulk.preview, { disabled: carried.text.trim() === "" }),
      ),
      result && doneBox(result),
      this.open,
    ];
  }

  #plan() {
    const text = words.bulk.apply;
    this.set({ result: undefined });
    this.show(planDialog, {
      title: text.plan,
      label: text.button,
      mayDo: may("editor"),
      show: showState,
      send: (query) => this.#send(query),
      done: (result) => {
        this.#chosen = {};
        this.set({ result });
      },
      isEmpty: (plan) => changed([...plan.domains, ...appsOf(plan)]).length === 0,
    });
  }
}

/** Whether a state comes as lines (NDJSON). */
const isLines = (text) => /^\s*\{\s*"(app|package|template|domain|keep)"\s*:/.test(text);

function showState(plan) {
  const { templates = [], ...rest } = plan;
  const row = ({ app, template = app, package: name = template, action }) =>
    h("li", { key: name, class: "line" }, mono(name), " ", actionBadge(action));
  const changedApps = changed(appsOf(plan));
  const domains = changed(plan.domains);
  return [
    facts([
      [words.pages.domains, actionCounts(plan.domains) || words.common.none],
      [words.pages.apps, actionCounts(appsOf(rest)) || words.common.none],
      ...(templates.length > 0 ? [[words.pages.templates, actionCounts(templates)]] : []),
    ]),
    changedApps.length > 0 && h("ul", { key: "apps", class: "plan" }, changedApps.slice(0, 100).map(row)),
    left("more-apps", changedApps.length - 100),
    domains.length > 0 && domainEffects(domains),
  ];
}

define({ "aasa-bulk": Bulk, "aasa-bulk-import": Import, "aasa-bulk-apply": Apply });
