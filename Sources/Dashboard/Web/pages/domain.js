import { h, View } from "../dom.js";
import { words } from "../words.js";

class Domain extends View {
  render() {
    return h("h1", {}, words.domain.title);
  }
}

customElements.define("aasa-domain", Domain);
