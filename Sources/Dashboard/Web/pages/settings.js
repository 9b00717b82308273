// Who may do what, who is told, which servers run, and who did what.

import { get, path, request } from "../api.js";
import { h, View } from "../dom.js";
import { day } from "../format.js";
import { badge, button, dialog, empty, field, form, formEnd, loaded, snippet, table, tabs, time } from "../parts.js";
import { to } from "../routing.js";
import { isUnlimited, Loading, may, say, session } from "../state.js";
import { words } from "../words.js";
import { bound, confirmation } from "./plan.js";
import "./settings-audit.js";
import { domainList, typedList } from "./settings-webhooks.js";

/** The sections, and who may read them. */
const sections = {
  tokens: () => may("admin") && isUnlimited(), users: () => may("admin") && isUnlimited(),
  webhooks: () => may("admin") && isUnlimited(), audit: () => may("admin") && isUnlimited(), replicas: isUnlimited,
  about: () => true,
};
const roles = Object.entries(words.role);
const lives = [30, 90, 365];

class Settings extends View {
  address;

  render() {
    const open = Object.keys(sections).filter((one) => sections[one]());
    const [, section = open[0]] = this.address.parts;
    return [
      h("h1", { key: "title" }, words.settings.title),
      tabs(
        words.settings.title, open.map((one) => [one, words.settings.sections[one], to(["settings", one])]), section),
      open.length < Object.keys(sections).length &&
      h("p", { class: "box", key: "no-right" }, isUnlimited() ? words.settings.noRight : words.settings.limited),
      open.includes(section)
        ? h(`aasa-settings-${section}`, { key: section, address: this.address })
        : section in sections
        ? null
        : empty(words.pages.notFound, words.pages.notFoundText)];
  }
}

/** Tokens and users have much in common: a list, a dialog to add, and one to end. */
class Members extends View {
  /** The path of the list. */
  from = "";
  isAdding = false;
  draft = {};
  leaving;
  list = new Loading(this, async (signal) => (await get(this.from, {}, signal)).items);
  saving = new Loading(this, () => this.save());

  start() {
    this.list.run();
  }

  async save() {}

  open(draft) {
    this.draft = { role: "viewer", life: "90", ...draft };
    this.saving.clear();
    this.isAdding = true;
    this.update();
  }

  close() {
    this.isAdding = false;
    this.leaving = undefined;
    this.update();
  }

  /** The inputs that tokens and users share. */
  fields(text, isNamed) {
    return [
      field(text.name, {
        id: "name", ...bound(this.draft, "name"), required: true, disabled: isNamed, maxlength: 100, focus: !isNamed,
        help: text.nameHelp,
      }),
      field(words.settings.role, {
        id: "role", tag: "select", options: roles, ...bound(this.draft, "role", () => this.update()),
        help: words.settings.roles[this.draft.role],
      }),
      field(words.settings.domains, {
        id: "domains", ...bound(this.draft, "domains"), spellcheck: "false", help: words.settings.domainsHelp,
      })];
  }

  buttons(label) {
    return formEnd(this.saving, label, () => this.close());
  }
}

class Tokens extends Members {
  from = "/v1/tokens";
  #created;

  async save() {
    const { name, role, domains, life } = this.draft;
    const expiresAt = life === ""
      ? undefined
      : new Date(Date.now() + life * 86400000).toISOString().replace(/\.\d+/, "");
    const { value } = await request("POST", this.from, {
      body: { name: name ?? "", role, domains: typedList(domains), expiresAt },
    });
    this.isAdding = false;
    this.#created = value;
    this.list.run();
  }

