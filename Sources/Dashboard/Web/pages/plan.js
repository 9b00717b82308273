// A change that is shown before it is made: the dry run's answer, what would have to be accepted, a reason, and a button.

import { h, View } from "../dom.js";
import { count, size } from "../format.js";
import {
  badge, button, checkbox, dialog, field, findingCounts, findingList, form, formEnd, loaded, resolution, submit,
} from "../parts.js";
import { to } from "../routing.js";
import { Loading } from "../state.js";
import { words } from "../words.js";

/** So many domains of a plan are shown one by one. */
const shownDomains = 200;
const severities = ["error", "warning", "note"];

/**
 * `<aasa-plan>`: `send(query)` asks the API, with `dryRun` at first; `show(value)` describes the answer; `done(value)` is
 * called when the change is made, and `close` when the person leaves it. `label` is on the button that makes the change,
 * which is not offered if `isEmpty(value)` or without `mayDo`.
 */
class Plan extends View {
  send;
  show;
  done;
  close;
  label;
  isEmpty;
  mayDo = true;
  #accepted = new Set();
  #draft = {};
  #plan = new Loading(this, async () => (await this.send({ dryRun: true, ...this.#accept() })).value);
  #doing = new Loading(this, async () => {
    const { value } = await this.send({ reason: this.#draft.reason, ...this.#accept() });
    this.done(value);
    return undefined;
  });

  start() {
    this.#plan.run();
  }

