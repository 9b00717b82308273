// Webhooks: who is told of which events, and what became of each message.

import { add, get, path, request } from "../api.js";
import {
  badge,
  button,
  chips,
  choices,
  count,
  cursorPages,
  define,
  dialog,
  draftCheckbox,
  draftField,
  facts,
  failure,
  h,
  listing,
  loaded,
  mono,
  snippet,
  table,
  time,
  View,
} from "../parts.js";
import { ask, go, to } from "../routing.js";
import { Loading, say } from "../state.js";
import { words } from "../words.js";
import { confirmation, formDialog } from "./plan.js";

const common = words.settings;
const text = common.webhooks;

export function domainList(domains, labels = []) {
  const limits = words.common.limits({ domains, labels });
  return limits === "" ? words.settings.allDomains : mono(limits);
}

/** A field for a list: `name` is "domains" or "labels". */
export const listField = (draft, name) =>
  draftField(words.settings[name], draft, name, { spellcheck: "false", help: words.settings[`${name}Help`] });

export const typedList = (text = "") => text.split(/[\s,]+/).filter(Boolean);

export const secretDialog = (title, label, value, close) => (
  dialog(
    { title },
    h("p", { class: "box warning", key: "once" }, words.settings.once),
    snippet(label, value),
    button(words.settings.kept, close, { kind: "primary" }),
  )
);

const newSecret = () => "whsec_" + btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))));

class List extends View {
  #list = new Loading(this, (signal) => get("/v1/webhooks", {}, signal));