  render() {
    const text = words.settings.tokens;
    return [
      h(
        "div", { class: "headline", key: "head" }, h("p", {}, text.help),
        button(text.create, () => this.open(), { kind: "primary" })),
      loaded(this.list, (items) =>
        table({
          caption: words.settings.sections.tokens, rows: items, key: (token) => token.name,
          columns: [
            { title: text.name, cell: (token) => h("bdi", {}, token.name) },
            { title: words.settings.role, cell: (token) => words.role[token.role] },
            { title: words.settings.domains, cell: (token) => domainList(token.domains) },
            { title: text.lastUsed, cell: (token) => time(token.lastUsedAt) },
            {
              title: text.expires, cell: (token) =>
                !token.expiresAt
                  ? words.common.never
                  : Date.parse(token.expiresAt) < Date.now()
                  ? badge(text.expired, "warning")
                  : day(token.expiresAt),
            },
            {
              title: words.settings.actions, cell: (token) =>
                button(text.revoke, () => {
                  this.leaving = token;
                  this.update();
                }, {
                  kind: "quiet", "aria-label": text.revokeWhat(token.name),
                }),
            }],
        })),
      this.isAdding && dialog(
        { title: text.create, close: () => this.close() },
        form(
          () => this.saving.run(), {}, this.fields(text),
          field(text.life, {
            id: "life", tag: "select",
            options: [...lives.map((days) => [String(days), text.days(days)]), ["", words.common.never]],
            ...bound(this.draft, "life"),
          }),
          this.buttons(text.create))),
      this.#created && dialog(
        { title: text.created(this.#created.name), close: () => this.#forget() },
        h("p", { class: "box warning" }, text.once), snippet(text.token, this.#created.token),
        button(text.kept, () => this.#forget(), { kind: "primary" })),
      this.leaving && confirmation({
        title: text.revokeWhat(this.leaving.name), label: text.revoke, close: () => this.close(),
        text: this.leaving.name === session.name ? text.revokeMine : text.revokeText,
        ask: async (reason) => {
          const { name } = this.leaving;
          await request("DELETE", path`/v1/tokens/${name}`, { query: { reason } });
          say(text.revoked(name));
          this.close();
          this.list.run();
        },
      })];
  }

  #forget() {
    this.#created = undefined;
    this.update();
  }
}

class Users extends Members {
  from = "/v1/users";

  async save() {
    const { name = "", role, domains } = this.draft;
    await request("PUT", path`/v1/users/${name}`, { body: { role, domains: typedList(domains) } });
    say(words.settings.users.saved(name));
    this.close();
    this.list.run();
  }

  render() {
    const text = words.settings.users;
    const isMissing = this.list.problem?.code === "path-not-found";
    return [
      h(
        "div", { class: "headline", key: "head" }, h("p", {}, text.help, " ", h("code", {}, "--admin-user-header")),
        !isMissing && button(text.add, () => this.open(), { kind: "primary" })),
      isMissing
        ? h("p", { class: "box", key: "missing" }, text.missing)
        : loaded(this.list, (items) =>
          items.length === 0 ? empty(text.empty, text.emptyText) : table({
            caption: words.settings.sections.users, rows: items, key: (user) => user.name,
            columns: [
              { title: text.name, cell: (user) => h("bdi", {}, user.name) },
              { title: words.settings.role, cell: (user) => words.role[user.role] },
              { title: words.settings.domains, cell: (user) => domainList(user.domains) },
              { title: words.settings.changed, cell: (user) => time(user.updatedAt) },
              {
                title: words.settings.actions, cell: (user) =>
                  h(
                    "span", { class: "actions" },
                    button(
                      words.common.edit, () => this.open({ ...user, domains: user.domains.join(", "), isOld: true }),
                      { kind: "quiet", "aria-label": text.editWhat(user.name) }),
                    button(text.remove, () => {
                      this.leaving = user;
                      this.update();
                    }, { kind: "quiet", "aria-label": text.removeWhat(user.name) })),
              }],
          })),
      this.isAdding &&
      dialog(
        { title: this.draft.isOld ? text.editWhat(this.draft.name) : text.add, close: () => this.close() },
        form(() => this.saving.run(), {}, this.fields(text, this.draft.isOld), this.buttons(words.common.save))),
      this.leaving && confirmation({
        title: text.removeWhat(this.leaving.name), label: text.remove, text: text.removeText, close: () => this.close(),
        ask: async (reason) => {
          const { name } = this.leaving;
          await request("DELETE", path`/v1/users/${name}`, { query: { reason } });
          say(text.removed(name));
          this.close();
          this.list.run();
        },
      })];
  }
}

customElements.define("aasa-settings", Settings);
customElements.define("aasa-settings-tokens", Tokens);
customElements.define("aasa-settings-users", Users);
