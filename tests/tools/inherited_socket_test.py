"""A server whose socket its parent listens on, as systemd does: no connect is refused while it restarts.

usage: inherited_socket_test.py SERVER VECTORS SCRATCH
"""

import json
import os
import pathlib
import signal
import socket
import sys
import unittest

SERVER, VECTORS, SCRATCH = (pathlib.Path(it) for it in sys.argv[1:4])
CONFIG = """
[server]
port = {port}
[state]
enabled = true
[world]
bounds_m = {{ min_x = -500, min_y = -500, max_x = 500, max_y = 500 }}
"""


def start(listening, config, errors=None):
    """The server's process id. The socket is its descriptor 3."""
    child = os.fork()
    if child == 0:
        os.dup2(listening.fileno(), 3)
        os.set_inheritable(3, True)
        if errors is not None:
            os.dup2(errors, 2)
        environment = {**os.environ, "LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "1"}
        os.execve(SERVER, [SERVER, "--config", config, "--fresh"], environment)
    return child


def ask_to_join(port):
    client = socket.create_connection(("127.0.0.1", port), timeout=60)
    client.sendall(bytes.fromhex(json.loads((VECTORS / "hello_least.json").read_text())["hex"]))
    return client


class InheritedSocket(unittest.TestCase):
    def setUp(self):
        SCRATCH.mkdir(parents=True, exist_ok=True)
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.port = self.listening.getsockname()[1]
        self.config = SCRATCH / "zone.toml"
        self.config.write_text(CONFIG.format(port=self.port))

    def tearDown(self):
        self.listening.close()

    def test_a_client_that_comes_while_no_server_runs_is_let_in_by_the_next(self):
        first = start(self.listening, self.config)
        client = ask_to_join(self.port)
        self.assertTrue(client.recv(4))
        os.kill(first, signal.SIGKILL)
        os.waitpid(first, 0)
        waiting = ask_to_join(self.port)
        second = start(self.listening, self.config)
        self.assertTrue(waiting.recv(4), "its Welcome")
        os.kill(second, signal.SIGTERM)
        self.assertEqual(os.waitpid(second, 0)[1], 0)

    def test_a_socket_that_is_no_entrance_is_refused(self):
        self.config.write_text(CONFIG.format(port=0))
        child = start(self.listening, self.config)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 2)

    def test_a_socket_of_more_addresses_than_the_configuration_lets_connect_is_refused(self):
        with socket.create_server(("0.0.0.0", 0)) as everywhere, (SCRATCH / "errors").open("w+") as errors:
            port = everywhere.getsockname()[1]
            self.config.write_text(CONFIG.format(port=port))
            child = start(everywhere, self.config, errors.fileno())
            self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 2)
            errors.seek(0)
            self.assertIn(f"systemd listens on 0.0.0.0:{port}, and server.address and port are 127.0.0.1:{port}",
                          errors.read())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
