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

/** Takes who is signed in now; nothing stays of who was before. */
export const signIn = (who) => (
  session.set({ name: undefined, role: undefined, labels: undefined, documents: undefined, grants: undefined, ...who })
);

/** What the person has with at least this role; a user may have it for fewer domains than another. */
const grants = (role) =>
  (session.grants ?? [session]).filter((one) => (
    // What is limited to documents only reads everything else.
    roles.indexOf(session.documents ? "viewer" : one.role) >= roles.indexOf(role)
  ));
const isEverything = ({ domains, labels }) => domains.length === 0 && labels === undefined;

/** Whether the person may do what needs a role, for some domains at least. */
export const may = (role) => grants(role).length > 0;

/** Whether the person may do what concerns no single domain: who is limited to domains may not. */
export const isUnlimited = (role = "viewer") => grants(role).some(isEverything);

/** The domains and the labels that the person is limited to where a role is needed. */
export function reach(role) {
  const all = isUnlimited(role) ? [] : grants(role);
  const each = (name) => [...new Set(all.flatMap((one) => one[name] ?? []))];
  return { domains: each("domains"), labels: each("labels") };
}

const covers = ({ domains }, name) =>
  domains.length === 0 || domains.some((one) => one === name || (one.startsWith("*.") && name.endsWith(one.slice(1))));

/** Whether the person may add the domain with this name, or some domain, and change its labels: nobody may whom labels
 * limit. */
export const mayAdd = (name = undefined) =>
  grants("editor").some((one) => one.labels === undefined && (name === undefined || covers(one, name)));

/** Whether the person may change a domain; if its labels are not known, they may be any. */
export const mayEditDomain = (name, labels = undefined) =>
  grants("editor").some((one) => (
    covers(one, name) && (!one.labels || !labels || one.labels.some((label) => labels.includes(label)))
  ));

/** Whether the person may change all of what has these domains; without any, it has apps or templates. */
export const mayEditDomains = (names) => (
  names.length > 0 ? names.every((name) => mayEditDomain(name)) : isUnlimited("editor")
);

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
  const count = items.filter(({ author, domains }) => author !== session.name && mayEditDomains(domains)).length;
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
