// Changes to a domain that are not published yet: kept in the browser, previewed by the API, merged with others’.

import { get, parsed, path, request } from "../api.js";
import { mayEditDomain, session, State } from "../state.js";
import { place } from "./domain-parts.js";

/** How many steps can be undone. Each is a whole domain. */
const mostSteps = 100;
/** What is typed in one field is one step, until nothing is typed for so many milliseconds. */
const longPause = 1000;

/** A draft belongs to a person: others may use the same browser. */
const storage = (name) => `aasa.draft.${session.name} ${name}`;

/** The draft of a domain that this browser keeps: `{ base, domain, at, reason }`, or undefined. */
export function storedDraft(name) {
  const { base, domain, at, reason = "" } = parsed(() => localStorage.getItem(storage(name))) ?? {};
  return base?.revision && domain?.entries ? { base, domain, at, reason } : undefined;
}

/** The names of the domains of which this browser keeps a draft of the person. */
export function draftedDomains() {
  const beginning = storage("");
  // A browser may refuse.
  const keys = parsed(() => JSON.stringify(Object.keys(localStorage))) ?? [];
  const names = keys.filter((key) => key.startsWith(beginning)).map((key) => key.slice(beginning.length));
  // Another person's name may begin like this one's, and templates have keys of their own.
  return names.filter((name) => /^[^\s/]+$/.test(name) && mayEditDomain(name) && storedDraft(name)).sort();
}

/** Changes the draft that the browser keeps of a domain, or begins one: `change` gets its domain. */
export async function draftStored(name, change) {
  if (!storedDraft(name)) {
    const published = await draftOfDomain(name).load();
    localStorage.setItem(storage(name), JSON.stringify({ base: published, domain: published, reason: "" }));
  }
  changeStored(name, ({ domain }) => change(domain));
}

/** Changes that draft, if there is one: `change` gets it. */
export function changeStored(name, change) {
  const kept = storedDraft(name);
  if (!kept) return;
  change(kept);
  localStorage.setItem(storage(name), JSON.stringify({ ...kept, at: new Date().toISOString() }));
}

/** What the API takes: without read-only members, and without the IDs that only the draft knows. */
export function toInput(answer) {
  const { unicode: _unicode, revision: _revision, updatedAt: _updatedAt, sources: _sources, ...domain } = answer;
  const known = ({ id, ...rest }) => (id > 0 ? { id, ...rest } : rest);
  return { ...domain, entries: domain.entries.map((entry) => known({ ...entry, routes: entry.routes.map(known) })) };
}

/** What a draft of a domain is of, for `Draft`. `given` is what is in force if the domain uses a template. */
export function draftOfDomain(name) {
  const url = path`/v1/domains/${name}`;
  const of = {
    key: name,
    given: undefined,
    labels: undefined,
    mayEdit: () => mayEditDomain(name, of.labels),
    async load(signal = undefined) {
      const domain = await get(url, {}, signal);
      of.labels = domain.labels ?? [];
      of.given = domain.template && await get(url, { resolved: true }, signal);
      // A domain without entries of its own leaves them out.
      return { entries: [], expectations: [], ...domain };
    },
    preview: (domain, revision, signal) => dryRun(url, domain, revision, signal),
    async publish(domain, ifMatch, { reason, accept, draft }) {
      const { value } = await request("PUT", url, {
        body: toInput(domain),
        ifMatch,
        query: { reason, accept: accept.join(","), draft, ...creating },
      });
      if (draft) return { value };
      // It is published, whatever becomes of the next request.
      return { value, published: value.domain.template ? await of.load().catch(() => value.domain) : value.domain };
    },
  };
  return of;
}

/** A domain with what its template gives it: behind its own entries and expectations, and where it sets nothing. */
export function inForce(domain, given) {
  if (!given || domain.template !== given.template) return { substitutionVariables: {}, defaults: {}, ...domain };
  const own = Object.entries(domain).filter(([, value]) => value !== undefined);
  const behind = (name) => [
    ...(domain[name] ?? []),
    ...(given[name] ?? []).filter((_, index) => given.sources[name]?.[index] === "template"),
  ];
  return { ...given, ...Object.fromEntries(own), entries: behind("entries"), expectations: behind("expectations") };
}

/** Android apps that a draft names, and whose fingerprints kept statements have, are created with it. */
const creating = { androidApps: "create" };

/** A new ID for an entry or a route. It is negative, so it never meets one of the server. */
export const newId = (siblings) => Math.min(0, ...siblings.map((one) => one.id)) - 1;

