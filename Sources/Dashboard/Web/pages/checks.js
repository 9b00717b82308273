// The state of the world from outside: how the last check of each domain ended, and what to do next.

import { get } from "../api.js";
import { h, View } from "../dom.js";
import { count } from "../format.js";
import { chips, closeButton, coded, cursorPages, empty, field, form, linkButton, loaded, problemBox, quiet, submit,
  table, time } from "../parts.js";
import { ask, to } from "../routing.js";
import { isUnlimited, Loading, may, session } from "../state.js";
import { words } from "../words.js";
import { checkNow, checkProgress, checkReport, checkStatus, exactTime } from "./domain-checks.js";
import { exact } from "./domains-add.js";

const said = words.checks;
const statuses = ["failing", "warning", "ok"];
const pageSize = 25;

class Checks extends View {
  address;
  #list = new Loading(this, (signal) => this.#load(signal));
  /** The worst finding of each domain on the page, by its name. */
  #steps = new Map();
  /** The check of a domain that was asked for here. */
  #now = new Loading(this, async (signal) => {
    const check = await checkNow(this.#wanted, signal);
    this.#list.run();
    return check;
  });
  #wanted = "";

  async #load(signal) {
    const { cursor, status: wanted } = this.address.query;
    const totals = await Promise.all(statuses.map(async (status) => (
      (await get("/v1/checks", { status, limit: 1 }, signal)).total)));
    // Without a choice, the worst that there is.
    const worst = statuses.find((_, index) => totals[index] > 0) ?? "all";
    const chosen = [...statuses, "all"].includes(wanted) ? wanted : worst;
    const status = chosen === "all" ? undefined : chosen;
    const { items, next } = await get("/v1/checks", { status, cursor, limit: pageSize }, signal);
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

  #check(domain) {
    if (this.#now.isRunning || domain.trim() === "") return;
    this.#wanted = domain.trim();
    this.#now.clear();
    this.#now.run();
  }

  #forget() {
    this.#now.clear();
    this.update();
    this.find("#check-domain").focus();
  }

  render() {
    this.#list.ask(this.address.query);
    return [h("h1", { key: "h1" }, said.title), h("p", { class: "quiet", key: "intro" }, said.intro),
      may("editor") && this.#question(this.#now), loaded(this.#list, (list) => this.#outcomes(list))];
  }

  #question({ isRunning, value: check, problem }) {
    const fault = problem?.body.errors?.[0]?.message;
    return h("section", { key: "question" },
      form(({ domain }) => this.#check(domain), { class: "toolbar" },
        field(said.which, {
          ...exact, id: "check-domain", name: "domain", required: true, placeholder: "example.com", fault,
          help: isUnlimited() ? undefined : said.limited(session.domains),
        }),
        submit(isRunning ? said.checking : said.checkNow, { "aria-disabled": isRunning ? "true" : null })),
      checkProgress(this.#now, "hidden"), problem && !fault && problemBox(problem),
      check && h("div", { class: "sheet", key: "result" },
        h("div", { class: "headline" },
          h("h2", {}, said.resultOf, h("bdi", {}, check.domain), " ", checkStatus(check.status)),
          closeButton(words.common.close, () => this.#forget())),
        checkReport(check)));
  }

  #outcomes({ items, next, status, totals }) {
    const total = totals.reduce((sum, one) => sum + one, 0);
    if (total === 0) return empty(said.none, said.noneText);
    const columns = [
      {
        title: said.columns.domain, class: "wide-name",
        cell: (one) => h("a", { href: to(["domains", one.domain, "checks"]) }, h("bdi", {}, one.domain)),
      }, { title: said.columns.outcome, class: "check-outcome", cell: outcome },
      { title: said.columns.step, class: "check-step", cell: (one) => this.#step(one) },
      { title: said.columns.cdn, class: "short", cell: copy },
      {
        title: said.columns.certificate, class: "short",
        cell: (one) => one.certificateExpires ? time(one.certificateExpires) : quiet(words.common.unknown),
      }, { title: said.columns.at, class: "short", cell: (one) => time(one.at) }];
    return [
      chips(said.statusLabel, [...statuses, "all"].map((one, index) => [
        one, `${said.statuses[one]} ${count(totals[index] ?? total)}`, one === status,
        () => ask({ status: one, cursor: undefined })])),
      items.length > 0
        ? table({ caption: said.caption, rows: items, key: (one) => one.domain, columns })
        : empty(said.noneOf, said.noneOfText, linkButton(said.showAll, to(["checks"], { status: "all" }))),
      cursorPages(next)];
  }

  #step({ domain, status, codes }) {
    if (status === "ok") return quiet(said.noSteps);
    const step = this.#steps.get(domain);
    if (!step) return codes.map((code) => h("code", { key: code }, code, " "));
    return [h("div", { dir: "auto" }, coded(step.message)),
      h("div", { class: "help" }, coded(step.help), step.more > 0 && ` (${said.more(step.more)})`)];
  }
}

function outcome({ status, since, failingSince }) {
  return [checkStatus(status), h("div", { class: "help" }, said.since(exactTime(failingSince ?? since)))];
}

function copy({ cdnRevision, cdnBehind }) {
  if (cdnBehind !== undefined) return said.behind(cdnBehind);
  return quiet(cdnRevision === null ? said.noCopy : words.common.unknown);
}

customElements.define("aasa-checks", Checks);
