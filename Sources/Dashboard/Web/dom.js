// Descriptions of elements, and how the page is brought in line with them. Elements that stay keep
// their focus, their scroll position and their open panels, because they are the same elements.

/** Describes an element. Children are elements, texts and numbers, and lists of them; `null`, `undefined`
 * and booleans are left out.
 * Properties: `key` (tells siblings apart when a list changes), `on` (listeners by event), `vars` (custom
 * properties of CSS), `modal` (opens a `<dialog>` as modal), `focus` (takes the focus when it appears), `after` (gets
 * the element after each update).
 * All others are attributes, or properties where those hold the state (`value`, `checked`, …) and in custom
 * elements. A value of `true` is an empty attribute; `false`, `null` and `undefined` are none.
 * @param {{ [name: string]: any }} [properties] */
export function h(tag, properties, ...children) {
  const { key, on, vars, modal, focus, after, ...rest } = properties ?? {};
  return { tag, key, on, vars, modal, focus, after, rest, children: children.flat(Infinity).filter(isShown) };
}

export function patch(parent, descriptions) {
  const wanted = [descriptions].flat(Infinity).filter(isShown);
  const kept = new Map();
  const unkeyed = [];
  for (const node of parent.childNodes) {
    const key = described.get(node)?.key;
    if (key === undefined) unkeyed.push(node);
    else kept.set(key, node);
  }
  let cursor = parent.firstChild;
  const used = new Set();
  for (const description of wanted) {
    let node;
    if (description.key !== undefined) node = kept.get(description.key);
    else node = unkeyed.find((candidate) => !used.has(candidate) && isSame(candidate, description));
    if (node && (used.has(node) || !isSame(node, description))) node = undefined;
    const isNew = !node;
    node ??= create(description);
    used.add(node);
    update(node, description, isNew);
    while (cursor && cursor !== node && !isWanted(cursor, wanted, used)) cursor = remove(cursor);
    if (cursor === node) cursor = cursor.nextSibling;
    else place(parent, node, cursor);
    if (isNew) appear(node, description);
    description.after?.(node);
  }
  while (cursor) cursor = remove(cursor);
}

/** An element that renders itself: a page, or a part with a state of its own. */
export class View extends HTMLElement {
  #isWaiting = false;
  #ending = new AbortController();
  /** Of a page: its parts and its query. @type {{ parts: string[], query: Record<string, string> }} */ address;
  /** The dialog that is open, and what ends it. @type {any} */ open;
  close = () => this.set({ open: undefined });

  /** Ends when the element leaves the page; for requests and listeners. */
  get ending() {
    return this.#ending.signal;
  }

