/** The page that lists the domains. */
export function domains() {
  const heading = document.createElement("h1");
  heading.textContent = "Domains";
  return heading;
}
