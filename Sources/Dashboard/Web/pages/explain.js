// What a device prints about links, explained.

import { request } from "../api.js";
import { badge, coded, exactTime, field, form, h, loaded, mono, submit, View } from "../parts.js";
import { to } from "../routing.js";
import { Loading } from "../state.js";
import { words } from "../words.js";

const text = words.explain;

/** A box for the text, and below it what each host and app of the text needs. Nothing of the text is kept. */
class Explain extends View {
  #output = "";
  #fault;
  #explained = new Loading(
    this,
    async (signal) => (await request("POST", "/v1/explain", { body: this.#output, type: "text/plain", signal })).value,
  );

  #submit({ output }) {
    this.#output = output;
    this.#fault = output.trim() === "" && text.none;
    if (this.#fault) this.find("textarea").focus();
    else this.#explained.run();
    this.update();
  }

  render() {
    const input = field(text.output, {
      id: "output",
      name: "output",
      tag: "textarea",
      fault: this.#fault,
      help: text.help,
      rows: 4,
      spellcheck: "false",
      autocapitalize: "none",
    });
    return h(
      "details",
      { key: "box" },
      h("summary", {}, text.title),
      form(
        (given) => this.#submit(given),
        { key: "form" },
        input,
        submit(text.button, { disabled: this.#explained.isRunning }),
      ),
      loaded(this.#explained, (explained) => this.#results(explained)),
    );
  }

  #results({ kind, items, otherHosts, more }) {
    const said = kind === "unknown" ? text.unknown : text.summary(kind, items.length, otherHosts, more);
    return [
      h("p", { role: "status", key: "status" }, said),
      items.map((item, index) => h("section", { class: "try-result", key: index }, this.#item(item))),
    ];
  }

  #item(item) {
    const { host, service, app, domain, lastChecked, nextCheck, published, publishedThen, cdn, verdict } = item;
    const { code, isFine, certainty, actor, message, nextStep } = verdict;
    const revision = ({ revision, namesApp }) => text.revision(revision, namesApp);
    return [
      h(
        "h3",
        {},
        host && h("bdi", { class: "mono" }, host),
        [service, app].filter(Boolean).map((part) => [" ", mono(part)]),
        " ",
        badge(code, isFine ? "ok" : "error"),
        " ",
        badge(text.certainty[certainty]),
      ),
      h("p", {}, coded(message)),
      h("p", {}, h("strong", {}, text.actor[actor]), " ", coded(nextStep)),
      h(
        "p",
        { class: "help" },
        text.device,
        " ",
        mono(item.state),
        item.userApproval && [", ", text.user, " ", mono(item.userApproval)],
        nextCheck && [", ", text.asksAgain, " ", exactTime(nextCheck)],
        item.error && ["; ", mono(item.error)],
      ),
      published &&
      h(
        "p",
        { class: "help" },
        lastChecked &&
          [text.asked, " ", exactTime(lastChecked), publishedThen && [", ", revision(publishedThen)], ". "],
        text.now,
        " ",
        h("a", { href: to(["domains", domain, "history"]) }, revision(published)),
        ".",
        cdn && [" ", text.cdn(cdn.revision), " ", exactTime(cdn.checkedAt), "."],
      ),
    ];
  }
}

customElements.define("aasa-explain", Explain);
