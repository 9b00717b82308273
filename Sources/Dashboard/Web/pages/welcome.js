// The first start: three ways to have a domain.

import { path, request } from "../api.js";
import { h, View } from "../dom.js";
import { size } from "../format.js";
import { badge, button, checkbox, field, findingList, form, problemBox, snippet } from "../parts.js";
import { go, to } from "../routing.js";
import { say } from "../state.js";
import { words } from "../words.js";
import { exact, hostName } from "./domains-add.js";
import "./drop.js";

const text = words.domains.welcome;

/** The same as `Config/example/state.json`. */
const example = {
  apps: [{ app: "ABCDE12345.com.example.app", name: "Example" }],
  androidApps: [{
    package: "com.example.app", name: "Example",
    fingerprints: [{
      sha256: "7E:5B:10:C4:93:D8:2F:A6:41:0C:EE:57:B2:19:8D:64:F3:0A:76:C9:35:DE:48:91:AB:22:6F:80:1D:E7:54:BC",
      label: "play-signing",
    }],
  }],
  domains: [{
    domain: "example.com",
    entries: [{
      apps: ["ABCDE12345.com.example.app"], androidApps: ["com.example.app"],
      routes: [
        { path: "/help/website/*", exclude: true, comment: "stays on the web" },
        { path: "/help/*", query: { articleNumber: "????" } }, { path: "/buy/*" }],
    }],
    webcredentials: ["ABCDE12345.com.example.app"], androidCredentials: ["com.example.app"],
    webauthnOrigins: ["https://example.co.uk"],
  }],
};

/** The domain in the path of a file, such as `example.com/.well-known/assetlinks.json` or `example.com.json`. */
export function domainOf(name) {
  const parts = name.split("/").map((part) => part.replace(/\.json$/i, ""));
  return parts.find((part) => /^([\p{L}\p{N}-]+\.)+[\p{L}\p{N}-]{2,}$/u.test(part)) ?? "";
}

/** Codes of errors that nobody can accept: a file that has one must be corrected. */
const final = new Set([
  "not-json", "not-an-object", "duplicate-key", "too-large", "too-complex", "wrong-type", "not-a-list"]);

function canPublish({ report, isDone }) {
  return !isDone && report !== undefined && !report.findings.some(({ code }) => final.has(code));
}

/** What a person runs, since this page can only ask the server that it is from. */
const command = `export AASA_TOKEN=aasa_…\naasa adopt --dry-run example.com \\\n  --server ${location.origin}`;

class Welcome extends View {
  /** Called when the domains have been added. */
  done;
  #files = [];
  #number = 0;
  #isRunning = false;
  #problem;

