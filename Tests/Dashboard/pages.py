"""The pages, by what their address says after the `#`."""
PAGES = [
    "/domains", "/domains/example.com", "/domains/example.com/try?url=https://example.com/buy/1",
    "/domains/example.com/settings", "/domains/example.com/history", "/domains/example.com/checks", "/domains/city1.example", "/try", "/checks", "/apps",
    "/templates", "/templates/white-label", "/templates/white-label/domains", "/templates/white-label/history",
    "/findings", "/bulk", "/changes", "/changes/1", "/drafts", "/settings", "/settings/protection",
]
