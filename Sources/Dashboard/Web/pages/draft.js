// Changes to a domain that are not published yet: kept in the browser, previewed by the API, merged when others publish.

import { path, request } from "../api.js";
import { mayEditDomain, State } from "../state.js";

const storage = (name) => `aasa.draft.${name}`;

/** The draft of a domain that this browser keeps: `{ base, domain, at }`, or undefined. */
export function storedDraft(name) {
  try {
    const { base, domain, at } = JSON.parse(localStorage.getItem(storage(name)));
    return base.revision && domain.entries ? { base, domain, at } : undefined;
  } catch {
    return undefined;
  }
}

/** What the API takes: without read-only members, and without the IDs that only the draft knows. */
export function toInput(shown) {
  const { unicode: _unicode, revision: _revision, updatedAt: _updatedAt, ...domain } = shown;
  const known = ({ id, ...rest }) => (id > 0 ? { id, ...rest } : rest);
  return { ...domain, entries: domain.entries.map((entry) => known({ ...entry, routes: entry.routes.map(known) })) };
}

/** A new ID for an entry or a route. It is negative, so it never meets one of the server. */
export function newId(siblings) {
  return Math.min(0, ...siblings.map((one) => one.id)) - 1;
}

/** Whether two JSON values are equal; the order of members is free. */
export function isEqual(one, other) {
  if (one === other) return true;
  if (!one || !other || typeof one !== "object" || typeof other !== "object" || Array.isArray(one) !== Array.isArray(other)) return false;
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => key in other && isEqual(one[key], other[key]));
}

/** Members that are sets: additions and removals of both sides can be combined. */
const sets = new Set([
  "aliases", "apps", "androidApps", "webcredentials", "appclips", "activitycontinuation", "androidCredentials", "webauthnOrigins",
  "expectations",
]);

/**
 * Puts a draft on top of what others published. What only one side changed is kept; where both changed the same thing,
 * the draft wins.
 *
 * @returns the merged domain, and `conflicts`: where the draft replaces others' changes, as
 * `{ kind: "member" | "entry" | "route" | "order", name?, entry?, route? }`
 */
export function merge(base, mine, theirs) {
  const conflicts = [];
  const member = (name, b, m, t, entry) => {
    if (isEqual(m, t) || isEqual(b, t)) return m;
    if (isEqual(b, m)) return t;
    if (sets.has(name)) {
      const [before, ours, others] = [b ?? [], m ?? [], t ?? []];
      const has = (list, value) => list.some((one) => isEqual(one, value));
      const kept = others.filter((value) => has(ours, value) || !has(before, value));
      return [...kept, ...ours.filter((value) => !has(others, value) && !has(before, value))];
    }
    conflicts.push({ kind: "member", name, entry });
    return m;
  };
  const members = (b, m, t, lists, entry) => {
    const all = {};
    for (const name of new Set([...Object.keys(t), ...Object.keys(m)])) {
      const value = lists[name]?.(b[name], m[name], t[name]) ?? member(name, b[name], m[name], t[name], entry);
      if (value !== undefined) all[name] = value;
    }
    return all;
  };
  const routes = (entry) => (b, m, t) => mergeById(b, m, t, (_, route) => route, (kind, route) => conflicts.push({ kind, entry, route }), "route");
  const entries = (b, m, t) => mergeById(
    b, m, t, (before, entry, others) => members(before, entry, others, { routes: routes(entry) }, entry),
    (kind, entry) => conflicts.push({ kind, entry }), "entry");
  const { revision, updatedAt } = theirs;
  return { domain: { ...members(base, { ...mine, revision, updatedAt }, theirs, { entries }), revision, updatedAt }, conflicts };
}

