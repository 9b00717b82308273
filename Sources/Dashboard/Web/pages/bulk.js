import { h, View } from "../dom.js";
import { words } from "../words.js";

class Bulk extends View {
  render() {
    return h("h1", {}, words.bulk.title);
  }
}

customElements.define("aasa-bulk", Bulk);
