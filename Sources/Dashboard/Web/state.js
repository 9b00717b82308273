// What pages share, and what they load.

import { get } from "./api.js";
import { to } from "./routing.js";
import { words } from "./words.js";

/** Values that views follow: `follow` renders a view when they change. */
export class State extends EventTarget {
  /** @param {object} values */
  constructor(values) {
    super();
    Object.assign(this, values);
  }

  set(values) {
    Object.assign(this, values);
    this.dispatchEvent(new Event("change"));
  }

  /** Renders a view now and after each change, until it leaves the page. */
  follow(view) {
    this.addEventListener("change", () => view.update(), { signal: view.ending });
  }
}

/** Who is signed in: `name`, `role`, `domains`, `labels`, `grants`, `by`, `expiresAt`, `version`. @type {any} */
export const session = new State({ isKnown: false, problem: undefined });
const roles = ["viewer", "editor", "admin"];

export function may(role) {
  // What is limited to documents only reads everything else.
  return roles.indexOf(session.documents ? "viewer" : session.role) >= roles.indexOf(role);
}

/** Whether the person may do what concerns no single domain: tokens that are limited to domains may not. */
export const isUnlimited = () => (session.domains ?? []).length === 0 && mayLabel();

/** Whether no label limits the person, who may then add domains and names, and change labels. */
export const mayLabel = () => session.labels === undefined;

/** Whether the person may change this domain: a token may be limited to some, such as `*.brand.example`. */
export function mayEditDomain(name) {
  const isMine = (one) => one === name || (one.startsWith("*.") && name.endsWith(one.slice(1)));
  const covers = ({ role, domains = [] }) => role !== "viewer" && (domains.length === 0 || domains.some(isMine));
  return may("editor") && (session.grants ?? [session]).some(covers);
}

/** How many drafts of others wait for the approval of the person, `count`, and how many of the person, `own`.
 * @type {any} */
export const approvals = new State({ count: 0, own: 0 });

let asked = 0;

/** Without an answer, the counts stay as they were. */
export async function countApprovals() {
  const mine = ++asked;
  const { items } = session.name === undefined || !may("editor")
    ? { items: [] }
    : await get("/v1/drafts", { status: "open", limit: 1000 }).catch(() => ({ items: undefined }));
  if (mine !== asked || !items) return;
  const own = items.filter(({ author }) => author === session.name).length;
  const count = items.length - own;
  if (count !== approvals.count || own !== approvals.own) approvals.set({ count, own });
}

/** Messages that appear for a while, and that screen readers speak. @type {any} */
export const messages = new State({ items: [] });

let number = 0;

/** Shows a message: `kind` is "ok" or "error"; `link` is where it leads, `{ text, href }`.
 * @param {{ text: string, href: string }} [link] */
export function say(text, kind = "ok", link = undefined) {
  const item = { id: ++number, text, kind, link, at: Date.now() };
  // One at a time, but what failed is not replaced by what did not.
  messages.set({ items: [...messages.items.filter((one) => one.kind === "error").slice(-1), item] });
  // Errors stay on their page until they are dismissed. What can be undone can be so later, too.
  if (kind !== "error") setTimeout(() => dismiss(item), link ? 20_000 : 6000);
}

/** The link that undoes a change. */
export const undoLink = (change) => (
  change && { text: words.changes.undo, href: to(["changes", change], { undo: true }) }
);

export function dismiss(item) {
  messages.set({ items: messages.items.filter((one) => one !== item) });
}

/** Something that a view loads: its `value`, or the `problem` it met. The old value stays while it loads again. */
export class Loading {
  #view;
  #load;
  #running = 0;
  #asked;
  #isNew = false;
  value;
  problem;
  isRunning = false;

  /** `load` gets a signal that ends with the view. Nothing is loaded before `run`. */
  constructor(view, load) {
    this.#view = view;
    this.#load = load;
  }

  /** Whether the value answers an earlier question, until the answer to the last one is there. */
  get isOutdated() {
    return this.#isNew && this.isRunning;
  }

  /** Loads; an earlier run that has not ended is forgotten. */
  async run() {
    const mine = ++this.#running;
    this.isRunning = true;
    this.#view.update();
    try {
      const value = await this.#load(this.#view.ending);
      if (mine !== this.#running) return;
      this.value = value;
      this.problem = undefined;
    } catch (problem) {
      if (mine !== this.#running || problem.name === "AbortError") return;
      // The answer to another question would be taken for one to this.
      if (this.#isNew) this.value = undefined;
      this.problem = problem;
    }
    this.#isNew = false;
    this.isRunning = false;
    this.#view.update();
  }

  /** Loads if the question differs from the last one; to call in `render`, where it needs no comparing. */
  ask(...question) {
    const asked = JSON.stringify(question);
    if (asked === this.#asked) return;
    this.#asked = asked;
    this.#isNew = true;
    this.run();
  }

  clear() {
    this.#running++;
    this.#asked = undefined;
    this.isRunning = false;
    this.value = undefined;
    this.problem = undefined;
    this.#view.update();
  }
}
