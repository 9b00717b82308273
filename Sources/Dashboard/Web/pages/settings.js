// Who may do what, who is told, which servers run, and who did what.

import { add, get, path, refused, request } from "../api.js";
import {
  badge,
  button,
  count,
  cursorPages,
  day,
  define,
  draftCheckbox,
  draftField,
  empty,
  exactTime,
  facts,
  field,
  h,
  listing,
  loaded,
  mono,
  suggestions,
  tabs,
  time,
  View,
} from "../parts.js";
import { to } from "../routing.js";
import { isUnlimited, Loading, say, session } from "../state.js";
import { duration, words } from "../words.js";
import { did, recordFilters, why } from "./changes.js";
import { allLabels, plainList } from "./domain-parts.js";
import { confirmation, formDialog } from "./plan.js";
import { domainList, listField, secretDialog, typedList } from "./settings-webhooks.js";

const common = words.settings;
const isServerAdmin = () => isUnlimited("admin");

export const sections = {
  tokens: isServerAdmin,
  users: isServerAdmin,
  groups: isServerAdmin,
  protection: isServerAdmin,
  webhooks: isServerAdmin,
  audit: isServerAdmin,
  replicas: isUnlimited,
  about: () => true,
};

class Settings extends View {
  render() {
    const text = words.settings;
    const open = Object.keys(sections).filter((one) => sections[one]());
    const [, section = open[0], name] = this.address.parts;
    const tag = name && section === "webhooks" ? "aasa-settings-webhook" : `aasa-settings-${section}`;
    return [
      h("h1", { key: "title" }, words.pages.settings),
      tabs(words.pages.settings, open.map((one) => [one, text.sections[one], to(["settings", one])]), section),
      open.length < Object.keys(sections).length &&
      h("p", { class: "box", key: "no-right" }, isUnlimited() ? text.noRight : text.limited),
      open.includes(section)
        ? h(tag, { key: tag + name, address: this.address, name, query: this.address.query })
        : !Object.hasOwn(sections, section) && empty(words.pages.notFound, words.pages.notFoundText),
    ];
  }
}

class Members extends View {
  /** The section: its path in the API, and its words. */ section = "";
  list = new Loading(this, (signal) => get(`/v1/${this.section}`, {}, signal));

  async save(_draft, _old, _signal) {}

  done(text, open = undefined) {
    if (text) say(text);
    this.set({ open });
    this.list.run();
  }

  /** The dialog that adds one, or changes `old`; `inputs` are what only this section has. */
  edit(old, inputs) {
    const text = words.settings[this.section];
    this.show(formDialog, {
      title: old ? common.doWhat(words.common.edit, this.section, old.name) : text.add,
      label: old ? words.common.save : text.add,
      draft: { role: "viewer", life: "90", ...old, domains: old?.domains.join(", "), labels: old?.labels?.join(", ") },
      send: (draft, signal) =>
        this.save({ ...draft, domains: typedList(draft.domains), labels: typedList(draft.labels) }, old, signal),
      fields: (draft, update) => [
        draftField(common.name, draft, "name", {
          required: true,
          disabled: Boolean(old),
          maxlength: 255,
          focus: !old,
          help: text.nameHelp,
        }),
        draftField(common.role, draft, "role", {
          tag: "select",
          options: Object.entries(words.role),
          help: common[draft.role],
          change: update,
        }),
        listField(draft, "domains"),
        listField(draft, "labels"),
        draftCheckbox(common.unapproved, draft, "publishesProtected"),
        inputs?.(draft),
      ],
    });
  }

