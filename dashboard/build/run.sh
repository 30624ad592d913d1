#!/bin/sh
# Builds or tests the dashboard with the machine's Node.js; Maven calls it. It downloads only when node_modules does not fit
# package-lock.json, so that later builds need no network.
#
#     build/run.sh build | test | e2e
set -eu
cd "${0%/*}/.."

say() {
    echo "dashboard: $*" >&2
}

if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
    say "no Node.js on this machine, so the server is built without its pages. Install Node.js 20.19 or newer to have them."
    exit 0
fi
if ! node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 20 || (a == 20 && b >= 19) ? 0 : 1)'; then
    say "Node.js $(node --version) is too old, so the server is built without its pages. Install 20.19 or newer to have them."
    exit 0
fi

# npm writes this file last, so an install that was cut off does not count.
if [ ! node_modules/.package-lock.json -nt package-lock.json ]; then
    say "installing packages (once) ..."
    npm ci --no-audit --no-fund --loglevel=error
    touch node_modules/.package-lock.json
fi

case "$1" in
build)
    list=target/classes/dashboard/files.txt
    if [ -f "$list" ] && [ -f target/sbom.json ] && [ -z "$(find src index.html build vite.config.ts package-lock.json ../server/src/main/resources/openapi.json -newer "$list" ! -name schema.d.ts | head -n 1)" ]; then
        exit 0
    fi
    npm run --silent typecheck
    npm run --silent build
    npm sbom --offline --package-lock-only --omit=dev --sbom-format=cyclonedx >target/sbom.json
    java ../tools/CheckSbom.java target/sbom.json package-lock.json
    ;;
test)
    npm run --silent test
    ;;
e2e)
    if ! command -v chromium >/dev/null && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        say "installing Chromium for the browser tests (once) ..."
        export DEBIAN_FRONTEND=noninteractive
        install="apt-get install -y -qq --no-install-recommends chromium"
        $install >/dev/null 2>&1 || { apt-get update -qq && $install; } >/dev/null 2>&1 || true
    fi
    npm run --silent e2e
    ;;
*)
    say "unknown task $1"
    exit 2
    ;;
esac
