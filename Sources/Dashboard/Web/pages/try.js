import { h, View } from "../dom.js";
import { words } from "../words.js";

class Try extends View {
  render() {
    return h("h1", {}, words.try.title);
  }
}

customElements.define("aasa-try", Try);