/** Merges lists of things with IDs. `both` merges one that both sides changed; `clash` learns where mine replaces theirs. */
function mergeById(base, mine, theirs, both, clash, kind) {
  const [inBase, inMine, inTheirs] = [base, mine, theirs].map((list) => new Map(list.map((one) => [one.id, one])));
  const merged = new Map();
  for (const id of new Set([...inTheirs.keys(), ...inMine.keys()])) {
    const [b, m, t] = [inBase, inMine, inTheirs].map((map) => map.get(id));
    let value = m ?? t;
    if (b && m && t) {
      value = isEqual(b, m) ? t : isEqual(b, t) || isEqual(m, t) ? m : both(b, m, t);
      if (kind === "route" && value === m && !isEqual(b, m) && !isEqual(b, t) && !isEqual(m, t)) clash(kind, m);
    } else if (b) {
      // One side deleted it: that stands, unless I changed it.
      const [left, isMine] = m ? [m, true] : [t, false];
      const hasChanged = left !== undefined && !isEqual(b, left);
      if (hasChanged) clash(kind, left);
      value = isMine && hasChanged ? m : undefined;
    }
    if (value) merged.set(id, value);
  }
  const order = (list) => list.map((one) => one.id).filter((id) => inBase.has(id) && inMine.has(id) && inTheirs.has(id));
  const [before, ours, others] = [base, mine, theirs].map(order);
  const isMoved = !isEqual(before, ours);
  if (isMoved && !isEqual(before, others) && !isEqual(ours, others)) clash("order");
  const [first, second] = isMoved ? [mine, theirs] : [theirs, mine];
  const ids = first.map((one) => one.id).filter((id) => merged.has(id));
  // What only the other side has goes where it stood there: after the same neighbour.
  let neighbour;
  for (const { id } of second) {
    if (!merged.has(id)) continue;
    if (!ids.includes(id)) ids.splice(neighbour === undefined ? 0 : ids.indexOf(neighbour) + 1, 0, id);
    neighbour = id;
  }
  return ids.map((id) => merged.get(id));
}

/**
 * The draft of a domain. `domain` is what the page shows: the draft, or what is published. `preview` is what the API says
 * about publishing it.
 */
export class Draft extends State {
  /** What is published, what the draft began with, what it is now, and what it is on top of `published`. @type {any} */
  published;
  /** @type {any} */
  base;
  /** @type {any} */
  domain;
  /** @type {any} */
  merged;
  /** When the draft last changed. @type {string | undefined} */
  at;
  /** See `dryRun`; and `isRunning`. @type {any} */
  preview;
  /** Whether the browser keeps it. */
  isStored = true;
  #name;
  #ending;
  #timer;
  #running;
  #past = [];

