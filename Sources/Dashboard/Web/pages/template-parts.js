// What the pages of templates and of their domains share: parameters, their values, and what publishing one does.

import { get, path, request } from "../api.js";
import { coded, field, findingHead, h } from "../parts.js";
import { to } from "../routing.js";
import { isUnlimited } from "../state.js";
import { words } from "../words.js";
import { effectList, inWords, plainList } from "./domain-parts.js";
import { isEqual, storedDraft, toInput } from "./draft.js";
import { acceptable, left } from "./plan.js";

const w = words.templates;

export const mayEditTemplates = () => isUnlimited("editor");

export const isList = ({ type }) => ["apps", "packages", "origins"].includes(type);

/** A value as it is typed: the items of a list are parted by blanks. */
export const valueAsText = (value) => Array.isArray(value) ? value.join(" ") : value ?? "";

/** The value that was typed: nothing typed is the default or, without one, no value. */
export function typedValue(text, parameter) {
  if (text.trim() === "") return parameter.default === undefined ? null : undefined;
  return isList(parameter) ? text.split(/\s+/).filter(Boolean) : text;
}

export const defaultText = (parameter) => (
  parameter.default === undefined ? w.noValue : w.defaultIs(valueAsText(parameter.default) || w.noValue)
);

/** A field for the value of a parameter; `change` gets the value.
 * @type {(parameter: any, value: any, change: (value: any) => void, rest: object) => any} */
export const valueField = (parameter, value, change, rest) =>
  field(parameter.name, {
    id: `value-${parameter.name}`,
    value: valueAsText(value),
    spellcheck: "false",
    autocapitalize: "none",
    placeholder: defaultText(parameter),
    help: w.types[parameter.type],
    on: { change: ({ target }) => change(typedValue(target.value, parameter)) },
    ...rest,
  });

/** What a draft of a template is of, for `Draft`. Its entries and routes have IDs as those of domains do, and its
 * parameters the names that they have in what is published. */
export function draftOfTemplate(name) {
  const url = path`/v1/templates/${name}`;
  const key = `template ${name}`;
  const load = async (signal = undefined) => numbered(await get(url, {}, signal), storedDraft(key)?.base.entries);
  const put = (template, ifMatch, query, signal = undefined) =>
    request("PUT", url, {
      body: templateInput(template),
      ifMatch,
      signal,
      query: { ...query, rename: renamed(template) },
    });
  return {
    key,
    mayEdit: mayEditTemplates,
    load,
    preview: (template, revision, signal) =>
      dryRun((query) => put(template, revision, { dryRun: true, ...query }, signal), signal),
    async publish(template, revision, { reason, accept, skip, draft }) {
      const { value } = await put(template, revision, { reason, accept: accept.join(","), skip, draft });
      return {
        value,
        // It is published, whether it can be read again or not.
        published: draft ? undefined : await load().catch(() => numbered(value.template)),
      };
    },
  };
}

/** The parameters with another name than in what is published, as the API takes them. */
const renamed = ({ parameters }) => (
  parameters.filter(({ was, name }) => was && was !== name).map(({ was, name }) => `${was}:${name}`).join(",")
);

export function templateInput(answer) {
  const { publishedAt: _at, author: _author, reason: _reason, domains: _domains, parameters, ...rest } = answer;
  return { ...toInput(rest), parameters: parameters.map(({ was: _was, ...one }) => one) };
}

/** A template with IDs for its entries and routes: those of equal entries of `known`, otherwise new ones. */
function numbered({ entries = [], parameters, ...rest }, known = []) {
  const unused = [...known];
  const id = () => -(1 + crypto.getRandomValues(new Uint32Array(1))[0]);
  const plain = ({ id: _id, ...entry }) => ({ ...entry, routes: entry.routes.map(({ id: _, ...route }) => route) });
  return {
    ...rest,
    parameters: parameters.map((one) => ({ ...one, was: one.name })),
    entries: entries.map((one) => {
      const entry = { apps: [], routes: [], ...one };
      const index = unused.findIndex((other) => isEqual(plain(other), entry));
      if (index >= 0) return unused.splice(index, 1)[0];
      return { ...entry, id: id(), routes: entry.routes.map((route) => ({ ...route, id: id() })) };
    }),
  };
}