/** Whether two JSON values are equal; the order of members is free, and undefined ones are none. */
export function isEqual(one, other) {
  if (!one || !other || typeof one !== "object" || typeof other !== "object") return one === other;
  return Array.isArray(one) === Array.isArray(other) &&
    Object.keys({ ...one, ...other }).every((key) => isEqual(one[key], other[key]));
}

function isSame(one, other) {
  const plain = ({ id: _, routes, ...rest }) => ({ ...rest, routes: routes?.map(plain) });
  return isEqual(plain(one), plain(other));
}

/** Members that are sets: additions and removals of both sides can be combined. */
const sets = new Set([
  "labels",
  "aliases",
  "apps",
  "androidApps",
  "webcredentials",
  "appclips",
  "activitycontinuation",
  "androidCredentials",
  "webauthnOrigins",
  "expectations",
]);

/** What three versions of a value make: what one side changed; `both` decides where both did. */
function settle(base, mine, theirs, both) {
  if (isEqual(mine, theirs) || isEqual(base, theirs)) return mine;
  return isEqual(base, mine) ? theirs : both();
}

function mergeSets(base, mine, theirs) {
  const has = (list, value) => list.some((one) => isEqual(one, value));
  const kept = theirs.filter((value) => has(mine, value) || !has(base, value));
  return [...kept, ...mine.filter((value) => !has(theirs, value) && !has(base, value))];
}

/** Puts a draft on top of what others published. What only one side changed is kept; where both changed the same thing,
 * the draft wins, and `conflicts` has `{ kind: "member" | "entry" | "route" | "order", name?, entry?, route? }`. */
function merge(base, mine, theirs) {
  const conflicts = [];
  const members = (b, m, t, entry, lists) =>
    Object.fromEntries(
      Object.keys({ ...t, ...m }).map((name) => {
        const both = () => {
          if (lists[name]) return lists[name](b[name], m[name], t[name]);
          if (sets.has(name)) return mergeSets(b[name] ?? [], m[name] ?? [], t[name] ?? []);
          conflicts.push({ kind: "member", name, entry });
          return m[name];
        };
        return [name, settle(b[name], m[name], t[name], both)];
      }),
    );
  const route = (_, one) => {
    conflicts.push({ kind: "route", route: one });
    return one;
  };
  const clashes = (kind) => (one) => conflicts.push(one ? { kind, [kind]: one } : { kind: "order" });
  const routes = (b, m, t) => mergeById(b, m, t, route, clashes("route"));
  const entry = (b, m, t) => members(b, m, t, m, { routes });
  const entries = (b, m, t) => mergeById(b, m, t, entry, clashes("entry"));
  const { revision, updatedAt } = theirs;
  return { domain: members(base, { ...mine, revision, updatedAt }, theirs, undefined, { entries }), conflicts };
}

/** Merges lists of things with IDs: `both` what both sides changed; `clash` learns where mine replaces theirs. */
function mergeById(base, mine, theirs, both, clash) {
  // What both sides added is one, with the ID that is published.
  const isNew = (one) => !base.some(({ id }) => id === one.id);
  const added = theirs.filter(isNew);
  mine = mine.map((one) => {
    const index = isNew(one) ? added.findIndex((other) => isSame(one, other)) : -1;
    return index < 0 ? one : added.splice(index, 1)[0];
  });
  const [inBase, inMine, inTheirs] = [base, mine, theirs].map((list) => new Map(list.map((one) => [one.id, one])));
  const merged = new Map();
  for (const id of new Set([...inTheirs.keys(), ...inMine.keys()])) {
    const [b, m, t] = [inBase, inMine, inTheirs].map((map) => map.get(id));
    let value = m ?? t;
    if (b && m && t) {
      value = settle(b, m, t, () => both(b, m, t));
    } else if (b) {
      // One side deleted it: that stands, unless I changed it.
      const hasChanged = !isEqual(b, value);
      if (hasChanged) clash(value);
      if (!m || !hasChanged) continue;
    }
    merged.set(id, value);
  }
  const isEverywhere = (id) => inBase.has(id) && inMine.has(id) && inTheirs.has(id);
  const order = (list) => list.map((one) => one.id).filter(isEverywhere);
  const [before, ours, others] = [base, mine, theirs].map(order);
  const [isMoved, areMoved] = [!isEqual(before, ours), !isEqual(before, others)];
  const hasNew = (list) => list.some((one) => !inBase.has(one.id));
  // The first route that matches decides, so where a new one goes among moved ones is for a person to look at.
  if (isMoved && (hasNew(theirs) || (areMoved && !isEqual(ours, others))) || areMoved && hasNew(mine)) clash();
  const [first, second] = isMoved ? [mine, theirs] : [theirs, mine];
  const ids = first.map((one) => one.id).filter((id) => merged.has(id));
  // What only the other side has goes where it stood there: after the same neighbour.
  let neighbour;
  for (const { id } of second.filter((one) => merged.has(one.id))) {
    if (!ids.includes(id)) ids.splice(neighbour === undefined ? 0 : ids.indexOf(neighbour) + 1, 0, id);
    neighbour = id;
  }
  return ids.map((id) => merged.get(id));
}

