// The form that adds a domain.

import { get, path, request } from "../api.js";
import { h, View } from "../dom.js";
import { dialogForm, draftField } from "../parts.js";
import { go } from "../routing.js";
import { isUnlimited, Loading, mayEditDomain, say, session } from "../state.js";
import { words } from "../words.js";
import { findingList } from "./domain-parts.js";
import { reasonField } from "./plan.js";

const text = words.domains.add;

/** The name as the API writes it, or undefined if it cannot be one. */
export function hostName(name) {
  try {
    return new URL(`https://${name.trim()}`).hostname || undefined;
  } catch {
    return undefined;
  }
}

/** Inputs for names that no keyboard should correct. */
export const exact = { autocomplete: "off", autocapitalize: "none", spellcheck: "false", maxlength: 255 };

/** Shows what would be published, then publishes it. */
class AddDomain extends View {
  close;
  /** What is in the form. */
  #given = { domain: "", app: "", route: "/*", environment: "production", reason: "" };
  #fault;
  #apps = new Loading(this, async (signal) => (await get("/v1/apps", { limit: 1000 }, signal)).items);

  /** Its value is what would be published. */
  #sending = new Loading(this, async (signal) => {
    const { domain, app, route, environment, reason } = this.#given;
    const entries = app.trim() === "" ? [] : [{ apps: [app.trim()], routes: route === "" ? [] : [{ path: route }] }];
    const dryRun = this.#sending.value ? undefined : "true";
    const { value } = await request("PUT", path`/v1/domains/${domain.trim()}`, {
      body: { environment, entries }, ifNoneMatch: "*", query: { dryRun, reason }, signal,
    });
    if (dryRun) return value;
    say(text.done(value.domain.domain));
    go(["domains", value.domain.domain]);
  });

  start() {
    this.#apps.run();
  }

  async #send() {
    const name = hostName(this.#given.domain);
    this.#fault = !name ? text.noName : !mayEditDomain(name) ? text.notCovered(session.domains.join(", ")) : undefined;
    if (!this.#fault) {
      await this.#sending.run();
      const { problem } = this.#sending;
      this.#fault = problem?.status === 412 ? text.exists
        : problem?.code === "domain-malformed" ? problem.detail : undefined;
      if (this.#fault) this.#sending.clear();
    }
    this.update();
    if (this.#fault) this.find("#new-domain")?.focus();
  }

  render() {
    const { app } = this.#given;
    const preview = this.#sending.value;
    const change = () => {
      this.#fault = undefined;
      this.#sending.clear();
      this.update();
    };
    const input = (label, name, more) => draftField(label, this.#given, name, { id: `new-${name}`, change, ...more });
    const label = preview ? text.publish : text.preview;
    return dialogForm(this.#sending, label, () => this.close(), { send: () => this.#send() },
      input(text.name, "domain", {
        ...exact, required: true, focus: true, inputmode: "url", placeholder: "links.example.com", fault: this.#fault,
        help: isUnlimited() ? text.nameHelp : text.limits(session.domains.join(", ")),
      }),
      input(text.app, "app", {
        ...exact, name: "apps", list: "new-apps", placeholder: "ABCDE12345.com.example.app", help: text.appHelp,
      }),
      h("datalist", { id: "new-apps" },
        this.#apps.value?.map(({ app, name }) => h("option", { key: app, value: app }, name ?? ""))),
      input(text.route, "route", {
        tag: "select", disabled: app.trim() === "", options: [["/*", text.allLinks], ["", text.noRoute]],
      }),
      input(text.environment, "environment", { tag: "select", options: Object.entries(words.environment) }),
      reasonField(this.#given),
      h("div", { role: "status", key: "preview" }, preview && [
        h("p", { key: "would" }, text.would(preview.domain.domain, preview.findings.length)),
        findingList(preview.findings)]));
  }
}

customElements.define("aasa-add-domain", AddDomain);
