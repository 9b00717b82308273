import { h, View } from "../dom.js";
import { words } from "../words.js";

class Findings extends View {
  render() {
    return h("h1", {}, words.findings.title);
  }
}

customElements.define("aasa-findings", Findings);
