"""Each step of docs/first_game.md runs as it stands there, in the zone of all steps before it: first_game_test.py DOCUMENT BUILD PART, with
the Python library on PYTHONPATH. PART: Programs, or Page, which needs Chromium and tsc. Exit 77: skipped, and why."""
import http.server
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

DOCUMENT, BUILD = pathlib.Path(sys.argv[1]).read_text(), pathlib.Path(sys.argv[2])
ROOT = pathlib.Path(sys.argv[1]).resolve().parents[1]
WOLVES = ROOT / "examples/wolves"
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


class Steps(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def serve(self, step):
        """The zone as it is after that step, on free ports."""
        configuration = "".join(block for it in range(1, step + 1) for block in blocks("toml", it))
        (self.folder / "zone.toml").write_text(configuration.replace("7777", "0").replace("7778", "0"))
        if step >= 6:
            subprocess.run([BUILD / "bin/marchland-token", "new-key", "--algorithm", "HS256", "--out", self.folder / "login.key"],
                           check=True, capture_output=True)
        server = subprocess.Popen([BUILD / "bin/marchland-server", "--config", self.folder / "zone.toml"], stderr=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (server.terminate(), server.communicate()))
        ports = {}
        for line in server.stderr:
            if found := re.search(r"(websocket at|listening on) .*:(\d+)$", line):
                ports["web" if "websocket" in line else "tcp"] = found[2]
            if "tcp" in ports:
                return ports
        self.fail("the zone does not start")

    def log_in(self, web_port):
        """The login server of step 6, by its command; returns its port."""
        shutil.copy(WOLVES / "login.py", self.folder)
        command = re.search(r"^python3 (login\.py .*)$", DOCUMENT, re.M)[1].replace("8080", "0").replace("7778", web_port)
        server = subprocess.Popen([sys.executable, "-B", *command.split()], cwd=self.folder, stdout=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (server.terminate(), server.communicate()))
        return re.search(r":(\d+)/", server.stdout.readline())[1]

    def start(self, text, *arguments):
        program = subprocess.Popen([sys.executable, "-B", "-c", text, *arguments], cwd=self.folder, stdout=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (program.kill(), program.communicate()))
        return program

    def said(self, text, *arguments):
        return subprocess.run([sys.executable, "-B", "-c", text, *arguments], cwd=self.folder, stdout=subprocess.PIPE, text=True, timeout=60,
                              check=True).stdout


class Programs(Steps):
    def sees_a_sheep(self, sheep, look, port):
        self.start(sheep, port, "60")
        printed = self.said(look, port)
        self.assertRegex(printed, r"^\d+, of kind 2, comes into view at \(")
        self.assertRegex(printed, r"\n\d+ is at \(")

    def drives_a_sheep(self, herd, shepherd, port):
        self.start(herd, port, "60")
        self.assertEqual(self.said(shepherd, port), "a sheep is home, 1 now\n")

    def test_steps_1_to_3_somebody_sees_a_sheep(self):
        self.sees_a_sheep(blocks("python", 2)[0], blocks("python", 3)[0], self.serve(3)["tcp"])

    def test_step_4_a_sheep_is_driven_into_the_fold(self):
        self.drives_a_sheep(*blocks("python", 4), self.serve(4)["tcp"])

    def test_step_6_the_programs_go_on_with_tokens_and_nobody_comes_in_without(self):
        ports = self.serve(6)
        port, login_port = ports["tcp"], self.log_in(ports["web"])
        service, client = blocks("python", 6)
        client = client.replace("8080", login_port)

        def with_token(text):
            return re.sub(r"^client = .*\n", lambda _: client, re.sub(r"^service = .*\n", lambda _: service, text, flags=re.M), flags=re.M)
        sheep, look, herd, shepherd = blocks("python", 2)[0], blocks("python", 3)[0], *blocks("python", 4)
        self.sees_a_sheep(with_token(sheep).replace('"herd"', '"sheep"'), with_token(look), port)
        self.drives_a_sheep(with_token(herd), with_token(shepherd), port)
        from marchland import Client, ServerError
        with self.assertRaises(ServerError) as refused:
            Client(("127.0.0.1", int(port))).connect()
        self.assertEqual(refused.exception.code, 12)

    def test_the_login_server_has_as_many_lines_as_the_document_says(self):
        said = int(re.search(r"in (\d+) lines of Python", DOCUMENT)[1])
        self.assertLessEqual(len([it for it in (WOLVES / "login.py").read_text().splitlines() if it.strip()]), said)

    def test_tools_run_builds_all_that_the_document_and_the_example_start(self):
        needed = set(re.findall(r"marchland-(?:server|bots|token|admin|trace|layout|bench)\b", DOCUMENT + (WOLVES / "run").read_text()))
        self.assertIn("PYTHONPATH=$BUILD/python", DOCUMENT)
        built = re.search(r"--target (.*) \|\|", (ROOT / "tools/run").read_text())[1].split()
        self.assertEqual(needed | {"marchland_python"}, set(built))

    def test_the_example_says_what_to_run_where_something_is_missing(self):
        ran = subprocess.run([WOLVES / "run", "--build", self.folder], capture_output=True, text=True)
        self.assertEqual(ran.returncode, 1)
        self.assertRegex(ran.stderr, r"^run: \S+/marchland-server is missing; `tools/run --seconds 1` builds it\n$")


class Page(Steps):
    def setUp(self):
        super().setUp()
        self.page = self.folder / "page"
        self.page.mkdir()
        make_library = blocks("sh", 5)[0].replace("~/marchland", str(ROOT))
        subprocess.run(["bash", "-ec", make_library], cwd=self.folder, check=True)

    def see_each_other(self, url):
        done = subprocess.run(["node", "--input-type=module", "-e", LOOK % (ROOT / "tests/browser", url)], capture_output=True, text=True, timeout=100)
        self.assertEqual(done.stdout, "0\n", done.stderr)

    def test_step_5_two_tabs_see_each_other(self):
        port = self.serve(5)["web"]
        (self.page / "index.html").write_text(blocks("html", 5)[0])
        page = self.page

        class Pages(http.server.SimpleHTTPRequestHandler):
            def __init__(self, *arguments):
                super().__init__(*arguments, directory=page)

            def log_message(self, *_):
                pass

        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pages) as pages:
            threading.Thread(target=pages.serve_forever).start()
            try:
                self.see_each_other(f"http://127.0.0.1:{pages.server_port}/?port={port}")
            finally:
                pages.shutdown()

    def test_step_6_two_tabs_that_log_in_see_each_other(self):
        port = self.serve(6)["web"]
        (self.page / "index.html").write_text(re.sub(r"^    const client = .*\n", lambda _: blocks("js", 6)[0], blocks("html", 5)[0], flags=re.M))
        self.see_each_other(f"http://127.0.0.1:{self.log_in(port)}/?port={port}")


if sys.argv[3] == "Page" and not (shutil.which("chromium") and shutil.which("tsc") and (ROOT / "tools/clients/js/node_modules/flatbuffers").exists()):
    print("skipped: chromium, tsc or the npm package flatbuffers is not installed")
    sys.exit(77)
unittest.main(argv=[sys.argv[0], sys.argv[3]])
