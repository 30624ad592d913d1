// The dashboard in a real browser against the real server. The tests share one server and run in this order.
// `SCREENSHOTS=1` also writes the pictures of docs/guide; `LIVE_SECONDS` is how long the live view is under load.
import './first.mjs';
import './routing.mjs';
import './live.mjs';
import './lists.mjs';
import './access.mjs';
import './tabs.mjs';
import './hostile.mjs';
import './prefix.mjs';
import './everywhere.mjs';
