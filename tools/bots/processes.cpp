#include "tools/bots/processes.h"

#include "tools/process/descriptor.h"
#include "tools/process/stop_signals.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <optional>
#include <poll.h>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <unistd.h>
#include <utility>
#include <vector>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

namespace marchland::bots {
namespace {

/// A report between two processes of one program: bytes as they are in memory, which only a copy of
/// this process reads. Made with bytes, it reads them; else it writes what it is given.
class Archive {
public:
    Archive() = default;
    explicit Archive(std::string_view bytes) : is_reading_(true), unread_(bytes) {}
    template <typename... Parts>
    void operator()(Parts&... parts) {
        (pass(parts), ...);
    }
    [[nodiscard]] const std::string& written() const { return written_; }
    /// Bytes were missing, since the other process ended.
    [[nodiscard]] bool has_failed() const { return has_failed_; }

private:
    template <typename Part>
    void pass(Part& part) {
        if constexpr (requires { part.begin(); }) {
            std::size_t size = part.size();
            pass(size);
            if (is_reading_) {
                read_items(part, size);
                return;
            }
            for (auto& item : part) {
                pass(item);
            }
        } else if constexpr (requires { part.has_value(); }) {
            bool has_value = part.has_value();
            pass(has_value);
            if (has_value) {
                pass(is_reading_ ? part.emplace() : *part);
            }
        } else if constexpr (requires { part.first; }) {
            pass(part.first);
            pass(part.second);
        } else if constexpr (std::is_trivially_copyable_v<Part>) {
            pass_bytes(&part, sizeof part);
        } else {
            each_part(*this, part);
        }
    }

    /// A map's key is const where it is written.
    void pass_bytes(const void* part, std::size_t size) {
        written_.append(static_cast<const char*>(part), size);
    }
    void pass_bytes(void* part, std::size_t size) {
        if (!is_reading_) {
            pass_bytes(static_cast<const void*>(part), size);
            return;
        }
        has_failed_ = has_failed_ || unread_.size() < size;
        if (!has_failed_) {
            std::memcpy(part, unread_.data(), size);
            unread_.remove_prefix(size);
        }
    }

    template <typename Part>
    void read_items(Part& part, std::size_t size) {
        for (std::size_t i = 0; i < size && !has_failed_; ++i) {
            if constexpr (requires { typename Part::mapped_type; }) {
                std::pair<typename Part::key_type, typename Part::mapped_type> item;
                pass(item);
                part.insert(item);
            } else {
                part.push_back({});
                pass(part.back());
            }
        }
    }

    const bool is_reading_ = false;
    std::string_view unread_;
    std::string written_;
    bool has_failed_ = false;
};

void each_part(auto& archive, Fates& it) {
    archive(it.joined, it.resumed, it.lost_in_restart, it.resumed_after_restart, it.return_ms_max,
            it.left, it.not_let_in, it.closed_by_server, it.dropped, it.errors, it.first_trouble);
}

void each_part(auto& archive, Report::Group& it) {
    archive(it.name, it.scenario, it.players, it.lost, it.violations, it.latency);
}

/// What Report::add adds up.
void each_part(auto& archive, Report& it) {
    archive(it.seconds, it.player_seconds, it.cpu_seconds, it.traffic, it.latency, it.late_steps,
            it.fates, it.violations, it.violations_by_kind, it.pairs_checked, it.positions_checked,
            it.shown_error_mm_max, it.server, it.groups, it.points);
}

struct Child {
    pid_t pid = 0;
    process::Descriptor pipe;  ///< closed once it was read to its end
    std::string bytes;
};

/// In the new process: never returns.
[[noreturn]] void play_here(std::size_t process, Together& together, int pipe, pid_t parent,
                            const std::function<Report(std::size_t, Together&)>& play) {
    // Ctrl-C of a terminal is the parent's, who passes it on; and nobody outlives the parent.
    (void)setpgid(0, 0);
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) {
        _exit(1);
    }
    try {
        together.become(process);
        Report report = play(process, together);
        Archive archive;
        archive(report);
        const std::string& bytes = archive.written();
        for (std::size_t sent = 0; sent < bytes.size();) {
            const ssize_t count = write(pipe, bytes.data() + sent, bytes.size() - sent);
            if (count < 0 && errno != EINTR) {
                _exit(1);
            }
            sent += static_cast<std::size_t>(std::max<ssize_t>(count, 0));
        }
        _exit(0);
    } catch (const std::exception& error) {
        fmt::print(stderr, "marchland-bots: {}{}\n", together.title(), error.what());
        _exit(1);
    }
}

void stop(const std::vector<Child>& children) {
    for (const Child& child : children) {
        if (child.pipe.is_open()) {
            kill(child.pid, SIGTERM);
        }
    }
}

/// False once all that it wrote was read.
bool read_some(Child& child) {
    std::array<char, 65536> piece{};
    const ssize_t count = read(child.pipe.fd(), piece.data(), piece.size());
    if (count > 0) {
        child.bytes.append(piece.data(), static_cast<std::size_t>(count));
    }
    return count > 0 || (count < 0 && errno == EINTR);
}

}  // namespace

