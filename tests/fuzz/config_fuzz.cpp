// Files that somebody wrote: a server's configuration, or a layout when the first byte is odd. What
// is wrong is reported with its reason; what is right means the same when it is written out and
// read again.

#include "config/config.h"
#include "tests/fuzz/fuzz_target.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unistd.h>
#include <variant>
#include <sys/mman.h>

namespace {

using namespace marchland;
using tests::demand;

constexpr engine::Rect kWorld{-500'000, -500'000, 499'999, 499'999};

/// A file in memory, under a path that can be opened.
class MemoryFile {
public:
    explicit MemoryFile(std::string_view text) : fd_(memfd_create("fuzz", 0)) {
        demand(fd_ >= 0, "no file in memory");
        demand(::write(fd_, text.data(), text.size()) == static_cast<ssize_t>(text.size()),
               "a file in memory takes no bytes");
    }
    ~MemoryFile() { ::close(fd_); }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;

    [[nodiscard]] std::filesystem::path path() const {
        return "/proc/self/fd/" + std::to_string(fd_);
    }

private:
    const int fd_;
};

void check(const config::Diagnostics& diagnostics) {
    demand(!diagnostics.empty(), "a file is refused without a word");
    for (const config::Diagnostic& diagnostic : diagnostics) {
        demand(!diagnostic.reason.empty() && !to_text(diagnostic).empty(), "no reason is given");
    }
}

std::optional<std::string> server_text(std::string_view text) {
    const MemoryFile file(text);
    const auto loaded = config::load_server_config(file.path(), std::nullopt);
    if (const auto* const diagnostics = std::get_if<config::Diagnostics>(&loaded)) {
        check(*diagnostics);
        return std::nullopt;
    }
    return config::to_toml(std::get<config::ServerConfig>(loaded));
}

std::optional<std::string> layout_text(std::string_view text) {
    const auto parsed = config::parse_layout(text, "fuzz", kWorld);
    if (const auto* const diagnostics = std::get_if<config::Diagnostics>(&parsed)) {
        check(*diagnostics);
        return std::nullopt;
    }
    return config::to_toml(std::get<shards::Layout>(parsed));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) {
        return 0;
    }
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    const auto text_of = data[0] % 2 == 0 ? server_text : layout_text;
    if (const auto written = text_of(text)) {
        demand(text_of(*written) == written, "a file means something else when it is written out");
    }
    return 0;
}
