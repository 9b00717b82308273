import { h, View } from "../dom.js";
import { words } from "../words.js";

class History extends View {
  render() {
    return h("h1", {}, words.history.title);
  }
}

customElements.define("aasa-history", History);