  #remove({ name }) {
    const text = words.settings[this.section];
    const ask = async (reason) => {
      await request("DELETE", path`/v1/${this.section}/${name}`, { query: { reason } });
      this.done(words.settings.removed(name));
    };
    this.show(confirmation, {
      title: words.settings.doWhat(text.remove, this.section, name),
      label: text.remove,
      ask,
      text: name === session.name && text.removeMine || text.removeText,
    });
  }

  /** The section, with what only it has: columns, inputs, and what can be done with one, beside removing it. */
  members(columns, inputs, actions) {
    const text = words.settings[this.section];
    this.list.ask();
    const remove = (one) =>
      button(text.remove, () => this.#remove(one), {
        kind: "quiet",
        "aria-label": common.doWhat(text.remove, this.section, one.name),
      });
    const add = button(text.add, () => this.edit(undefined, inputs), { kind: "primary" });
    return [
      h("div", { class: "headline", key: "head" }, h("p", {}, text.help), add),
      listing(this.list, [text.empty, text.emptyText], {
        caption: common.sections[this.section],
        columns: [
          [common.name, (one) => h("bdi", {}, one.name)],
          [common.role, (one) => words.role[one.role], "short"],
          [
            common.domains,
            (one) => [
              domainList(one.domains, one.labels),
              one.documents && h("div", { key: "documents" }, common.onlyDocuments(one.documents)),
              one.publishesProtected && h("div", { key: "unapproved" }, badge(common.unapprovedBadge, "warning")),
            ],
          ],
          ...columns,
          [common.actions, (one) => h("span", { class: "actions" }, actions?.(one), remove(one)), "no-title"],
        ],
      }),
      this.open,
    ];
  }
}

class Tokens extends Members {
  section = "tokens";

  async save({ name = "", role, domains, labels, publishesProtected, life }) {
    const end = new Date(Date.now() + life * 86400000).toISOString().replace(/\.\d+/, "");
    const body = { name, role, domains, labels, publishesProtected, expiresAt: life === "" ? undefined : end };
    const { value } = await request("POST", "/v1/tokens", { body }).catch((problem) =>
      Promise.reject(problem.code === "token-name-taken" ? refused("name", words.settings.exists) : problem)
    );
    const { created, token } = words.settings.tokens;
    this.done(undefined, secretDialog(created(value.name), token, value.token, this.close));
  }

  #rotate({ name }) {
    const text = words.settings[this.section];
    const ask = async (reason) => {
      const { value } = await request("POST", path`/v1/tokens/${name}/rotate`, { query: { reason } });
      this.done(undefined, secretDialog(text.created(name), text.token, value.token, this.close));
    };
    this.show(confirmation, {
      title: common.doWhat(text.rotate, this.section, name),
      label: text.rotate,
      ask,
      text: text.rotateText,
    });
  }

  render() {
    const text = words.settings.tokens;
    // Not the own one: the session would end before anybody reads the new token.
    const rotate = (one) =>
      one.name !== session.name && !(Date.parse(one.expiresAt) < Date.now()) &&
      button(text.rotate, () => this.#rotate(one), {
        kind: "quiet",
        "aria-label": common.doWhat(text.rotate, this.section, one.name),
      });
    const end = ({ expiresAt }) =>
      !expiresAt
        ? words.common.never
        : Date.parse(expiresAt) < Date.now()
        ? badge(text.expired, "warning")
        : day(expiresAt);
    const lives = [...[30, 90, 365].map((days) => [String(days), text.days(days)]), ["", words.common.never]];
    return this.members(
      [[text.lastUsed, (one) => time(one.lastUsedAt)], [text.expires, end, "short"]],
      (draft) => draftField(text.expires, draft, "life", { tag: "select", options: lives }),
      rotate,
    );
  }
}

class Users extends Members {
  section = "users";

  async save({ name = "", role, domains, labels, publishesProtected }, old, signal) {
    const where = `/v1/${this.section}/${encodeURIComponent(name)}`;
    const body = { role, domains, labels, publishesProtected };
    await (old ? request("PUT", where, { body }) : add(where, body, "name", words.settings.exists, signal));
    this.done(words.settings.saved(name));
  }

