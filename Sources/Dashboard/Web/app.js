import { domains } from "./pages/domains.js";

document.querySelector("#page").append(domains());
