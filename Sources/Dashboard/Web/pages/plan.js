// A change that is shown before it is made: the dry run's answer, what has to be accepted, a reason, and a button.

import {
  asHere,
  badge,
  button,
  choices,
  count,
  define,
  dialog,
  dialogForm,
  draftField,
  findingCounts,
  form,
  h,
  loaded,
  problemBox,
  size,
  submit,
  View,
  worstFirst,
} from "../parts.js";
import { go, to } from "../routing.js";
import { Loading, say, undoLink } from "../state.js";
import { words } from "../words.js";
import { changeList, effectList, findingList, plainList } from "./domain-parts.js";

/** So many domains of a plan are shown one by one. */
const shownDomains = 200;

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
export function faultOf(code, { findings = [], errors = [], problems = [] }) {
  const all = [...findings, ...errors, ...problems.flatMap((one) => [...one.findings ?? [], ...one.errors ?? []])];
  return asHere(all.find((one) => one.code === code)?.message ?? code);
}

export const reasonField = (draft) => (
  draftField(words.common.reason, draft, "reason", { maxlength: 1000, help: words.common.reasonHelp })
);

export const domainEffects = (domains) => [
  h(
    "ul",
    { class: "plan", key: "plan" },
    domains.slice(0, shownDomains).map((one) =>
      h(
        "li",
        { key: one.domain },
        h(
          "details",
          { open: domains.length <= 2 ? true : undefined },
          h(
            "summary",
            {},
            h("bdi", { class: "mono" }, one.domain),
            " ",
            one.action && actionBadge(one.action),
            " ",
            one.diff?.affectsLinks && badge(words.bulk.links, "warning", { key: "links" }),
            " ",
            h("span", { key: "counts" }, one.findings?.length > 0 && findingCounts(counted(one.findings))),
          ),
          effects(one),
        ),
      )
    ),
  ),
  left("more", domains.length - shownDomains),
];

export const left = (key, number) => number > 0 && h("p", { class: "help", key }, words.bulk.more(count(number)));

/** What a publication changes: settings, routes, links, and what the linter says. */
export function effects(
  { domain, documents = [], diff, findings = [], changedResolutions = [], moreFindings = 0, androidApps = [] },
) {
  const files = documents.map((one) => `${words.document[one.kind] ?? one.kind}: ${size(one.bytes)}`);
  return h(
    "div",
    { class: "plan-effects" },
    diff ? changeList(diff, undefined, 50) : files.length > 0 && h("p", { key: "new" }, words.bulk.first),
    changedResolutions.length > 0 && [
      h("p", { key: "links-title" }, h("strong", {}, words.bulk.expected)),
      effectList(changedResolutions.slice(0, 20), undefined),
    ],
    plainList(androidApps, (one) => [h("bdi", { class: "mono" }, one.package), ": ", one.message], { key: "android" }),
    findingList(worstFirst(findings).slice(0, 20)),
    left("more-findings", Math.max(0, findings.length - 20) + moreFindings),
    h(
      "p",
      { class: "help", key: "documents" },
      files.join(", "),
      " ",
      domain && diff && h("a", { href: to(["domains", domain]) }, words.bulk.open),
    ),
  );
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

define({ "aasa-plan": Plan, "aasa-form": FormDialog });
