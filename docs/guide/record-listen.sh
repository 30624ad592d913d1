#!/bin/bash
# Records docs/guide/listen.cast: login, listen, an event, a replay, in a terminal of tmux. Play it with
# `asciinema play docs/guide/listen.cast`. Starts a server and a local receiver of its own, and stops them.
# Needs tmux, script (util-linux), curl, python3, and the ports 3000 and 7450.
set -eu

home=$(cd "$(dirname "$0")/../.." && pwd)
for tool in tmux script curl python3; do
    command -v "$tool" >/dev/null || { echo "record-listen: install $tool" >&2; exit 2; }
done
columns=100
rows=30
port=7450
work=$(mktemp -d)
server= receiver=
finish() {
    tmux -L sluice-record kill-server 2>/dev/null || true
    [ -z "$receiver" ] || kill "$receiver" 2>/dev/null || true
    [ -z "$server" ] || { kill "$server" 2>/dev/null && wait "$server"; } || true
    rm -rf "$work"
}
trap finish EXIT

SLUICE_DATA_DIR=$work/data SLUICE_PORT=$port "$home/bin/sluice" serve >"$work/log" 2>&1 &
server=$!
until grep -q 'server\.started' "$work/log"; do kill -0 "$server"; sleep 0.2; done
grep -oE 'slk_[A-Za-z0-9_-]+|sk_[A-Za-z0-9_-]+' "$work/data/first-start.txt" | head -n 1 >"$work/api-key"
ingest=$(curl -sS -H "Authorization: Bearer $(cat "$work/api-key")" -H 'Content-Type: application/json' \
    -d '{"name":"Shop"}' "http://127.0.0.1:$port/api/v1/sources" |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["ingest_path"])')

# The developer's own service: answers each POST with 200.
python3 - <<'END' &
import http.server
class Shop(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers['Content-Length']))
        self.send_response(200)
        self.send_header('Content-Length', '0')
        self.end_headers()
    def log_message(self, *_):
        pass
http.server.HTTPServer(('127.0.0.1', 3000), Shop).serve_forever()
END
receiver=$!

t() { tmux -L sluice-record "$@"; }
# Types a line into a pane, and presses Enter: type PANE TEXT
type_line() {
    printf '%s' "$2" | while IFS= read -r -n 1 character || [ -n "$character" ]; do
        t send-keys -t "$1" -l -- "${character:- }"
        sleep 0.03
    done
    t send-keys -t "$1" Enter
}
t -f /dev/null new-session -d -s record -x $columns -y $rows \
    "env PS1='$ ' HOME='$work' PATH='$home/bin:$PATH' SHOP='http://127.0.0.1:$port$ingest' bash --norc --noprofile"
t set -g status off
t send-keys -t record "cd $work; clear" Enter
sleep 0.5
# With an input at its end, `script` would send Ctrl-D to the shell.
sleep 60 | script -q -O "$work/output" -T "$work/timing" \
    -c "stty cols $columns rows $rows; tmux -L sluice-record attach -t record" >/dev/null 2>&1 &
sleep 1
type_line record "sluice login --server=http://127.0.0.1:$port --api-key-stdin < api-key"
sleep 5
type_line record "sluice listen Shop --forward-to 3000/hook"
sleep 4
t split-window -v -l 12 -t record \
    "env PS1='$ ' HOME='$work' PATH='$home/bin:$PATH' SHOP='http://127.0.0.1:$port$ingest' bash --norc --noprofile"
sleep 1
type_line record.1 "curl -H 'Content-Type: application/json' -d '{\"type\":\"order.created\"}' -w '\\n' \$SHOP"
sleep 2
type_line record.1 "sluice trigger Shop"
sleep 4
type_line record.1 "sluice replay --last 1 --source Shop --forward-to 3000/hook"
sleep 4
t capture-pane -p -t record.0 >"$work/listen.txt"
t capture-pane -p -t record.1 >"$work/other.txt"
t send-keys -t record.0 C-c
sleep 3
t capture-pane -p -t record.0 >"$work/listen.txt"
cat "$work/listen.txt" "$work/other.txt"
t kill-server
sleep 0.5

python3 - "$work" "$home/docs/guide/listen.cast" $columns $rows <<'END'
import json, pathlib, sys
work, target, columns, rows = pathlib.Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
output, at, time = (work / 'output').read_bytes(), 0, 0.0
output = output[output.index(b'\n') + 1:]  # the first line is by `script`
with open(target, 'w') as cast:
    print(json.dumps({'version': 2, 'width': columns, 'height': rows, 'title': 'sluice listen'}), file=cast)
    for line in (work / 'timing').read_text().splitlines():
        delay, size = line.split()[-2:]
        time += float(delay)
        piece = output[at:at + int(size)].decode('utf-8', 'replace').replace(str(work), '~')
        at += int(size)
        print(json.dumps([round(time, 3), 'o', piece]), file=cast)
END
echo "wrote docs/guide/listen.cast"