Together::Together(std::size_t processes)
    : processes_(processes),
      ready_(static_cast<std::atomic<std::uint32_t>*>(
          mmap(nullptr, sizeof(std::atomic<std::uint32_t>), PROT_READ | PROT_WRITE,
               MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {
    static_assert(std::atomic<std::uint32_t>::is_always_lock_free);
    if (ready_ == MAP_FAILED) {
        throw std::system_error(errno, std::generic_category(), "mmap");
    }
    new (ready_) std::atomic<std::uint32_t>(0);
}

Together::~Together() {
    munmap(ready_, sizeof *ready_);
}

bool Together::has_begun() {
    if (!std::exchange(is_counted_, true)) {
        ready_->fetch_add(1);
    }
    return ready_->load() >= processes_;
}

std::string Together::title() const {
    return fmt::format("{}/{} ", process_ + 1, processes_);
}

Report play_in_processes(std::size_t processes,
                         const std::function<Report(std::size_t process, Together&)>& play) {
    Together together(processes);
    const pid_t parent = getpid();
    std::vector<Child> children;
    for (std::size_t i = 0; i < processes; ++i) {
        std::array<int, 2> ends{};
        if (pipe(ends.data()) != 0) {
            throw std::system_error(errno, std::generic_category(), "pipe");
        }
        process::Descriptor out(ends[1]);
        children.push_back({fork(), process::Descriptor(ends[0]), {}});
        if (children.back().pid < 0) {
            throw std::system_error(errno, std::generic_category(), "fork");
        }
        if (children.back().pid == 0) {
            children.clear();  // whose pipes are open here, too
            play_here(i, together, out.fd(), parent, play);
        }
    }
    process::StopSignals signals;
    std::optional<std::string> problem;
    Report sum;
    for (std::size_t open = processes; open > 0;) {
        std::vector<pollfd> polled{{signals.fd(), POLLIN, 0}};
        for (const Child& child : children) {
            polled.push_back({child.pipe.fd(), POLLIN, 0});  // those that are closed are left out
        }
        (void)poll(polled.data(), polled.size(), -1);
        if (signals.take() != 0) {
            stop(children);
        }
        for (std::size_t i = 0; i < processes; ++i) {
            Child& child = children[i];
            if (polled[i + 1].revents == 0 || read_some(child)) {
                continue;
            }
            child.pipe.close();
            --open;
            (void)waitpid(child.pid, nullptr, 0);
            Report report;
            Archive archive(child.bytes);
            archive(report);
            if (archive.has_failed()) {
                problem = fmt::format("process {} of {} ended without a report", i + 1, processes);
                stop(children);  // who still waits for its players would wait for ever
            } else {
                sum.add(report);
            }
        }
    }
    if (problem) {
        throw std::runtime_error(*problem);
    }
    return sum;
}

}  // namespace marchland::bots
