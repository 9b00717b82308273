// Who may do what, who is told, which servers run, and who did what.

import { add, get, path, request } from "../api.js";
import { h, View } from "../dom.js";
import { day } from "../format.js";
import { badge, button, dialog, dialogForm, draftField, empty, loaded, table, tabs, time } from "../parts.js";
import { to } from "../routing.js";
import { isUnlimited, Loading, may, say, session } from "../state.js";
import { words } from "../words.js";
import { confirmation } from "./plan.js";
import "./settings-audit.js";
import { domainList, domainsField, secretDialog, typedList } from "./settings-webhooks.js";

const isServerAdmin = () => may("admin") && isUnlimited();

/** The sections, and who may read them. */
const sections = {
  tokens: isServerAdmin, users: isServerAdmin, webhooks: isServerAdmin, audit: isServerAdmin, replicas: isUnlimited,
  about: () => true,
};

class Settings extends View {
  address;

  render() {
    const text = words.settings;
    const open = Object.keys(sections).filter((one) => sections[one]());
    const [, section = open[0]] = this.address.parts;
    return [h("h1", { key: "title" }, words.pages.settings),
      tabs(words.pages.settings, open.map((one) => [one, text.sections[one], to(["settings", one])]), section),
      open.length < Object.keys(sections).length &&
        h("p", { class: "box", key: "no-right" }, isUnlimited() ? text.noRight : text.limited),
      open.includes(section) ? h(`aasa-settings-${section}`, { key: section, address: this.address })
        : !(section in sections) && empty(words.pages.notFound, words.pages.notFoundText)];
  }
}

/** Tokens and users have much in common: a list, a dialog that adds or changes one, and one that removes it. */
class Members extends View {
  /** The section: its path in the API, and its words. */ section = "";
  /** What the form has; undefined if it is closed. */ draft;
  leaving;
  list = new Loading(this, async (signal) => (await get(`/v1/${this.section}`, {}, signal)).items);
  saving = new Loading(this, () => this.save({ ...this.draft, domains: typedList(this.draft.domains) }));

  async save(_draft) {}

  async #remove({ name }, reason) {
    await request("DELETE", path`/v1/${this.section}/${name}`, { query: { reason } });
    say(words.settings.removed(name));
    this.set({ leaving: undefined });
    this.list.run();
  }

  /** The section, with what only it has: columns, inputs, and what can be done with one, beside removing it. */
  members(columns, inputs, actions) {
    const { draft, leaving } = this;
    const text = words.settings[this.section];
    const common = words.settings;
    this.list.ask();
    const close = () => this.set({ draft: undefined, leaving: undefined });
    const open = (draft) => {
      this.saving.clear();
      this.set({ draft: { role: "viewer", life: "90", ...draft } });
    };
    const remove = (one) => button(
      text.remove, () => this.set({ leaving: one }), { kind: "quiet", "aria-label": text.removeWhat(one.name) });
    return [
      h("div", { class: "headline", key: "head" }, h("p", {}, text.help),
        button(text.add, () => open({}), { kind: "primary" })),
      loaded(this.list, (rows) => rows.length === 0 ? empty(text.empty, text.emptyText) : table({
        caption: common.sections[this.section], rows, key: (one) => one.name,
        columns: [
          { title: common.name, cell: (one) => h("bdi", {}, one.name) },
          { title: common.role, cell: (one) => words.role[one.role] },
          { title: common.domains, cell: (one) => domainList(one.domains) }, ...columns,
          { title: common.actions, cell: (one) => h("span", { class: "actions" }, actions(one, open), remove(one)) }],
      })),
      draft && dialog(
        { title: draft.isOld ? text.editWhat(draft.name) : text.add, close }, dialogForm(
          this.saving, draft.isOld ? words.common.save : text.add, close, {}, draftField(common.name, draft, "name", {
            required: true, disabled: draft.isOld, maxlength: 100, focus: !draft.isOld, help: text.nameHelp,
            fault: draft.exists && common.exists,
          }),
          draftField(common.role, draft, "role", {
            tag: "select", options: Object.entries(words.role), help: common[draft.role], change: () => this.update(),
          }),
          domainsField(draft), inputs())),
      leaving && confirmation({
        title: text.removeWhat(leaving.name), label: text.remove, close, ask: (reason) => this.#remove(leaving, reason),
        text: leaving.name === session.name ? text.removeMine : text.removeText,
      })];
  }
}

class Tokens extends Members {
  section = "tokens";
  created;

  async save({ name = "", role, domains, life }) {
    const end = new Date(Date.now() + life * 86400000).toISOString().replace(/\.\d+/, "");
    const body = { name, role, domains, expiresAt: life === "" ? undefined : end };
    const { value } = await request("POST", "/v1/tokens", { body });
    this.set({ draft: undefined, created: value });
    this.list.run();
  }

  render() {
    const { created } = this;
    const text = words.settings.tokens;
    const close = () => this.set({ created: undefined });
    const end = ({ expiresAt }) => !expiresAt ? words.common.never
      : Date.parse(expiresAt) < Date.now() ? badge(text.expired, "warning") : day(expiresAt);
    const lives = [...[30, 90, 365].map((days) => [String(days), text.days(days)]), ["", words.common.never]];
    return [
      this.members([{ title: text.lastUsed, cell: (one) => time(one.lastUsedAt) }, { title: text.expires, cell: end }],
        () => draftField(text.expires, this.draft, "life", { tag: "select", options: lives }), () => null),
      created && secretDialog(text.created(created.name), text.token, created.token, close)];
  }
}

class Users extends Members {
  section = "users";

  async save({ name = "", role, domains, isOld }) {
    const where = path`/v1/users/${name}`;
    const body = { role, domains };
    const exists = !await (isOld ? request("PUT", where, { body }) : add(where, body));
    if (exists) return this.set({ draft: { ...this.draft, exists } });
    say(words.settings.saved(name));
    this.set({ draft: undefined });
    this.list.run();
  }

  render() {
    const edit = (user, open) => button(
      words.common.edit, () => open({ ...user, domains: user.domains.join(", "), isOld: true }),
      { kind: "quiet", "aria-label": words.settings.users.editWhat(user.name) });
    const changed = { title: words.settings.changed, cell: (user) => time(user.updatedAt) };
    return this.members([changed], () => null, edit);
  }
}

customElements.define("aasa-settings", Settings);
customElements.define("aasa-settings-tokens", Tokens);
customElements.define("aasa-settings-users", Users);
