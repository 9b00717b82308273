// The form that adds a domain.

import { path, refused, request } from "../api.js";
import { h } from "../dom.js";
import { draftField } from "../parts.js";
import { go } from "../routing.js";
import { isUnlimited, mayEditDomain, say, session } from "../state.js";
import { words } from "../words.js";
import { acceptable, effects, formDialog, planDialog } from "./plan.js";

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

/** Inputs for names that no keyboard should correct. */
export const exact = { autocomplete: "off", autocapitalize: "none", spellcheck: "false", maxlength: 255 };

/** The dialog that asks for a domain, and then the one that shows what it would publish; `open` gets what is open. */
export function addDomain(open, apps) {
  const close = () => open(undefined);
  const plan = (body, name) => {
    const send = (query) => request("PUT", path`/v1/domains/${name}`, { body, ifNoneMatch: "*", query });
    const show = (value) => effects({ ...value, domain: undefined });
    return { title: text.would(name), label: text.publish, close, send, show, done: () => {
      say(text.done(name));
      go(["domains", name]);
    } };
  };
  const send = async ({ domain, app, route, environment }, signal) => {
    const name = hostName(domain);
    if (!name) throw refused("domain", text.noName);
    if (!mayEditDomain(name)) throw refused("domain", text.notCovered(words.common.limits(session)));
    const entries = app.trim() === "" ? [] : [{ apps: [app.trim()], routes: route === "" ? [] : [{ path: route }] }];
    const planned = plan({ environment, entries }, name);
    try {
      await planned.send({ dryRun: true });
    } catch (problem) {
      if (problem.status === 412) throw refused("domain", text.exists);
      if (problem.status === 400) throw refused("domain", problem.detail);
      if (acceptable(problem).length === 0) throw problem;
    }
    if (!signal.aborted) open(planDialog(planned));
  };
  open(formDialog({
    title: text.open, label: text.preview, close, send, fields: (draft, update) => [
      draftField(text.name, draft, "domain", {
        ...exact, id: "new-domain", required: true, focus: true, inputmode: "url", placeholder: "links.example.com",
        help: isUnlimited() ? text.nameHelp : text.limits(words.common.limits(session)),
      }),
      draftField(text.app, draft, "app", {
        ...exact, name: "apps", id: "new-app", list: "new-apps", placeholder: "ABCDE12345.com.example.app",
        help: text.appHelp, change: update,
      }),
      h("datalist", { id: "new-apps" }, apps.map(({ app, name }) => h("option", { key: app, value: app }, name ?? ""))),
      draftField(text.route, draft, "route", {
        id: "new-route", tag: "select", disabled: draft.app.trim() === "",
        options: [["/*", text.allLinks], ["", text.noRoute]],
      }),
      draftField(text.environment, draft, "environment", {
        id: "new-environment", tag: "select", options: Object.entries(words.environment),
      })],
    draft: { domain: "", app: "", route: "/*", environment: "production" },
  }));
}
