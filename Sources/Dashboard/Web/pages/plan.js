// A change that is shown before it is made: the dry run's answer, what has to be accepted, a reason, and a button.

import { get, path } from "../api.js";
import {
  asHere,
  badge,
  button,
  choices,
  coded,
  count,
  define,
  dialog,
  dialogForm,
  draftField,
  findingCounts,
  form,
  h,
  loaded,
  pointers,
  problemBox,
  size,
  submit,
  View,
  waiting,
  worstFirst,
} from "../parts.js";
import { go, to } from "../routing.js";
import { Loading, say, undoLink } from "../state.js";
import { words } from "../words.js";
import {
  appNames,
  byRoute,
  changeList,
  effectList,
  findingList,
  foldedFindings,
  plainList,
  settingChange,
} from "./domain-parts.js";
import { managedBoxes } from "./template-parts.js";

const w = words.bulk;
/** So many rows and domains are shown one by one. */
const mostShown = 200;
/** With at most so many rows, all are open. */
const mostOpen = 5;
/** So many domains are compared before somebody asks for more. */
const perStep = 20;

/** A dialog with a plan: `send(query)` asks the API, with `dryRun` at first; `show(value)` describes the answer;
 * `close` ends the dialog. After the change, `said(value)` is the message, and `done(value)` is called. `label` is on
 * the button that makes the change, which is not offered if `isEmpty(value)` or unless `mayDo`. `options({ value,
 * problem, needsApproval, chosen })` are choices, `[query, label]` of each, such as `["skip=changed", "Leave …"]`; the
 * plan is made again with those that are in `chosen`. Where a second person must approve the change, the plan asks for
 * that. */
export const planDialog = ({ title, text = undefined, ...plan }) => (
  dialog({ title, wide: true, close: plan.close }, text && h("p", {}, text), h("aasa-plan", { plan }))
);

