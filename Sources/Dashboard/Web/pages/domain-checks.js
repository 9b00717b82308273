import { h, View } from "../dom.js";
import { words } from "../words.js";

class DomainChecks extends View {
  render() {
    return h("h1", {}, words.checks.title);
  }
}

customElements.define("aasa-domain-checks", DomainChecks);
