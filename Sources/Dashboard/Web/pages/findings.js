// What the linter and the checks found in all domains, and what somebody decided not to act on.

import { get, path, refused, request } from "../api.js";
import {
  asHere,
  badge,
  button,
  coded,
  count,
  cursorPages,
  day as date,
  draftField,
  empty,
  field,
  filters,
  findingHead,
  form,
  h,
  linkButton,
  loaded,
  mono,
  quiet,
  rules,
  severities,
  table,
  View,
  worstFirst,
} from "../parts.js";
import { ask, to } from "../routing.js";
import { isUnlimited, Loading, mayEditDomain, say, session } from "../state.js";
import { words } from "../words.js";
import { inWords } from "./domain-parts.js";
import { exact, hostName } from "./domains-add.js";
import { formDialog, inTurns } from "./plan.js";

const said = words.findings;
const [perCode, perDomain] = [50, 200];

class Findings extends View {
  #list = new Loading(this, (signal) => this.#load(signal));
  /** Those of the domain, or else those of several domains, which only some may read. */
  #suppressions = new Loading(this, async (signal) => ({
    of: this.#domain,
    items: [],
    ...(this.#domain
      ? await get(path`/v1/domains/${this.#domain}/suppressions`, {}, signal)
      : isUnlimited() && await get("/v1/suppressions", {}, signal)),
  }));
  /** The apps of the statements in Android's files, by domain: messages name them as soon as they are known. */
  #apps = new Loading(this, (signal) => loadApps(this.#list.value.items, signal));
  /** What is typed into the filter, until it is sent. */ #typed;

  #done(text) {
    say(text);
    this.close();
    this.#suppressions.run();
    this.#list.run();
  }

  get #domain() {
    return this.address.query.domain ?? "";
  }

  start() {
    this.every(3, () => this.#list.value?.pending > 0 && this.#list.run());
  }

  async #load(signal) {
    // What is suppressed is left out unless it is asked for.
    const { code, cursor, domain, open: asked, severity, source, suppressed = "false" } = this.address.query;
    const filters = { domain, source, suppressed: suppressed === "all" ? undefined : suppressed };
    const find = (more) => get("/v1/findings", { ...filters, limit: 1, ...more }, signal);
    const shown = severities.filter((one) => !severity || one === severity);
    const found = await Promise.all(shown.map((one) => find({ severity: one })));
    const totals = found.map(({ total }) => total);
    const all = { pending: found[0].pending, totals };
    if (domain || suppressed !== "false") {
      return { ...all, ...(await find({ cursor, limit: perDomain, severity, code })) };
    }
    const codes = found.flatMap(({ counts }, index) =>
      Object.entries(counts)
        .sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]))
        .map(([code, number]) => ({ severity: shown[index], code, number }))
    );
    // The worst is open, unless somebody asks for another one, or closes it.
    const open = codes.find((one) => (!code || code === one.code) && (!asked || asked === one.severity));
    const { number: _, ...only } = open ?? {};
    return { ...all, codes, open, ...(open && await find({ ...only, cursor, limit: perCode })) };
  }

  render() {
    this.#list.ask(this.address.query);
    const { value } = this.#list;
    // What both questions would fail with is said once.
    if (value) this.#suppressions.ask(this.#domain);
    if (value) this.#apps.ask(value.items?.filter(isOfRule).map(({ domain, pointer }) => [domain, pointer]));
    return [
      h("h1", { key: "h1" }, said.title),
      h("p", { class: "quiet", key: "intro" }, said.intro),
      this.#toolbar(),
      h(
        "div",
        { role: "status", key: "state" },
        value?.pending > 0 && h("p", { class: "box warning" }, said.pending(value.pending)),
      ),
      loaded(this.#list, (list) => this.#found(list)),
      value && (this.#domain || this.#suppressions.problem || this.#suppressions.value?.items.length > 0) && h(
        "section",
        { key: "suppressions" },
        h("h2", {}, this.#domain ? [said.suppressionsOf, h("bdi", {}, this.#domain)] : said.suppressionsOfSeveral),
        loaded(this.#suppressions, ({ of, items }) => of === this.#domain && this.#decisions(items)),
      ),
      this.open,
    ];
  }

  #toolbar() {
    const filter = (changes) => ask({ open: "", code: "", cursor: "", ...changes });
    const select = (name, label, words, initial = "") =>
      field(label, {
        id: `finding-${name}`,
        tag: "select",
        options: Object.entries(words),
        value: this.address.query[name] ?? initial,
        on: { change: ({ target: { value } }) => filter({ [name]: value === initial ? "" : value }) },
      });
    const find = (domain) => {
      this.#typed = undefined;
      filter({ domain: hostName(domain) ?? domain.trim() });
    };
    return form(
      ({ domain }) => find(domain),
      { class: "toolbar", key: "filters", role: "search" },
      field(said.domain, {
        ...exact,
        id: "finding-domain",
        name: "domain",
        type: "search",
        value: this.#typed ?? this.#domain,
        placeholder: "example.com",
        on: {
          input: (event) => {
            this.#typed = event.target.value;
          },
          // The cross in the field empties it, without a submission.
          search: (event) => event.target.value === "" && find(""),
        },
      }),
      filters(
        ["severity", "source", "suppressed"].filter((name) => this.address.query[name]).length,
        select("severity", said.severity, said.severities),
        select("source", said.source, said.sources),
        select("suppressed", said.state, said.states, "false"),
      ),
    );
  }

  #found({ items: found = [], next = null, total, suppressed, totals, codes, open }) {
    const items = found.map((one) => isOfRule(one) ? withApp(one, this.#apps.value) : one);
    const isFiltered = Object.keys(this.address.query).some((name) => name !== "cursor");
    const all = totals.reduce((sum, one) => sum + one, 0);
    const pages = (total, perPage) => cursorPages(next, { total, shown: items.length, perPage });
    return [
      h(
        "p",
        { class: "quiet", key: "total", role: "status" },
        codes ? said.total(all) : said.total(total),
        this.address.query.suppressed === "all" && suppressed > 0 && said.ofThem(suppressed),
      ),
      codes?.map((one) => this.#code(one, one === open && [this.#texts(items), pages(one.number, perCode)])),
      !codes && [...Map.groupBy(worstFirst(items), ({ severity, code }) => `${severity} ${code}`)].map(
        ([key, found]) =>
          h(
            "section",
            { class: "sheet found-code", key },
            h("h2", {}, findingHead(found[0], " · ", said.total(found.length))),
            this.#texts(found),
          ),
      ),
      (codes ?? items).length > 0
        ? !codes && pages(total, perDomain)
        : isFiltered
        ? empty(said.noneHere, said.noneHereText, linkButton(said.clear, to(["findings"])))
        : empty(said.none, said.noneText, linkButton(words.pages.checks, to(["checks"]))),
    ];
  }

  /** The findings with one code. The address says which is open. */
  #code(one, content) {
    const { severity, code, number } = one;
    const press = (event) => {
      event.preventDefault();
      ask(content ? { open: "none", code: "", cursor: "" } : { open: severity, code, cursor: "" });
    };
    return h(
      "details",
      { class: "sheet found-code", key: `${severity} ${code}`, open: Boolean(content) },
      h("summary", { on: { click: press } }, findingHead(one, " · ", said.total(number))),
      content,
    );
  }

  /** What the findings say, each text once, with its domains and what differs there. */
  #texts(items) {
    // The texts of one domain are said as they are; of several, each names what the others have, too.
    const isOne = items.every(({ domain }) => domain === items[0].domain);
    const parts = ({ message, help, domain }) => {
      const shared = (text) => text.replaceAll(`https://${domain}/`, "/").replaceAll(domain, "…");
      const things = isOne ? [] : [...new Set(shared(message).match(named))];
      const without = (text, left) =>
        things.reduce(
          (said, thing, index) => left(index) ? said.replaceAll(thing, thing[0] === '"' ? '"…"' : "…") : said,
          isOne ? text : shared(text),
        );
      return { things, without, key: `${without(message, () => true)}\n${without(help, () => true)}` };
    };
    const groups = Map.groupBy(items.map((one) => ({ one, ...parts(one) })), ({ key }) => key);
    return [...groups].map(([key, found]) => {
      const [{ one: { message, help }, things, without }] = found;
      const differs = (index) => found.some((other) => other.things[index] !== things[index]);
      const say = (text) => coded(inWords(found.length > 1 ? without(text, differs) : text));
      return h(
        "section",
        { key, class: "found-text" },
        h("p", { dir: "auto" }, say(message)),
        h("p", {}, quiet(words.checks.nextStep), " ", say(help)),
        h(
          "ul",
          { class: "plain" },
          found.map(({ one, things }) =>
            h(
              "li",
              { key: keyOf(one), class: "section-head" },
              h(
                "span",
                {},
                h("a", { href: to(["domains", one.domain]) }, h("bdi", {}, one.domain)),
                things.filter((_, index) => differs(index)).map((thing) => [" · ", mono(thing.replaceAll('"', ""))]),
                quiet(where(one), about(one)),
              ),
              this.#action(one),
            )
          ),
        ),
      );
    });
  }

  #action(finding) {
    const { suppressed, domain, code, severity, source } = finding;
    if (!mayEditDomain(domain)) return null;
    if ((suppressed?.domain || suppressed?.label) && !isUnlimited("editor")) return null;
    if (suppressed) return this.#endButton({ ...suppressed, of: suppressed.domain, domain, code });
    // The server refuses a document with errors; only those of checks can be left as they are.
    if (severity === "error" && source !== "check") return null;
    const open = async () => {
      // Its labels are choices.
      const known = isUnlimited("editor") &&
        await get(path`/v1/domains/${domain}`, {}, this.ending).catch(() => undefined);
      const { labels = [] } = known || {};
      this.#suppress(finding, labels);
    };
    return button(said.suppress, open, { key: "suppress", kind: "quiet", "aria-label": said.suppressOf(code, domain) });
  }

  #endButton = (ending, text = said.end) =>
    button(text, () => this.#end(ending), {
      key: "end",
      kind: "quiet",
      "aria-label": said.endOf(ending.code, ending.domain),
    });

  #decisions(items) {
    if (items.length === 0) return h("p", { class: "quiet", key: "none" }, said.noSuppressions);
    const domain = this.#domain;
    const scope = (one) => one.domain ?? words.domains.labelled(one.label);
    const end = (one) => domain ? { ...one, domain } : { ...one, domain: scope(one), of: one.domain };
    return table({
      caption: domain ? said.suppressionsOf + domain : said.suppressionsOfSeveral,
      rows: items,
      key: (one) => one.id,
      columns: [
        [said.columns.code, (one) => [h("code", {}, one.code), h("div", { class: "help" }, place(one))]],
        ...domain ? [] : [[words.pages.domains, (one) => h("bdi", {}, scope(one))]],
        [said.columns.reason, (one) => h("span", { dir: "auto" }, one.reason)],
        [said.columns.owner, (one) => h("bdi", {}, one.owner), "short"],
        [said.columns.until, (one) => [date(one.until), " ", !one.active && badge(said.over)], "short"],
        [said.columns.covers, (one) => count(one.findings), "number"],
        [said.columns.action, (one) =>
          (domain ? mayEditDomain(domain) : isUnlimited("editor")) &&
          this.#endButton(end(one), one.active ? said.end : words.common.delete), "no-title"],
      ],
    });
  }

  #suppress(finding, labels) {
    const { domain, code, document, pointer, message } = finding;
    const scopes = places(finding);
    const send = async ({ until: day, among, ...given }) => {
      if (!day) throw refused("until", words.common.required);
      // The day that was chosen belongs to the suppression.
      const until = new Date(`${day}T23:59:59`).toISOString();
      // Of several domains, a place follows no route, so all findings with the code are meant.
      const where = among === "" ? path`/v1/domains/${domain}/suppressions` : "/v1/suppressions";
      const [kind, value] = among.split(" ");
      const chosen = among !== "" && { pointer: "", [kind]: value };
      const { value: made } = await request("POST", where, { body: { code, document, ...given, ...chosen, until } });
      this.#done(said.done(made.findings, date(made.until)));
    };
    this.show(formDialog, {
      title: said.suppressTitle,
      label: said.suppress,
      send,
      draft: { pointer, among: "", reason: "", owner: session.name, until: dayIn(90) },
      fields: (draft, update) => {
        const input = (label, name, more) => draftField(label, draft, name, { required: true, ...more });
        return [
          h("p", { class: "long" }, h("strong", {}, h("bdi", {}, domain)), ": ", h("bdi", {}, inWords(message))),
          isUnlimited("editor") && draftField(said.forWhich, draft, "among", {
            tag: "select",
            options: choices(domain, labels),
            change: update,
          }),
          draft.among === "" &&
          (scopes.length > 1
            ? input(said.scope, "pointer", { tag: "select", options: scopes })
            : h("p", { class: "help", key: "scope" }, said.scopeIsFile)),
          input(words.common.reason, "reason", { maxlength: 1000, help: said.reasonHelp, focus: true }),
          input(said.owner, "owner", { maxlength: 100, help: said.ownerHelp }),
          input(said.columns.until, "until", { type: "date", min: dayIn(0), help: said.untilHelp }),
        ];
      },
    });
  }

  #end = ({ id, code, domain, reason, of, label }) =>
    this.show(formDialog, {
      title: said.endTitle,
      label: said.end,
      kind: "danger",
      fields: () => [
        h("p", { class: "long" }, said.endText(h("code", {}, code), h("bdi", {}, domain))),
        (of || label) && h("p", { class: "box warning", key: "several" }, said.ofSeveral(of ?? label)),
        h("p", { class: "help long", dir: "auto" }, reason),
      ],
      send: async () => {
        await request(
          "DELETE",
          of || label ? path`/v1/suppressions/${id}` : path`/v1/domains/${domain}/suppressions/${id}`,
        );
        this.#done(said.ended);
      },
    });
}

