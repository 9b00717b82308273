import { h, View } from "../dom.js";
import { words } from "../words.js";

class Apps extends View {
  render() {
    return h("h1", {}, words.apps.title);
  }
}

customElements.define("aasa-apps", Apps);
