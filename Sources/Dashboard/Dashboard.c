#include "Dashboard.h"

#include <stddef.h>

#pragma clang diagnostic ignored "-Wc23-extensions"

// Clang copies the files in no time, and again whenever they change. SwiftPM's embedInCode would write them
// as Swift array literals, which take half a minute to compile.
static const struct aasa_dashboard_file files[] = {
    // Three lines for each file of Web, by path.
    {"api.js", (const unsigned char[]){
#embed "Web/api.js" suffix(, 0)
    }},
    {"app.css", (const unsigned char[]){
#embed "Web/app.css" suffix(, 0)
    }},
    {"app.js", (const unsigned char[]){
#embed "Web/app.js" suffix(, 0)
    }},
    {"dom.js", (const unsigned char[]){
#embed "Web/dom.js" suffix(, 0)
    }},
    {"example.json", (const unsigned char[]){
#embed "../../Config/example/state.json" suffix(, 0)
    }},
    {"format.js", (const unsigned char[]){
#embed "Web/format.js" suffix(, 0)
    }},
    {"icons.svg", (const unsigned char[]){
#embed "Web/icons.svg" suffix(, 0)
    }},
    {"icon.svg", (const unsigned char[]){
#embed "Web/icon.svg" suffix(, 0)
    }},
    {"index.html", (const unsigned char[]){
#embed "Web/index.html" suffix(, 0)
    }},
    {"pages/apps.js", (const unsigned char[]){
#embed "Web/pages/apps.js" suffix(, 0)
    }},
    {"pages/bulk-route.js", (const unsigned char[]){
#embed "Web/pages/bulk-route.js" suffix(, 0)
    }},
    {"pages/bulk.js", (const unsigned char[]){
#embed "Web/pages/bulk.js" suffix(, 0)
    }},
    {"pages/changes.js", (const unsigned char[]){
#embed "Web/pages/changes.js" suffix(, 0)
    }},
    {"pages/checks.js", (const unsigned char[]){
#embed "Web/pages/checks.js" suffix(, 0)
    }},
    {"pages/domain-documents.js", (const unsigned char[]){
#embed "Web/pages/domain-documents.js" suffix(, 0)
    }},
    {"pages/domain-parts.js", (const unsigned char[]){
#embed "Web/pages/domain-parts.js" suffix(, 0)
    }},
    {"pages/domain-review.js", (const unsigned char[]){
#embed "Web/pages/domain-review.js" suffix(, 0)
    }},
    {"pages/domain-settings.js", (const unsigned char[]){
#embed "Web/pages/domain-settings.js" suffix(, 0)
    }},
    {"pages/domain-template.js", (const unsigned char[]){
#embed "Web/pages/domain-template.js" suffix(, 0)
    }},
    {"pages/domain.js", (const unsigned char[]){
#embed "Web/pages/domain.js" suffix(, 0)
    }},
    {"pages/domains-add.js", (const unsigned char[]){
#embed "Web/pages/domains-add.js" suffix(, 0)
    }},
    {"pages/domains.js", (const unsigned char[]){
#embed "Web/pages/domains.js" suffix(, 0)
    }},
    {"pages/draft-page.js", (const unsigned char[]){
#embed "Web/pages/draft-page.js" suffix(, 0)
    }},
    {"pages/draft.js", (const unsigned char[]){
#embed "Web/pages/draft.js" suffix(, 0)
    }},
    {"pages/drafts.js", (const unsigned char[]){
#embed "Web/pages/drafts.js" suffix(, 0)
    }},
    {"pages/drop.js", (const unsigned char[]){
#embed "Web/pages/drop.js" suffix(, 0)
    }},
    {"pages/entries.js", (const unsigned char[]){
#embed "Web/pages/entries.js" suffix(, 0)
    }},
    {"pages/explain.js", (const unsigned char[]){
#embed "Web/pages/explain.js" suffix(, 0)
    }},
    {"pages/findings.js", (const unsigned char[]){
#embed "Web/pages/findings.js" suffix(, 0)
    }},
    {"pages/history.js", (const unsigned char[]){
#embed "Web/pages/history.js" suffix(, 0)
    }},
    {"pages/palette.js", (const unsigned char[]){
#embed "Web/pages/palette.js" suffix(, 0)
    }},
    {"pages/plan.js", (const unsigned char[]){
#embed "Web/pages/plan.js" suffix(, 0)
    }},
    {"pages/route-editor.js", (const unsigned char[]){
#embed "Web/pages/route-editor.js" suffix(, 0)
    }},
    {"pages/settings-webhooks.js", (const unsigned char[]){
#embed "Web/pages/settings-webhooks.js" suffix(, 0)
    }},
    {"pages/settings.js", (const unsigned char[]){
#embed "Web/pages/settings.js" suffix(, 0)
    }},
    {"pages/template-parts.js", (const unsigned char[]){
#embed "Web/pages/template-parts.js" suffix(, 0)
    }},
    {"pages/template-table.js", (const unsigned char[]){
#embed "Web/pages/template-table.js" suffix(, 0)
    }},
    {"pages/templates.js", (const unsigned char[]){
#embed "Web/pages/templates.js" suffix(, 0)
    }},
    {"pages/try.js", (const unsigned char[]){
#embed "Web/pages/try.js" suffix(, 0)
    }},
    {"parts.js", (const unsigned char[]){
#embed "Web/parts.js" suffix(, 0)
    }},
    {"routing.js", (const unsigned char[]){
#embed "Web/routing.js" suffix(, 0)
    }},
    {"rules.css", (const unsigned char[]){
#embed "Web/rules.css" suffix(, 0)
    }},
    {"state.js", (const unsigned char[]){
#embed "Web/state.js" suffix(, 0)
    }},
    {"words.js", (const unsigned char[]){
#embed "Web/words.js" suffix(, 0)
    }},
    {NULL, NULL},
};

const struct aasa_dashboard_file *aasa_dashboard_files(void) { return files; }
