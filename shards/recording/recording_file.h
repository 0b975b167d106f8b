#pragma once

#include "shards/recording/records.h"
#include "shards/zone_options.h"

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace marchland::shards {

/// How large a recording may get. Past it, recording ends with an error and the game goes on.
struct RecordingLimits {
    std::uint64_t part_bytes_max = std::uint64_t{256}
                                   << 20U;  ///< a part is full; a block is not split
    std::uint32_t parts_max = 64;
};

/// The name of a part of a recording: "zone.rec", "zone.rec.1", "zone.rec.2", ...
std::filesystem::path part_path(const std::filesystem::path& file, std::uint32_t part);

/// Writes the parts of a recording. Nothing is ever overwritten, and nothing but a new file is
/// written to: what exists is an error, a pipe among it, which would hold up the server until
/// somebody reads.
///
/// Life    open() once, append() any number of times, close() once.
/// Errors  Each returns what went wrong, with the file's name, or nothing. After an error what was
///         written so far is a recording that was cut off.
class RecordingFile {
public:
    std::optional<std::string> open(const std::filesystem::path& file, const ZoneOptions& options,
                                    const RecordingLimits& limits);
    /// Writes one block, with all that is in `payload`: at most kBlockBytesMax, whole ticks.
    std::optional<std::string> append(const Bytes& payload);
    /// Marks the end, so that a reader knows that nothing is missing.
    std::optional<std::string> close();

    [[nodiscard]] std::uint64_t bytes_total() const { return bytes_total_; }
    [[nodiscard]] std::uint32_t part_count() const { return part_ + 1; }

private:
    struct Closer {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };

    std::optional<std::string> open_part();
    std::optional<std::string> write_block(const Bytes& payload);
    std::optional<std::string> write(const Bytes& bytes);
    [[nodiscard]] std::string failure(const char* what) const;

    std::filesystem::path file_;
    std::string options_text_;
    RecordingLimits limits_;
    std::uint64_t number_ = 0;  ///< the same in all parts of one recording
    std::unique_ptr<std::FILE, Closer> stream_;
    bool has_block_ = false;  ///< in this part
    std::uint32_t part_ = 0;
    std::uint64_t part_bytes_ = 0;
    std::uint64_t bytes_total_ = 0;
};

}  // namespace marchland::shards
