"""Each step of docs/first_game.md runs as it stands there: first_game_test.py DOCUMENT BUILD BROWSER_TESTS, with the Python library on
PYTHONPATH. The page is tried where Chromium and tsc are."""
import http.server
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

DOCUMENT, BUILD, BROWSER_TESTS = pathlib.Path(sys.argv[1]).read_text(), pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]).resolve()
ROOT = BROWSER_TESTS.parents[1]
LOOK = """
import { openBrowser } from "%s/browser.mjs";
const { openTab, problems, close } = await openBrowser();
const tabs = [await openTab(), await openTab()];
for (const tab of tabs) {
    await tab.show("%s", 600, 600, "light");
}
for (const tab of tabs) {
    await tab.until("document.getElementById('meadow').dataset.seen > 0");
}
await close();
console.log(problems.length);
"""


def blocks(language, step):
    """Of the step's section."""
    section = re.search(rf"^## {step}\. .*?(?=^## |\Z)", DOCUMENT, re.M | re.S)[0]
    return re.findall(rf"^```{language}\n(.*?)^```$", section, re.M | re.S)


class FirstGame(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def serve(self, more=""):
        """The zone of step 1, on a free port."""
        (self.folder / "zone.toml").write_text(blocks("toml", 1)[0].replace("7777", "0") + more.replace("7778", "0"))
        server = subprocess.Popen([BUILD / "bin/marchland-server", "--config", self.folder / "zone.toml"], stderr=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (server.terminate(), server.communicate()))
        ports = {}
        for line in server.stderr:
            if found := re.search(r"(websocket at|listening on) .*:(\d+)$", line):
                ports["web" if "websocket" in line else "tcp"] = found[2]
            if "tcp" in ports:
                return ports
        self.fail("the zone does not start")

    def start(self, text, *arguments):
        program = subprocess.Popen([sys.executable, "-B", "-c", text, *arguments], stdout=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (program.kill(), program.communicate()))
        return program

    def said(self, text, *arguments):
        return subprocess.run([sys.executable, "-B", "-c", text, *arguments], stdout=subprocess.PIPE, text=True, timeout=60, check=True).stdout

    def test_steps_1_to_3_somebody_sees_a_sheep(self):
        port = self.serve()["tcp"]
        self.start(blocks("python", 2)[0], port, "60")
        printed = self.said(blocks("python", 3)[0], port)
        self.assertRegex(printed, r"^\d+, of kind 2, comes into view at \(")
        self.assertRegex(printed, r"\n\d+ is at \(")

    def test_step_4_a_sheep_is_driven_into_the_fold(self):
        port = self.serve()["tcp"]
        herd, shepherd = blocks("python", 4)
        self.start(herd, port, "60")
        self.assertEqual(self.said(shepherd, port), "a sheep is home, 1 now\n")

    def test_step_5_the_login_servers_token_lets_somebody_in_and_nothing_else_does(self):
        key = self.folder / "login.key"
        subprocess.run([BUILD / "bin/marchland-token", "new-key", "--algorithm", "HS256", "--out", key], check=True, capture_output=True)
        port = self.serve(blocks("toml", 5)[0])["tcp"]
        sys.path.insert(0, str(ROOT / "examples/wolves"))
        from login import token
        from marchland import Client, ServerError
        client = Client(("127.0.0.1", int(port)), token=lambda: token(key.read_bytes().strip(), sub="ann", kind=1))
        client.connect()
        client.leave()
        with self.assertRaises(ServerError) as refused:
            Client(("127.0.0.1", int(port))).connect()
        self.assertEqual(refused.exception.code, 12)

    @unittest.skipUnless(shutil.which("chromium") and shutil.which("tsc"), "no Chromium, or no tsc")
    def test_step_6_two_tabs_see_each_other(self):
        port = self.serve(blocks("toml", 6)[0])["web"]
        page = self.folder / "page"
        page.mkdir()
        (page / "index.html").write_text(blocks("html", 6)[0])
        subprocess.run(["tsc", "-p", ROOT / "tools/clients/js", "--outDir", page / "marchland"], check=True)

        class Pages(http.server.SimpleHTTPRequestHandler):
            def __init__(self, *arguments):
                super().__init__(*arguments, directory=page)

            def log_message(self, *_):
                pass

        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pages) as pages:
            threading.Thread(target=pages.serve_forever).start()
            url = f"http://127.0.0.1:{pages.server_port}/?port={port}"
            done = subprocess.run(["node", "--input-type=module", "-e", LOOK % (BROWSER_TESTS, url)], capture_output=True, text=True, timeout=100)
            pages.shutdown()
        self.assertEqual(done.stdout, "0\n", done.stderr)


unittest.main(argv=sys.argv[:1])