/** What undoing brings back in each draft, while this page is open: `{ domain, past }` by its key. */
const pasts = new Map();

export class Draft extends State {
  /** What is published. @type {any} */ published;
  /** What the draft began with. @type {any} */ base;
  /** What the page shows: the draft, or what is published. @type {any} */ domain;
  /** The draft on top of what others published. @type {any} */ merged;
  /** When the draft last changed. @type {string | undefined} */ at;
  /** What the API says about publishing it: see `dryRun`; and `isRunning`. @type {any} */ preview;
  /** What is typed as the reason. */ reason = "";
  /** Whether the browser keeps it. */ isStored = true;
  isPublishing = false;
  #of;
  #running;
  /** What undoing brings back. @type {any[]} */ past = [];
  /** Where and when somebody typed last. @type {{ where?: string, at: number }} */ #typed = { at: 0 };

  /** `of` is what it is a draft of: its `key` in the browser, how to `load`, `preview` and `publish` it, and whether
   * the person `mayEdit` it. */
  constructor(of, ending) {
    super({});
    this.#of = of;
    // Another tab changed it, or published it.
    const changed = ({ key }) => key === storage(of.key) && this.published && this.reload().catch(() => {});
    window.addEventListener("storage", changed, { signal: ending });
    ending.addEventListener("abort", () => this.#running?.abort());
  }

  get mayEdit() {
    return this.#of.mayEdit();
  }

  get exists() {
    return this.at !== undefined;
  }

  get isStale() {
    return this.exists && this.base.revision !== this.published.revision;
  }

  /** Takes what is published, and goes on with the draft that was kept. */
  begin(published) {
    const { base, domain, at, reason } = this;
    // What the browser has no room for is only here.
    const kept = this.exists && !this.isStored
      ? { base, domain, at, reason }
      : this.mayEdit
      ? storedDraft(this.#of.key)
      : undefined;
    // Who comes back to the page can still undo.
    const left = pasts.get(storage(this.#of.key));
    if (!isEqual(kept?.domain, domain)) this.past = left && isEqual(kept?.domain, left.domain) ? left.past : [];
    this.#take({ published, ...(kept ?? { base: published, domain: published, at: undefined, reason: "" }) });
    if (kept) this.refresh();
    return published;
  }

  /** `typedIn` names the field, if somebody types. */
  change(change, typedIn = undefined) {
    if (this.isPublishing) return;
    const domain = structuredClone(this.domain);
    change(domain);
    if (isEqual(domain, this.domain)) return;
    const { where, at } = this.#typed;
    this.#typed = { where: typedIn, at: Date.now() };
    const goesOn = typedIn !== undefined && typedIn === where && Date.now() - at < longPause;
    if (!goesOn || this.past.length === 0) this.past.push(this.domain);
    if (this.past.length > mostSteps) this.past.shift();
    this.#keep(domain);
  }

  undo() {
    if (this.isPublishing) return;
    this.#typed.where = undefined;
    this.#keep(this.past.pop());
  }

  discard() {
    this.past = [];
    this.#keep(this.published);
  }

  adopt() {
    this.past = [];
    this.base = this.published;
    this.#keep(this.merged.domain);
  }

  /** Publishes, or with `draft` asks for the approval of somebody else; throws a Problem. Nothing can be changed
   * meanwhile.
   * @param {{ accept: string[], skip?: string, draft?: boolean }} options */
  async publish(options) {
    this.isPublishing = true;
    const { value, published } = await this.#of.publish(this.domain, this.base.revision, {
      reason: this.reason,
      ...options,
    }).finally(() => (this.isPublishing = false));
    if (published) this.published = published;
    this.discard();
    return value;
  }

  /** Reads what is published again, after the API said that it has changed. */
  async reload() {
    const before = this.published.revision;
    this.begin(await this.#of.load());
    return this.published.revision !== before;
  }

  #take(values) {
    Object.assign(this, values);
    this.merged = this.isStale ? merge(this.base, this.domain, this.published) : undefined;
    if (!this.exists) this.preview = undefined;
    this.set({});
  }

  #keep(domain) {
    // Without a difference there is no draft.
    if (isEqual(domain, this.base) || domain === this.published) {
      this.#running?.abort();
      this.#take({ base: this.published, domain: this.published, at: undefined, reason: "" });
      return this.store();
    }
    this.#take({ domain, at: new Date().toISOString() });
    this.store();
    this.refresh(400);
  }

  /** Keeps it in the browser, if that lets us; without a draft, there is nothing to keep. */
  store() {
    const { base, domain, at, reason, past } = this;
    pasts.set(storage(this.#of.key), { domain, past });
    try {
      if (at === undefined) localStorage.removeItem(storage(this.#of.key));
      else localStorage.setItem(storage(this.#of.key), JSON.stringify({ base, domain, at, reason }));
      this.isStored = true;
    } catch {
      this.isStored = false;
    }
  }

  /** What the API says of the values whose pointers fit; undefined for nothing. */
  faults = (fits) =>
    (this.preview?.problem?.body?.errors ?? []).filter(({ pointer = "" }) => fits(pointer))
      .map(({ message }) => message).join(" ") || undefined;

  /** Asks for the preview, a little later while somebody types. */
  async refresh(delay = 0) {
    this.#running?.abort();
    const { signal } = (this.#running = new AbortController());
    this.set({ preview: { ...this.preview, isRunning: true } });
    await new Promise((resume) => setTimeout(resume, delay));
    if (signal.aborted) return;
    const [{ revision }, domain] = this.isStale ? [this.published, this.merged.domain] : [this.base, this.domain];
    const preview = await this.#of.preview(domain, revision, signal);
    if (preview.problem?.code === "stale-revision" && (await this.reload().catch(() => false))) return;
    if (!signal.aborted) this.set({ preview: { ...preview, routes: changedRoutes(preview.result?.diff, domain) } });
  }
}

/** The changes that a preview found. Expectations that it had to leave out are none of the draft's. */
export function effectsOf({ result, broken }) {
  const changes = result.diff.changes.filter(({ what }) => broken.length === 0 || what !== "expectation");
  return { ...result.diff, changes };
}

/** How the routes of a draft differ: "added", "changed" or "moved", by the IDs of entry and route. */
function changedRoutes({ changes } = { changes: [] }, domain) {
  return new Map(
    changes.filter((one) => one.what === "route" && one.to).map(({ kind, to, document }) => {
      const { entry, route } = place(to, document, domain);
      return [`${entry?.id} ${route?.id}`, kind];
    }),
  );
}

/** What publishing would do. Errors that one can accept are accepted, so that the effects are known: `accept` has their
 * codes. `broken` has the expectations that refuse it; then, too, `result` has the effects. `problem` is what stands in
 * the way, if anything, but for the approval of a second person: `needsApproval` says that it is needed. */
async function dryRun(url, domain, ifMatch, signal) {
  const preview = {
    result: undefined,
    problem: undefined,
    accept: [],
    broken: [],
    moreBroken: 0,
    findings: [],
    needsApproval: undefined,
  };
  /** @type {any} */
  let body = toInput(domain);
  let accept = [];
  for (let round = 0; round < 5; round++) {
    try {
      const approved = preview.needsApproval && true;
      const query = { dryRun: true, approved, accept: accept.join(","), ...creating };
      const { value } = await request("PUT", url, { body, ifMatch, signal, query });
      return { ...preview, result: value, findings: value.findings, accept };
    } catch (problem) {
      if (signal.aborted) return preview;
      const { acceptable = [], findings = [], expectations, moreExpectations = 0 } = problem.body;
      if (problem.code === "approval-required") {
        preview.needsApproval = problem.detail;
        continue;
      }
      // Those of another domain, from which a name is taken, are not this one's to remove.
      const isOwn = problem.body.domain === domain.domain;
      if (problem.code === "expectation-broken" && isOwn && expectations && preview.broken.length === 0) {
        Object.assign(preview, { problem, broken: expectations, moreBroken: moreExpectations });
        body = { ...body, expectations: [] };
        continue;
      }
      if (acceptable.length === 0) {
        return { ...preview, problem, accept, findings: findings.length > 0 ? findings : preview.findings };
      }
      preview.findings = findings;
      if (preview.broken.length === 0) preview.problem = problem;
      accept = [...new Set([...accept, ...acceptable])];
    }
  }
  return preview;
}