  async #tryExample() {
    this.#isRunning = true;
    this.#problem = undefined;
    this.update();
    try {
      await request("POST", "/v1/apply", { body: example, query: { reason: text.exampleReason } });
      say(text.exampleDone);
      go(["domains", "example.com"]);
    } catch (problem) {
      this.#problem = problem;
    }
    this.#isRunning = false;
    this.update();
  }

  #take(files) {
    const added = files.map(({ name, file }) => ({ id: ++this.#number, name, file, domain: domainOf(name) }));
    this.#files.push(...added);
    this.update();
    this.#validate(added);
  }

  async #validate(files) {
    for (const one of files) {
      one.problem = undefined;
      try {
        one.report = (await request("POST", "/v1/validate", { body: one.file, signal: this.ending })).value;
      } catch (problem) {
        if (problem.name === "AbortError") return;
        one.problem = problem;
      }
      this.update();
    }
    this.querySelector("[data-domain]")?.focus();
  }

  #leave(one) {
    this.#files = this.#files.filter((other) => other !== one);
    this.update();
    (this.querySelector("[data-domain]") ?? this.querySelector("aasa-drop button"))?.focus();
  }

  async #publish() {
    if (this.#isRunning) return;
    const waiting = this.#files.filter(canPublish);
    for (const one of waiting) one.fault = hostName(one.domain) ? undefined : text.noDomain;
    const wrong = waiting.find((one) => one.fault);
    this.#isRunning = !wrong;
    this.update();
    if (wrong) return this.querySelector(`#domain-${wrong.id}`).focus();
    // One after the other, since two files can belong to the same domain.
    for (const one of waiting) {
      one.problem = undefined;
      const errors = one.report.findings.filter(({ severity }) => severity === "error").map(({ code }) => code);
      const accept = one.accepts ? [...new Set(errors)].join() : undefined;
      try {
        const { value } = await request("PUT", path`/v1/domains/${one.domain.trim()}/documents/${one.report.kind}`, {
          body: one.file, query: { accept, reason: text.adoptReason(one.name) },
        });
        one.isDone = value.domain.domain;
      } catch (problem) {
        one.problem = problem;
      }
      this.update();
    }
    this.#isRunning = false;
    this.update();
    const domains = new Set(this.#files.map((one) => one.isDone));
    if (domains.has(undefined)) return;
    say(text.published(this.#files.length));
    if (domains.size === 1) go(["domains", ...domains]);
  }

  render() {
    return [
      h("p", { key: "intro", class: "quiet" }, text.intro), this.#problem && problemBox(this.#problem),
      h(
        "div", { class: "columns ways", key: "ways" },
        h(
          "section", { class: "sheet" }, h("h2", {}, text.example), h("p", {}, text.exampleText),
          button(text.exampleButton, () => this.#tryExample(), { kind: "primary", disabled: this.#isRunning })),
        h(
          "section", { class: "sheet" }, h("h2", {}, text.drop), h("p", {}, text.dropText),
          h("aasa-drop", { on: { files: (event) => this.#take(event.detail) } })),
        h(
          "section", { class: "sheet" }, h("h2", {}, text.adopt), h("p", {}, text.adoptText),
          snippet(text.adoptTry, command),
          h("p", { class: "help" }, text.adoptMore, " ", h("code", {}, "--from domains.txt")))),
      this.#files.length > 0 && this.#list()];
  }

  #list() {
    const left = this.#files.filter(canPublish).length;
    return form(
      () => this.#publish(), { class: "sheet", key: "files" }, h("h2", {}, text.files),
      h("ul", { class: "dropped" }, this.#files.map((one) => this.#file(one))), left > 0
        ? h(
          "button", { type: "submit", class: "button primary", disabled: this.#isRunning, key: "publish" },
          text.publish(left))
        : this.#files.some((one) => one.isDone)
          && button(words.pages.toDomains, () => this.done(), { kind: "primary", key: "all" }));
  }

  #file(one) {
    const { report } = one;
    return h(
      "li", { key: one.id },
      h(
        "div", { class: "heading" },
        h(
          "span", {}, h("strong", {}, h("bdi", {}, one.name)), " ",
          report && h("span", { class: "quiet" }, `${words.document[report.kind]}, ${size(report.bytes)}`), " ",
          one.isDone && badge(text.isPublished, "ok")),
        one.isDone
          ? h("a", { href: to(["domains", one.isDone]), key: "open" }, text.open(one.isDone))
          : button(text.leave, () => this.#leave(one), {
            kind: "quiet", key: "leave", "aria-label": text.leaveOut(one.name),
          })),
      !report && !one.problem && h("p", { class: "loading", role: "status" }, text.validating),
      canPublish(one) && field(text.domain(one.name), {
        ...exact, id: `domain-${one.id}`, "data-domain": "", value: one.domain, inputmode: "url",
        placeholder: "example.com", fault: one.fault,
        on: { input: (event) => { one.domain = event.target.value; one.fault = undefined; this.update(); } },
      }),
      report && (
        report.findings.length === 0 ? h("p", { class: "quiet" }, text.noFindings) : findingList(report.findings)),
      canPublish(one) && !report.valid && checkbox(text.accept, {
        id: `accept-${one.id}`, checked: one.accepts === true,
        on: { change: (event) => { one.accepts = event.target.checked; } },
      }),
      report && !one.isDone && !canPublish(one) && h("p", { key: "final" }, text.correct),
      one.problem && problemBox(one.problem, report ? undefined : () => this.#validate([one])));
  }
}

customElements.define("aasa-welcome", Welcome);
