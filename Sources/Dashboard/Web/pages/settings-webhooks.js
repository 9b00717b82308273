// Webhooks: who is told of which events, and what became of each message.

import { get, path, request } from "../api.js";
import { h, View } from "../dom.js";
import { count } from "../format.js";
import {
  badge, button, checkbox, dialog, empty, facts, failure, field, form, formEnd, loaded, pages, snippet, table, time,
} from "../parts.js";
import { ask, go, to } from "../routing.js";
import { Loading, say } from "../state.js";
import { words } from "../words.js";
import { bound, confirmation } from "./plan.js";

const events = Object.keys(words.settings.webhooks.events);
const statuses = ["pending", "delivered", "failed"];

/** "*.brand.example, example.com": a list of domains, or all. */
export function domainList(domains) {
  return domains.length === 0 ? words.settings.allDomains : h("span", { class: "mono" }, domains.join(", "));
}

/** What was typed as a list of domains. */
export function typedList(text = "") {
  return text.split(/[\s,]+/).filter(Boolean);
}

class Webhooks extends View {
  address;

  render() {
    const [, , name] = this.address.parts;
    return name === undefined
      ? h("aasa-settings-webhook-list", { key: "list" })
      : h("aasa-settings-webhook", { key: name, name, query: this.address.query });
  }
}

class List extends View {
  #isAdding = false;
  #list = new Loading(this, async (signal) => (await get("/v1/webhooks", {}, signal)).items);

  start() {
    this.#list.run();
  }

