// What the world gets: the last check from outside of every domain, and for one domain, its last check, who fetched
// its files, and the timeline of its checks.

import { get, path, request } from "../api.js";
import {
  badge,
  button,
  chips,
  closeButton,
  coded,
  count,
  cursorPages,
  define,
  empty,
  exactTime,
  failure,
  field,
  findingTitle,
  form,
  h,
  linkButton,
  loaded,
  mono,
  problemBox,
  quiet,
  size,
  submit,
  table,
  time,
  View,
} from "../parts.js";
import { ask, to } from "../routing.js";
import { Loading, may, mayEditDomain, reach, say } from "../state.js";
import { words } from "../words.js";
import { appleCopy, domainHeader, findingList } from "./domain-parts.js";
import { exact, hostName } from "./domains-add.js";

const said = words.checks;
const kinds = Object.keys(words.document);

export const checkStatus = (status) => (
  badge(said.status[status], { ok: "ok", warning: "warning", failing: "error" }[status])
);

export async function checkNow(domain, signal) {
  const { value } = await request("POST", "/v1/check", { body: { domains: [domain] }, signal });
  return value.items[0];
}

/** A button that checks the domains of a list of the API, if somebody can wait for that: `list` is its path and its
 * query. `done` is called when the checks have ended. Without the element, they would be aborted. */
export const checkMany = (total, list, done) => (
  may("editor") && h("aasa-check-many", { key: "many", total, list, done })
);

/** So many domains are checked by one request and by one press. */
const [checkedAtOnce, mostChecked] = [16, 1000];

