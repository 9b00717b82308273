// Templates: what many domains share. The list, the rules of one, its domains, and its history.

import { add, get, path, refused, request } from "../api.js";
import {
  button,
  count,
  cursorPages,
  define,
  dialog,
  draftField,
  empty,
  failure,
  field,
  h,
  linkButton,
  listing,
  loaded,
  problemBox,
  quiet,
  snippet,
  tabs,
  time,
  View,
  worstFirst,
} from "../parts.js";
import { go, ifAsked, to } from "../routing.js";
import { Loading, say, undoLink } from "../state.js";
import { words } from "../words.js";
import { plainList } from "./domain-parts.js";
import { exact } from "./domains-add.js";
import { DraftReview, managedSaid } from "./domain-review.js";
import { DraftPage } from "./draft-page.js";
import { revisionItem } from "./history.js";
import { counted, formDialog, planDialog } from "./plan.js";
import {
  draftOfTemplate,
  isList,
  mayEditTemplates,
  skippingRefused,
  templateEffects,
  templateInput,
  typedValue,
  valueAsText,
} from "./template-parts.js";
import "./domain-settings.js";
import "./entries.js";
import "./template-table.js";

const w = words.templates;
const sections = { rules: "aasa-template-rules", domains: "aasa-template-table", history: "aasa-template-history" };

class Templates extends View {
  render() {
    const [, name, section = "rules"] = this.address.parts;
    const { cursor, add: isAdding } = this.address.query;
    if (name === undefined) return h("aasa-templates-list", { key: "list", cursor, isAdding });
    const link = (one) => [one, w.sections[one], to(["templates", name, ...(one === "rules" ? [] : [one])])];
    return [
      h("div", { class: "domain-head", key: "head" }, h("h1", {}, h("bdi", {}, name)), quiet(w.one)),
      tabs(w.one, Object.keys(sections).map(link), section),
      Object.hasOwn(sections, section)
        ? h(sections[section], { key: section, name, query: this.address.query })
        : empty(words.pages.notFound, words.pages.notFoundText),
    ];
  }
}

class List extends View {
  cursor;
  isAdding;
  #list = new Loading(this, (signal) => get("/v1/templates", { limit: 100, cursor: this.cursor }, signal));

  #add() {
    this.show(formDialog, {
      title: w.add,
      label: w.add,
      fields: (draft) => [
        draftField(w.name, draft, "template", { ...exact, required: true, focus: true, help: w.nameHelp }),
      ],
      send: async ({ template = "" }, signal) => {
        const name = template.trim();
        await add(path`/v1/templates/${name}`, { parameters: [], entries: [] }, "template", w.exists, signal)
          .catch((problem) =>
            Promise.reject(problem.code?.startsWith("malformed") ? refused("template", problem.detail) : problem)
          );
        go(["templates", name]);
      },
    });
  }

  render() {
    this.#list.ask(this.cursor);
    const isMine = mayEditTemplates();
    if (this.isAdding) ifAsked(() => isMine && this.#add());
    return [
      h(
        "div",
        { class: "headline", key: "head" },
        h("h1", {}, words.pages.templates),
        isMine && button(w.add, () => this.#add(), { kind: "primary" }),
      ),
      h("p", { class: "quiet", key: "intro" }, w.intro),
      listing(this.#list, [w.empty, isMine ? w.emptyText : w.emptyViewer], {
        caption: words.pages.templates,
        key: (one) => one.template,
        columns: [
          [w.one, (one) => h("a", { href: to(["templates", one.template]) }, h("bdi", {}, one.template))],
          [
            words.pages.domains,
            (one) => h("a", { href: to(["templates", one.template, "domains"]) }, count(one.domains)),
          ],
          [
            w.parameters,
            (one) => one.parameters.map(({ name }, index) => [index > 0 && ", ", h("code", { key: name }, name)]),
          ],
          [words.domains.revision, (one) => [count(one.revision), quiet(" · ", time(one.publishedAt))]],
          [w.by, (one) => h("bdi", {}, one.author)],
        ],
      }),
      this.open,
    ];
  }
}