  constructor(name, ending) {
    super({});
    this.#name = name;
    this.#ending = ending;
    // Another tab changed it.
    window.addEventListener("storage", (event) => event.key === storage(name) && this.published && this.begin(this.published), { signal: ending });
    ending.addEventListener("abort", () => this.#stop());
  }

  get exists() {
    return this.at !== undefined;
  }

  get canUndo() {
    return this.#past.length > 0;
  }

  /** Whether somebody published since the draft began. */
  get isStale() {
    return this.exists && this.base.revision !== this.published.revision;
  }

  /** Takes what is published, and goes on with the draft that was kept. */
  begin(published) {
    const kept = mayEditDomain(this.#name) ? storedDraft(this.#name) : undefined;
    this.#past = [];
    if (!kept) return this.#take({ published, base: published, domain: published, at: undefined });
    this.#take({ published, ...kept });
    this.#ask(0);
  }

  /** Changes the draft: `change` gets a copy to work on. */
  change(change) {
    const domain = structuredClone(this.domain);
    change(domain);
    if (isEqual(domain, this.domain)) return;
    this.#past.push(this.domain);
    if (isEqual(domain, this.base)) return this.discard({ isUndone: true });
    this.#keep(domain);
  }

  undo() {
    const domain = this.#past.pop();
    if (isEqual(domain, this.base)) return this.discard({ isUndone: true });
    this.#keep(domain);
  }

  discard({ isUndone = false } = {}) {
    this.#stop();
    localStorage.removeItem(storage(this.#name));
    if (!isUndone) this.#past = [];
    this.#take({ base: this.published, domain: this.published, at: undefined });
  }

  /** Goes on with the draft on top of what others published. */
  adopt() {
    const { domain } = this.merged;
    this.#past = [];
    this.base = this.published;
    if (isEqual(domain, this.base)) return this.discard();
    this.#keep(domain);
  }

  /** Asks for the preview again. */
  refresh() {
    this.#ask(0);
  }

  /** Publishes; throws a Problem. */
  async publish(reason, accept) {
    const { value } = await request("PUT", path`/v1/domains/${this.#name}`, {
      body: toInput(this.domain), ifMatch: this.base.revision, query: { reason: reason.trim(), accept: accept.join(",") },
    });
    this.published = value.domain;
    this.discard();
    return value;
  }

  /** Reads what is published again, after the API said that it has changed. */
  async reload() {
    const before = this.published.revision;
    const { value } = await request("GET", path`/v1/domains/${this.#name}`, { signal: this.#ending });
    this.begin(value);
    return value.revision !== before;
  }

  #take(values) {
    Object.assign(this, values);
    this.merged = this.isStale ? merge(this.base, this.domain, this.published) : undefined;
    if (!this.exists) this.preview = undefined;
    this.set({});
  }

  #keep(domain) {
    const at = new Date().toISOString();
    let isStored = true;
    try {
      localStorage.setItem(storage(this.#name), JSON.stringify({ base: this.base, domain, at }));
    } catch {
      isStored = false;
    }
    this.#take({ domain, at, isStored });
    this.#ask(400);
  }

  #stop() {
    clearTimeout(this.#timer);
    this.#running?.abort();
  }

  #ask(delay) {
    this.#stop();
    this.#running = new AbortController();
    this.preview = { ...this.preview, isRunning: true };
    this.set({});
    this.#timer = setTimeout(() => this.#preview(this.#running.signal), delay);
  }

  async #preview(signal) {
    const { base, domain } = this.isStale ? { base: this.published, domain: this.merged.domain } : this;
    try {
      const preview = await dryRun("PUT", this.#name, { body: toInput(domain), ifMatch: base.revision, signal });
      if (preview.problem?.code === "stale-revision" && (await this.reload())) return;
      if (!signal.aborted) this.set({ preview });
    } catch (problem) {
      if (problem.name !== "AbortError" && !signal.aborted) this.set({ preview: { problem, accept: [], broken: [], findings: [] } });
    }
  }
}

/**
 * What an edit would do. Errors that the API lets one accept are accepted, so that the effects are known: `accept` has
 * their codes. `broken` has the expectations that refuse it; then, too, `result` has the effects. `problem` is what
 * stands in the way, if anything.
 *
 * @param {string} method
 * @param {string} name
 * @param {{ body?: any, ifMatch: number, signal: AbortSignal }} options
 */
export async function dryRun(method, name, { body, ifMatch, signal }) {
  const preview = { result: undefined, problem: undefined, accept: [], broken: [], moreBroken: 0, findings: [] };
  const send = (content, accept) => request(
    method, path`/v1/domains/${name}`, { body: content, ifMatch, signal, query: { dryRun: true, accept: accept.join(",") } });
  let content = body;
  let accept = [];
  for (let round = 0; round < 4; round++) {
    try {
      const { value } = await send(content, accept);
      return { ...preview, result: value, findings: value.findings, accept };
    } catch (problem) {
      if (problem.name === "AbortError") throw problem;
      const { errors = [], findings = [], expectations, moreExpectations = 0 } = problem.body ?? {};
      // What cannot be accepted answers 400; the problem before it says what to correct.
      if (problem.code === "unknown-code") return preview;
      if (problem.code === "expectation-broken" && expectations && preview.broken.length === 0) {
        Object.assign(preview, { problem, broken: expectations, moreBroken: moreExpectations });
        if (!content) return preview;
        content = { ...content, expectations: [] };
        continue;
      }
      const codes = errors.map((fault) => fault.code).filter((code) => !accept.includes(code));
      if (problem.status !== 422 || problem.code === "invalid-input" || codes.length === 0) {
        return { ...preview, problem, accept, findings: findings.length > 0 ? findings : preview.findings };
      }
      preview.findings = findings;
      if (preview.broken.length === 0) preview.problem = problem;
      accept = [...new Set([...accept, ...codes])];
    }
  }
  return preview;
}
