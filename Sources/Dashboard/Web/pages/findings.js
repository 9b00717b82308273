// What the linter and the checks found in all domains, and what somebody decided not to act on.

import { get, path, request } from "../api.js";
import { h, View } from "../dom.js";
import { count, day } from "../format.js";
import { badge, button, dialog, empty, field, form, linkButton, loaded, pages, problemBox, table } from "../parts.js";
import { ask, to } from "../routing.js";
import { Loading, may, say, session } from "../state.js";
import { words } from "../words.js";

const said = words.findings;
const pageSize = 50;

class Findings extends View {
  #address;
  #list = new Loading(this, (signal) => this.#load(signal));
  #suppressions = new Loading(this, async (signal) => (
    (await get(path`/v1/domains/${this.#domain}/suppressions`, {}, signal)).items));
  /** The dialog that is open: a finding to suppress, or a suppression to end. */
  #dialog;
  #timer;
  /** What is typed into the filter, until it is sent. */
  #typed;

  set address(address) {
    if (address === this.#address) return;
    this.#address = address;
    this.#typed = undefined;
    if (this.isConnected) this.#reload();
  }

  get #domain() {
    return this.#address.query.domain ?? "";
  }

  /** The filters as the API wants them. What is suppressed is left out unless it is asked for. */
  get #filters() {
    const { domain, severity, source, suppressed = "false" } = this.#address.query;
    return { domain, severity, source, suppressed: suppressed === "all" ? undefined : suppressed };
  }

  start() {
    this.#reload();
  }

  disconnectedCallback() {
    clearTimeout(this.#timer);
    super.disconnectedCallback();
  }

  async #reload() {
    if (this.#domain === "") this.#suppressions.clear();
    else this.#suppressions.run();
    await this.#list.run();
  }

  async #load(signal) {
    const { code, cursor } = this.#address.query;
    const [list, all] = await Promise.all([
      get("/v1/findings", { ...this.#filters, code, cursor, limit: pageSize }, signal),
      // The counts follow the filters, and the chips show also what is not chosen.
      code && get("/v1/findings", { ...this.#filters, limit: 1 }, signal)]);
    clearTimeout(this.#timer);
    if (list.pending > 0) this.#timer = setTimeout(() => this.#list.run(), 3000);
    return { ...list, counts: all?.counts ?? list.counts };
  }

  #show(shown) {
    this.#dialog = shown;
    this.update();
  }

  async #suppress({ scope, reason, owner, until }) {
    const { finding } = this.#dialog;
    // The day that was chosen belongs to the suppression.
    const end = new Date(`${until}T23:59:59`);
    const faults = {
      reason: reason.trim() === "" && said.reasonMissing, owner: owner.trim() === "" && said.ownerMissing,
      until: !(end > new Date()) && said.untilPast,
    };
    if (faults.reason || faults.owner || faults.until) return this.#fail({ faults });
    await this.#send(async () => {
      const { value } = await request("POST", path`/v1/domains/${finding.domain}/suppressions`, {
        body: {
          code: finding.code, document: finding.document, pointer: scope ?? finding.pointer,
          reason: reason.trim(), owner: owner.trim(), until: end.toISOString(),
        },
      });
      say(said.done(value.findings, day(value.until)));
    });
  }

  #end() {
    const { ending } = this.#dialog;
    return this.#send(async () => {
      await request("DELETE", path`/v1/domains/${ending.domain}/suppressions/${ending.id}`);
      say(said.ended);
    });
  }

  async #send(change) {
    if (this.#dialog.isRunning) return;
    this.#show({ ...this.#dialog, isRunning: true, problem: undefined, faults: undefined });
    try {
      await change();
    } catch (problem) {
      const at = (problem.body?.errors ?? []).map(({ pointer, message }) => [pointer.slice(1), message]);
      return this.#fail({ problem, faults: Object.fromEntries(at) });
    }
    this.#show(undefined);
    await this.#reload();
    // The button that opened the dialog may have gone with its row.
    setTimeout(() => document.activeElement === document.body && this.querySelector("h1")?.focus());
  }

  #fail(how) {
    this.#show({ ...this.#dialog, isRunning: false, ...how });
    setTimeout(() => this.querySelector("dialog [aria-invalid]")?.focus());
  }

  render() {
    const { value, problem } = this.#list;
    // A filter that the API does not take: what was found before is no answer to it.
    const isWrong = problem?.status === 400;
    return [
      h("h1", { key: "h1", tabindex: "-1" }, said.title), h("p", { class: "quiet", key: "intro" }, said.intro),
      this.#toolbar(),
      h(
        "div", { role: "status", key: "state" },
        value?.pending > 0 && h("p", { class: "box warning" }, said.pending(value.pending))),
      isWrong ? problemBox(problem, () => this.#reload()) : loaded(this.#list, (list) => this.#found(list)),
      this.#domain !== "" && !isWrong && h(
        "section", { key: "suppressions", class: "found-suppressions" },
        h("h2", {}, said.suppressionsOf(h("bdi", {}, this.#domain))),
        loaded(this.#suppressions, (items) => this.#decisions(items))),
      this.#dialog?.finding && this.#suppressDialog(this.#dialog),
      this.#dialog?.ending && this.#endDialog(this.#dialog)];
  }

  #toolbar() {
    const { severity = "", source = "", suppressed = "false" } = this.#address.query;
    const choose = (name, initial = "") => ({
      change: ({ target: { value } }) => ask({ [name]: value === initial ? undefined : value, cursor: undefined }),
    });
    return form(
      ({ domain }) => ask({ domain: domain.trim() || undefined, code: undefined, cursor: undefined }),
      { class: "toolbar", key: "filters", role: "search" },
      field(said.domain, {
        id: "found-domain", name: "domain", type: "search", value: this.#typed ?? this.#domain,
        placeholder: "example.com", autocapitalize: "none", spellcheck: "false", autocomplete: "off",
        // The cross in the field empties it, without a submission.
        on: {
          input: (event) => { this.#typed = event.target.value; },
          search: (event) => event.target.value === "" && ask({ domain: undefined, cursor: undefined }),
        },
      }),
      h("button", { type: "submit", class: "button", key: "show" }, said.show),
      field(said.severity, {
        id: "found-severity", tag: "select", value: severity, on: choose("severity"),
        options: [["", words.common.all], ...["error", "warning", "note"].map((one) => [one, words.severity[one]])],
      }),
      field(said.source, {
        id: "found-source", tag: "select", value: source, on: choose("source"),
        options: [["", words.common.all], ["lint", said.sources.lint], ["check", said.sources.check]],
      }),
      field(said.state, {
        id: "found-state", tag: "select", value: suppressed, on: choose("suppressed", "false"),
        options: [["false", said.states.open], ["true", said.states.suppressed], ["all", words.common.all]],
      }));
  }

  #found({ items, next, total, counts, suppressed }) {
    const { code, cursor } = this.#address.query;
    const codes = Object.entries(counts).sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]));
    const isFiltered = ["domain", "severity", "source", "suppressed", "code"].some((name) => this.#address.query[name]);
    // One that is chosen stays, to be taken back, when nothing has its code any longer.
    if (code && !(code in counts)) codes.unshift([code, 0]);
    return [
      codes.length > 0 && h(
        "div", { class: "chips", role: "group", "aria-label": said.codes, key: "codes" },
        codes.map(([one, number]) => h(
          "button", {
            type: "button", class: "chip", key: one, "aria-pressed": String(one === code),
            on: { click: () => ask({ code: one === code ? undefined : one, cursor: undefined }) },
          }, one, number > 0 && ` ${count(number)}`))),
      h(
        "p", { class: "quiet", key: "total", role: "status" }, said.total(total),
        this.#filters.suppressed === undefined && suppressed > 0 && said.ofThem(suppressed)),
      items.length === 0 ? (isFiltered
        ? empty(said.noneHere, said.noneHereText, linkButton(said.clear, to(["findings"])))
        : empty(said.none, said.noneText, linkButton(words.pages.checks, to(["checks"]))))
        : h("div", { class: "found", key: "found" }, groups(items).map((group) => this.#group(...group))),
      pages({
        isFirst: !cursor, hasNext: next !== null,
        first: () => ask({ cursor: undefined }), next: () => ask({ cursor: next }),
      })];
  }

  #group(domain, found) {
    return h(
      "section", { key: domain, "aria-label": domain },
      h("h2", {}, h("a", { href: to(["domains", domain]) }, h("bdi", {}, domain))),
      h(
        "ul", {},
        found.map((one) => h(
          "li", { key: [one.code, one.document, one.pointer, one.url, one.message].join(" ") },
          h("div", { class: "found-severity" }, badge(words.severity[one.severity], one.severity)),
          h("div", { class: "found-text" }, text(one)), h("div", { class: "found-action" }, this.#action(one))))));
  }

  #action(finding) {
    const { suppressed, domain, code, severity, source } = finding;
    if (suppressed) {
      return may("editor") && button(said.end, () => this.#show({ ending: { ...suppressed, domain, code } }), {
        key: "end", kind: "quiet", "aria-label": said.endOf(code, domain),
      });
    }
    // The server refuses a document with errors; only those of checks can be left as they are.
    if (!may("editor") || (severity === "error" && source !== "check")) return null;
    return button(said.suppress, () => this.#show({ finding }), {
      key: "suppress", kind: "quiet", "aria-label": said.suppressOf(code, domain),
    });
  }

  #decisions(items) {
    if (items.length === 0) return h("p", { class: "quiet", key: "none" }, said.noSuppressions);
    return table({
      caption: said.suppressionsOf(this.#domain).join(""), rows: items, key: (one) => one.id,
      columns: [
        {
          title: said.columns.code, class: "found-domain",
          cell: (one) => [h("code", {}, one.code), h("div", { class: "help" }, place(one))],
        },
        { title: said.columns.reason, cell: (one) => h("span", { dir: "auto" }, one.reason) },
        { title: said.columns.owner, cell: (one) => h("bdi", {}, one.owner) },
        {
          title: said.columns.until, class: "check-short",
          cell: (one) => one.active ? day(one.until) : [day(one.until), " ", badge(said.over)],
        },
        { title: said.columns.covers, class: "number", cell: (one) => count(one.findings) },
        {
          title: said.columns.action, class: "check-short",
          cell: (one) => may("editor") && button(one.active ? said.end : words.common.delete, () => this.#show({
            ending: { ...one, domain: this.#domain },
          }), { kind: "quiet", "aria-label": said.endOf(one.code, this.#domain) }),
        }],
    });
  }

  #suppressDialog({ finding, problem, faults = {}, isRunning }) {
    const shown = problem && Object.keys(faults).every((name) => !["reason", "owner", "until"].includes(name));
    const scopes = places(finding);
    // What was chosen outlives a fault.
    const keep = (name) => ({ input: (event) => { this.#dialog[name] = event.target.value; } });
    return dialog(
      { title: said.suppressTitle, close: () => this.#show(undefined) },
      h(
        "p", { class: "found-text" },
        h("strong", {}, h("bdi", {}, finding.domain)), ": ", h("bdi", {}, finding.message)),
      shown && problemBox(problem),
      form(
        (values) => this.#suppress(values), {}, scopes.length > 1
          ? field(said.scope, {
            id: "suppress-scope", name: "scope", tag: "select", options: scopes,
            value: this.#dialog.scope ?? finding.pointer, on: keep("scope"),
          })
          : h("p", { class: "help", key: "scope" }, said.scopeIsFile),
        field(words.common.reason, {
          id: "suppress-reason", name: "reason", required: true, maxlength: "1000", fault: faults.reason,
          help: said.reasonHelp, focus: true,
        }),
        field(said.owner, {
          id: "suppress-owner", name: "owner", required: true, maxlength: "100",
          value: this.#dialog.owner ?? session.name, help: said.ownerHelp, fault: faults.owner, on: keep("owner"),
        }),
        field(said.untilLabel, {
          id: "suppress-until", name: "until", type: "date", required: true, min: date(1),
          value: this.#dialog.until ?? date(90), help: said.untilHelp, fault: faults.until, on: keep("until"),
        }),
        h(
          "div", { class: "actions" },
          h("button", { type: "submit", class: "button primary", disabled: Boolean(isRunning) }, said.suppress),
          button(words.common.cancel, () => this.#show(undefined)))));
  }

  #endDialog({ ending, problem, isRunning }) {
    return dialog(
      { title: said.endTitle, close: () => this.#show(undefined) }, problem && problemBox(problem),
      h("p", { class: "found-text" }, said.endText(h("code", {}, ending.code), h("bdi", {}, ending.domain))),
      h("p", { class: "help found-text", dir: "auto" }, ending.reason),
      h(
        "div", { class: "actions" },
        button(said.end, () => this.#end(), { kind: "danger", disabled: Boolean(isRunning), focus: true }),
        button(words.common.cancel, () => this.#show(undefined))));
  }
}

/** Findings by domain, the worst of each first. */
function groups(items) {
  const all = new Map();
  for (const one of items) all.set(one.domain, [...(all.get(one.domain) ?? []), one]);
  const order = ["error", "warning", "note"];
  for (const found of all.values()) found.sort((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity));
  return [...all];
}

function text({ message, help, code, document, pointer, url, appleCode, domain, source, suppressed }) {
  return [
    h("div", { key: "message", dir: "auto" }, message), h("div", { key: "help", class: "quiet" }, help),
    h(
      "div", { key: "place", class: "help" }, h("code", {}, code), " · ", words.document[document] ?? document,
      (url ?? pointer) && [" · ", h("span", { class: "mono" }, url ?? pointer)],
      appleCode && [" · ", h("code", {}, appleCode)],
      source === "check" && [" · ", h("a", { href: to(["domains", domain, "checks"]) }, said.seeCheck)]),
    suppressed && h(
      "div", { key: "suppressed", class: "box" },
      said.until(day(suppressed.until), h("bdi", {}, suppressed.owner)), " ", h("bdi", {}, suppressed.reason))];
}

function place({ document, pointer }) {
  const file = words.document[document] ?? document;
  if (pointer === null) return said.gone(file);
  return pointer === "" ? file : [file, " · ", h("span", { class: "mono" }, pointer)];
}

/** The places that a suppression of a finding can be for, the narrowest first: itself, its entry, the whole file. */
function places({ pointer, document }) {
  const [entry] = /^\/applinks\/details\/\d+(?=\/)/.exec(pointer) ?? [];
  const file = said.wholeFile(words.document[document] ?? document);
  if (pointer === "") return [["", file]];
  return [[pointer, said.thisPlace(pointer)], ...(entry ? [[entry, said.entry]] : []), ["", file]];
}

/** The day in so many days, as inputs of dates have it. */
function date(days) {
  const then = new Date();
  then.setDate(then.getDate() + days);
  const parts = [then.getFullYear(), then.getMonth() + 1, then.getDate()];
  return parts.map((part) => String(part).padStart(2, "0")).join("-");
}

customElements.define("aasa-findings", Findings);