  render() {
    const edit = (user) =>
      button(words.common.edit, () => this.edit(user), {
        kind: "quiet",
        "aria-label": words.settings.doWhat(words.common.edit, this.section, user.name),
      });
    return this.members([[words.settings.changed, (user) => time(user.updatedAt)]], undefined, edit);
  }
}

class Groups extends Users {
  section = "groups";
}

/** The labels whose domains need the approval of a second person. */
class Protection extends View {
  #list = new Loading(this, (signal) => get("/v1/protected-labels", {}, signal));
  #known = new Loading(this, allLabels);

  #done() {
    this.close();
    this.#list.run();
  }

  #add() {
    const text = common.protection;
    this.show(formDialog, {
      title: text.add,
      label: text.add,
      fields: (draft) => [
        draftField(text.label, draft, "label", { required: true, focus: true, help: text.labelHelp, list: "labels" }),
        suggestions("labels", this.#known.value),
      ],
      send: async ({ label = "" }) => {
        await request("PUT", path`/v1/protected-labels/${label.trim()}`);
        this.#done();
      },
    });
  }

  #remove(label) {
    const text = common.protection;
    const ask = async (reason) => {
      await request("DELETE", path`/v1/protected-labels/${label}`, { query: { reason } });
      this.#done();
    };
    this.show(confirmation, { title: text.removeWhat(label), label: text.remove, text: text.removeText, ask });
  }

  render() {
    const text = common.protection;
    this.#list.ask();
    this.#known.ask();
    return [
      h(
        "div",
        { class: "headline", key: "head" },
        h("p", {}, text.help),
        button(text.add, () => this.#add(), { kind: "primary" }),
      ),
      loaded(this.#list, ({ labels }) =>
        labels.length === 0 ? empty(text.empty, text.emptyText) : h(
          "ul",
          { key: "labels", class: "plan" },
          labels.map((label) =>
            h(
              "li",
              { key: label, class: "line" },
              h("a", { href: to(["domains"], { label }) }, label),
              " ",
              button(text.remove, () => this.#remove(label), { kind: "quiet", "aria-label": text.removeWhat(label) }),
            )
          ),
        )),
      this.open,
    ];
  }
}

class Audit extends View {
  #records = new Loading(this, (signal) => {
    const { domain, author, since, until, cursor } = this.address.query;
    // A day begins and ends where the person is.
    const at = (day, time) => day && new Date(`${day}T${time}`).toISOString();
    const days = { since: at(since, "00:00:00"), until: at(until, "23:59:59") };
    return get("/v1/audit", { domain, author, ...days, cursor, limit: 50 }, signal);
  });

  render() {
    const text = words.settings.audit;
    const { query } = this.address;
    this.#records.ask(query);
    const day = (name) => field(text[name], { id: name, name, value: query[name] ?? "", type: "date" });
    return [
      recordFilters(query, day("since"), day("until")),
      loaded(this.#records, ({ items, next }) => [
        items.length === 0
          ? empty(text.empty, text.emptyText)
          : h("ol", { class: "audit", key: "records", "aria-label": words.settings.sections.audit }, items.map(entry)),
        cursorPages(next),
      ]),
    ];
  }
}