/** What publishing would do. If domains are refused, `problem` says why, and `result` is what happens without them. */
async function dryRun(put, signal) {
  /** @type {any} */
  const preview = {
    result: undefined,
    problem: undefined,
    accept: [],
    broken: [],
    findings: [],
    skip: undefined,
    needsApproval: undefined,
  };
  let accept = [];
  for (let round = 0; round < 4; round++) {
    try {
      const approved = preview.needsApproval && true;
      const { value } = await put({ accept: accept.join(","), skip: preview.skip, approved });
      // Without the domains that are refused, none would be left.
      if (preview.skip && value.published === 0) return { ...preview, accept, skip: undefined };
      return { ...preview, result: value, accept };
    } catch (problem) {
      if (signal.aborted) return preview;
      if (problem.code === "approval-required") {
        preview.needsApproval = problem.detail;
        continue;
      }
      const codes = acceptable(problem);
      preview.problem ??= codes.length > 0 ? undefined : problem;
      if (codes.length > 0) accept = [...new Set([...accept, ...codes])];
      else if (!isOfDomains(problem) || preview.skip) return { ...preview, accept, problem };
      else preview.skip = "refused";
    }
  }
  return preview;
}

const isOfDomains = ({ body }) => Boolean(body?.domain || body?.domains || body?.problems);

/** The plan's option that leaves refused domains as they are, while it is chosen or would help. */
export const skippingRefused = ({ value, problem, needsApproval }, said = w.skipRefused) => (
  (problem ? isOfDomains(problem) : needsApproval || value?.skipped) && ["skip=refused", said]
);

export const domainNames = (names, total = names.length) => [
  names.map((name, index) => [
    index > 0 && ", ",
    h("a", { key: name, href: to(["domains", name]) }, h("bdi", {}, name)),
  ]),
  total > names.length && w.andMore(total - names.length),
];

/** That domains which change are managed elsewhere, for each place. */
export const managedBoxes = (places) =>
  places.map(({ managedBy, domains, count: n }) =>
    h(
      "p",
      { class: "box", key: `managed ${managedBy}` },
      words.domain.managedBy(h("bdi", {}, managedBy)),
      " ",
      domainNames(domains.slice(0, 10), n),
    )
  );

export const skippedBox = (skipped, more) =>
  skipped.length > 0 &&
  h(
    "p",
    { class: "box warning", key: "skipped" },
    w.skipped(skipped.length + more),
    " ",
    domainNames(skipped.slice(0, 20), skipped.length + more),
  );

/** What publishing a template does to its domains: each distinct effect, and each finding, once. */
export function templateEffects(
  { domains, published, managed = [], moreManaged = 0, skipped = [], moreSkipped = 0, ...rest },
) {
  const { effects = [], moreEffects = 0, findings = [], moreFindings = 0 } = rest;
  const some = ({ count: n, domains: names }) =>
    n <= 3
      ? domainNames(names, n)
      : h("details", { key: "domains" }, h("summary", {}, w.inDomains(n)), domainNames(names, n));
  const ofAll = (text, { domains: names, count: n }) =>
    coded(inWords(n === 1 ? text : names.reduce((said, name) => said.replaceAll(name, "{domain}"), text)));
  return [
    h("p", { key: "count" }, w.publishes(published, domains)),
    managedBoxes(managed),
    left("more-managed", moreManaged),
    skippedBox(skipped, moreSkipped),
    effects.length === 0 && h("p", { class: "quiet", key: "none" }, words.domain.draft.noEffects),
    plainList(
      effects.slice(0, 50),
      (one) => [
        h("strong", {}, w.inDomains(one.count), ": "),
        coded(one.summary),
        effectList([one.example].filter(Boolean)),
        h("div", { key: "names", class: "help" }, some(one)),
      ],
      { class: "plain changes", key: "effects" },
    ),
    left("more", Math.max(0, effects.length - 50) + moreEffects),
    findings.length > 0 &&
    [
      h("h3", { key: "findings-title" }, words.pages.findings),
      plainList(
        findings.slice(0, 50),
        (one) => [
          findingHead(one),
          h("div", {}, ofAll(one.message, one)),
          h("div", { class: "quiet" }, ofAll(one.help, one)),
          h("div", { key: "names", class: "help" }, some(one)),
        ],
        { class: "plain findings", key: "findings" },
      ),
    ],
    left("more-findings", Math.max(0, findings.length - 50) + moreFindings),
  ];
}