class CheckMany extends View {
  total = 0;
  list = ["", {}];
  done = () => {};
  #checked = 0;
  #all = 0;
  #isStopped = false;
  #checking = new Loading(this, async (signal) => {
    [this.#checked, this.#all, this.#isStopped] = [0, this.total, false];
    const [list, query] = this.list;
    const { items } = await get(list, { ...query, limit: mostChecked }, signal);
    // What is not served would only fail, and what is of others would be refused.
    const names = items.filter(({ domain, enabled = true }) => enabled && mayEditDomain(domain)).map(({ domain }) =>
      domain
    );
    const found = { failing: 0, warning: 0, ok: 0 };
    this.#all = names.length;
    try {
      while (this.#checked < names.length && !this.#isStopped) {
        const domains = names.slice(this.#checked, this.#checked + checkedAtOnce);
        const { value } = await request("POST", "/v1/check", { body: { domains }, signal });
        for (const { status } of value.items) found[status]++;
        this.#checked += domains.length;
        this.update();
      }
    } finally {
      if (!signal.aborted) this.done();
    }
    const counts = Object.entries(found).filter(([, number]) => number > 0);
    const texts = counts.map(([status, number]) => `${count(number)} ${said.status[status]}`);
    say(said.doneMany(this.#checked, texts.join(", ")));
  });

  render() {
    const { isRunning } = this.#checking;
    return [
      isRunning
        ? h(
          "div",
          { class: "actions", key: "running" },
          h("progress", { "aria-label": said.checking, max: this.#all, value: this.#checked }),
          h("span", { role: "status" }, said.checkedMany(this.#checked, this.#all)),
          button(said.stop, () => (this.#isStopped = true)),
        )
        : this.total > 1 && this.total <= mostChecked &&
          button(said.checkMany(this.total), () => this.#checking.run(), { kind: "quiet", key: "start" }),
      failure(this.#checking),
    ];
  }
}

const checkProgress = ({ isRunning, value }, kind = "help") =>
  h(
    "div",
    { role: "status", key: "progress" },
    isRunning
      ? [h("p", { key: "text" }, said.progress), h("progress", { key: "bar", "aria-label": said.checking })]
      : value && h("p", { class: kind, key: "text" }, said.done(said.status[value.status], value.findings.length)),
  );

/** A check in full: what the site and Apple's CDN have, each finding with its next step, and the requests. */
function checkReport(check) {
  const { origin, cdn, certificate, findings, requests } = check;
  return [
    (origin ?? cdn ?? certificate) &&
    h(
      "ul",
      { class: "plain", key: "facts" },
      origin && h("li", { key: "origin" }, held(said.site, origin), differences(origin)),
      cdn && h("li", { key: "cdn" }, held(said.cdn, cdn), " ", freshness(check), differences(cdn)),
      certificate && h("li", { key: "certificate" }, certified(certificate)),
    ),
    findingList(findings),
    requests.length > 0 &&
    h(
      "details",
      { key: "requests" },
      h("summary", {}, said.requests(requests.length), ", ", said.milliseconds(check.milliseconds)),
      requestTable(check),
    ),
  ];
}

function held(who, { revision, current, bytes }) {
  const { file, foreign, present, past } = said.held;
  if (revision === undefined) return file(who, size(bytes));
  if (revision === null) return foreign(who, size(bytes));
  return revision === current ? present(who, count(revision)) : past(who, count(revision), count(current));
}

function freshness({ at, cdn: { age, expires } }) {
  if (age === undefined) return null;
  const fetched = new Date(Date.parse(at) - age * 1000).toISOString();
  return said.cdnFetched(time(fetched), expires && time(expires));
}

function differences({ changes = [] }) {
  if (changes.length === 0) return null;
  return h(
    "details",
    {},
    h("summary", {}, said.differences(changes.length)),
    h("ul", {}, changes.map((change, index) => h("li", { key: index, dir: "auto" }, coded(change)))),
  );
}

function certified({ names, issuer, expires }) {
  const isOver = Date.parse(expires) < Date.now();
  const listed = h("bdi", {}, names.slice(0, 3).join(", "));
  return said.certificate(listed, names.length - 3, h("bdi", {}, issuer), time(expires), isOver);
}

const requestTable = ({ requests, domain }) =>
  table({
    caption: said.requestsOf(domain),
    rows: requests.map((one, index) => ({ ...one, index })),
    key: (one) => one.index,
    columns: [
      [said.columns.url, (one) => mono(one.url)],
      [said.columns.agent, (one) => h("span", { title: one.agent }, agent(one.agent)), "short"],
      [said.columns.answer, answer],
      [said.columns.time, (one) => said.milliseconds(one.milliseconds), "number short"],
    ],
  });

function agent(text) {
  const known = Object.keys(said.agents).find((start) => text.startsWith(start));
  return known ? said.agents[known] : text;
}

function answer({ error, status, contentType, bytes, redirect, address, fields = {} }) {
  const facts = [status, contentType, bytes !== undefined && size(bytes)].filter(Boolean).join(", ");
  return [
    error ? h("span", { class: "fault", key: "error" }, error) : h("span", { key: "status" }, facts),
    redirect && h("div", { key: "redirect" }, said.redirects, " ", mono(redirect)),
    h("div", { class: "help", key: "address" }, address),
    Object.entries(fields).map(([name, value]) => h("div", { class: "help mono", key: name }, `${name}: ${value}`)),
  ];
}

class DomainChecks extends View {
  #checks = new Loading(this, async (signal) => {
    const { cursor } = this.address.query;
    const load = (query) => get(path`/v1/domains/${this.#name}/checks`, query, signal);
    const [runs, newest] = await Promise.all([load({ limit: 20, cursor }), cursor && load({ limit: 1 })]);
    return { ...runs, last: (newest ?? runs).items[0] };
  });
  #fetches = new Loading(this, (signal) => {
    return get(path`/v1/domains/${this.#name}/fetches`, { limit: 1, kind: this.#kind }, signal);
  });
  #now = new Loading(this, async (signal) => {
    const check = await checkNow(this.#name, signal);
    this.#checks.run();
    this.#fetches.run();
    return check;
  });

  get #kind() {
    const { kind } = this.address.query;
    return kinds.includes(kind) ? kind : kinds[0];
  }

  get #name() {
    return this.address.parts[1];
  }

  render() {
    const { cursor } = this.address.query;
    this.#checks.ask(cursor);
    this.#fetches.ask(this.#kind);
    const { problem, value } = this.#checks;
    const { isRunning } = this.#now;
    const header = domainHeader(this.#name, "checks", value?.last?.at);
    // What both questions would answer is said once.
    if (problem && value === undefined) return [header, failure(this.#checks)];
    return [
      header,
      h(
        "section",
        { class: "sheet", key: "last", "aria-labelledby": "last-check" },
        h(
          "div",
          { class: "headline" },
          h("h2", { id: "last-check" }, said.last),
          mayEditDomain(this.#name) &&
            button(isRunning ? said.checking : said.checkNow, () => isRunning || this.#now.run(), {
              kind: "primary",
              key: "check",
              "aria-disabled": isRunning ? "true" : null,
            }),
        ),
        checkProgress(this.#now),
        failure(this.#now),
        loaded(this.#checks, ({ last }) => this.#last(last)),
      ),
      h(
        "section",
        { class: "sheet", key: "fetches", "aria-labelledby": "fetches" },
        h("h2", { id: "fetches" }, said.fetches),
        chips(
          said.kind,
          kinds.map((kind) => [
            kind,
            words.document[kind],
            kind === this.#kind,
            () => ask({ kind: kind === kinds[0] ? undefined : kind }),
          ]),
        ),
        loaded(this.#fetches, (fetches) => this.#fetchers(fetches)),
      ),
      value &&
      h(
        "section",
        { class: "sheet", key: "timeline", "aria-labelledby": "timeline" },
        h("h2", { id: "timeline" }, said.timeline),
        timeline(value),
        cursorPages(value.next),
      ),
    ];
  }

  #last(run) {
    if (!run) return h("p", { key: "none" }, said.never, !mayEditDomain(this.#name) && [" ", said.askEditor]);
    const address = to(["findings"], { domain: this.#name, source: "check" });
    return h(
      "div",
      { key: "run" },
      h(
        "p",
        {},
        checkStatus(run.status),
        " ",
        said.checked(time(run.at)),
        " ",
        run.checks > 1 && said.sameSince(exactTime(run.since), count(run.checks)),
      ),
      run.last?.findings.length === 0 && h("p", { key: "fine" }, said.fine),
      report(run),
      mayEditDomain(this.#name) && run.last?.findings.length > 0 &&
        linkButton(said.suppress, address, { key: "suppress" }),
    );
  }

  #fetchers({ current, fetchers }) {
    const isApple = this.#kind === kinds[0];
    const came = fetchers.filter((one) => one.count > 0);
    return h(
      "div",
      { key: this.#kind },
      h("p", {}, isApple ? collected(current, fetchers) : visited(fetchers)),
      came.length > 0 && table({
        caption: said.fetchersOf(this.#name),
        rows: came,
        key: (one) => one.fetcher,
        columns: [
          [said.columns.fetcher, (one) => said.fetcher[one.fetcher]],
          [said.columns.last, (one) => time(one.lastAt)],
          [said.columns.first, (one) => time(one.firstAt)],
          [said.columns.revision, (one) => one.lastRevision ?? words.common.unknown],
          [said.columns.count, (one) => count(one.count), "number"],
        ],
      }),
      h("p", { class: "help" }, said.fetchesHelp),
    );
  }
}

function timeline({ items }) {
  if (items.length === 0) return h("p", { key: "none" }, said.noTimeline);
  return h(
    "ol",
    { class: "plain check-timeline", key: "list" },
    items.map((run) =>
      h(
        "li",
        { key: run.since },
        h(
          "details",
          {},
          h(
            "summary",
            {},
            checkStatus(run.status),
            " ",
            run.checks === 1
              ? exactTime(run.since)
              : said.between(exactTime(run.since), exactTime(run.at), count(run.checks)),
            run.codes.map((code) => [" · ", h("code", { key: code }, code)]),
            run.cdnRevision !== null && quiet(" · ", said.cdnHad(count(run.cdnRevision))),
          ),
          report(run),
        ),
      )
    ),
  );
}

const report = (run) => run.last === null ? h("p", { class: "help" }, said.deleted) : checkReport(run.last);

/** Whether Apple's CDN has the current file, and what that means for devices. */
function collected(current, fetchers) {
  const apple = fetchers.find((one) => one.fetcher === "apple-cdn");
  const revision = count(current.revision);
  if (current.collected) {
    const by = current.devicesExpectedBy;
    const isOver = Date.parse(by) < Date.now();
    return said.collected(revision, time(current.firstFetchedByAppleAt), exactTime(by), isOver);
  }
  if (apple.count === 0) return said.notFetched(revision, time(current.publishedAt));
  return said.notCollected(revision, time(current.publishedAt), time(apple.lastAt), apple.lastRevision);
}

function visited(fetchers) {
  const google = fetchers.find((one) => one.fetcher === "google");
  return google.count === 0 ? said.googleNever : said.googleFetched(time(google.lastAt), google.lastRevision);
}

const statuses = ["failing", "warning", "ok"];
/** The lists of domains by how their last checks ended; those of `unchecked` are enabled, but were never checked. */
const lists = {
  ...Object.fromEntries(statuses.map((status) => [status, ["/v1/checks", { status }]])),
  all: ["/v1/checks", {}],
  unchecked: ["/v1/domains", { check: "unchecked", enabled: true }],
};
const pageSize = 500;
/** The most findings that are read for the causes, and the domains of a cause that are shown at once. */
const [mostFindings, few] = [1000, 5];

class Checks extends View {
  #list = new Loading(this, (signal) => this.#load(signal));
  /** The worst finding of each domain on the page, by its name. */
  #steps = new Map();
  /** The check of a domain that was asked for here. */
  #now = new Loading(this, async (signal) => {
    const check = await checkNow(this.#wanted, signal);
    this.#again(this.#list.value?.status);
    return check;
  });
  #wanted = "";

  /** Loads the list again. Who goes through it stays there, whatever a check finds. */
  #again(status) {
    if (status === "unchecked") ask({ status }, { replace: true });
    this.#list.run();
  }

  async #load(signal) {
    const { cursor, status: wanted } = this.address.query;
    const find = ([list, query], more) => get(list, { ...query, ...more }, signal);
    const totals = Object.fromEntries(
      await Promise.all(Object.keys(lists).map(async (one) => [one, await find(lists[one], { limit: 1 })])),
    );
    // Without a choice, the worst that there is.
    const worst = [...statuses, "unchecked"].find((one) => totals[one].total > 0) ?? "all";
    const status = Object.hasOwn(lists, wanted) ? wanted : worst;
    const { items, next } = await find(lists[status], { cursor, limit: pageSize });
    this.#findSteps(signal);
    return { items, next, status, totals };
  }

  /** Outcomes have only codes; what to do is in the findings. */
  async #findSteps(signal) {
    const query = { source: "check", suppressed: false, limit: mostFindings };
    const found = await Promise.all(["error", "warning"].map((severity) => (
      get("/v1/findings", { ...query, severity }, signal).then(({ items }) => items, () => [])
    )));
    // Of each domain, the first is the worst.
    this.#steps = new Map(found.flat().toReversed().map((one) => [one.domain, one]));
    this.update();
  }

  #check(domain) {
    if (this.#now.isRunning) return;
    this.#wanted = hostName(domain) ?? domain.trim();
    this.#now.clear();
    this.#now.run();
    // What it says is at the top of the page.
    this.find("#check-domain").closest("section").scrollIntoView({ block: "nearest" });
  }

  render() {
    this.#list.ask(this.address.query);
    return [
      h("h1", { key: "h1" }, said.title),
      h("p", { class: "quiet", key: "intro" }, said.intro),
      may("editor") && this.#question(this.#now),
      loaded(this.#list, (list) => this.#outcomes(list)),
    ];
  }

  #question({ isRunning, value: check, problem }) {
    const fault = problem?.body.errors?.[0]?.message;
    const limits = words.common.limits(reach("editor"));
    return h(
      "section",
      { key: "question" },
      form(
        ({ domain }) => this.#check(domain),
        { class: "toolbar" },
        field(said.which, {
          ...exact,
          id: "check-domain",
          name: "domain",
          required: true,
          placeholder: "example.com",
          fault,
          help: limits && said.limited(limits),
        }),
        submit(isRunning ? said.checking : said.checkNow, { "aria-disabled": isRunning ? "true" : null }),
      ),
      checkProgress(this.#now, "hidden"),
      problem && !fault && problemBox(problem),
      check &&
        h(
          "div",
          { class: "sheet", key: "result" },
          h(
            "div",
            { class: "headline" },
            h("h2", {}, said.resultOf, h("bdi", {}, check.domain), " ", checkStatus(check.status)),
            closeButton(words.common.close, () => this.#now.clear()),
          ),
          checkReport(check),
        ),
    );
  }

  #outcomes({ items, next, status, totals }) {
    return [
      chips(
        said.statusLabel,
        Object.keys(lists).map((one) => [
          one,
          [said.status[one], totals[one].totalIsEstimate && "≈", count(totals[one].total)].filter(Boolean).join(" "),
          one === status,
          () => ask({ status: one, cursor: undefined }),
        ]),
      ),
      !totals[status].totalIsEstimate && checkMany(totals[status].total, lists[status], () => this.#again(status)),
      status === "unchecked" && items.length > 0
        ? [
          totals.all.total === 0 && h(
            "p",
            { class: "quiet", key: "regularly" },
            said.regularly(h("code", {}, "--check-interval 6h")),
          ),
          this.#table(said.neverChecked, items, may("editor") ? [this.#checkButton()] : []),
        ]
        : items.length > 0
        ? this.#causes(items)
        : totals.all.total === 0 && status === "all"
        ? empty(said.none, said.noneText)
        : empty(said.noneOf, said.noneOfText(status), linkButton(said.showAll, to(["checks"], { status: "all" }))),
      cursorPages(
        next,
        totals[status].totalIsEstimate ? {} : { ...totals[status], shown: items.length, perPage: pageSize },
      ),
    ];
  }

  #table = (caption, rows, columns) =>
    table({
      caption,
      rows,
      key: (one) => one.domain,
      columns: [
        [
          said.columns.domain,
          ({ domain }) => h("a", { href: to(["domains", domain, "checks"]) }, h("bdi", {}, domain)),
        ],
        ...columns,
      ],
    });

  #checkButton = () => [
    words.settings.actions,
    ({ domain }) =>
      mayEditDomain(domain) && button(said.checkNow, () => this.#check(domain), {
        kind: "quiet",
        "aria-label": said.checkWhat(domain),
        "aria-disabled": this.#now.isRunning ? "true" : null,
      }),
    "no-title",
  ];

  /** The domains with the same cause together: the worst first, then the most. The cause is the worst finding. */
  #causes(items) {
    const causes = Map.groupBy(items, ({ domain, status, codes }) => (
      `${status} ${this.#steps.get(domain)?.code ?? codes.join(" ")}`
    ));
    const rank = (rows) => statuses.indexOf(rows[0].status);
    const sorted = [...causes].sort(([, one], [, other]) => rank(one) - rank(other) || other.length - one.length);
    const expires = (one) => one.certificateExpires ? time(one.certificateExpires) : quiet(words.common.unknown);
    const since = ({ since, failingSince }) => failingSince ?? since;
    return sorted.map(([cause, rows]) => {
      const [{ domain, status, codes }] = rows;
      const step = this.#steps.get(domain);
      return h(
        "details",
        { class: "cause", key: cause, open: sorted.length === 1 || rows.length <= few },
        h(
          "summary",
          {},
          checkStatus(status),
          " ",
          h("h2", {}, codes.length === 0 ? words.findings.none : findingTitle(step?.code ?? codes[0])),
          " ",
          quiet("· ", said.domains(rows.length), ", ", said.since(exactTime(rows.map(since).sort()[0]))),
        ),
        step && h("p", { key: "step" }, quiet(said.nextStep), " ", coded(step.help)),
        this.#table(said.caption, rows, [
          [said.columns.since, (one) => time(since(one))],
          [said.columns.cdn, copy, "short"],
          [said.columns.certificate, expires, "short"],
          [said.columns.at, (one) => time(one.at), "short"],
          ...(may("editor") ? [this.#checkButton()] : []),
        ]),
      );
    });
  }
}

/** What the check saw at Apple's CDN. `codes` leaves suppressed findings out. */
function copy({ cdnRevision, cdnBehind, codes }) {
  if (cdnBehind !== undefined) return appleCopy({ collected: cdnBehind === 0, behind: cdnBehind });
  const { none, other } = words.domains.copy;
  return quiet(
    cdnRevision === null && codes.includes("cdn-stale")
      ? other
      : codes.includes("cdn-never-fetched") || codes.includes("cdn-failed")
      ? none
      : words.common.unknown,
  );
}

define({ "aasa-check-many": CheckMany, "aasa-domain-checks": DomainChecks, "aasa-checks": Checks });
