#include "tests/tools/program_process.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <sys/prctl.h>
#include <sys/wait.h>

namespace marchland::tests {
namespace {

std::array<int, 2> make_pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
        throw std::system_error(errno, std::generic_category(), "pipe2");
    }
    return ends;
}

/// In the child: becomes the program, or ends with a code of its own.
[[noreturn]] void become(std::vector<char*>& argv, int output, int errors) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(output, STDOUT_FILENO);
    dup2(errors, STDERR_FILENO);
    execv(argv.front(), argv.data());
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

ProgramProcess::ProgramProcess(std::vector<std::string> arguments, Reader reader) {
    std::vector<char*> argv;
    for (std::string& argument : arguments) {
        argv.push_back(argument.data());
    }
    argv.push_back(nullptr);
    const auto [output_read, output_write] = make_pipe();
    const auto [errors_read, errors_write] = make_pipe();
    output_fd_ = output_read;
    errors_fd_ = errors_read;
    if (reader == Reader::nobody) {
        close(std::exchange(output_fd_, -1));
        close(std::exchange(errors_fd_, -1));
    }
    if (reader == Reader::of_a_page && fcntl(errors_fd_, F_SETPIPE_SZ, 4096) < 0) {
        throw std::system_error(errno, std::generic_category(), "F_SETPIPE_SZ");
    }
    pid_ = fork();
    if (pid_ == 0) {
        become(argv, output_write, errors_write);
    }
    close(output_write);
    close(errors_write);
    if (pid_ < 0) {
        throw std::system_error(errno, std::generic_category(), "fork");
    }
}

ProgramProcess::~ProgramProcess() {
    if (pid_ > 0) {
        kill(pid_, SIGKILL);
        waitpid(pid_, nullptr, 0);
    }
    for (const int fd : {output_fd_, errors_fd_}) {
        if (fd >= 0) {
            close(fd);
        }
    }
}

bool ProgramProcess::read_some() {
    if (output_fd_ < 0 && errors_fd_ < 0) {
        return false;
    }
    std::array<pollfd, 2> streams{{{output_fd_, POLLIN, 0}, {errors_fd_, POLLIN, 0}}};
    if (poll(streams.data(), streams.size(), -1) > 0) {
        take(streams[0], output_);
        take(streams[1], errors_);
    }
    output_fd_ = streams[0].fd;
    errors_fd_ = streams[1].fd;
    return true;
}

std::string ProgramProcess::wait_for_line(const std::string& text) {
    do {
        const auto at = errors_.find(text);
        const auto end = at == std::string::npos ? at : errors_.find('\n', at);
        if (end != std::string::npos) {
            const auto begin = errors_.rfind('\n', at);
            return errors_.substr(begin + 1, end - begin - 1);  // npos + 1 is 0: the first line
        }
    } while (read_some());
    return "";
}

void ProgramProcess::send_signal(int number) const {
    kill(pid_, number);
}

int ProgramProcess::wait() {
    while (read_some()) {
    }
    return wait_unread();
}

int ProgramProcess::wait_unread() {
    int status = 0;
    waitpid(std::exchange(pid_, -1), &status, 0);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace marchland::tests