const isOfRule = ({ document, pointer }) => document === "assetlinks.json" && pointer?.search(rules) === 0;

/** The apps of the statements that findings are about, by domain. */
async function loadApps(items = [], signal) {
  const domains = [...new Set(items.filter(isOfRule).map(({ domain }) => domain))];
  const apps = new Map();
  await inTurns(domains, async (domain) => {
    const file = await get(path`/v1/domains/${domain}/documents/assetlinks.json`, {}, signal).catch((problem) => {
      if (signal.aborted) throw problem;
      return [];
    });
    apps.set(domain, [file].flat().map((one) => one?.target?.package_name));
  });
  return apps;
}

/** A finding about a rule of Android, which names the app if that is known. */
function withApp(/** @type {any} */ one, apps) {
  const say = (text) => asHere(text, apps?.get(one.domain));
  return { ...one, message: say(one.message), help: say(one.help), rule: say(one.pointer) };
}

/** What messages name and may differ between domains: apps, and what stands in quotation marks. */
const named = /\b[A-Z0-9]{10}\.[\w.-]*\w|"[^"]+"/g;

const keyOf = ({ domain, code, document, pointer, url, message }) => (
  [domain, code, document, pointer, url, message].join(" ")
);

function choices(domain, labels) {
  const parent = domain.split(".").slice(1).join(".");
  return [
    ["", said.forOne],
    ...labels.map((one) => [`label ${one}`, said.forLabel(one)]),
    ...(parent.includes(".") ? [[`domain *.${parent}`, said.forGlob(`*.${parent}`)]] : []),
  ];
}

