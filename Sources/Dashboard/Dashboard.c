#include "Dashboard.h"

#include <stddef.h>

#pragma clang diagnostic ignored "-Wc23-extensions"

// Clang copies the files in no time, and again whenever they change. SwiftPM's embedInCode would write them
// as Swift array literals, which take half a minute to compile.
static const struct aasa_dashboard_file files[] = {
    // Three lines for each file of Web, by path.
    {"app.css", (const unsigned char[]){
#embed "Web/app.css" suffix(, 0)
    }},
    {"app.js", (const unsigned char[]){
#embed "Web/app.js" suffix(, 0)
    }},
    {"index.html", (const unsigned char[]){
#embed "Web/index.html" suffix(, 0)
    }},
    {"pages/domains.js", (const unsigned char[]){
#embed "Web/pages/domains.js" suffix(, 0)
    }},
    {NULL, NULL},
};

const struct aasa_dashboard_file *aasa_dashboard_files(void) { return files; }
