// An area that takes files: dropped, folders too, or chosen with a button.

import { h, View } from "../dom.js";
import { button } from "../parts.js";
import { say } from "../state.js";
import { words } from "../words.js";

/** More than this is not read; the API takes no larger file either. */
const limits = { files: 1000, bytes: 2097152 };

/**
 * `<aasa-drop>` with the properties `text` (what to drop), `button` (the label of the button) and `accept` (as in
 * `<input type="file">`). It emits the event `files` whose `detail` is `[{ name, text, file }]`: `name` is the path in
 * a dropped folder, `text` the content as UTF-8, and `file` the `File`, to send its bytes as they are.
 */
class Drop extends View {
  text;
  button;
  accept;
  #isOver = false;

  start() {
    const options = { signal: this.ending };
    this.addEventListener("dragover", (event) => { event.preventDefault(); this.#show(true); }, options);
    this.addEventListener("dragleave", (event) => this.#show(this.contains(event.relatedTarget)), options);
    this.addEventListener("drop", (event) => {
      event.preventDefault();
      this.#show(false);
      this.#take(dropped(event.dataTransfer));
    }, options);
    // A file that misses the area must not replace the page.
    for (const name of ["dragover", "drop"]) window.addEventListener(name, (event) => event.preventDefault(), options);
  }

  #show(isOver) {
    if (this.#isOver === isOver) return;
    this.#isOver = isOver;
    this.update();
  }

  async #take(promise) {
    try {
      const found = await promise;
      const fit = found.filter(({ file }) => file.size <= limits.bytes).slice(0, limits.files);
      if (fit.length < found.length) say(words.domains.drop.left(found.length - fit.length, limits.files), "error");
      const detail = await Promise.all(fit.map(async ({ name, file }) => ({ name, text: await file.text(), file })));
      if (detail.length > 0) this.dispatchEvent(new CustomEvent("files", { detail }));
    } catch {
      say(words.domains.drop.unreadable, "error");
    }
  }

  render() {
    return h(
      "div", { class: this.#isOver ? "drop over" : "drop" }, h("p", {}, this.text ?? words.domains.drop.text),
      h("input", {
        type: "file", multiple: true, hidden: true, accept: this.accept,
        on: {
          change: (event) => {
            const files = [...event.target.files].map((file) => ({ name: file.webkitRelativePath || file.name, file }));
            event.target.value = ""; // So that the same file can be chosen again.
            this.#take(files);
          },
        },
      }),
      button(this.button ?? words.domains.drop.choose, () => this.querySelector("input").click()));
  }
}

/** The files of a drop, with those in folders. */
async function dropped(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (entries.length === 0) return [...transfer.files].map((file) => ({ name: file.name, file }));
  const found = [];
  for (let entry; (entry = entries.shift()) && found.length <= limits.files;) {
    if (entry.isDirectory) {
      const reader = entry.createReader();
      // A reader answers up to 100 entries at a time, and none at the end.
      for (let more; (more = await asked((...then) => reader.readEntries(...then))).length > 0;) entries.push(...more);
    } else {
      const current = entry;
      found.push({ name: entry.fullPath.replace(/^\//, ""), file: await asked((...then) => current.file(...then)) });
    }
  }
  return found;
}

function asked(call) {
  return new Promise(call);
}

customElements.define("aasa-drop", Drop);
