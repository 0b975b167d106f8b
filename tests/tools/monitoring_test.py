#!/usr/bin/env python3
"""Asks a real Prometheus, which scrapes a real zone, every query of the dashboard, and promtool for the alerts.

usage: monitoring_test.py SERVER DOCS/MONITORING

Exit 0: all is well. 77: prometheus or promtool (Debian's package prometheus) is not installed. 1: a finding.
"""

import json
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

LONGEST_S = 90


def free_port():
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return listening.getsockname()[1]


def start_zone(server, folder):
    config = folder / "zone.toml"
    config.write_text("[server]\nport = 0\n[admin]\nenabled = true\nport = 0\n[shards]\ncolumns = 2\n"
                      "[state]\nenabled = true\n")
    zone = subprocess.Popen([server, "--config", config], stderr=subprocess.PIPE, text=True)
    for line in zone.stderr:
        found = re.search(r"admin at 127\.0\.0\.1:(\d+)", line)
        if found:
            return zone, found[1]
    sys.exit("the server did not start")


def start_prometheus(folder, admin_port):
    (folder / "prometheus.yml").write_text(
        "global: { scrape_interval: 250ms }\n"
        "scrape_configs:\n- { job_name: marchland, static_configs: [{ targets: ['127.0.0.1:%s'] }] }\n" % admin_port)
    port = free_port()
    prometheus = subprocess.Popen(
        ["prometheus", f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data",
         f"--web.listen-address=127.0.0.1:{port}", "--log.level=error"])
    return prometheus, port


def ask(port, query):
    """The samples; nothing while Prometheus is not there. An error of the query ends the test."""
    url = f"http://127.0.0.1:{port}/api/v1/query?" + urllib.parse.urlencode({"query": query})
    try:
        with urllib.request.urlopen(url, timeout=10) as answer:
            return json.load(answer)["data"]["result"]
    except urllib.error.HTTPError as error:
        if error.code == 503:
            return []
        sys.exit(f"{query}: {error.read().decode()}")
    except OSError:
        return []


def findings_of_alerts(monitoring, metrics):
    """Each alert is tested, and asks, as its test does, for metrics that the zone has."""
    texts = [(monitoring / name).read_text() for name in ("alerts.yml", "alerts_test.yml")]
    alerts = set(re.findall(r"- alert: (\w+)", texts[0]))
    tested = set(re.findall(r'alertname="(\w+)"', texts[1]))
    asked = {name for text in texts for name in re.findall(r"\bmarchland_\w+", text)}
    assert len(alerts) > 5 and len(asked) > 5
    return ([f"no test of the alert {alert}" for alert in sorted(alerts ^ tested)]
            + [f"no metric {name}" for name in sorted(asked - metrics)])


def findings(server, monitoring, folder):
    dashboard = json.loads((monitoring / "grafana_dashboard.json").read_text())
    queries = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    assert len(queries) > 20
    zone, admin_port = start_zone(server, folder)
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{admin_port}/metrics", timeout=10) as answer:
            metrics = set(re.findall(r"^(marchland_\w+)[ {]", answer.read().decode(), re.MULTILINE))
        wrong = findings_of_alerts(monitoring, metrics)
        if wrong:
            return wrong
        prometheus, port = start_prometheus(folder, admin_port)
        try:
            deadline = time.monotonic() + LONGEST_S
            left = queries
            while left and time.monotonic() < deadline:
                # A rate needs two scrapes; until then there is no sample.
                left = [query for query in left if not ask(port, query)]
            return [f"no sample of: {query}" for query in left]
        finally:
            prometheus.terminate()
            prometheus.wait()
    finally:
        zone.terminate()
        zone.communicate()


def main():
    if not shutil.which("prometheus") or not shutil.which("promtool"):
        print("skipped: prometheus is not installed (Debian's package prometheus)")
        return 77
    monitoring = pathlib.Path(sys.argv[2])
    for arguments in (["check", "rules", "alerts.yml"], ["test", "rules", "alerts_test.yml"]):
        if subprocess.run(["promtool", *arguments], cwd=monitoring).returncode != 0:
            return 1
    with tempfile.TemporaryDirectory() as folder:
        found = findings(sys.argv[1], monitoring, pathlib.Path(folder))
    print("\n".join(found))
    return 1 if found else 0


sys.exit(main())
