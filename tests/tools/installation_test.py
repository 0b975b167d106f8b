"""What cmake --install and cpack -G DEB make: python3 installation_test.py NAME BUILD FOLDER. Exit 77: skipped, and why."""
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys

NAME, BUILD, FOLDER = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
DAY = pathlib.Path(__file__).with_name("operators_day.sh").resolve()
PROGRAMS = ["marchland-" + name for name in ("server", "bots", "trace", "layout", "token", "admin")]
# Exposure by systemd-analyze security, tenths.
EXPOSURE_MAX = 30


def run(*arguments, **more):
    done = subprocess.run([str(it) for it in arguments], capture_output=True, text=True, **more)
    assert done.returncode == 0, f"{arguments}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def skip(why):
    print("skipped:", why)
    sys.exit(77)


def installed():
    shutil.rmtree(FOLDER, ignore_errors=True)
    run("cmake", "--install", BUILD, "--prefix", FOLDER)
    return FOLDER


def programs_run_and_say_what_they_take():
    prefix = installed()
    for program in PROGRAMS:
        assert run(prefix / "bin" / program, "--version").startswith(program)
        options = set(re.findall(r"--[a-z][a-z0-9-]+", run(prefix / "bin" / program, "--help")))
        page = (prefix / "share/man/man1" / f"{program}.1").read_text().replace("\\-", "-")
        completion = prefix / "share/bash-completion/completions" / program
        assert options <= set(re.findall(r"--[a-z][a-z0-9-]+", page)), f"{program}: {options}"
        command = f'source {completion}; COMP_WORDS=({program} --he); COMP_CWORD=1; _{program}_all; echo "${{COMPREPLY[@]}}"'
        assert run("bash", "-c", command) == "--help\n"
    command = (f"source {completion.parent}/marchland-bots; COMP_WORDS=(marchland-bots --scenario so); COMP_CWORD=2;"
               '_marchland-bots_all; echo "${COMPREPLY[@]}"')
    assert run("bash", "-c", command) == "soak\n"
    if shutil.which("zsh"):
        for program in PROGRAMS:
            run("zsh", "-n", prefix / "share/zsh/vendor-completions" / f"_{program}")
    run(prefix / "bin/marchland-server", "--config", prefix / "etc/marchland/zone.toml", "--check")
    # A second installation leaves the operator's configuration alone.
    zone = prefix / "etc/marchland/zone.toml"
    zone.write_text("# mine\n" + zone.read_text())
    run("cmake", "--install", BUILD, "--prefix", FOLDER)
    assert zone.read_text().startswith("# mine\n")


def operators_day_is_as_the_guide_says():
    prefix = installed()
    print(run(DAY, prefix / "etc/marchland/zone.toml", FOLDER / "day",
              env={**os.environ, "PATH": f"{prefix}/bin:{os.environ['PATH']}"}))


def unit_is_in_order_and_hardened():
    if not shutil.which("systemd-analyze"):
        skip("systemd-analyze is not installed")
    unit = installed() / "lib/systemd/system/marchland-server.service"
    assert run("systemd-analyze", "--man=no", "verify", unit) == ""
    run("systemd-analyze", "security", "--offline=true", f"--threshold={EXPOSURE_MAX}", unit)


def server_tells_the_service_manager():
    prefix = installed()
    config = FOLDER / "zone.toml"
    config.write_text("[server]\nport = 0\n")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind("\0marchland-installation-%d" % os.getpid())
        manager.settimeout(20)
        server = subprocess.Popen([prefix / "bin/marchland-server", "--config", config], stderr=subprocess.DEVNULL,
                                  env={**os.environ, "NOTIFY_SOCKET": "@marchland-installation-%d" % os.getpid()})
        said = [manager.recv(64).decode() for _ in range(3)]
        server.terminate()
        while said[-1] != "STOPPING=1":
            said.append(manager.recv(64).decode())
        assert server.wait(20) == 0
    assert said[0] == "READY=1" and set(said[1:-1]) == {"WATCHDOG=1"}, said


def package_is_installed_started_upgraded_and_purged():
    if not shutil.which("mmdebstrap"):
        skip("mmdebstrap is not installed")
    if os.geteuid() != 0:
        skip("mmdebstrap needs root here")
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    run("cpack", "-G", "DEB", "--config", f"{BUILD}/CPackConfig.cmake", "-B", FOLDER)
    package = FOLDER / "marchland.deb"
    assert "./etc/marchland/zone.toml" in run("dpkg-deb", "--contents", package)
    script = f"""set -e
        chroot "$1" /operators_day.sh /etc/marchland/zone.toml /tmp/day
        echo "# mine" >> "$1/etc/marchland/zone.toml"
        chroot "$1" dpkg --force-confold -i /marchland.deb
        grep -q "# mine" "$1/etc/marchland/zone.toml"
        chroot "$1" dpkg --remove marchland
        test -e "$1/etc/marchland/zone.toml" && test ! -e "$1/usr/bin/marchland-server"
        chroot "$1" dpkg --purge marchland
        test ! -e "$1/etc/marchland"
    """
    hook = FOLDER / "try.sh"
    hook.write_text("#!/bin/sh\n" + script)
    hook.chmod(0o755)
    done = subprocess.run(["mmdebstrap", "--variant=apt", "--mode=root", "--skip=check/qemu",
                           f"--customize-hook=cp {package} $1/marchland.deb",
                           "--customize-hook=chroot $1 apt-get install -y --no-install-recommends /marchland.deb",
                           f"--customize-hook=cp {DAY} $1/operators_day.sh",
                           f"--customize-hook={hook} $1", "bookworm", "/dev/null"], capture_output=True, text=True)
    if done.returncode != 0 and not re.search("customize-hook|marchland", done.stderr):
        skip("mmdebstrap cannot make a root here: " + done.stderr.strip().splitlines()[-1])
    assert done.returncode == 0, done.stdout + done.stderr


globals()[NAME]()
