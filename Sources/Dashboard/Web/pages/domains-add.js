// The form that adds a domain.

import { get, path, request } from "../api.js";
import { h, View } from "../dom.js";
import { button, field, findingList, form, problemBox } from "../parts.js";
import { go } from "../routing.js";
import { isUnlimited, Loading, say, session } from "../state.js";
import { words } from "../words.js";

const text = words.domains.add;

/** The name as the API writes it, or undefined if it cannot be one. */
export function hostName(name) {
  try {
    return new URL(`https://${name.trim()}`).hostname || undefined;
  } catch {
    return undefined;
  }
}

/** Whether the session may edit a domain: all, or those that its limits name. */
function isCovered(name) {
  const covers = (limit) => limit === name || (limit.startsWith("*.") && name.endsWith(limit.slice(1)));
  return isUnlimited() || session.domains.some(covers);
}

/** Inputs for names that no keyboard should correct. */
export const exact = { autocomplete: "off", autocapitalize: "none", spellcheck: "false", maxlength: 255 };

/** Shows what would be published, then publishes it. */
class AddDomain extends View {
  close;
  #form = { domain: "", app: "", route: "/*", environment: "production", reason: "" };
  #preview;
  #problem;
  #faults = {};
  #isRunning = false;
  #apps = new Loading(this, async (signal) => (await get("/v1/apps", { limit: 1000 }, signal)).items);

  start() {
    this.#apps.run();
  }

  #change(event) {
    this.#form[event.target.name] = event.target.value;
    if (event.target.name === "reason") return;
    this.#preview = this.#problem = undefined;
    this.#faults = {};
    this.update();
  }

  async #send() {
    if (this.#isRunning) return;
    const { domain, app, route, environment, reason } = this.#form;
    const name = hostName(domain);
    this.#faults = {
      domain: !name ? text.noName : !isCovered(name) ? text.notCovered(session.domains.join(", ")) : undefined,
    };
    if (this.#faults.domain) {
      this.update();
      return this.querySelector("#new-domain").focus();
    }
    const entries = app.trim() === "" ? [] : [{ apps: [app.trim()], routes: route === "" ? [] : [{ path: route }] }];
    const dryRun = this.#preview ? undefined : "true";
    this.#isRunning = true;
    this.#problem = undefined;
    this.update();
    try {
      const { value } = await request("PUT", path`/v1/domains/${domain.trim()}`, {
        body: { environment, entries }, ifNoneMatch: "*", query: { dryRun, reason }, signal: this.ending,
      });
      if (dryRun) {
        this.#preview = value;
      } else {
        say(text.done(value.domain.domain));
        go(["domains", value.domain.domain]);
      }
    } catch (problem) {
      if (problem.name === "AbortError") return;
      const fault = problem.status === 412 ? text.exists
        : problem.code === "domain-malformed" ? problem.detail : undefined;
      this.#faults = { domain: fault };
      this.#problem = fault ? undefined : problem;
      if (fault) this.querySelector("#new-domain").focus();
    }
    this.#isRunning = false;
    this.update();
  }

  render() {
    const input = (event) => this.#change(event);
    const values = this.#form;
    return form(
      () => this.#send(), {},
      field(text.name, {
        ...exact, id: "new-domain", name: "domain", value: values.domain, required: true, focus: true, inputmode: "url",
        placeholder: "links.example.com", fault: this.#faults.domain, on: { input },
        help: isUnlimited() ? text.nameHelp : text.limits(session.domains.join(", ")),
      }),
      field(text.app, {
        ...exact, id: "new-app", name: "app", value: values.app, list: "new-apps",
        placeholder: "ABCDE12345.com.example.app", help: text.appHelp, on: { input },
      }),
      h(
        "datalist", { id: "new-apps" },
        this.#apps.value?.map(({ app, name }) => h("option", { key: app, value: app }, name ?? ""))),
      field(text.route, {
        id: "new-route", name: "route", tag: "select", value: values.route, disabled: values.app.trim() === "",
        on: { change: input }, options: [["/*", text.allLinks], ["", text.noRoute]],
      }),
      field(text.environment, {
        id: "new-environment", name: "environment", tag: "select", value: values.environment,
        on: { change: input }, options: Object.entries(words.environment),
      }),
      field(words.common.reason, {
        id: "new-reason", name: "reason", value: values.reason, help: words.common.reasonHelp, maxlength: 500,
        autocomplete: "off", on: { input },
      }),
      h(
        "div", { role: "status", key: "preview" }, this.#preview && [
          h("p", { key: "would" }, text.would(this.#preview.domain.domain, this.#preview.findings.length)),
          findingList(this.#preview.findings)]),
      this.#problem && problemBox(this.#problem),
      h(
        "div", { class: "actions", key: "actions" },
        h(
          "button", { type: "submit", class: "button primary", disabled: this.#isRunning },
          this.#preview ? text.publish : text.preview),
        button(words.common.cancel, () => this.close())));
  }
}

customElements.define("aasa-add-domain", AddDomain);
