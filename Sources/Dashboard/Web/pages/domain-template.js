// The template of a domain: which one, and the values of its parameters. Changes go to the draft.

import { get, path, refused } from "../api.js";
import { button, draftField, h, loaded, View } from "../parts.js";
import { to } from "../routing.js";
import { Loading } from "../state.js";
import { words } from "../words.js";
import { isEqual } from "./draft.js";
import { formDialog } from "./plan.js";
import { defaultText, valueAsText, valueField } from "./template-parts.js";

const w = words.domain.template;
/** Members that a domain leaves to its template if they are as for new domains. */
export const blank = {
  format: "modern",
  cacheSeconds: 3600,
  strict: false,
  defaults: {},
  substitutionVariables: {},
  webcredentials: [],
  appclips: [],
  activitycontinuation: [],
  androidCredentials: [],
  dynamicAppLinks: true,
  webauthnOrigins: [],
};

class DomainTemplate extends View {
  /** @type {import("./draft.js").Draft} */ draft;
  /** What is in force of what is published. @type {any} */ given;
  isEditor = false;
  /** Detaches the domain. @type {() => void} */ detach;
  #template = new Loading(this, (signal) => get(path`/v1/templates/${this.draft.domain.template}`, {}, signal));

  #choose() {
    const list = new Loading(this, (signal) => get("/v1/templates", { limit: 1000 }, signal));
    list.run();
    this.set({
      open: () =>
        formDialog({
          title: w.choose,
          label: w.use,
          close: this.close,
          draft: { template: "" },
          fields: (draft) => [
            h("p", {}, w.chooseText),
            loaded(list, ({ items }) =>
              draftField(words.templates.one, draft, "template", {
                tag: "select",
                options: ["", ...items.map((one) => one.template)].map((name) => [name, name]),
                focus: true,
              })),
          ],
          send: ({ template }) => {
            if (template === "") throw refused("template", words.common.required);
            this.draft.change((domain) => {
              for (const [name, value] of Object.entries(blank)) {
                if (isEqual(domain[name], value)) {
                  domain[name] = undefined;
                }
              }
              Object.assign(domain, { template, parameters: {} });
            });
            this.close();
          },
        }),
    });
  }

  #values({ parameters }) {
    const values = this.draft.domain.parameters ?? {};
    const fault = (name) => this.draft.faults((pointer) => pointer === `/parameters/${name}`);
    const change = (name) => (value) =>
      this.draft.change((domain) => {
        domain.parameters = { ...domain.parameters, [name]: value };
      });
    return this.isEditor
      ? h(
        "div",
        { class: "columns", key: "values" },
        parameters.map((one) => valueField(one, values[one.name], change(one.name), { fault: fault(one.name) })),
      )
      : h(
        "dl",
        { class: "settings", key: "values" },
        parameters.map((one) =>
          h(
            "div",
            { key: one.name },
            h("dt", {}, one.name),
            h("dd", {}, h("bdi", {}, valueAsText(values[one.name]) || defaultText(one))),
          )
        ),
      );
  }

  render() {
    const { template } = this.draft.domain;
    if (!template) {
      return [
        h(
          "section",
          { class: "sheet section-head" },
          h("p", {}, w.none),
          button(`${w.choose} …`, () => this.#choose()),
        ),
        this.open?.(),
      ];
    }
    this.#template.ask(template);
    const isPublished = template === this.draft.published.template;
    return h(
      "section",
      { class: "sheet", "aria-label": words.templates.one },
      h(
        "div",
        { class: "section-head", key: "head" },
        h("h2", {}, words.templates.one, " ", h("a", { href: to(["templates", template]) }, h("bdi", {}, template))),
        this.isEditor && isPublished && !this.draft.exists && button(`${w.detach} …`, this.detach, { key: "detach" }),
      ),
      h("p", { key: "about" }, isPublished ? w.about : w.isNew),
      loaded(this.#template, (value) => this.#values(value)),
    );
  }
}

customElements.define("aasa-domain-template", DomainTemplate);