/** Where a finding is: its URL, a link to its route, or its place in words. */
function where({ url, pointer, rule = pointer, domain, document, message, code }) {
  if (!(url ?? pointer)) return "";
  const [at] = /^\/\w+(?:\/details)?\/\d+\/(?:components|paths|routes)\/\d+/.exec(url ? "" : pointer) ?? [];
  if (!url && document === "assetlinks.json") {
    // A route becomes several rules, so the number of a rule does not lead to its route; the message names it.
    const [, route] = /by the route "([^"]+)"/.exec(message) ?? [];
    if (route) return [" · ", h("a", { href: to(["domains", domain], { route }) }, said.openRoute(route))];
    // This one is about all of them.
    if (code === "older-android-opens-all" || !/\d$/.test(inWords(pointer))) return "";
  }
  return [
    " · ",
    at
      ? h("a", { href: to(["domains", domain], { at }) }, said.open(inWords(at)))
      : url ?? inWords(rule).replace(/(?<=^[^/]+)\/.*/, ""),
  ];
}

/** What else there is to say of a finding: its file, its check, and its suppression. */
const about = ({ document, domain, source, suppressed, appleCode }) => [
  " · ",
  words.document[document] ?? document,
  appleCode && [" · ", words.checks.appleCode, " ", h("code", {}, appleCode)],
  source === "check" && [" · ", h("a", { href: to(["domains", domain, "checks"]) }, said.seeCheck)],
  suppressed &&
  h(
    "div",
    { key: "suppressed", class: "box" },
    said.until(date(suppressed.until), h("bdi", {}, suppressed.owner)),
    " ",
    h("bdi", {}, suppressed.reason),
  ),
];

function place({ document, pointer }) {
  const file = words.document[document] ?? document;
  if (pointer === null) return said.gone(file);
  return pointer === "" ? file : [file, " · ", inWords(pointer)];
}

/** The places that a suppression of a finding can be for, the narrowest first: itself, its entry, the whole file. */
function places({ pointer, rule = pointer, document }) {
  const [entry] = /^\/applinks\/details\/\d+(?=\/)/.exec(pointer) ?? [];
  const file = said.wholeFile(words.document[document] ?? document);
  if (pointer === "") return [["", file]];
  const here = inWords(rule).replace("/", ", ");
  return [[pointer, said.thisPlace(here)], ...(entry ? [[entry, said.entry]] : []), ["", file]];
}

function dayIn(days) {
  const now = new Date();
  return new Date(Date.UTC(now.getFullYear(), now.getMonth(), now.getDate() + days)).toISOString().slice(0, 10);
}

customElements.define("aasa-findings", Findings);
