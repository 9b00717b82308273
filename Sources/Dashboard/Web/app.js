// The frame around the pages: who is signed in, where to go, and messages.

import { keep, made, parsed, request, sessions } from "./api.js";
import {
  button,
  closeButton,
  define,
  dialog,
  empty,
  facts,
  field,
  form,
  fromNow,
  h,
  icon,
  linkButton,
  mark,
  problemBox,
  quiet,
  submit,
  View,
  waiting,
  waitingBadge,
} from "./parts.js";
import { here, to } from "./routing.js";
import { approvals, countApprovals, dismiss, Loading, messages, say, session, signIn, undoLink } from "./state.js";
import { words } from "./words.js";

import "./pages/domains.js";
import "./pages/domain.js";
import "./pages/try.js";
import "./pages/history.js";
import "./pages/checks.js";
import "./pages/apps.js";
import "./pages/findings.js";
import "./pages/bulk.js";
import "./pages/templates.js";
import "./pages/changes.js";
import "./pages/drafts.js";
import "./pages/settings.js";
import "./pages/palette.js";

/** The pages by their address; two are reached from others of the menu. */
const menu = ["domains", "templates", "apps", "try", "checks", "findings", "changes", "settings", "bulk", "drafts"];
const within = { bulk: "domains", drafts: "changes" };

/** The pages of a domain, by the last part of the address. Routes and settings share what is loaded, and the edits. */
const ofDomain = new Map([[undefined, "aasa-domain"], ["settings", "aasa-domain"], ["history", "aasa-history"], [
  "try",
  "aasa-try",
], ["checks", "aasa-domain-checks"]]);

function page(parts) {
  const [first = "domains", name, section] = parts;
  const tag = ofDomain.get(section);
  if (first === "domains" && name !== undefined) return tag && { tag, title: name, key: `${tag} ${name}` };
  return menu.includes(first) ? { tag: `aasa-${first}`, title: words.pages[first], key: parts.join("/") } : undefined;
}

class App extends View {
  #address = here();

  start() {
    for (const state of [session, messages, approvals]) state.follow(this);
    session.addEventListener("change", countApprovals, { signal: this.ending });
    window.addEventListener("hashchange", (event) => this.#arrive(event), { signal: this.ending });
    window.addEventListener("keydown", (event) => this.#press(event), { signal: this.ending });
    sessions.addEventListener("end", () => this.#end(), { signal: this.ending });
    // Somebody may have signed out in another tab.
    document.addEventListener("visibilitychange", () => document.hidden || this.#look(), { signal: this.ending });
    this.every(30, () =>
      this.querySelectorAll("time.ago").forEach((/** @type {any} */ one) => {
        one.firstChild.data = fromNow(one.dateTime);
      }));
    document.documentElement.style.colorScheme = appearance();
    this.#look();
  }

  async #look() {
    try {
      const { value } = await request("GET", "/v1/session");
      // What somebody else has done here is not theirs to undo by a key.
      if (value.name !== session.name) made.change = undefined;
      signIn({ isKnown: true, problem: undefined, ...value });
      this.#showCurrent();
    } catch (problem) {
      if (session.name === undefined) {
        session.set({ isKnown: true, problem: problem.status === 401 ? undefined : problem });
      }
    }
  }

  /** On a phone, tabs scroll. */
  #showCurrent() {
    setTimeout(() =>
      this.querySelectorAll(".tabs [aria-current]").forEach((one) => (
        one.scrollIntoView({ block: "nearest", inline: "nearest" })
      ))
    );
  }

  /** The keys of all pages: Ctrl+K, /, ?, and Ctrl+Z. */
  #press(event) {
    const { key, ctrlKey, metaKey, altKey, target } = event;
    const isControl = ctrlKey || metaKey;
    const isTyping = target.closest?.("input:not([type=checkbox], [type=radio]), select, textarea");
    const search = this.find("main input[type=search]");
    if (session.name === undefined || altKey || document.querySelector("dialog[open]")) return;
    if (isControl && key === "k") this.#goTo();
    else if (isTyping) return;
    else if (isControl && key === "z") this.#undo();
    else if (key === "/" && !isControl) search ? search.select() : this.#goTo();
    else if (key === "?" && !isControl) this.#showKeys();
    else return;
    event.preventDefault();
  }

  /** Undoes the last edit of the page or, without one, shows what undoing the last publication does. */
  #undo() {
    const edit = this.find(".undo:not(:disabled)");
    if (edit) edit.click();
    else if (made.change) location.hash = undoLink(made.change).href;
  }

