// The form that adds a domain.

import { path, refused, request } from "../api.js";
import { asHere, draftField, h, linkButton, suggestions, worstFirst } from "../parts.js";
import { go, to } from "../routing.js";
import { mayAdd, reach, say } from "../state.js";
import { words } from "../words.js";
import { byName, findingList, foldedFindings } from "./domain-parts.js";
import { acceptable, formDialog, planDialog } from "./plan.js";

const text = words.domains.add;

/** The name as the API writes it, or undefined if it cannot be one. */
export function hostName(name) {
  try {
    const { hostname } = new URL(/^https?:\/\//i.test(name.trim()) ? name.trim() : `https://${name.trim()}`);
    return hostname === "" || hostname.includes("%") ? undefined : hostname;
  } catch {
    return undefined;
  }
}

export const exact = { autocomplete: "off", autocapitalize: "none", spellcheck: "false", maxlength: 255 };

/** The dialog that asks for a domain, and then the one that shows what it would publish; `open` gets what is open, and
 * `known` loads the apps, whose names may come while somebody types. */
export function addDomain(open, known) {
  const close = () => open(undefined);
  const limits = words.common.limits(reach("editor"));
  const names = () => {
    const { apps = [], android = [] } = known.value ?? {};
    return {
      apple: apps.map(({ app, name }) => [app, name]),
      android: android.map(({ package: id, name }) => [id, name]),
    };
  };
  /** What is published: a line of it, then what the linter says. */
  const shown = ({ environment, entries: [entry] }, { findings }) => {
    const called = (id, names, platform) => [
      h("bdi", {}, names.find(([one]) => one === id)?.[1] || id),
      ` (${words.try.platform[platform]})`,
    ];
    const all = [
      ...(entry?.apps ?? []).map((id) => called(id, names().apple, "ios")),
      ...(entry?.androidApps ?? []).map((id) => called(id, names().android, "android")),
    ].map((one, index) => [index > 0 && text.and, one]);
    const [route] = entry?.routes ?? [];
    const open = worstFirst(findings.filter(({ suppressed }) => !suppressed));
    const notes = open.filter(({ severity }) => severity === "note");
    return [
      h(
        "p",
        { key: "what" },
        route ? [h("code", {}, route.path), text.opens, all] : all.length > 0 ? [all, text.noLink] : text.noApp,
        ". ",
        h("span", { class: "quiet" }, `${words.domains.environment}: ${words.environment[environment]}.`),
      ),
      findingList(open.filter(({ severity }) => severity !== "note")),
      foldedFindings(words.severity.count("note", notes.length), notes),
    ];
  };
  const plan = (body, name) => {
    const send = (query) => request("PUT", path`/v1/domains/${name}`, { body, ifNoneMatch: "*", query });
    return {
      title: text.would(name),
      label: text.publish,
      close,
      send,
      show: (value) => shown(body, value),
      done: () => {
        say(text.done(name));
        go(["domains", name]);
      },
    };
  };
  const send = async (draft, signal) => {
    const { domain, app, androidApp, route, environment } = draft;
    const name = hostName(domain);
    draft.existing = undefined;
    if (!name) throw refused("domain", text.noName);
    if (!known.value) await known.run();
    if (!mayAdd(name)) throw refused("domain", text.notCovered(limits));
    const used = (typed, names, field) => {
      const wanted = typed.trim();
      // Apps without a name are no namesakes.
      if (wanted === "") return [];
      const namesakes = names.filter(([, name]) => name === wanted).map(([id]) => id);
      if (namesakes.length > 1) throw refused(field, text.namesakes(namesakes.join(", ")));
      return [byName(wanted, new Map(names))];
    };
    const entry = {
      apps: used(app, names().apple, "apps"),
      androidApps: used(androidApp, names().android, "androidApps"),
      routes: route === "" ? [] : [{ path: route }],
    };
    const entries = entry.apps.length + entry.androidApps.length > 0 ? [entry] : [];
    const planned = plan({ environment, entries }, name);
    try {
      await planned.send({ dryRun: true });
    } catch (problem) {
      if (problem.status === 412) {
        draft.existing = name;
        throw refused("domain", text.exists);
      }
      if (problem.status === 400) throw refused("domain", problem.detail);
      if (problem.code === "unknown-android-app") throw refused("androidApps", asHere(problem.detail));
      if (acceptable(problem).length === 0 && problem.code !== "approval-required") throw problem;
    }
    if (!signal.aborted) open(planDialog(planned));
  };
  open(formDialog({
    title: text.open,
    label: text.preview,
    close,
    send,
    fields: (draft, update) => [
      draftField(text.name, draft, "domain", {
        ...exact,
        id: "new-domain",
        required: true,
        focus: true,
        inputmode: "url",
        placeholder: "links.example.com",
        help: limits ? text.limits(limits) : text.nameHelp,
      }),
      draft.existing && linkButton(text.openIt(draft.existing), to(["domains", draft.existing]), { key: "open" }),
      draftField(text.app, draft, "app", {
        ...exact,
        name: "apps",
        id: "new-app",
        list: "new-apps",
        placeholder: "ABCDE12345.com.example.app",
        help: text.appHelp,
        change: update,
      }),
      suggestions("new-apps", names().apple),
      draftField(text.android, draft, "androidApp", {
        ...exact,
        name: "androidApps",
        id: "new-android",
        list: "new-androids",
        placeholder: "com.example.app",
        help: text.androidHelp,
        change: update,
      }),
      suggestions("new-androids", names().android),
      draftField(text.route, draft, "route", {
        id: "new-route",
        tag: "select",
        disabled: (draft.app + draft.androidApp).trim() === "",
        options: [["/*", text.allLinks], ["", text.noRoute]],
      }),
      draftField(text.environment, draft, "environment", {
        id: "new-environment",
        tag: "select",
        options: Object.entries(words.environment),
      }),
    ],
    draft: { domain: "", app: "", androidApp: "", route: "/*", environment: "production" },
  }));
}
