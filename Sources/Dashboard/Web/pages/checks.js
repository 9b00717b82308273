// The state of the world from outside: how the last check of each domain ended, and what to do next.

import { get, request } from "../api.js";
import { h, View } from "../dom.js";
import { count } from "../format.js";
import { empty, field, form, linkButton, loaded, pages, problemBox, table, time } from "../parts.js";
import { ask, to } from "../routing.js";
import { isUnlimited, Loading, may, session } from "../state.js";
import { words } from "../words.js";
import { checkReport, checkStatus, exactTime } from "./domain-checks.js";

const said = words.checks;
const statuses = ["failing", "warning", "ok"];
const pageSize = 25;

class Checks extends View {
  #address;
  #list = new Loading(this, (signal) => this.#load(signal));
  /** The worst finding of each domain on the page, by its name. */
  #steps = new Map();
  /** The check of a domain that was asked for here. */
  #now = { isRunning: false };

  set address(address) {
    if (address === this.#address) return;
    this.#address = address;
    if (this.isConnected) this.#list.run();
  }

  start() {
    this.#list.run();
  }

  async #load(signal) {
    const { cursor, status: wanted } = this.#address.query;
    const totals = await Promise.all(statuses.map(async (status) => (
      (await get("/v1/checks", { status, limit: 1 }, signal)).total)));
    // Without a choice, the worst that there is.
    const worst = statuses.find((_, index) => totals[index] > 0) ?? "all";
    const chosen = [...statuses, "all"].includes(wanted) ? wanted : worst;
    const status = chosen === "all" ? undefined : chosen;
    const { items, next } = await get("/v1/checks", { status, cursor, limit: pageSize }, signal);
    // The API orders by name. What fits on one page is shown with what broke last first.
    if (status === "failing" && !cursor && next === null) {
      items.sort((a, b) => (b.failingSince ?? b.since).localeCompare(a.failingSince ?? a.since));
    }
    this.#findSteps(items, signal);
    return { items, next, status: chosen, totals };
  }

  /** Outcomes have only codes; what to do is in the findings. */
  async #findSteps(items, signal) {
    const steps = new Map();
    await Promise.allSettled(items.filter(({ status }) => status !== "ok").map(async ({ domain, status }) => {
      const severity = status === "failing" ? "error" : "warning";
      const { items: [worst], total } = await get(
        "/v1/findings", { domain, source: "check", suppressed: false, severity, limit: 1 }, signal);
      if (worst) steps.set(domain, { ...worst, more: total - 1 });
    }));
    this.#steps = steps;
    this.update();
  }

  async #check(name) {
    const domain = name.trim();
    if (this.#now.isRunning || domain === "") return;
    this.#now = { isRunning: true };
    this.update();
    try {
      const { value } = await request("POST", "/v1/check", { body: { domains: [domain] }, signal: this.ending });
      this.#now = { isRunning: false, check: value.items[0] };
      this.#list.run();
    } catch (problem) {
      if (problem.name === "AbortError") return;
      const [fault] = problem.body.errors ?? [];
      this.#now = { isRunning: false, problem, fault: fault?.message };
    }
    this.update();
  }

  #forget() {
    this.#now = { isRunning: false };
    this.update();
    this.querySelector("#check-domain").focus();
  }

  render() {
    return [
      h("h1", { key: "h1" }, said.title), h("p", { class: "quiet", key: "intro" }, said.intro),
      may("editor") && this.#question(), loaded(this.#list, (list) => this.#outcomes(list))];
  }

  #question() {
    const { isRunning, check, problem, fault } = this.#now;
    return h(
      "section", { key: "question" },
      form(
        ({ domain }) => this.#check(domain), { class: "toolbar" },
        field(said.which, {
          id: "check-domain", name: "domain", autocomplete: "off", autocapitalize: "none", spellcheck: "false",
          required: true, placeholder: "example.com", fault,
          help: isUnlimited() ? undefined : said.limited(session.domains),
        }),
        h(
          "button", { type: "submit", class: "button", "aria-disabled": isRunning ? "true" : null, key: "check" },
          isRunning ? said.checking : said.checkNow)),
      h(
        "div", { role: "status", key: "progress" },
        isRunning && [
          h("p", { key: "text" }, said.progress), h("progress", { key: "bar", "aria-label": said.checking })],
        check && h("p", { class: "hidden", key: "done" }, said.done(said.status[check.status], check.findings.length))),
      problem && !fault && problemBox(problem),
      check && h(
        "div", { class: "sheet", key: "result" },
        h(
          "div", { class: "check-head" },
          h("h2", {}, said.resultOf(h("bdi", {}, check.domain)), " ", checkStatus(check.status)),
          h("button", {
            type: "button", class: "close", "aria-label": words.common.close, on: { click: () => this.#forget() },
          }, "×")),
        checkReport(check)));
  }

  #outcomes({ items, next, status, totals }) {
    const total = totals.reduce((sum, one) => sum + one, 0);
    if (total === 0) return empty(said.none, may("editor") ? said.noneEditor : said.noneViewer);
    const { cursor } = this.#address.query;
    return [
      h(
        "div", { class: "chips", role: "group", "aria-label": said.statusLabel, key: "statuses" },
        [...statuses, "all"].map((one, index) => h(
          "button", {
            type: "button", class: "chip", key: one, "aria-pressed": String(one === status),
            on: { click: () => ask({ status: one, cursor: undefined }) },
          }, said.statuses[one], " ", count(totals[index] ?? total)))),
      items.length === 0
        ? empty(
          said.noneOf[status] ?? said.none, said.noneOfText,
          linkButton(said.showAll, to(["checks"], { status: "all" })))
        : table({
          caption: said.caption, rows: items, key: (one) => one.domain,
          columns: [
            {
              title: said.columns.domain, class: "check-domain",
              cell: (one) => h("a", { href: to(["domains", one.domain, "checks"]) }, h("bdi", {}, one.domain)),
            },
            { title: said.columns.outcome, class: "check-outcome", cell: outcome },
            ...(status === "ok" ? [] : [
              { title: said.columns.step, class: "check-step", cell: (one) => this.#step(one) }]),
            { title: said.columns.cdn, class: "check-short", cell: copy },
            {
              title: said.columns.certificate, class: "check-short", cell: (one) => one.certificateExpires
                ? time(one.certificateExpires) : h("span", { class: "quiet" }, words.common.unknown),
            },
            { title: said.columns.at, class: "check-short", cell: (one) => time(one.at) }],
        }),
      pages({
        isFirst: !cursor, hasNext: next !== null,
        first: () => ask({ cursor: undefined }), next: () => ask({ cursor: next }),
      })];
  }

  #step({ domain, status, codes }) {
    if (status === "ok") return h("span", { class: "quiet" }, said.noSteps);
    const step = this.#steps.get(domain);
    if (!step) return codes.map((code) => h("code", { key: code }, code, " "));
    return [
      h("div", { dir: "auto" }, step.message),
      h("div", { class: "help" }, step.help, step.more > 0 && [" ", `(${said.more(step.more)})`])];
  }
}

function outcome({ status, since, failingSince }) {
  return [checkStatus(status), h("div", { class: "help" }, said.since(exactTime(failingSince ?? since)))];
}

function copy({ cdnRevision, cdnBehind }) {
  if (cdnBehind !== undefined) return said.behind(cdnBehind);
  return h("span", { class: "quiet" }, cdnRevision === null ? said.noCopy : words.common.unknown);
}

customElements.define("aasa-checks", Checks);
