import { h, View } from "../dom.js";
import { words } from "../words.js";

class Domains extends View {
  render() {
    return h("h1", {}, words.domains.title);
  }
}

customElements.define("aasa-domains", Domains);
