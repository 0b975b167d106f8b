"""The game's login server: POST /login makes a token for whoever asks, with the name and the id that it says: the same id is the same
player. A real one would ask for a password first. It serves the page, too. usage: login.py PORT KEY_FILE WEB_SOCKET_PORT PAGE LIBRARY"""
import base64, hashlib, hmac, http.server, json, pathlib, re, sys, time


def token(key, **claims):  # RFC 7519, HS256
    def encoded(data):
        return base64.urlsafe_b64encode(data).rstrip(b"=")
    claims = {"aud": "wolves", "exp": int(time.time()) + 300, **claims}
    text = b".".join(encoded(json.dumps(it).encode()) for it in ({"alg": "HS256", "typ": "JWT"}, claims))
    return (text + b"." + encoded(hmac.digest(key, text, hashlib.sha256))).decode()


class Login(http.server.SimpleHTTPRequestHandler):
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".js": "text/javascript"}

    def do_POST(self):
        try:
            asked = dict(json.loads(self.rfile.read(min(int(self.headers["Content-Length"]), 1000))))
        except (TypeError, ValueError): asked = {}  # no JSON, or no object: nobody's name and id
        name, own_id = str(asked.get("name") or "nobody")[:20], str(asked.get("id"))
        made = token(KEY, sub=own_id, name=name, kind=1) if re.fullmatch("[0-9a-f]{32}", own_id) else None
        self.send_response(200 if made else 400)
        self.end_headers()
        self.wfile.write(json.dumps({"token": made, "port": int(sys.argv[3])}).encode())

    def translate_path(self, path):
        path = path.split("?")[0].lstrip("/") or "index.html"
        return str(pathlib.Path(sys.argv[5] if path.startswith("marchland/") else sys.argv[4]) / pathlib.Path(path).name)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    KEY = pathlib.Path(sys.argv[2]).read_bytes().strip()
    with http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Login) as server:
        print(f"wolves: http://127.0.0.1:{server.server_port}/", flush=True)
        server.serve_forever()
