#include "tests/tools/server_process.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <stdexcept>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <sys/prctl.h>
#include <sys/wait.h>

namespace marchland::server {

namespace {

struct Pipe {
    int read_end = -1;
    int write_end = -1;
};

Pipe make_pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
        throw std::system_error(errno, std::generic_category(), "pipe2");
    }
    return {ends[0], ends[1]};
}

/// In the child: becomes the server, or ends with a code of its own.
[[noreturn]] void become_server(const std::vector<std::string>& arguments, int output, int log) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(output, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    std::vector<char*> argv;
    std::string program = MARCHLAND_SERVER_PROGRAM;
    std::vector<std::string> copies = arguments;
    argv.push_back(program.data());
    for (std::string& argument : copies) {
        argv.push_back(argument.data());
    }
    argv.push_back(nullptr);
    execv(program.c_str(), argv.data());
    _exit(127);
}

/// Takes what there is; closes at the end of the stream.
void take(pollfd& from, std::string& into) {
    if (from.revents == 0) {
        return;
    }
    std::array<char, 4096> bytes{};
    const ssize_t count = read(from.fd, bytes.data(), bytes.size());
    if (count > 0) {
        into.append(bytes.data(), static_cast<std::size_t>(count));
    } else {
        close(std::exchange(from.fd, -1));
    }
}

}  // namespace

ServerProcess::ServerProcess(const std::vector<std::string>& arguments) {
    const Pipe output = make_pipe();
    const Pipe log = make_pipe();
    pid_ = fork();
    if (pid_ == 0) {
        become_server(arguments, output.write_end, log.write_end);
    }
    close(output.write_end);
    close(log.write_end);
    output_fd_ = output.read_end;
    log_fd_ = log.read_end;
    if (pid_ < 0) {
        throw std::system_error(errno, std::generic_category(), "fork");
    }
}

ServerProcess::~ServerProcess() {
    if (pid_ > 0) {
        kill(pid_, SIGKILL);
        waitpid(pid_, nullptr, 0);
    }
    for (const int fd : {output_fd_, log_fd_}) {
        if (fd >= 0) {
            close(fd);
        }
    }
}

bool ServerProcess::read_some() {
    std::array<pollfd, 2> streams{{{output_fd_, POLLIN, 0}, {log_fd_, POLLIN, 0}}};
    if (output_fd_ < 0 && log_fd_ < 0) {
        return false;
    }
    if (poll(streams.data(), streams.size(), -1) > 0) {
        take(streams[0], output_);
        take(streams[1], log_);
    }
    output_fd_ = streams[0].fd;
    log_fd_ = streams[1].fd;
    return true;
}

std::string ServerProcess::wait_for_line(const std::string& text) {
    do {
        const auto at = log_.find(text);
        const auto end = at == std::string::npos ? at : log_.find('\n', at);
        if (end != std::string::npos) {
            const auto begin = log_.rfind('\n', at);
            return log_.substr(begin + 1, end - begin - 1);  // npos + 1 is 0: the first line
        }
    } while (read_some());
    return "";
}

std::uint16_t ServerProcess::wait_for_port() {
    const std::string line = wait_for_line("listening on ");
    const auto colon = line.rfind(':');
    if (colon == std::string::npos) {
        throw std::runtime_error("the server does not listen: " + log_);
    }
    return static_cast<std::uint16_t>(std::stoul(line.substr(colon + 1)));
}

void ServerProcess::send_signal(int number) const {
    kill(pid_, number);
}

int ServerProcess::wait() {
    while (read_some()) {
    }
    int status = 0;
    waitpid(std::exchange(pid_, -1), &status, 0);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

Ended run_server(const std::vector<std::string>& arguments) {
    ServerProcess server(arguments);
    const int exit_code = server.wait();
    return {exit_code, server.output(), server.log()};
}

}  // namespace marchland::server