  connectedCallback() {
    if (this.#ending.signal.aborted) this.#ending = new AbortController();
    this.start();
    this.update();
  }

  disconnectedCallback() {
    this.#ending.abort();
  }

  start() {}

  /** What the element shows: descriptions made by `h`. @returns {any} */
  render() {
    return [];
  }

  find(selector) {
    return this.querySelector(selector);
  }

  /** Calls `work` again and again while the element and its window are shown. */
  every(seconds, work) {
    const timer = setInterval(() => document.hidden || work(), seconds * 1000);
    this.ending.addEventListener("abort", () => clearInterval(timer));
  }

  set(members) {
    Object.assign(this, members);
    this.update();
  }

  /** Opens a dialog, which `kind` makes, such as `formDialog`. */
  show(kind, question) {
    this.set({ open: kind({ close: this.close, ...question }) });
  }

  /** Renders soon. Several calls in a row render once. */
  update() {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    queueMicrotask(() => {
      this.#isWaiting = false;
      if (this.isConnected) patch(this, this.render());
    });
  }
}

export const define = (views) => Object.entries(views).forEach(([tag, view]) => customElements.define(tag, view));
const described = new WeakMap();
const waitingForFocus = new WeakSet();
const asProperty = new Set(["value", "checked", "selected", "indeterminate", "open", "disabled"]);
const isShown = (child) => child !== null && child !== undefined && typeof child !== "boolean";
const isText = (description) => typeof description !== "object";

function isSame(node, description) {
  if (isText(description)) return node.nodeType === Node.TEXT_NODE;
  const before = described.get(node);
  return before !== undefined && before.tag === description.tag && before.key === description.key;
}

function isWanted(node, wanted, used) {
  if (used.has(node)) return false;
  const before = described.get(node);
  return before?.key !== undefined && wanted.some((one) => one.key === before.key && one.tag === before.tag);
}

const create = (description) => (
  isText(description) ? document.createTextNode("") : document.createElement(description.tag)
);

function update(node, description, isNew) {
  if (isText(description)) {
    const text = String(description);
    if (node.data !== text) node.data = text;
    return;
  }
  const before = described.get(node) ?? { rest: {}, vars: {}, on: {} };
  described.set(node, description);
  if (isNew || before.on !== description.on) listen(node, before.on, description.on);
  // The options of a list come before its value.
  if (description.tag === "select") patch(node, description.children);
  const isCustom = description.tag.includes("-");
  for (const name of new Set([...Object.keys(before.rest), ...Object.keys(description.rest)])) {
    set(node, name, description.rest[name], before.rest[name], isCustom);
  }
  for (const [name, value] of Object.entries(description.vars ?? {})) node.style.setProperty(name, value);
  if (isCustom) {
    if (!isNew) node.update?.();
  } else if (description.tag !== "select") {
    patch(node, description.children);
  }
}

function set(node, name, value, before, isCustom) {
  if (isCustom && !name.includes("-") && name !== "class" && name !== "id" && name !== "role") {
    node[name] = value;
  } else if (asProperty.has(name) && !(name === "value" && node.localName === "option")) {
    // An option without the attribute would have its text as its value.
    // What somebody is typing stays, unless the page wants something new there.
    const isTyped = value === before && node === document.activeElement;
    const isFocused = name === "disabled" && value && node === document.activeElement;
    if (node[name] !== value && (value ?? before) !== undefined && !isTyped) node[name] = value ?? "";
    // What cannot be pressed for a while has the focus again afterwards.
    if (isFocused) waitingForFocus.add(node);
    else if (name === "disabled" && !value && waitingForFocus.delete(node)) setTimeout(() => keepFocus([node]));
  } else if (value !== before) {
    if (name.startsWith("on")) throw new Error(`Listeners belong in "on", not in the attribute ${name}.`);
    if ((name === "href" || name === "src") && isShown(value) && !isSafe(value)) return node.removeAttribute(name);
    if (value === false || value === null || value === undefined) node.removeAttribute(name);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
}

/** Only links to pages, never `javascript:` and its like. */
const isSafe = (url) => ["http:", "https:"].includes(new URL(url, location.href).protocol);

function listen(node, before = {}, after = {}) {
  const listeners = (node.listeners ??= {});
  for (const name of Object.keys({ ...before, ...after })) {
    // One listener per event for as long as the element lives; what it calls may change.
    if (!(name in listeners)) node.addEventListener(name, (event) => listeners[name]?.(event));
    listeners[name] = after[name];
  }
}

/** Inserts or moves a node. An element that has the focus would lose it by moving. */
function place(parent, node, before) {
  const active = node.isConnected && node.contains(document.activeElement) ? document.activeElement : undefined;
  parent.insertBefore(node, before);
  if (active instanceof HTMLElement) active.focus({ preventScroll: true });
}

/** Removes a node, and returns the one behind it. */
function remove(node) {
  const { nextSibling } = node;
  const isWaiting = (/** @type {any} */ one) => waitingForFocus.has(one);
  const near = node.contains(document.activeElement) || [...node.querySelectorAll?.(":disabled") ?? []].some(isWaiting)
    ? around(node)
    : [];
  // A dialog gives the focus back when it closes.
  for (const dialog of node.querySelectorAll?.("dialog[open]") ?? []) dialog.close();
  if (node.open && node.close) node.close();
  node.remove();
  if (near.length > 0) setTimeout(() => keepFocus(near));
  return nextSibling;
}

function around({ nextElementSibling, previousElementSibling, parentElement }) {
  const outer = [];
  for (let one = parentElement; one; one = one.parentElement) outer.push(one);
  return [nextElementSibling, previousElementSibling, ...outer].filter(Boolean);
}

const focusable = ":is(a[href], button, input, select, textarea, summary, [tabindex='0']):not(:disabled)";

/** Focuses something near an element that went with the focus, unless something else has taken it. */
function keepFocus(near) {
  if (document.activeElement !== document.body) return;
  for (const place of near.filter((one) => one.isConnected)) {
    const target = [place, ...place.querySelectorAll(focusable)].find((one) => (
      one.matches(focusable) && one.checkVisibility()
    ));
    target?.focus({ preventScroll: true });
    if (target === document.activeElement) return;
  }
}

function appear(node, description) {
  if (description.modal) queueMicrotask(() => node.isConnected && !node.open && node.showModal());
  // After the dialog around it has opened, which takes the focus first.
  if (description.focus) queueMicrotask(() => queueMicrotask(() => node.focus()));
}