  #add(isAdding) {
    this.#isAdding = isAdding;
    this.update();
  }

  render() {
    const text = words.settings.webhooks;
    return [
      h(
        "div", { class: "headline", key: "head" }, h("p", {}, text.help),
        button(text.add, () => this.#add(true), { kind: "primary" })),
      loaded(this.#list, (items) =>
        items.length === 0 ? empty(text.empty, text.emptyText) : table({
          caption: words.settings.sections.webhooks, rows: items, key: (one) => one.name,
          columns: [
            {
              title: text.name,
              cell: (one) => h("a", { href: to(["settings", "webhooks", one.name]) }, h("bdi", {}, one.name)),
            },
            { title: text.url, cell: (one) => h("span", { class: "mono" }, one.url) },
            { title: text.what, cell: (one) => eventList(one.events) },
            { title: words.settings.domains, cell: (one) => domainList(one.domains) },
            { title: text.state, cell: state }],
        })),
      this.#isAdding && dialog(
        { title: text.add, close: () => this.#add(false) },
        h("aasa-settings-webhook-form", { close: () => this.#add(false), done: () => this.#list.run() }))];
  }
}

function eventList(list) {
  const { webhooks } = words.settings;
  return list.length === 0 ? webhooks.allEvents : list.map((event) => webhooks.events[event] ?? event).join(", ");
}

function state({ enabled, goneAt }) {
  const text = words.settings.webhooks;
  return enabled ? badge(text.on, "ok") : badge(goneAt ? text.gone : text.off, goneAt ? "error" : "quiet");
}

/** Adds a webhook, or changes the one in `webhook`. A new secret is shown once. */
class Form extends View {
  webhook;
  close;
  done;
  #draft = {};
  #events = new Set();
  #isEnabled = true;
  #secret;
  #fault;
  #saving = new Loading(this, async () => {
    const { name = "", url = "", domains, format } = this.#draft;
    const where = path`/v1/webhooks/${name}`;
    const body = {
      url: url.trim(), events: [...this.#events], domains: typedList(domains), format, enabled: this.#isEnabled,
    };
    // A webhook of this name would be replaced.
    this.#fault = undefined;
    if (!this.webhook && (await request("PUT", where, { body, query: { dryRun: true } })).status === 200) {
      this.#fault = words.settings.webhooks.exists;
      return;
    }
    const { value } = await request("PUT", where, { body });
    say(words.settings.webhooks.saved(name));
    this.done();
    if (value.secret) this.#secret = value.secret;
    else this.close();
  });

  start() {
    const { name, url, domains = [], format = "standard", enabled = true, events = [] } = this.webhook ?? {};
    this.#draft = { name, url, domains: domains.join(", "), format };
    this.#events = new Set(events);
    this.#isEnabled = enabled;
  }

  render() {
    const text = words.settings.webhooks;
    if (this.#secret) {
      return [
        h("p", { class: "box warning", key: "once" }, text.once), snippet(text.secret, this.#secret),
        button(text.kept, () => this.close(), { kind: "primary" })];
    }
    return form(
      () => this.#saving.run(), {},
      field(text.name, {
        id: "webhook-name", ...bound(this.#draft, "name"), required: true, maxlength: 100,
        disabled: Boolean(this.webhook), focus: !this.webhook, fault: this.#fault,
      }),
      field(text.url, {
        id: "webhook-url", type: "url", ...bound(this.#draft, "url"), required: true, spellcheck: "false",
        help: text.urlHelp,
      }),
      h(
        "fieldset", { key: "events" }, h("legend", {}, text.what), h("p", { class: "help" }, text.whatHelp),
        events.map((event) =>
          checkbox(text.events[event], {
            id: `event-${event}`, checked: this.#events.has(event),
            on: { change: ({ target }) => this.#events[target.checked ? "add" : "delete"](event) },
          }))),
      field(words.settings.domains, {
        id: "webhook-domains", ...bound(this.#draft, "domains"), spellcheck: "false", help: words.settings.domainsHelp,
      }),
      field(text.format, {
        id: "webhook-format", tag: "select", options: Object.entries(text.formats), ...bound(this.#draft, "format"),
      }),
      checkbox(text.enabled, {
        id: "webhook-enabled", checked: this.#isEnabled,
        on: {
          change: ({ target }) => {
            this.#isEnabled = target.checked;
          },
        },
      }),
      formEnd(this.#saving, words.common.save, () => this.close()));
  }
}

class Webhook extends View {
  name;
  #query = {};
  #open;
  #webhook = new Loading(this, (signal) => get(path`/v1/webhooks/${this.name}`, {}, signal));
  #deliveries = new Loading(this, (signal) =>
    get(path`/v1/webhooks/${this.name}/deliveries`, {
      status: this.#query.status, cursor: this.#query.cursor, limit: 50,
    }, signal));
  #testing = new Loading(this, async () => {
    await request("POST", path`/v1/webhooks/${this.name}/test`);
    say(words.settings.webhooks.tested);
    await this.#deliveries.run();
  });

  set query(value) {
    const isNew = JSON.stringify(value) !== JSON.stringify(this.#query);
    this.#query = value;
    if (isNew && this.isConnected) this.#deliveries.run();
  }

  start() {
    this.#webhook.run();
    this.#deliveries.run();
    const timer = setInterval(() => document.hidden || this.#deliveries.run(), 10000);
    this.ending.addEventListener("abort", () => clearInterval(timer));
  }

  #show(open) {
    this.#open = open;
    this.update();
  }

  render() {
    const text = words.settings.webhooks;
    return [
      h("p", { key: "up" }, h("a", { href: to(["settings", "webhooks"]) }, "← ", words.settings.sections.webhooks)),
      h("h2", { key: "name", class: "long" }, h("bdi", {}, this.name)),
      loaded(this.#webhook, (one) =>
        h(
          "section", { class: "sheet", key: "webhook" },
          facts([
            [text.url, h("span", { class: "mono" }, one.url)], [text.what, eventList(one.events)],
            [words.settings.domains, domainList(one.domains)], [text.format, text.formats[one.format]],
            [text.state, [state(one), one.goneAt && [" ", time(one.goneAt)]]]]),
          h(
            "div", { class: "actions" }, one.enabled &&
              button(text.test, () => this.#testing.run(), { disabled: this.#testing.isRunning, key: "test" }),
            button(text.edit, () => this.#show("edit"), { key: "edit" }),
            button(text.delete, () => this.#show("delete"), { kind: "danger", key: "delete" })))),
      failure(this.#testing), h("h3", { key: "deliveries" }, text.deliveries),
      h(
        "div", { class: "chips", key: "chips", role: "group", "aria-label": text.status },
        ["", ...statuses].map((status) =>
          h("button", {
            key: status, type: "button", class: "chip", "aria-pressed": String(status === (this.#query.status ?? "")),
            on: { click: () => ask({ status, cursor: undefined }) },
          }, status === "" ? words.common.all : text.statuses[status]))),
      loaded(this.#deliveries, ({ items, next }) => [
        items.length === 0 ? h("p", { class: "quiet", key: "none" }, text.noDeliveries) : table({
          caption: text.deliveries, rows: items, key: (one) => one.id,
          columns: [
            { title: text.event, cell: (one) => text.events[one.event] ?? text.testEvent },
            {
              title: text.domain,
              cell: (one) => one.domain && h("a", { class: "mono", href: to(["domains", one.domain]) }, one.domain),
            },
            { title: text.at, cell: (one) => time(one.at) },
            {
              title: text.status, cell: (one) =>
                badge(text.statuses[one.status], { delivered: "ok", failed: "error" }[one.status] ?? "quiet"),
            },
            { title: text.attempts, class: "number", cell: (one) => count(one.attempts) },
            {
              title: text.answer,
              cell: (
                one,
              ) => [
                one.error ?? one.answer,
                one.status === "pending" && one.nextAt && [" ", text.next, " ", time(one.nextAt)]],
            }],
        }),
        pages({
          first: () => ask({ cursor: undefined }), next: () => ask({ cursor: next }), isFirst: !this.#query.cursor,
          hasNext: next !== null,
        })]),
      this.#open === "edit" && dialog(
        { title: text.edit, close: () => this.#show() },
        h("aasa-settings-webhook-form", {
          webhook: this.#webhook.value, close: () => this.#show(), done: () => this.#webhook.run(),
        })),
      this.#open === "delete" && confirmation({
        title: text.delete, text: text.deleteText(this.name), label: words.common.delete, close: () => this.#show(),
        ask: async (reason) => {
          await request("DELETE", path`/v1/webhooks/${this.name}`, { query: { reason } });
          say(text.deleted(this.name));
          go(["settings", "webhooks"]);
        },
      })];
  }
}

customElements.define("aasa-settings-webhooks", Webhooks);
customElements.define("aasa-settings-webhook-list", List);
customElements.define("aasa-settings-webhook-form", Form);
customElements.define("aasa-settings-webhook", Webhook);
