// Goes to a page, a domain, an app or a template by a few letters of its name.

import { get, made } from "../api.js";
import { h, quiet, View } from "../parts.js";
import { to } from "../routing.js";
import { isUnlimited, Loading, mayAdd, undoLink } from "../state.js";
import { words } from "../words.js";
import { draftedDomains } from "./draft.js";
import { sections } from "./settings.js";
import { mayEditTemplates } from "./template-parts.js";

const text = words.palette;
const pause = 150;
const few = 6;

class Palette extends View {
  /** The names of the pages. @type {string[]} */ menu;
  /** Closes the dialog. */ done;
  /** What the frame can do: `[name, press, further words]` of each. @type {[string, () => void, string?][]} */ actions;
  #typed = "";
  #chosen = 0;
  #timer;
  /** Whether Enter waits for the domains that are being looked for. */ #isEntered = false;
  /** The domains, the apps and the labels that are found. */
  #found = new Loading(this, async (signal) => {
    const q = this.#typed.trim();
    const find = async (list, query) => (await get(list, { ...query, limit: few }, signal)).items;
    // The API takes no longer text for what has short names.
    const start = q.slice(0, 255);
    const [exact, domains, labels, apple, android] = await Promise.all([
      q.includes(".") ? find("/v1/domains", { host: q }).catch(() => []) : [],
      find("/v1/domains", { q }),
      find("/v1/labels", { q: start }),
      // Tokens that are limited to domains cannot read them.
      ...["/v1/apps", "/v1/android-apps"].map((list) => isUnlimited() ? find(list, { q: start }) : []),
    ]);
    const names = [...new Set([...exact, ...domains].map(({ domain }) => domain))].slice(0, few);
    return [
      names.map((name) => item(words.domains.domain, name, ["domains", name])),
      [
        ...apple.map(({ app, name }) =>
          item(words.document["apple-app-site-association"], name || app, ["apps", "apple", app], app)
        ),
        ...android.map(({ package: id, name }) =>
          item(words.document["assetlinks.json"], name || id, ["apps", "android", id], id)
        ),
        ...labels.map(({ label }) => item(text.filter, words.domains.labelled(label), ["domains"], "", "", { label })),
      ],
    ];
  });
  #known = new Loading(this, async (signal) => {
    const load = async (list, query = {}) => (await get(list, { limit: 1000, ...query }, signal)).items;
    const [templates, drafts] = await Promise.all([
      isUnlimited() ? load("/v1/templates") : [],
      load("/v1/drafts", { status: "open", limit: 100 }),
    ]);
    return [
      ...drafts.map(({ id, reason }) => item(text.draft, words.drafts.one(id), ["drafts", id], reason, `#${id}`)),
      ...templates.map(({ template }) => item(words.templates.one, template, ["templates", template])),
    ];
  });

  #items() {
    const wanted = this.#typed.trim().toLowerCase();
    const settings = Object.keys(sections).filter((one) => sections[one]());
    const pages = [
      ...this.menu.map((name) => item(text.page, words.pages[name], [name])),
      ...settings.map((name) => item(words.pages.settings, words.settings.sections[name], ["settings", name])),
    ];
    const fits = (list) =>
      list.filter(({ name, id, more }) => `${name} ${id} ${more}`.toLowerCase().includes(wanted)).slice(0, few);
    if (wanted === "") return fits(pages);
    const [domains, others] = this.#found.value ?? [[], []];
    const undo = made.change && { kind: text.action, name: text.undo, id: "", href: undoLink(made.change).href };
    const actions = [
      mayAdd() && item(text.action, words.domains.add.open, ["domains"], "", "", { add: true }),
      mayEditTemplates() && item(text.action, words.templates.add, ["templates"], "", "", { add: true }),
      ...this.actions.map(([name, press, more = ""]) => ({ kind: text.action, name, id: "", press, more })),
    ].filter(Boolean);
    const environments = Object.entries(words.environment).map(([environment, name]) => (
      item(text.filter, name, ["domains"], "", "", { environment })
    ));
    const known = this.#known.value ?? [];
    const found = [
      ...domains,
      ...fits(pages),
      ...fits(draftedDomains().map((name) => item(words.domain.draft.title, name, ["domains", name], "", text.edits))),
      ...others,
      ...fits(known),
      ...fits(actions),
      ...fits(environments),
      ...(undo && text.undo.toLowerCase().startsWith(wanted) ? [undo] : []),
    ];
    return [...new Map(found.map((one) => [one.href ?? one.name, one])).values()];
  }

  /** Whether domains may still come before what is listed. */
  get #isSearching() {
    return this.#typed.trim() !== "" && (this.#timer !== undefined || this.#found.isRunning);
  }

  #open({ href, press }) {
    this.done();
    if (press) press();
    else location.hash = href;
  }

  render() {
    this.#known.ask();
    const items = this.#items();
    if (this.#isEntered && !this.#isSearching) {
      this.#isEntered = false;
      // What failed to load might have come first.
      if (!this.#found.problem) queueMicrotask(() => this.find("[aria-selected='true']")?.click());
    }
    const chosen = Math.min(this.#chosen, items.length - 1);
    const input = (event) => {
      // Nothing is lost when the dialog closes.
      event.stopPropagation();
      [this.#typed, this.#chosen, this.#isEntered] = [event.target.value, 0, false];
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => {
        this.#timer = undefined;
        this.#found.ask(this.#typed);
      }, pause);
      this.#found.clear();
    };
    const keydown = (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (event.key === "Enter") {
        this.#isEntered = this.#isSearching;
        if (!this.#isEntered) this.find("[aria-selected='true']")?.click();
      }
      if (!step) return;
      this.#isEntered = false;
      event.preventDefault();
      this.#chosen = Math.max(0, Math.min(chosen + step, items.length - 1));
      this.update();
      queueMicrotask(() => this.find("[aria-selected='true']")?.scrollIntoView({ block: "nearest" }));
    };
    return [
      h("input", {
        key: "input",
        role: "combobox",
        "aria-label": text.hint,
        "aria-expanded": "true",
        focus: true,
        "aria-controls": "palette-list",
        "aria-activedescendant": chosen < 0 ? null : `palette-${chosen}`,
        placeholder: text.hint,
        autocomplete: "off",
        spellcheck: "false",
        on: { input, keydown },
      }),
      h(
        "ul",
        { class: "plain", id: "palette-list", role: "listbox", "aria-label": text.title, key: "list" },
        items.map((one, index) => {
          const { kind, name, id, href } = one;
          return h(
            "li",
            {
              key: href ?? name,
              id: `palette-${index}`,
              role: "option",
              "aria-selected": String(index === chosen),
              on: { click: () => this.#open(one) },
            },
            h("bdi", {}, name),
            id !== name && quiet(id),
            h("span", { class: "help" }, kind),
          );
        }),
      ),
      items.length === 0 && h("p", { class: "quiet", role: "status", key: "none" }, text.none),
    ];
  }
}

/** `more` are words that find it, which it does not show. */
const item = (kind, name, parts, id = "", more = "", query = {}) => ({ kind, name, id, more, href: to(parts, query) });

customElements.define("aasa-palette", Palette);
