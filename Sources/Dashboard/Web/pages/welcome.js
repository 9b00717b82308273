// The first start: three ways to have a domain.

import { request } from "../api.js";
import { h, View } from "../dom.js";
import { button, failure } from "../parts.js";
import { go } from "../routing.js";
import { Loading, say } from "../state.js";
import { words } from "../words.js";
import "./bulk.js";

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

class Welcome extends View {
  /** Shows the domains. */ done;
  hasImported = false;
  #trying = new Loading(this, async () => {
    await request("POST", "/v1/apply", { body: example, query: { reason: text.exampleReason } });
    say(text.exampleDone);
    go(["domains", "example.com"]);
  });

  render() {
    return [!this.hasImported && h("p", { key: "intro", class: "quiet" }, text.intro),
      !this.hasImported && h("section", { class: "sheet", key: "example" }, h("h2", {}, text.example),
        h("p", {}, text.exampleText), failure(this.#trying),
        button(text.exampleButton, () => this.#trying.run(), { kind: "primary", disabled: this.#trying.isRunning })),
      h("section", { class: "sheet", key: "drop" }, h("h2", {}, text.drop),
        h("aasa-bulk-import", { on: { published: () => this.set({ hasImported: true }) } }),
        this.hasImported && button(words.pages.toDomains, () => this.done(), { kind: "primary", key: "all" }))];
  }
}

customElements.define("aasa-welcome", Welcome);
