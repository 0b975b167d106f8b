#!/bin/sh
# An operator's day as docs/operating.md tells it, with the programs that are installed: operators_day.sh CONFIG FOLDER
# checks, starts, tries under load, asks, changes the layout and takes it back, kicks, drains, and replays what was recorded.
set -eu
config=$1 folder=$2
rm -rf "$folder"
mkdir -p "$folder/state"
cd "$folder"
step() { echo "== $*"; }
server=
trap '[ -z "$server" ] || kill -KILL "$server" 2>/dev/null || true' EXIT

step "check the configuration"
marchland-server --config "$config" --check >effective.toml
marchland-server --config effective.toml --check >again.toml
cmp effective.toml again.toml

step "start, with a recording"
STATE_DIRECTORY=$folder/state marchland-server --config "$config" --port 0 --admin-port 0 --record zone.rec 2>server.log &
server=$!
until grep -q "listening on" server.log; do
    kill -0 "$server"
    sleep 0.1
done
address=$(sed -n 's/.*listening on \([^ ]*\).*/\1/p' server.log | head -n 1)
admin=$(sed -n 's,.*live map at http://\([^ /]*\)/.*,\1,p' server.log | head -n 1)
ask() { marchland-admin --connect "$admin" "$@"; }

step "try it under load"
marchland-bots --connect "$address" --admin "$admin" --players 20 --seconds 3 --report report.html
test -s report.html && test -s report.json
marchland-bots compare report.json report.json

step "ask who is there, and what it costs"
ask who && ask limits && ask --json status >status.json
grep -q '"resident_bytes"' status.json

step "change the layout, and take it back"
ask layout get >before.toml
printf '[grid]\ncolumns = 2\nrows = 1\n' >two.toml
ask layout check two.toml
ask layout apply two.toml
ask layout undo

step "ban and forgive; a talkative log"
ask ban --subject mallory --seconds 60 --reason "be kind" && ask bans && ask unban --subject mallory
ask log-level debug

step "drain"
ask drain --seconds 1 --text "back in five minutes"
wait "$server"
server=
grep -q "audit: .* what=drain" server.log

step "replay what was recorded"
marchland-trace --replay zone.rec --json
marchland-trace --replay zone.rec --shards 1x1 --json
step "the day is over"
