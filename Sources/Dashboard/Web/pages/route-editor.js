// The dialog in which a route is added or changed. It changes the draft, never what is published.

import { refused } from "../api.js";
import { button, capital, closeButton, draftField, h } from "../parts.js";
import { words } from "../words.js";
import { hostName } from "./domains-add.js";
import { formDialog } from "./plan.js";

const w = words.domain.editor;
const flags = ["caseSensitive", "percentEncoded"];
const aURL = /^(https?:\/\/)?([^/?#\s]+)(\/[^?#\s]*)?(?:\?([^#\s]*))?(?:#(\S*))?$/i;
/** A path with a query or a fragment. Without "=", a question mark is one character of a pattern. */
const longPath = /^(\/[^?#\s]*)(?:\?([^?#\s=]+=[^#\s]*))?(?:#(\S*))?$/;

/** Describes the dialog for a route, `{}` for a new one. `entries`: `[[id, title]]`; `entry`: the ID of its entry;
 * `isModern`: whether its entry can say more than paths; `hosts`: the names of the domain, or undefined if any URL may
 * be pasted; `save(route, entryId)`. */
export function editRoute(route, { entries, entry, isModern, hosts, save, close }) {
  const { query, exclude, ...rest } = route;
  /** @type {any} */
  const draft = {
    ...rest,
    effect: exclude ? "exclude" : "open",
    entry: String(entry),
    query: "*",
    items: [],
    hasMore: Boolean(rest.fragment),
    kind: query === undefined ? "none" : typeof query === "string" ? "whole" : "items",
  };
  for (const name of flags) draft[name] = String(rest[name] ?? "default");
  if (draft.kind === "whole") draft.query = query;
  else Object.entries(query ?? {}).forEach(([name, pattern]) => add(draft, name, pattern));
  return formDialog({
    title: route.id === undefined ? w.add : w.edit,
    label: w.save,
    close,
    draft,
    send: (values) => {
      const fault = divide(values, route, hosts, isModern);
      if (fault) throw refused("path", fault);
      save(edited(route, values), Number(values.entry));
    },
    fields: (draft, update) => {
      const pasted = () => {
        divide(draft, route, hosts, isModern);
        update();
      };
      return fields(draft, update, pasted, entries, isModern);
    },
  });
}

/** Divides what was pasted as the path, maybe a URL, between the fields. Returns what nobody
 * can save, such as a host that is not the domain's. */
function divide(draft, old, hosts, isModern) {
  // What stands in the file already is meant like that.
  if (!draft.path || draft.path === old.path) return;
  draft.path = draft.path.trim();
  const [all, scheme, host, ...parts] = aURL.exec(draft.path) ?? [];
  const name = all && hostName(host);
  const isOwn = hosts?.some((one) => one === name || (one.startsWith("*.") && name?.endsWith(one.slice(1))));
  if (scheme && hosts && !isOwn) return w.foreignHost(host);
  const [path = "/", query, fragment] = scheme || isOwn ? parts : longPath.exec(draft.path)?.slice(1) ?? [draft.path];
  // Older entries have only paths, and the linter says so.
  if (!isModern && !scheme && !isOwn) return;
  if (!isModern && (query || fragment)) return w.onlyPaths;
  Object.assign(draft, { path }, query && { kind: "whole", query }, fragment && { fragment, hasMore: true });
}

function add({ items }, name = "", pattern = "?*") {
  items.push({ id: Math.max(0, ...items.map((item) => item.id)) + 1, name, pattern });
}

function edited(old, { kind, query, effect, items, ...values }) {
  const route = { ...old, exclude: effect === "exclude" || undefined, query: undefined };
  // An empty text that was there stays; an empty field otherwise means "any".
  for (const name of ["path", "fragment", "comment", "fallback"]) {
    if (values[name] !== old[name]) route[name] = values[name].trim() || undefined;
  }
  for (const name of flags) route[name] = values[name] === "default" ? undefined : values[name] === "true";
  if (kind === "whole") route.query = query === old.query ? query : query.trim();
  if (kind === "items") {
    route.query = Object.fromEntries(items.map(({ name, pattern }) => [name, pattern]));
    if ("" in route.query) throw refused("kind", w.noName);
    if (Object.keys(route.query).length < items.length) throw refused("kind", w.repeated);
  }
  return route;
}

function fields(draft, update, pasted, entries, isModern) {
  const text = (name, rest) => draftField(w[name], draft, name, { autocomplete: "off", ...rest });
  const select = (name, options, rest) => text(name, { tag: "select", options, ...rest });
  const asFlag = (name) => [["default", w.asDefault], ...Object.entries(words.domain.flags[name])];
  const change = () => {
    if (draft.items.length === 0) add(draft);
    update();
  };
  return [
    effects(draft),
    text("path", {
      placeholder: "/buy/*",
      help: w.pathHelp,
      focus: true,
      on: {
        input: ({ target, inputType }) => {
          draft.path = target.value;
          // While somebody types, nothing moves.
          if (inputType === "insertFromPaste") pasted();
        },
      },
    }),
    isModern && [
      select("kind", [["none", w.noQuery], ["items", w.items], ["whole", w.whole]], { change }),
      draft.kind === "items" && pairs(draft, update),
      draft.kind === "whole" && text("query"),
      text("comment", { help: w.commentHelp, dir: "auto" }),
      h(
        "details",
        {
          key: "more",
          class: "field",
          open: draft.hasMore,
          on: { toggle: ({ target }) => Object.assign(draft, { hasMore: target.open }) },
        },
        h("summary", {}, w.more),
        text("fragment", { help: w.fragmentHelp }),
        flags.map((name) => select(name, asFlag(name))),
      ),
    ],
    text("fallback", { help: w.fallbackHelp, spellcheck: "false" }),
    entries.length > 1 && select("entry", entries),
  ];
}

function effects(draft) {
  const change = ({ target }) => Object.assign(draft, { effect: target.value });
  const choice = (value, text) =>
    h(
      "label",
      { key: value, class: "checkbox" },
      h("input", { type: "radio", name: "effect", value, checked: value === draft.effect, on: { change } }),
      text,
    );
  return h(
    "fieldset",
    { class: "field", key: "effect" },
    h("legend", {}, w.effect),
    choice("open", capital(words.resolution.match)),
    choice("exclude", capital(words.resolution.blocked)),
  );
}

function pairs(draft, update) {
  const text = (item, member, label) =>
    h("input", {
      key: member,
      "aria-label": label,
      value: item[member],
      spellcheck: "false",
      placeholder: label,
      on: { input: ({ target }) => Object.assign(item, { [member]: target.value }) },
    });
  const remove = (item) => {
    draft.items = draft.items.filter((one) => one !== item);
    update();
  };
  const grow = () => {
    add(draft);
    update();
  };
  return h(
    "fieldset",
    { key: "items", class: "field" },
    h("legend", {}, w.items),
    draft.items.map((item) =>
      h(
        "div",
        { key: item.id, class: "pair" },
        text(item, "name", w.itemName),
        text(item, "pattern", w.itemPattern),
        closeButton(w.removeItem(item.name), () => remove(item)),
      )
    ),
    h("div", { key: "add" }, button(w.addItem, grow, { kind: "quiet" })),
  );
}
