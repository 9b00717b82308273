"""The pages, by what their address says after the `#`."""
PAGES = [
    "/domains", "/domains/example.com", "/domains/example.com/try?url=https://example.com/buy/1",
    "/domains/example.com/history", "/domains/example.com/checks", "/try", "/checks", "/apps", "/findings", "/bulk",
    "/settings",
]
