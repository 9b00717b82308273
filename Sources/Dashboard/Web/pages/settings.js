import { h, View } from "../dom.js";
import { words } from "../words.js";

class Settings extends View {
  render() {
    return h("h1", {}, words.settings.title);
  }
}

customElements.define("aasa-settings", Settings);