class Rules extends DraftPage {
  name;
  #theirs = new Loading(this, async (signal) => {
    const { items } = await get(path`/v1/templates/${this.name}/revisions`, { limit: 20 }, signal);
    return items.filter(({ revision }) => revision > this.draft.base.revision);
  });

  start() {
    this.begin(draftOfTemplate(this.name));
  }

  render() {
    return [loaded(this.loading, () => this.#page()), this.open];
  }

  #page() {
    const { draft, canEdit } = this;
    const { domain } = draft;
    const hasReview = canEdit && draft.exists;
    const names = namesOf(domain.parameters);
    const { general: _, ...findings } = this.placed([], domain);
    if (draft.isStale) this.#theirs.ask(draft.base.revision, draft.published.revision);
    const theirs = () =>
      loaded(
        this.#theirs,
        (revisions) =>
          plainList(revisions, (one) =>
            words.domain.conflict.by(one.revision, h("bdi", {}, one.author), h("bdi", {}, one.reason))),
      );
    const { result } = draft.preview ?? {};
    return [
      draft.isStale && this.conflict(theirs(), result && templateEffects(result)),
      h("p", { class: "quiet", key: "about" }, w.usedBy(draft.published.domains), " ", w.braces),
      h(
        "div",
        { class: hasReview ? "with-review" : null, key: "main" },
        h(
          "div",
          { key: "rules" },
          this.#parameters(),
          h("h2", { key: "title" }, words.domain.tabs.routes),
          h("p", { class: "quiet", key: "order" }, words.domain.order),
          domain.entries.length === 0 && empty(words.domain.noEntries, w.noEntriesText),
          h("aasa-entries", {
            draft,
            domain: { ...domain, template: undefined },
            names,
            findings,
            isEditor: canEdit,
            key: "entries",
          }),
          h("aasa-domain-settings", {
            draft,
            shown: domain,
            names,
            isEditor: canEdit,
            isTemplate: true,
            key: "settings",
          }),
          canEdit && this.#ending(),
        ),
        hasReview && h("aasa-template-review", { class: "sheet review", draft, domain, names, key: "review" }),
      ),
    ];
  }

  #parameters() {
    const { parameters } = this.draft.domain;
    const change = (edit) => this.draft.change((template) => edit(template.parameters, template));
    return h(
      "section",
      { class: "sheet", key: "parameters", "aria-labelledby": "parameters" },
      h("h2", { id: "parameters" }, w.parameters),
      h("p", { class: "quiet" }, w.parametersHelp),
      this.canEdit
        ? h(
          "ul",
          { class: "plain rows parameters", key: "rows" },
          parameters.map((one, index) => this.#parameter(one, index, change)),
        )
        : plainList(parameters, (one) => [
          h("code", {}, `{${one.name}}`),
          " ",
          one.type,
          ". ",
          quiet(defaultSaid(one)),
        ]),
      this.canEdit && button(w.addParameter, () => {
        change((list) => list.push({ name: freeName(list), type: "text" }));
        setTimeout(() => this.find(".parameters > li:last-child input")?.select());
      }, { key: "add" }),
    );
  }

  #parameter(one, index, change) {
    const fault = this.draft.faults((pointer) => pointer.startsWith(`/parameters/${index}`));
    const set = (members) => change((list) => Object.assign(list[index], members));
    const rename = ({ target }) => {
      const name = target.value.trim();
      let isTaken = false;
      change((list, template) => {
        isTaken = name !== "" && list.some((other, at) => at !== index && other.name === name);
        if (isTaken) return;
        if (name !== "") useName(template, one.name, name);
        list[index].name = name;
      });
      // Nobody could tell the uses of two parameters of one name apart again.
      if (!isTaken) return;
      target.value = one.name;
      say(w.exists, "error");
    };
    const kind = one.default === undefined ? "needed" : one.default === null ? "none" : "value";
    const choose = ({ target }) =>
      set({
        default: { needed: undefined, none: null, value: isList(one) ? [] : "" }[target.value],
      });
    const id = (part) => `parameter-${index}-${part}`;
    return h(
      "li",
      { key: index },
      field(w.name, { ...exact, id: id("name"), value: one.name, maxlength: 63, fault, on: { change: rename } }),
      field(w.type, {
        id: id("type"),
        tag: "select",
        value: one.type,
        help: w.types[one.type],
        options: Object.keys(w.types).map((type) => [type, type]),
        on: { change: ({ target }) => set({ type: target.value, default: retyped(one.default, target.value) }) },
      }),
      field(w.default, {
        id: id("kind"),
        tag: "select",
        value: kind,
        options: Object.entries(w.defaults),
        on: { change: choose },
      }),
      field(w.value, {
        ...exact,
        id: id("value"),
        disabled: kind !== "value",
        value: valueAsText(one.default),
        on: { change: ({ target }) => set({ default: typedValue(target.value, one) ?? (isList(one) ? [] : "") }) },
      }),
      h(
        "div",
        { class: "actions", key: "remove" },
        button(words.common.delete, () => change((list) => list.splice(index, 1)), {
          kind: "quiet",
          "aria-label": w.removeParameter(one.name),
        }),
      ),
    );
  }

  #ending() {
    const { domains } = this.draft.published;
    const remove = () =>
      this.show(formDialog, {
        title: w.deleteTitle(this.name),
        label: w.delete,
        kind: "danger",
        fields: () => [h("p", {}, w.deleteText)],
        send: async () => {
          await request("DELETE", path`/v1/templates/${this.name}`);
          this.draft.discard();
          say(w.deleted(this.name));
          go(["templates"]);
        },
      });
    return h(
      "section",
      { class: "sheet section-head", key: "delete" },
      h("p", {}, domains > 0 ? w.deleteUsed : w.deleteText),
      domains > 0
        ? linkButton(w.sections.domains, to(["templates", this.name, "domains"]))
        : button(`${w.delete} …`, remove, { kind: "danger" }),
    );
  }
}

