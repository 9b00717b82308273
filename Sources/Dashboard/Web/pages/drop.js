// An area that takes files: dropped, folders too, or chosen with a button.

import { button, h, View } from "../parts.js";
import { say } from "../state.js";
import { words } from "../words.js";

/** More than this is not read; the API takes no larger file either. */
const limits = { files: 1000, bytes: 2097152 };

/** `<aasa-drop>` with the properties `text` (what to drop), `button` (the label of the button), `accept` (as in
 * `<input type="file">`), `around` (what around it takes files, too, as a selector) and `isOne` (only one is taken). It
 * emits the event `files` whose `detail` is `[{ name, text, file }]`: `name` is the path in a dropped folder, `text` the
 * content as UTF-8, and `file` the `File`, to send its bytes as they are. */
class Drop extends View {
  text;
  button;
  accept;
  around = "aasa-drop";
  isOne = false;
  #isOver = false;

  start() {
    const listen = (target, name, then) =>
      target.addEventListener(name, (event) => {
        // Text and links go where they are dropped.
        if (name !== "dragleave" && !event.dataTransfer?.types.includes("Files")) return;
        event.preventDefault();
        then?.(event);
      }, { signal: this.ending });
    const area = this.closest(this.around);
    listen(area, "dragover", () => this.#show(true));
    listen(area, "dragleave", (event) => this.#show(area.contains(event.relatedTarget)));
    listen(area, "drop", (event) => {
      this.#show(false);
      this.#take(dropped(event.dataTransfer));
    });
    // A file that misses the area must not replace the page.
    for (const name of ["dragover", "drop"]) listen(window, name);
  }

  #show(isOver) {
    this.#isOver = isOver;
    this.update();
  }

  async #take(promise) {
    try {
      const found = await promise;
      const fit = found.filter(({ file }) => file.size <= limits.bytes).slice(0, limits.files);
      if (this.isOne && found.length > 1) return say(words.domains.drop.onlyOne(found.length), "error");
      if (fit.length < found.length) say(words.domains.drop.left(found.length - fit.length, limits.files), "error");
      const detail = await Promise.all(fit.map(async ({ name, file }) => ({ name, text: await file.text(), file })));
      if (detail.length > 0) this.dispatchEvent(new CustomEvent("files", { detail }));
    } catch {
      say(words.domains.drop.unreadable, "error");
    }
  }

  render() {
    const chosen = ({ target }) => {
      this.#take([...target.files].map((file) => ({ name: file.webkitRelativePath || file.name, file })));
      target.value = ""; // So that the same file can be chosen again.
    };
    return h(
      "div",
      { class: this.#isOver ? "drop over" : "drop" },
      this.text !== "" && h("p", {}, this.text ?? words.domains.drop.text),
      h("input", { type: "file", multiple: !this.isOne, hidden: true, accept: this.accept, on: { change: chosen } }),
      button(this.button ?? words.domains.drop[this.isOne ? "chooseOne" : "choose"], () => this.find("input").click()),
    );
  }
}

async function dropped(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (entries.length === 0) return [...transfer.files].map((file) => ({ name: file.name, file }));
  const found = [];
  for (let entry; (entry = entries.shift()) && found.length <= limits.files;) {
    if (entry.isDirectory) {
      const reader = entry.createReader();
      const read = () => new Promise((...then) => reader.readEntries(...then));
      // A reader answers up to 100 entries at a time, and none at the end.
      for (let more; (more = await read()).length > 0;) entries.push(...more);
    } else {
      const current = entry;
      found.push({ name: entry.fullPath.slice(1), file: await new Promise((...then) => current.file(...then)) });
    }
  }
  return found;
}

customElements.define("aasa-drop", Drop);