function entry({ id, at, author, address, action, reason, changes, domain, revision, ...named }) {
  const { app, androidApp, template, token, webhook, user, group, change, domainCount } = named;
  const text = words.settings.audit;
  const isNamed = (name) => name !== undefined && !action.includes(name);
  const link = (parts, text, query) => h("a", { key: text, href: to(parts, query), class: "mono" }, text);
  return h(
    "li",
    { key: id },
    h(
      "p",
      {},
      h("a", { class: "author", href: to(["settings", "audit"], { author }) }, h("bdi", {}, author)),
      " ",
      linked(domain ? did(action) : did(action, words.changes.applied)),
      domain && [/(domain|apply)$/.test(action) ? " " : ` ${text.in} `, link(["domains", domain], domain)],
      isNamed(app) && [" ", link(["apps", "apple", app], app)],
      isNamed(androidApp) && [" ", link(["apps", "android", androidApp], androidApp)],
      isNamed(template) && [" ", link(["templates", template], template)],
      // Who signs in does so with the own token.
      [token !== author && token, webhook, user, group].filter((one) => one && isNamed(one)).map((name) => [
        " ",
        h("bdi", { key: "name", class: "mono" }, name),
      ]),
      domain && revision && h(
        "span",
        { key: "revision" },
        ", ",
        h("a", { href: to(["domains", domain, "history"], { to: revision }) }, text.revision(count(revision))),
      ),
      domainCount > 0 && [" ", text.in, " ", words.templates.inDomains(domainCount)],
      // The revision of a domain leads to the same.
      change && !revision && [", ", h("a", { key: "change", href: to(["changes", change]) }, text.change(change))],
    ),
    h("p", { class: "help when", key: "when" }, exactTime(at), address && [" · ", text.from(address)]),
    why({ action, reason }, "reason"),
    changes && h("p", { key: "changes", class: "help changed" }, inOurWords(changes)),
  );
}

/** What was done, with links to the draft or the label that it names. */
function linked(said) {
  const [, before, kind, name] = typeof said === "string" && /^(.* )(draft |label )(\S+)$/.exec(said) || [];
  if (!name) return said;
  const href = kind === "draft " ? to(["drafts", name]) : to(["domains"], { label: name });
  return [before, h("a", { key: "named", href }, kind, name)];
}

/** The API writes seconds, and pages do not. */
const inOurWords = (changes) =>
  changes.replace(
    /\bcacheSeconds changed: from (\d+) to (\d+)/g,
    (_, from, to) => `${words.domain.settings.cacheSeconds}: ${duration(Number(from))} → ${duration(Number(to))}`,
  );

class Replicas extends View {
  #list = new Loading(this, (signal) => get("/v1/replicas", {}, signal));

  start() {
    this.#list.run();
    // What is behind changes by itself.
    this.every(15, () => this.#list.run());
  }

  render() {
    const text = words.settings.replicas;
    const state = ({ lag }) => lag === 0 ? badge(text.current, "ok") : badge(text.behind(lag), "warning");
    return [
      h("p", { key: "help" }, text.help),
      listing(this.#list, [text.empty, text.emptyText], {
        caption: words.settings.sections.replicas,
        key: (one) => `${one.name} ${one.url}`,
        columns: [
          [words.settings.name, (one) => h("bdi", {}, one.name)],
          [words.settings.url, (one) => mono(one.url)],
          [words.settings.version, (one) => one.version],
          [words.settings.state, state],
          [text.started, (one) => time(one.startedAt)],
          [text.seen, (one) => time(one.seenAt)],
        ],
      }),
    ];
  }
}

class About extends View {
  render() {
    const text = words.settings;
    const { grants = [] } = session;
    const of = ({ domains, labels }) => domainList(domains, labels);
    return h(
      "section",
      { class: "sheet" },
      h("h2", {}, text.server),
      facts([
        [text.version, session.version],
        [text.you, [h("bdi", {}, session.name), ", ", words.role[session.role]]],
        [
          text.domains,
          grants.length > 1 ? plainList(grants, (one) => [words.role[one.role], ": ", of(one)]) : of(session),
        ],
        [text.until, session.expiresAt ? time(session.expiresAt) : words.common.never],
      ]),
      h("p", {}, text.api, " ", h("a", { href: "/openapi.json" }, "/openapi.json")),
    );
  }
}

define({
  "aasa-settings": Settings,
  "aasa-settings-tokens": Tokens,
  "aasa-settings-users": Users,
  "aasa-settings-groups": Groups,
  "aasa-settings-protection": Protection,
  "aasa-settings-audit": Audit,
  "aasa-settings-replicas": Replicas,
  "aasa-settings-about": About,
});
