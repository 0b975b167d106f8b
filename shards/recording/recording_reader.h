#pragma once

#include "shards/recording/records.h"
#include "shards/zone_options.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <istream>
#include <memory>
#include <optional>
#include <string>
#include <variant>

namespace marchland::shards {

/// What is wrong with a recording, and where.
struct RecordingError {
    std::string file;
    std::uint64_t offset = 0;  ///< in bytes, from the file's beginning
    std::string reason;
};

/// "zone.rec.1: byte 4096: ..."
std::string to_text(const RecordingError& error);

/// Nothing follows: the recording was closed, or it breaks off here and `cut` says where. A server
/// that was killed, or whose disk was full, leaves a last block that is not whole; parts may be
/// lost.
struct EndOfRecording {
    std::optional<RecordingError> cut;
};

/// Reads a recording from its first part on, record by record.
///
/// Limits  One block in memory, of at most kBlockBytesMax and of no more than the file has.
/// Errors  Values. Bytes that are missing at the end are no error: see EndOfRecording. Bytes that
///         are there and wrong are: their checksum says so. After an error or the end nothing is to
///         be read.
class RecordingReader {
public:
    /// Opens part 0, 1, ...; null when there is none.
    using PartSource = std::function<std::unique_ptr<std::istream>(std::uint32_t part)>;

    /// The parts that belong to `file`.
    explicit RecordingReader(const std::filesystem::path& file);
    /// `file`: what errors call it.
    RecordingReader(std::filesystem::path file, PartSource source);

    /// First of all. After it, options().
    std::optional<RecordingError> open();
    [[nodiscard]] const ZoneOptions& options() const { return options_; }

    using Next = std::variant<Record, EndOfRecording, RecordingError>;
    Next next();

    /// Of the record that next() returned last, for what is wrong with its meaning.
    [[nodiscard]] RecordingError error_here(std::string reason) const;

private:
    // Each returns nothing when all is well.
    std::optional<Next> go_to_next_part();
    std::optional<Next> read_head();
    std::optional<RecordingError> check_head(const Bytes& head);
    /// Checks a whole payload, and gives it to the decoder.
    std::optional<Next> read_block();
    Next damaged_block(Bytes read_so_far, const char* flaw);
    /// Why the record cannot stand where it does.
    std::optional<std::string> misplaced(const Record& record);
    [[nodiscard]] EndOfRecording cut_here(std::string reason) const;
    [[nodiscard]] RecordingError error_at(std::uint64_t offset, std::string reason) const;
    /// Appends up to `size` bytes to `into`; how many there were.
    std::size_t read(std::size_t size, Bytes& into);

    const std::filesystem::path file_;
    const PartSource source_;
    ZoneOptions options_;
    std::string options_text_;
    std::uint64_t number_ = 0;

    std::uint32_t part_ = 0;
    std::unique_ptr<std::istream> stream_;
    std::uint64_t offset_ = 0;  ///< of what is read next
    Bytes payload_;
    std::uint64_t payload_offset_ = 0;
    std::optional<RecordDecoder> decoder_;  ///< into payload_
    std::uint64_t record_offset_ = 0;
    engine::Tick last_tick_ = engine::kNever;
    bool is_in_tick_ = false;
};

}  // namespace marchland::shards