const defaultSaid = (one) =>
  one.default === undefined
    ? w.defaults.needed
    : one.default === null
    ? w.defaults.none
    : w.defaultIs(valueAsText(one.default));

function retyped(value, type) {
  if (value === undefined || value === null || Array.isArray(value) === isList({ type })) return value;
  return isList({ type }) ? value.split(/\s+/).filter(Boolean) : value.join(" ");
}

function freeName(list) {
  for (let number = list.length + 1;; number++) {
    if (!list.some(({ name }) => name === `value${number}`)) return `value${number}`;
  }
}

function useName(template, old, name) {
  const replace = (value) =>
    typeof value === "string"
      ? value.replaceAll(`{${old}}`, () => `{${name}}`)
      : Array.isArray(value)
      ? value.map(replace)
      : value && typeof value === "object"
      ? Object.fromEntries(Object.entries(value).map(([k, v]) => [k, replace(v)]))
      : value;
  for (const member of Object.keys(template)) {
    if (!["parameters", "template", "author", "reason"].includes(member)) template[member] = replace(template[member]);
  }
}

function namesOf(parameters) {
  const of = (...types) =>
    new Map(parameters.filter(({ type }) => types.includes(type)).map(({ name }) => [`{${name}}`, ""]));
  return { apple: of("app", "apps"), android: of("package", "packages") };
}

class TemplateReview extends DraftReview {
  get skip() {
    return this.draft.preview.skip;
  }

  say({ template, published, changed, change, managed = [] }) {
    const done = w.published(template.revision, published) +
      managedSaid(managed.map((one) => one.managedBy).join(", "));
    say(changed || published > 0 ? done : words.domain.draft.nothing, "ok", undoLink(change));
  }

