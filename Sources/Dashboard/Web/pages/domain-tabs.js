// The head of the four pages of a domain: its name, and the tabs between them.

import { h } from "../dom.js";
import { to } from "../routing.js";
import { words } from "../words.js";

const tabs = [["routes"], ["try", "try"], ["history", "history"], ["checks", "checks"]];

/**
 * The heading and the tabs of a domain.
 *
 * @param current "routes", "try", "history" or "checks"
 * @param badges what follows the name, such as `badge(words.domain.disabled, "warning")`
 */
export function domainHeader(name, current, ...badges) {
  return [
    h("div", { class: "domain-head", key: "head" }, h("h1", { key: "h1", tabindex: "-1" }, h("bdi", {}, name)), badges),
    h("nav", { class: "tabs", "aria-label": words.domain.tabsLabel, key: "tabs" },
      tabs.map(([tab, ...parts]) => h(
        "a", { key: tab, href: to(["domains", name, ...parts]), "aria-current": tab === current ? "page" : null },
        words.domain.tabs[tab]))),
  ];
}
