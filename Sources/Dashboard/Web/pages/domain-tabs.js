// The head of the four pages of a domain: its name, and the tabs between them.

import { h } from "../dom.js";
import { tabs } from "../parts.js";
import { to } from "../routing.js";
import { words } from "../words.js";

/**
 * The heading and the tabs of a domain.
 *
 * @param current "routes", "try", "history" or "checks"
 * @param badges what follows the name, such as `badge(words.domain.disabled, "warning")`
 */
export function domainHeader(name, current, ...badges) {
  const tab = (key) => [key, words.domain.tabs[key], to(["domains", name, ...(key === "routes" ? [] : [key])])];
  return [
    h("div", { class: "domain-head", key: "head" }, h("h1", { key: "h1", tabindex: "-1" }, h("bdi", {}, name)), badges),
    tabs(words.domain.tabsLabel, ["routes", "try", "history", "checks"].map(tab), current)];
}
