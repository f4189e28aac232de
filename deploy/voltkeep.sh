#!/bin/sh
# Starts the server of this directory, with the Node.js and the PostgreSQL in it. Settings are environment variables, the
# arguments those of `npm start`.
here=$(dirname "$(dirname "$(readlink -f "$0")")")
# shellcheck disable=SC2086
exec "$here/node/bin/node" @FLAGS@ "$here/apps/server/src/main.ts" "$@"