  #goTo() {
    const { appearance: title, appearances, keys } = words.account;
    const actions = [
      ...Object.entries(appearances).map(([value, name]) => [
        `${title}: ${name}`,
        () => this.#appear(value),
        words.palette.theme,
      ]),
      [keys, () => this.#showKeys()],
      ...(session.by === "user" ? [] : [[words.signIn.out, () => this.#signOut()]]),
    ];
    const palette = h("aasa-palette", { menu, actions, done: this.close });
    this.set({ open: dialog({ title: words.palette.title, close: this.close }, palette) });
  }

  #appear(value) {
    document.documentElement.style.colorScheme = value;
    keep(keptAppearance, value);
    this.update();
  }

  #showKeys() {
    this.set({ open: dialog({ title: words.account.keys, close: this.close }, facts(words.account.allKeys)) });
  }

  #end() {
    if (session.name !== undefined) signIn({ ended: session.name });
  }

  #arrive({ isTrusted }) {
    const before = this.#address;
    this.#address = here();
    // The browser's buttons lead away from below a dialog; what a page changes in its own address does not.
    if (isTrusted) this.open = undefined;
    this.update();
    // A new page begins at its top, for eyes and for screen readers.
    if (before.parts.join("/") === this.#address.parts.join("/")) return;
    window.scrollTo(0, 0);
    countApprovals();
    // What led here says so; what was said before stays behind.
    messages.set({ items: messages.items.filter(({ at }) => Date.now() - at < 1000) });
    queueMicrotask(() => this.find("main")?.focus({ preventScroll: true }));
    this.#showCurrent();
  }