  #accept() {
    return this.#accepted.size === 0 ? {} : { accept: [...this.#accepted].join(",") };
  }

  #again() {
    this.#doing.clear();
    this.#plan.run();
  }

  render() {
    const { value, problem, isRunning } = this.#plan;
    const isReady = value !== undefined && !problem && !isRunning;
    const refused = problem ?? this.#doing.problem;
    // After a failure, the plan is made again before anything else is tried.
    const doing = { problem: this.#doing.problem, isRunning: this.#doing.isRunning, run: () => this.#again() };
    return [
      refused && this.#acceptance(acceptable(refused)), isRunning && value !== undefined &&
      h("p", { class: "loading", role: "status", key: "again" }, words.common.loading),
      loaded(this.#plan, (value) => problem ? null : this.show(value)),
      isReady && this.isEmpty?.(value) && h("p", { key: "empty" }, words.bulk.plan.nothing),
      isReady && !this.isEmpty?.(value) && this.mayDo
        ? form(
          () => this.#doing.run(), { key: "do" }, reasonField(this.#draft),
          formEnd(doing, this.label, () => this.close()))
        : !isRunning && h("div", { class: "actions", key: "close" }, button(words.common.close, () => this.close()))];
  }

  /** What the API refuses unless somebody says that it is meant. */
  #acceptance(codes) {
    const all = [...new Set([...codes, ...this.#accepted])];
    if (all.length === 0) return null;
    return form(
      () => this.#again(), { key: "accept", class: "box warning" }, h("p", {}, words.bulk.plan.accept),
      all.map((code) =>
        checkbox(code, {
          id: `accept-${code}`, checked: this.#accepted.has(code),
          on: { change: (event) => this.#accepted[event.target.checked ? "add" : "delete"](code) },
        })),
      submit(words.bulk.plan.acceptAndPlan));
  }
}

/** The codes of errors that the API would accept: it names them in what it says. */
export function acceptable({ detail, body }) {
  const said = [detail, ...(body?.problems ?? []).map((one) => one.detail)];
  return [...new Set(said.flatMap((text) => /\?accept=([a-z0-9,-]+)/.exec(text)?.[1].split(",") ?? []))];
}

/** What ties an input to a member of a draft, so that it keeps what was typed. */
export function bound(draft, name, change) {
  return {
    name, value: draft[name] ?? "",
    on: {
      input: (event) => {
        draft[name] = event.target.value;
        change?.();
      },
    },
  };
}

/** Where the reason of a change is typed. */
export function reasonField(draft) {
  return field(words.common.reason, {
    id: "reason", maxlength: 1000, help: words.common.reasonHelp, ...bound(draft, "reason"),
  });
}

/** The domains that a plan changes, each with its effects; a few are open. */
export function domainEffects(domains) {
  const shown = domains.slice(0, shownDomains);
  return [
    h(
      "ul", { class: "plan", key: "plan" },
      shown.map((one) =>
        h(
          "li", { key: one.domain },
          h(
            "details", { open: domains.length <= 2 ? true : undefined },
            h(
              "summary", {}, h("bdi", { class: "mono" }, one.domain), " ", one.action && actionBadge(one.action), " ",
              one.diff?.affectsLinks && badge(words.bulk.plan.links, "warning", { key: "links" }), " ",
              h("span", { key: "counts" }, one.findings?.length > 0 && findingCounts(counted(one.findings)))),
            effects(one))))),
    domains.length > shown.length &&
    h("p", { class: "help", key: "more" }, words.bulk.plan.more(domains.length - shown.length))];
}

/** What a publication changes: settings, routes, links, and what the linter says. */
export function effects({ domain, documents = [], diff, findings = [], changedResolutions = [], moreFindings }) {
  const sorted = findings.toSorted((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity));
  const left = (moreFindings ?? 0) + Math.max(0, sorted.length - 20);
  const changes = diff?.changes ?? [];
  return h(
    "div", { class: "plan-effects" }, diff
      ? changes.length === 0 && h("p", { key: "none" }, words.bulk.plan.same)
      : documents.length > 0 && h("p", { key: "new" }, words.bulk.plan.first),
    changes.length > 0 && h(
      "ul", { key: "changes" },
      changes.slice(0, 50).map((change, index) =>
        h(
          "li", { key: index }, change.summary,
          change.example && h("p", { class: "help", key: "example" }, link(change.example))))),
    (changes.length > 50 || diff?.moreChanges > 0) &&
      h(
        "p", { class: "help", key: "left" },
        words.bulk.plan.moreChanges(Math.max(0, changes.length - 50) + (diff.moreChanges ?? 0))),
    changedResolutions.length > 0 && [
      h("p", { key: "links-title" }, h("strong", {}, words.bulk.plan.expected)),
      h(
        "ul", { key: "links" }, changedResolutions.slice(0, 20).map((one, index) => h("li", { key: index }, link(one))),
      )],
    sorted.length > 0 && findingList(sorted.slice(0, 20)),
    left > 0 && h("p", { class: "help", key: "more-findings" }, words.bulk.plan.moreFindings(left)),
    h(
      "p", { class: "help", key: "documents" },
      documents.map((one) => words.bulk.plan.document(words.document[one.kind] ?? one.kind, size(one.bytes))).join(
        ", "),
      " ", domain && diff && h("a", { href: to(["domains", domain]) }, words.bulk.plan.open)));
}

function link({ url, app, before, after }) {
  return [h("code", {}, url), " ", h("bdi", {}, app), ": ", resolution(before), " → ", resolution(after)];
}

/** What a plan does with a domain or an app. */
export function actionBadge(action) {
  const kind = { create: "ok", update: "warning", delete: "error" }[action] ?? "quiet";
  return badge(words.bulk.plan.action[action] ?? action, kind, { key: "action" });
}

function counted(findings) {
  const counts = {};
  for (const { severity } of findings) counts[severity] = (counts[severity] ?? 0) + 1;
  return counts;
}

/** "3 new, 2 changed": how many of each action. */
export function actionCounts(items) {
  const counts = Object.groupBy(items, (one) => one.action);
  return ["create", "update", "delete", "unchanged"].filter((action) => counts[action])
    .map((action) => words.bulk.plan.actions[action](count(counts[action].length))).join(", ");
}

/** A question before something that cannot be undone: `ask(reason)` does it, and its problem is shown here. */
class Confirm extends View {
  text;
  label;
  ask;
  close;
  #draft = {};
  #doing = new Loading(this, async () => {
    await this.ask(this.#draft.reason);
  });

  render() {
    return form(
      () => this.#doing.run(), {}, h("p", {}, this.text), reasonField(this.#draft),
      formEnd(this.#doing, this.label, () => this.close(), "danger"));
  }
}

/** A dialog that asks before something ends. */
export function confirmation({ title, text, label, ask, close }) {
  return dialog({ title, close }, h("aasa-confirm", { key: title, text, label, ask, close }));
}

customElements.define("aasa-plan", Plan);
customElements.define("aasa-confirm", Confirm);
