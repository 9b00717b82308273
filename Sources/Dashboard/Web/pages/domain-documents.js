// The documents that a domain publishes byte for byte under other names, and what puts and removes one.

import { get, path, request } from "../api.js";
import { button, draftField, h, loaded, quiet, size, table, View } from "../parts.js";
import { Loading, session } from "../state.js";
import { words } from "../words.js";
import "./drop.js";
import { effects, planDialog } from "./plan.js";

const w = words.domain.documents;

class DomainDocuments extends View {
  domain;
  revision;
  isEditor;
  /** Is called after an edit. */ changed;
  #draft = {};
  #loading = new Loading(this, (signal) => get(`${this.#url}`, {}, signal));

  get #url() {
    return path`/v1/domains/${this.domain}/documents`;
  }

  render() {
    this.#loading.ask(this.revision);
    return h(
      "section",
      { class: "sheet" },
      h("h2", {}, w.title),
      h("p", { class: "help" }, w.help),
      loaded(this.#loading, ({ documents }) => this.#list(documents.filter(({ kind }) => !words.document[kind]))),
      (this.isEditor || session.documents) &&
        h(
          "div",
          { key: "put" },
          draftField(w.name, this.#draft, "document-name", {
            maxlength: 100,
            placeholder: "security.txt",
            help: w.nameHelp,
          }),
          h("aasa-drop", {
            text: w.drop,
            isOne: true,
            on: {
              files: ({ detail: [one] }) =>
                this.#put(this.#draft["document-name"]?.trim() || session.documents?.[0] || one.file.name, one.file),
            },
          }),
        ),
      this.open,
    );
  }

  #list(documents) {
    if (documents.length === 0) return quiet(w.none);
    const link = ({ kind }) => h("a", { href: `${this.#url}/${kind}`, target: "_blank" }, kind);
    const remove = ({ kind }) =>
      (session.documents?.includes(kind) ?? true) && button(w.remove, () =>
        this.#plan(
          w.removeTitle(kind),
          w.remove,
          (query) => request("DELETE", `${this.#url}/${kind}`, { query }),
        ), { "aria-label": w.removeTitle(kind) });
    return table({
      caption: w.title,
      key: ({ kind }) => kind,
      rows: documents,
      columns: [
        [w.name, link],
        [w.type, ({ mediaType }) => mediaType ?? "application/json"],
        [w.size, ({ bytes }) => size(bytes)],
        [w.hash, ({ sha256 }) => h("code", { title: sha256 }, sha256.slice(0, 16), "…")],
        ...this.isEditor || session.documents ? [[w.remove, remove]] : [],
      ],
    });
  }

  /** Without a type, so that the API takes the usual one of the name. */
  #put(name, file) {
    this.#plan(w.putTitle(name), w.put, (query) =>
      request(
        "PUT",
        path`/v1/domains/${this.domain}/documents/${name}`,
        { body: new Blob([file]), type: null, query },
      ));
  }

  #plan(title, label, send) {
    this.show(planDialog, {
      title,
      label,
      send,
      isEmpty: ({ changed }) => !changed,
      show: (value) => effects({ ...value, domain: undefined }),
      said: () => w.done,
      done: () => {
        this.#draft = {};
        this.changed();
      },
    });
  }
}

customElements.define("aasa-domain-documents", DomainDocuments);