  status({ isRunning, problem, result, skip }) {
    const text = words.domain.draft;
    if (isRunning) return text.checking;
    if (problem && !skip) return text.refused;
    if (skip) return text.needs;
    const { changed, published, effects = [], findings } = result;
    if (!changed && published === 0) return text.nothing;
    const risk = effects.some(({ example }) => example?.before === "match")
      ? "lost"
      : effects.some(({ example }) => example)
      ? "changed"
      : "none";
    const counts = Object.entries(counted(worstFirst(findings ?? [])));
    return w.ready(published, w.risks[risk], counts.map((one) => words.severity.count(...one)).join(", "));
  }

  questions(preview) {
    const { skipped = [], moreSkipped = 0 } = preview.result;
    return [...super.questions(preview), ...(preview.skip ? [["skip", w.leave(skipped.length + moreSkipped)]] : [])];
  }

  /** The problem with the template's expectations, in place of what they are in each domain. */
  #inItsWords(problem) {
    const escape = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    const fits = (pattern, text) => new RegExp(`^${pattern.split(/\{[\w-]+\}/).map(escape).join(".*")}$`).test(text);
    const inItsWords = (one) => {
      const isIt = ({ url, app, resolution }) =>
        resolution === one.expected && fits(url, one.url) && fits(app, one.app);
      const own = this.draft.domain.expectations?.find(isIt);
      return own ? { ...one, url: own.url, app: own.app, isOfTemplate: true } : one;
    };
    const said = ({ expectations, ...rest }) => ({ ...rest, expectations: expectations?.map(inItsWords) });
    return { ...problem, body: { ...said(problem.body), problems: problem.body.problems?.map(said) } };
  }

  details({ result, problem }) {
    return [problem && problemBox(this.#inItsWords(problem)), result && templateEffects(result)];
  }
}

class History extends View {
  name;
  query;
  #list = new Loading(
    this,
    (signal) => get(path`/v1/templates/${this.name}/revisions`, { limit: 25, cursor: this.query.cursor }, signal),
  );
  #current = new Loading(this, (signal) => get(path`/v1/templates/${this.name}`, {}, signal));

  #plan(revision) {
    this.show(planDialog, {
      title: words.history.rollBackTo(revision),
      text: w.rollBackText,
      label: words.history.rollBack,
      send: (query) => request("POST", path`/v1/templates/${this.name}/revisions/${revision}/restore`, { query }),
      show: templateEffects,
      isEmpty: (value) => value.published === 0 && (!value.changed || value.skipped?.length > 0),
      options: (state) => [skippingRefused(state)],
      said: ({ template }) => words.history.rolledBack(revision, template.revision),
      done: () => {
        this.#list.run();
        this.#current.run();
      },
    });
  }

  #show(one) {
    const { revision: _, ...rules } = templateInput(one);
    this.set({
      open: dialog(
        { title: words.history.revision(one.revision), wide: true, close: this.close },
        snippet(w.asJSON, JSON.stringify(rules, undefined, 2)),
      ),
    });
  }

  render() {
    this.#list.ask(this.query.cursor);
    this.#current.ask();
    const item = (one) =>
      revisionItem(
        one,
        this.#current.value?.revision,
        false,
        (title, label) => button(title, () => this.#show(one), { kind: "quiet", "aria-label": label }),
        mayEditTemplates() && (() => this.#plan(one.revision)),
      );
    return [
      failure(this.#current),
      loaded(this.#list, ({ items, next }) => [
        h("ol", { class: "plan history-list", key: "list", "aria-label": words.history.list }, items.map(item)),
        cursorPages(next),
      ]),
      this.open,
    ];
  }
}

define({
  "aasa-templates": Templates,
  "aasa-templates-list": List,
  "aasa-template-rules": Rules,
  "aasa-template-review": TemplateReview,
  "aasa-template-history": History,
});