  async #signOut() {
    try {
      await request("DELETE", "/v1/session");
      signIn({ ended: undefined });
    } catch (problem) {
      if (problem.status !== 401) say(words.signIn.stillIn(problem.detail || words.problem.offline), "error");
    }
  }

  render() {
    const isIn = session.name !== undefined;
    const { parts } = this.#address;
    const shown = page(parts);
    const title = isIn ? (shown?.title ?? words.pages.notFound) : words.signIn.title;
    document.title = `${title} · aasa`;
    return [
      isIn && button(words.common.skip, () => this.find("main").focus(), { kind: "skip", key: "skip" }),
      isIn && this.#header(parts),
      h(
        "main",
        { key: "main", tabindex: "-1" },
        !session.isKnown
          ? waiting()
          : session.problem?.code === "unknown-user"
          ? stranger(session.problem, () => this.#look())
          : session.problem
          ? problemBox(session.problem, () => this.#look())
          : !isIn
          ? h("aasa-sign-in", { key: "sign-in" })
          : shown
          ? h(shown.tag, { key: `${session.name} ${shown.key}`, address: this.#address })
          : [
            h("h1", {}, words.pages.notFound),
            h("p", {}, words.pages.notFoundText),
            linkButton(words.pages.toDomains, to(["domains"])),
          ],
      ),
      h("div", { role: "status", "aria-live": "polite", key: "messages" }, this.#messages(messages.items)),
      this.open,
    ];
  }

  /** As a popover, which is new for each message, they stand above a dialog that has opened meanwhile. */
  #messages(items) {
    const show = (node) => node.matches(":popover-open") || node.showPopover();
    return items.length > 0 &&
      h(
        "div",
        { class: "messages", key: items.at(-1).id, popover: "manual", after: show },
        items.map((item) =>
          h(
            "div",
            { key: item.id, class: `message ${item.kind}` },
            h("span", {}, item.text),
            item.link &&
              h("a", { href: item.link.href, key: "link", on: { click: () => dismiss(item) } }, item.link.text),
            closeButton(words.common.close, () => dismiss(item)),
          )
        ),
      );
  }

  #header(parts) {
    const [first = "domains"] = parts;
    const current = within[first] ?? first;
    const link = (name) =>
      h(
        "a",
        { key: name, href: to([name]), "aria-current": name === current ? "page" : null },
        words.pages[name],
        name === "changes" && waitingBadge(approvals.count),
      );
    // On a phone, the menu opens below its button; a click in it closes it.
    const close = ({ currentTarget: box }) => box.matches(":popover-open") && box.hidePopover();
    return h(
      "header",
      { class: "top", key: "header" },
      h("a", { class: "brand", href: to(["domains"]), "aria-label": "aasa" }, mark(), h("span", {}, "aasa")),
      h(
        "button",
        { type: "button", class: "button menu-button", popovertarget: "menu" },
        words.pages[current] ?? words.pages.menu,
        // The number stands beside its page in the menu.
        approvals.count > 0 && h(
          "span",
          { class: "dot", key: "waiting" },
          h("span", { class: "hidden" }, approvals.count, " ", words.drafts.waiting(approvals.count)),
        ),
        icon("more"),
      ),
      h(
        "nav",
        { id: "menu", popover: "auto", "aria-label": words.pages.menu, on: { click: close } },
        menu.filter((name) => !within[name]).map(link),
      ),
      button([icon("search"), h("kbd", {}, words.palette.key)], () => this.#goTo(), {
        "aria-label": words.palette.open,
      }),
      h(
        "button",
        { type: "button", class: "button person", popovertarget: "account", title: session.name },
        h("span", { class: "initial", "aria-hidden": "true" }, [...session.name][0]),
        h("bdi", {}, session.name),
        icon("more"),
      ),
      this.#account(),
    );
  }

  #account() {
    const text = words.account;
    const keys = () => {
      this.find("#account").hidePopover();
      this.#showKeys();
    };
    return h(
      "div",
      { class: "sheet", id: "account", popover: "auto", role: "group", "aria-label": text.title },
      h("p", {}, h("strong", {}, h("bdi", {}, session.name)), " ", quiet(words.role[session.role])),
      field(text.appearance, {
        id: "appearance",
        tag: "select",
        value: appearance(),
        options: Object.entries(text.appearances),
        on: { change: ({ target }) => this.#appear(target.value) },
      }),
      h(
        "div",
        { class: "actions" },
        button(text.keys, keys, { class: "button keys" }),
        session.by !== "user" && button(words.signIn.out, () => this.#signOut()),
      ),
    );
  }
}

/** "light" or "dark"; without it, the page looks as the system does. This browser keeps it, whoever signs in. */
const appearance = () => (
  document.documentElement.style.colorScheme || (parsed(() => localStorage.getItem(keptAppearance)) ?? "")
);
const keptAppearance = "aasa.appearance";

/** What somebody sees whom the proxy knows, and who has no rights here. */
function stranger({ body: { user, admins = [] }, detail }, again) {
  const text = words.stranger;
  return [
    h("h1", { key: "h1", class: "hidden" }, text.title),
    empty(
      user === undefined ? text.title : text.hello(h("bdi", {}, user)),
      user === undefined ? detail : text.ask(
        admins.slice(0, 5).map((name, index) => [index > 0 && ", ", h("strong", { key: name }, h("bdi", {}, name))]),
      ),
      button(text.again, again),
    ),
  ];
}

class SignIn extends View {
  #token = "";
  #sending = new Loading(this, async () => {
    const { value } = await request("POST", "/v1/session", { body: { token: this.#token } });
    made.change = undefined;
    signIn({ ...value, ended: undefined });
  });

  async #send({ token }) {
    this.#token = token.trim();
    await this.#sending.run();
    this.find("input")?.focus();
  }

  render() {
    const { problem, isRunning } = this.#sending;
    const isWrong = [401, 422].includes(problem?.status);
    return h(
      "section",
      { class: "sign-in" },
      mark(),
      h("h1", {}, words.signIn.title),
      h("p", { class: "quiet" }, words.signIn.about),
      session.ended && h("p", { class: "box warning", role: "alert", key: "ended" }, words.signIn.ended(session.ended)),
      problem && !isWrong && problemBox(problem),
      form(
        (values) => this.#send(values),
        { class: "sheet" },
        field(words.signIn.token, {
          id: "token",
          name: "token",
          type: "password",
          autocomplete: "current-password",
          required: true,
          spellcheck: "false",
          focus: true,
          help: words.signIn.tokenHelp,
          fault: isWrong && words.signIn.wrong,
        }),
        submit(words.signIn.button, { kind: "primary", disabled: isRunning }),
      ),
      h("p", { class: "help" }, words.signIn.create),
      h("pre", { tabindex: "0" }, h("code", {}, "aasa token create --database FILE --name NAME --role admin")),
    );
  }
}

define({ "aasa-app": App, "aasa-sign-in": SignIn });