class Plan extends View {
  plan;
  #accepted = new Set();
  /** What was refused, by its code. */ #asked = new Map();
  /** The queries of options. */ #chosen = new Set();
  #draft = {};
  /** That a second person must approve the change, as the API says it. */ #needsApproval;
  #planning = new Loading(this, async () => {
    const query = { dryRun: true, ...this.#query() };
    this.#needsApproval = undefined;
    try {
      return (await this.plan.send(query)).value;
    } catch (problem) {
      if (problem.code !== "approval-required") throw problem;
      this.#needsApproval = problem.detail;
      return (await this.plan.send({ ...query, approved: true })).value;
    }
  });
  #doing = new Loading(this, async () => {
    const { send, close, said, done } = this.plan;
    const query = { reason: this.#draft.reason, ...this.#query() };
    if (this.#needsApproval) {
      const { value } = await send({ ...query, draft: true });
      close();
      return go(["drafts", value.id]);
    }
    const { value } = await send(query);
    close();
    if (said) say(said(value), "ok", undoLink(value.change));
    done?.(value);
  });

  #query() {
    const accept = [...this.#accepted].join(",");
    return { ...Object.fromEntries(new URLSearchParams([...this.#chosen].join("&"))), ...(accept && { accept }) };
  }

  #again() {
    this.#doing.clear();
    this.#planning.run();
  }

  render() {
    this.#planning.ask();
    const { label, kind, show, close, isEmpty, mayDo = true } = this.plan;
    const { value, problem, isRunning } = this.#planning;
    const isReady = value !== undefined && !problem && !isRunning;
    const isNothing = isReady && isEmpty?.(value);
    const failed = this.#doing.problem;
    const refused = problem ?? failed;
    const codes = refused ? acceptable(refused) : [];
    const state = { value, problem: refused, needsApproval: this.#needsApproval, chosen: this.#chosen };
    const options = (this.plan.options?.(state) ?? []).filter(Boolean);
    return [
      this.#acceptance(codes, refused?.body),
      options.length > 0 &&
      h("div", { key: "options", on: { change: () => this.#again() } }, choices(this.#chosen, options, "plan-")),
      isRunning && value && h("p", { class: "loading", role: "status", key: "again" }, words.common.loading),
      codes.length === 0 && loaded(this.#planning, (value) => problem ? null : show(value)),
      // After a failure, the plan is made again before anything else is tried.
      failed && codes.length === 0 && problemBox(failed, () => this.#again()),
      isNothing && h("p", { key: "empty" }, words.bulk.nothing),
      isReady && this.#needsApproval && h("p", { key: "approval", class: "box warning" }, asHere(this.#needsApproval)),
      isReady && !isNothing && mayDo && !failed
        ? dialogForm(
          this.#doing,
          this.#needsApproval ? words.drafts.ask : label,
          close,
          { key: "do", kind: this.#needsApproval ? "primary" : kind },
          reasonField(this.#draft),
        )
        : !isRunning && h("div", { class: "actions", key: "close" }, button(words.common.close, close)),
    ];
  }

  /** What the API refuses unless somebody says that it is meant. */
  #acceptance(codes, body) {
    for (const code of codes) this.#asked.set(code, words.domain.draft.anyway(faultOf(code, body)));
    return this.#asked.size > 0 && form(
      () => this.#again(),
      { key: "accept", class: "box warning" },
      h("p", {}, words.bulk.accept),
      choices(this.#accepted, [...this.#asked], "plan-"),
      submit(words.bulk.acceptAndPlan),
    );
  }
}

export const acceptable = (
  { body },
) => [...new Set([body, ...(body.problems ?? [])].flatMap((one) => one.acceptable ?? []))];

/** What the API says of an error with this code, or else the code. */
function faultOf(code, { findings = [], errors = [], problems = [] }) {
  const all = [...findings, ...errors, ...problems.flatMap((one) => [...one.findings ?? [], ...one.errors ?? []])];
  return asHere(all.find((one) => one.code === code)?.message ?? code);
}

export const reasonField = (draft) => (
  draftField(words.common.reason, draft, "reason", { maxlength: 1000, help: words.common.reasonHelp })
);

/** What happens to domains, those of a plan or of a change. Of the latter, the revisions `before` and `after` are compared
 * here. */
export const domainEffects = (domains) => h("aasa-effects", { key: "plan", domains });

/** What a publication changes in one domain. */
export const effects = (one) => h("aasa-effects", { key: "effects", domains: [one], isBare: true });

export const left = (key, number) => number > 0 && h("p", { class: "help", key }, words.bulk.more(count(number)));

/** The effects on domains. Those to which the same happens are one row, and what was found before is told apart. */
class Effects extends View {
  /** @type {any[]} */ domains = [];
  isBare = false;
  /** How often more domains were asked about. */ #step = 0;
  /** The domains of which an answer would say more. @type {any[]} */ #unasked = [];
  /** What was asked about domains: how they differ, or what was found in them until now. */ #known = new Map();
  /** Which rows somebody has opened or closed. */ #open = new Map();
  #names = new Loading(this, appNames);
  #asking = new Loading(this, (signal) => (
    inTurns(this.#unasked.slice(0, perStep), async (one) => {
      const answer = await (isCompared(one) ? difference : foundBefore)(one, signal).catch((problem) => {
        if (signal.aborted) throw problem;
        return isCompared(one) ? { problem: problem.detail || words.problem.offline } : { isUnknown: true };
      });
      this.#known.set(questionOf(one), answer);
    })
  ));

  /** What has to be asked: the domains of a change, and those of a plan with findings. */
  get #unknown() {
    return this.domains.filter((one) => isCompared(one) || (one.diff && one.domain && one.findings?.some(isCounted)));
  }

  render() {
    this.#names.ask();
    const all = this.domains.map((one) => ({ ...one, ...this.#known.get(questionOf(one)) }));
    const isLater = (one) => isCompared(one) && !one.problem;
    const [later, now] = [all.filter(isLater), all.filter((one) => !isLater(one))];
    const groups = [...Map.groupBy(now, sameness)];
    // Where one domain had found everything before, the others of its row have nothing new.
    const isSettled = (same) => same.some(({ found }) => found) && this.#findings(same).fresh.length === 0;
    const settled = new Set(groups.flatMap(([, same]) => isSettled(same) ? same.map(questionOf) : []));
    this.#unasked = this.#unknown.filter((one) => !this.#known.has(questionOf(one)) && !settled.has(questionOf(one)));
    this.#asking.ask(this.#step, this.#unknown.map(questionOf));
    if (this.isBare) return [this.#effects(all), this.#retry()];
    const { isRunning } = this.#asking;
    const unasked = this.#unasked.length;
    const managed = Map.groupBy(all.filter((one) => one.managedBy), (one) => one.managedBy);
    return [
      managedBoxes([...managed].map(([managedBy, of]) => (
        { managedBy, domains: of.map(({ domain }) => domain), count: of.length }
      ))),
      groups.length > 0 && h(
        "ul",
        { class: "plan", key: "plan" },
        groups.slice(0, mostShown).map(([key, same]) => this.#row(key, same, groups.length <= mostOpen)),
      ),
      left("more", groups.length - mostShown),
      isRunning ? waiting() : later.length > 0 && h(
        "details",
        { key: "later" },
        h("summary", {}, w.later(later.length)),
        plainList(later, place),
      ),
      !isRunning && unasked > 0 &&
      button(w.compareMore(Math.min(perStep, unasked)), () => this.#askMore(), { key: "compare" }),
      this.#retry(),
    ];
  }

  #askMore() {
    this.#step++;
    this.update();
  }

  /** What could not be asked is asked again. */
  #retry() {
    const failed = [...this.#known].filter(([, { problem, isUnknown }]) => problem || isUnknown);
    return failed.length > 0 && !this.#asking.isRunning && button(words.common.tryAgain, () => {
      for (const [question] of failed) this.#known.delete(question);
      this.#askMore();
    }, { key: "again" });
  }

  #row(key, same, isOpen) {
    const [{ action, diff }] = same;
    const found = this.#findings(same);
    const all = together(same);
    return h(
      "li",
      { key },
      h(
        "details",
        { open: this.#open.get(key) ?? isOpen, on: { toggle: ({ target }) => this.#open.set(key, target.open) } },
        h(
          "summary",
          {},
          same.slice(0, 3).map(({ domain }, index) => [index > 0 && ", ", h("bdi", { class: "mono" }, domain)]),
          same.length > 3 && words.templates.andMore(same.length - 3),
          " ",
          action && !diff && actionBadge(action),
          " ",
          diff?.affectsLinks && badge(w.links, "warning", { key: "links" }),
          " ",
          h("span", { key: "counts" }, found.fresh.length > 0 && findingCounts(counted(found.fresh))),
          diff && h("span", { class: "brief", key: "brief" }, brief(all)),
        ),
        this.#effects(same, found, all),
      ),
    );
  }

  /** What happens to domains to which the same happens: settings, routes, links, and what the linter says. */
  #effects(same, { fresh, others, more } = this.#findings(same), diff = together(same)) {
    const isOne = same.length === 1;
    const { domain, documents = [], problem, before, after, changedResolutions = [], androidApps = [] } = isOne
      ? same[0]
      : masked(same[0], same[0].domain);
    const files = documents.map((one) => `${words.document[one.kind] ?? one.kind}: ${size(one.bytes)}`);
    return h(
      "div",
      { class: "plan-effects", key: "effects" },
      diff ? changeList(diff, this.#names.value, 50) : files.length > 0 && h("p", { key: "new" }, w.first),
      problem && !diff && h("p", { key: "problem", class: "fault" }, asHere(problem)),
      changedResolutions.length > 0 && [
        h("p", { key: "links-title" }, h("strong", {}, w.expected)),
        effectList(changedResolutions.slice(0, 20), this.#names.value),
      ],
      plainList(androidApps, (one) => [h("bdi", { class: "mono" }, one.package), ": ", one.message], {
        key: "android",
      }),
      findingList(worstFirst(fresh).slice(0, 20)),
      left("more-findings", Math.max(0, fresh.length - 20) + more),
      foldedFindings(foldedTitle(others), worstFirst(others), undefined, 50),
      (before ?? after) !== undefined
        ? plainList(same.slice(0, mostShown), place, { key: "places", class: "plain help places" })
        : !isOne
        ? h(
          "p",
          { key: "places", class: "help" },
          same.slice(0, mostShown).map((one, index) => [index > 0 && ", ", place(one)]),
        )
        : h(
          "p",
          { class: "help", key: "documents" },
          files.join(", "),
          " ",
          domain && diff && h("a", { href: to(["domains", domain]) }, w.open),
        ),
      left("more-places", same.length - mostShown),
    );
  }

  /** Findings that publishing adds, each once, and `others`: those from before, suppressed ones, and notes of which
   * nobody knows. */
  #findings(same) {
    const [fresh, others] = [new Map(), new Map()];
    const known = same.find((one) => one.found)?.found;
    for (const { domain, diff, found = known, findings = [] } of same) {
      // Of the same kind are others, too, so those with the same text come first.
      const left = [...found ?? []];
      const before = new Set(findings.filter((one) => take(left, "exact", exact(one, domain))));
      for (const one of findings) if (!before.has(one) && take(left, "kind", kindOf(one))) before.add(one);
      for (const one of findings) {
        const isBefore = before.has(one);
        const isNew = isCounted(one) && !isBefore && (found || !diff || one.severity !== "note");
        const said = { ...(same.length > 1 ? masked(one, domain) : one), isBefore };
        // In one domain, each is one of its own.
        const key = same.length > 1 ? one.code + said.message : one;
        const list = isNew ? fresh : others;
        list.set(key, { ...said, domains: new Set([...list.get(key)?.domains ?? [], domain]) });
      }
    }
    const all = (list) =>
      [...list.values()].map(({ domains, ...one }) => ({
        ...one,
        where: domains.size < same.length && [
          [...domains].slice(0, 5).join(", "),
          domains.size > 5 && words.templates.andMore(domains.size - 5),
        ],
      }));
    const more = same.reduce((sum, { moreFindings = 0 }) => sum + moreFindings, 0);
    return { fresh: all(fresh), others: all(others), more };
  }
}

/** Whether a domain is one of a change, whose revisions have to be compared. */
const isCompared = ({ diff, before, after }) => !diff && before !== undefined && after !== undefined;
const questionOf = ({ domain, before, after }) => [domain, before, after].join(" ");
const isCounted = ({ suppressed }) => !suppressed;

/** What is said of one domain, as it is true of all to which the same happens. */
const masked = (value, domain) =>
  JSON.parse(JSON.stringify(value).replaceAll(`https://${domain}/`, "/").replaceAll(domain, "{domain}"));

/** What a finding says, whatever place of a file it is about. */
const exact = ({ code, message }, domain) => code + message.replace(pointers, "").replaceAll(domain, "{domain}");

/** What a finding is, whatever route or URL it is about. */
const kindOf = ({ code, message }) => code + message.replace(pointers, "").replace(/"[^"]*"|https:[^\s)]+|\d+/g, "");

/** Takes what has this member from a list; says whether it was there. */
function take(list, name, value) {
  const index = list.findIndex((one) => one[name] === value);
  return index >= 0 && list.splice(index, 1).length > 0;
}

async function difference({ domain, before, after }, signal) {
  const { from: _from, to: _to, ...diff } = await get(
    path`/v1/domains/${domain}/diff`,
    { from: before, to: after },
    signal,
  );
  return { diff };
}

async function foundBefore({ domain }, signal) {
  const { items } = await get("/v1/findings", { domain, source: "lint", limit: 1000 }, signal);
  return { found: items.map((one) => ({ exact: exact(one, domain), kind: kindOf(one) })) };
}

/** Does some things at once, and the others after them. */
export async function inTurns(items, work) {
  const rest = [...items];
  const turn = async () => {
    while (rest.length > 0) await work(rest.shift());
  };
  await Promise.all([turn(), turn(), turn(), turn()]);
}

/** What happens to a domain, in which neither its name nor its apps matter. */
const sameness = ({ domain, action, diff, problem, changedResolutions, androidApps }) =>
  JSON.stringify([
    action,
    problem,
    diff?.moreChanges,
    diff && byRoute(diff.changes).map((one) => [
      settingChange(one),
      // The text may be shortened.
      one.before,
      one.after,
      one.affectsLinks,
      [...new Set(one.examples.map(({ before, after }) => before + after))].sort(),
    ]),
    changedResolutions,
    androidApps,
  ]).replaceAll(domain, "{domain}");

/** How domains change to which the same happens: with the apps of all. */
function together(same) {
  const [{ domain, diff }] = same;
  if (same.length === 1 || !diff) return diff;
  const all = same.map((one) => byRoute(one.diff.changes));
  const changes = byRoute(diff.changes).map((change, index) => {
    const examples = all.flatMap((changes, which) =>
      changes[index].examples.map((one) => JSON.stringify(masked(one, same[which].domain)))
    );
    return {
      ...masked(change, domain),
      example: undefined,
      moreExamples: [...new Set(examples)].map((one) => JSON.parse(one)),
    };
  });
  return { ...diff, changes };
}

/** The first changes, on a line. */
function brief({ changes, moreChanges = 0 }) {
  const shown = byRoute(changes);
  const more = shown.length - 2 + moreChanges;
  return [
    shown.length === 0 && words.domain.draft.noEffects,
    shown.slice(0, 2).map((one, index) => [index > 0 && " · ", coded(settingChange(one))]),
    more > 0 && words.templates.andMore(more),
  ];
}

/** The title of findings that are folded: "4 notes as before". */
function foldedTitle(findings) {
  const isNotes = findings.every((one) => one.severity === "note");
  const text = isNotes ? words.severity.count("note", findings.length) : w.import.findings(findings.length);
  return findings.every((one) => one.isBefore || one.suppressed) ? w.asBefore(text) : text;
}

/** The way to a domain and, of a change, to its revisions. */
function place({ domain, before, after, changedSince }) {
  const last = after ?? before;
  return [
    h("a", { href: to(["domains", domain]), key: `domain ${domain}` }, h("bdi", {}, domain)),
    last !== undefined && [
      " ",
      h(
        "a",
        { href: to(["domains", domain, "history"], { from: before, to: last }), key: "revision" },
        before && after ? words.history.between(before, after) : words.history.revision(last),
      ),
    ],
    changedSince && [" ", badge(words.changes.changedSince, "warning", { key: "since" })],
  ];
}

export function actionBadge(action) {
  const kind = { create: "ok", delete: "error" }[action];
  return badge(words.bulk.action[action] ?? action, kind, { key: "action" });
}

export function counted(findings) {
  const counts = {};
  for (const { severity, suppressed } of findings) if (!suppressed) counts[severity] = (counts[severity] ?? 0) + 1;
  return counts;
}

export function actionCounts(items) {
  const counts = Object.groupBy(items, (one) => one.action);
  return ["create", "update", "delete", "unchanged"].filter((action) => counts[action])
    .map((action) => `${count(counts[action].length)} ${words.bulk.action[action]}`).join(", ");
}

export const appsOf = ({ apps = [], androidApps = [], templates = [] }) => [...apps, ...androidApps, ...templates];

/** What happens to apps and templates, on a line. */
export function otherEffects({ templates = [], ...rest }) {
  const kinds = [[words.pages.apps, changed(appsOf(rest))], [words.pages.templates, changed(templates)]];
  const shown = kinds.filter(([, items]) => items.length > 0).map(([name, items]) => `${name}: ${actionCounts(items)}`);
  return shown.length > 0 && h("p", { key: "others" }, shown.join("; "));
}

export function doneBox({ domains, change }) {
  const undo = undoLink(change);
  return h(
    "div",
    { class: "box ok", role: "status", key: "done" },
    words.bulk.done(actionCounts(domains)),
    " ",
    undo && h("a", { href: undo.href }, undo.text),
  );
}

export const changed = (items) => items.filter(({ action }) => action !== "unchanged");

/** A dialog with a form. `fields(draft, update)` are its inputs, whose values are members of `draft`; `send(draft)`
 * sends them, and its problem is shown there. */
export const formDialog = ({ title, ...question }) => (
  dialog({ title, close: question.close }, h("aasa-form", { key: title, question }))
);

class FormDialog extends View {
  question;
  #draft = {};
  #sending = new Loading(this, async (signal) => await this.question.send(this.#draft, signal));

  start() {
    this.#draft = { ...this.question.draft };
  }

  render() {
    const { label, close, kind, fields } = this.question;
    return dialogForm(this.#sending, label, close, { kind }, fields(this.#draft, () => this.update()));
  }
}

export const confirmation = ({ text, ask, ...question }) =>
  formDialog({
    title: "",
    kind: "danger",
    fields: (draft) => [h("p", {}, text), reasonField(draft)],
    send: ({ reason }) => ask(reason),
    ...question,
  });

define({ "aasa-effects": Effects, "aasa-plan": Plan, "aasa-form": FormDialog });
