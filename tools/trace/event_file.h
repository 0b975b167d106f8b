#pragma once

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

namespace marchland::trace {

/// A file that appears under its name when it is whole, and not before: what was there stays until
/// then, whatever goes wrong. What is no regular file (a pipe, /dev/stdout) is written to directly.
///
/// Life  open() once, write() any number of times, commit() once. Without commit() the destructor
///       removes what was written.
class EventFile {
public:
    EventFile() = default;
    EventFile(const EventFile&) = delete;
    EventFile& operator=(const EventFile&) = delete;
    ~EventFile();

    /// Each returns what went wrong, as a sentence, or nothing.
    std::optional<std::string> open(const std::filesystem::path& file);
    std::optional<std::string> commit();

    void write(std::string_view bytes);
    /// False after a write that failed (a full disk): the run may as well end.
    [[nodiscard]] bool is_good() const { return stream_.good(); }

private:
    std::filesystem::path target_;
    std::filesystem::path written_;  ///< the temporary name, or the target where it is written to
    std::ofstream stream_;
    bool is_pending_ = false;  ///< a temporary file exists
};

}  // namespace marchland::trace