  render() {
    this.#list.ask();
    const link = ({ name }) => h("a", { href: to(["settings", "webhooks", name]) }, h("bdi", {}, name));
    return [
      h(
        "div",
        { class: "headline", key: "head" },
        h("p", {}, text.help),
        button(text.add, () => edit(this, undefined, this.#list), { kind: "primary" }),
      ),
      listing(this.#list, [text.empty, text.emptyText], {
        caption: words.settings.sections.webhooks,
        columns: [
          [words.settings.name, link],
          [words.settings.url, (one) => mono(one.url)],
          [text.what, (one) => eventList(one.events)],
          [words.settings.domains, (one) => domainList(one.domains)],
          [words.settings.state, state],
        ],
      }),
      this.open,
    ];
  }
}

function eventList(list) {
  return list.length === 0 ? text.allEvents : list.map((event) => text.events[event] ?? event).join(", ");
}

function state({ enabled, goneAt }) {
  return enabled ? badge(text.on, "ok") : goneAt ? badge(text.gone, "error") : badge(text.off);
}

function digests(old) {
  const times = new Set([60, 300, 900, 3600, 86400, ...(old?.digestSeconds ? [old.digestSeconds] : [])]);
  return [["", text.atOnce], ...[...times].sort((a, b) => a - b).map((one) => [String(one), text.digests(one)])];
}

/** Opens the dialog of a view that adds a webhook, or changes `old`; then one with the secret, if that is new. */
function edit(view, old, list) {
  const send = async ({ name = "", url = "", events, domains, format, digest, enabled, isNewSecret }, signal) => {
    const body = {
      url: url.trim(),
      events: [...events],
      domains: typedList(domains),
      format,
      enabled,
      digestSeconds: digest === "" ? undefined : Number(digest),
      secret: isNewSecret ? newSecret() : undefined,
    };
    const where = path`/v1/webhooks/${name}`;
    const saved = old
      ? (await request("PUT", where, { body })).value
      : await add(where, body, "name", words.settings.exists, signal);
    say(words.settings.saved(name));
    // Slack checks no signature.
    const isNew = saved.secret && format !== "slack";
    view.set({ open: isNew ? secretDialog(text.secret, text.secret, saved.secret, view.close) : undefined });
    list.run();
  };
  view.show(formDialog, {
    title: old ? text.edit : text.add,
    label: words.common.save,
    send,
    draft: {
      format: "standard",
      enabled: true,
      ...old,
      digest: String(old?.digestSeconds ?? ""),
      domains: old?.domains.join(", "),
      events: new Set(old?.events),
    },
    fields: (draft, update) => {
      const guess = () => {
        if (!draft.url.startsWith("https://hooks.slack.com/")) return;
        draft.format = "slack";
        update();
      };
      return [
        draftField(words.settings.name, draft, "name", {
          required: true,
          maxlength: 100,
          disabled: Boolean(old),
          focus: !old,
        }),
        draftField(words.settings.url, draft, "url", {
          type: "url",
          required: true,
          help: text.urlHelp,
          change: guess,
        }),
        draftField(text.format, draft, "format", { tag: "select", options: Object.entries(text.formats) }),
        draftField(text.digest, draft, "digest", { tag: "select", help: text.digestHelp, options: digests(old) }),
        h(
          "fieldset",
          { class: "field", key: "events" },
          h("legend", {}, text.what),
          h("p", { class: "help" }, text.whatHelp),
          choices(draft.events, Object.entries(text.events)),
        ),
        listField(draft, "domains"),
        draftCheckbox(text.enabled, draft, "enabled"),
        old && draftCheckbox(text.newSecret, draft, "isNewSecret"),
      ];
    },
  });
}

class Webhook extends View {
  name;
  query;
  #webhook = new Loading(this, (signal) => get(path`/v1/webhooks/${this.name}`, {}, signal));
  #deliveries = new Loading(this, (signal) => {
    const { status, cursor } = this.query;
    const query = { status: status in text.statuses ? status : undefined, cursor, limit: 50 };
    return get(path`/v1/webhooks/${this.name}/deliveries`, query, signal);
  });
  #testing = new Loading(this, async () => {
    await request("POST", path`/v1/webhooks/${this.name}/test`);
    say(text.tested);
    await this.#deliveries.run();
  });

  start() {
    this.#webhook.run();
    this.every(5, () => {
      this.#webhook.run();
      this.#deliveries.run();
    });
  }

  async #delete(reason) {
    await request("DELETE", path`/v1/webhooks/${this.name}`, { query: { reason } });
    say(words.settings.removed(this.name));
    go(["settings", "webhooks"]);
  }

  render() {
    const remove = () =>
      this.show(confirmation, {
        title: text.delete,
        text: text.deleteText(this.name),
        label: words.common.delete,
        ask: (reason) => this.#delete(reason),
      });
    this.#deliveries.ask(this.query);
    const { status: current = "" } = this.query;
    const chip = ([status, label]) => [status, label, status === current, () => ask({ status, cursor: undefined })];
    return [
      h("p", { key: "up" }, h("a", { href: to(["settings", "webhooks"]) }, "← ", words.settings.sections.webhooks)),
      h("h2", { key: "name", class: "long" }, h("bdi", {}, this.name)),
      loaded(this.#webhook, (one) =>
        h(
          "section",
          { class: "sheet", key: "webhook" },
          facts([
            [common.url, mono(one.url)],
            [text.what, eventList(one.events)],
            [common.domains, domainList(one.domains)],
            [text.format, text.formats[one.format]],
            [common.state, [state(one), " ", one.goneAt && time(one.goneAt)]],
          ]),
          h(
            "div",
            { class: "actions" },
            one.enabled && button(text.test, () => this.#testing.run(), { disabled: this.#testing.isRunning }),
            button(text.edit, () => edit(this, one, this.#webhook), { key: "edit" }),
            button(text.delete, remove, { kind: "danger", key: "delete" }),
          ),
        )),
      failure(this.#testing),
      h("h3", { key: "deliveries" }, text.deliveries),
      chips(text.status, [["", words.common.all], ...Object.entries(text.statuses)].map(chip)),
      loaded(this.#deliveries, ({ items, next }) => [
        items.length === 0 ? h("p", { class: "quiet", key: "none" }, text.noDeliveries) : deliveries(items),
        cursorPages(next),
      ]),
      this.open,
    ];
  }
}

function deliveries(rows) {
  const domainLink = ({ domain }) => domain && h("a", { class: "mono", href: to(["domains", domain]) }, domain);
  const status = (one) =>
    badge(
      text.statuses[one.status],
      one.attempts > 0 && one.status === "pending" ? "warning" : { delivered: "ok", failed: "error" }[one.status],
    );
  const next = (one) => one.status === "pending" && one.nextAt && h("div", {}, text.next, " ", time(one.nextAt));
  return table({
    caption: text.deliveries,
    rows,
    key: (one) => one.id,
    columns: [
      [text.event, (one) => text.events[one.event] ?? text.otherEvents[one.event]],
      [words.settings.domain, domainLink],
      [text.at, (one) => time(one.at)],
      [text.status, status],
      [text.attempts, (one) => count(one.attempts), "number"],
      [text.answer, (one) => [one.error ?? one.answer, next(one)]],
    ],
  });
}

define({ "aasa-settings-webhooks": List, "aasa-settings-webhook": Webhook });
