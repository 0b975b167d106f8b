#include "shards/recording/recording_reader.h"

#include "shards/recording/crc32c.h"
#include "shards/recording/options_text.h"
#include "shards/recording/recording_file.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <span>
#include <string_view>
#include <utility>

namespace marchland::shards {

namespace {

/// Up to and with the size of the options.
constexpr std::size_t kHeadBytesBeforeOptions = 28;
constexpr std::size_t kChecksumBytes = 4;
/// The least that a disk writes at once.
constexpr std::size_t kSectorBytes = 512;

std::string_view text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

RecordingReader::PartSource parts_of(const std::filesystem::path& file) {
    return [file](std::uint32_t part) -> std::unique_ptr<std::istream> {
        auto stream = std::make_unique<std::ifstream>(part_path(file, part), std::ios::binary);
        return stream->is_open() ? std::move(stream) : nullptr;
    };
}

}  // namespace

std::string to_text(const RecordingError& error) {
    return fmt::format("{}: byte {}: {}", error.file, error.offset, error.reason);
}

RecordingReader::RecordingReader(const std::filesystem::path& file)
    : RecordingReader(file, parts_of(file)) {}

RecordingReader::RecordingReader(std::filesystem::path file, PartSource source)
    : file_(std::move(file)), source_(std::move(source)) {}

RecordingError RecordingReader::error_at(std::uint64_t offset, std::string reason) const {
    return {part_path(file_, part_).string(), offset, std::move(reason)};
}

RecordingError RecordingReader::error_here(std::string reason) const {
    return error_at(record_offset_, std::move(reason));
}

EndOfRecording RecordingReader::cut_here(std::string reason) const {
    return {error_at(offset_, std::move(reason))};
}

std::size_t RecordingReader::read(std::size_t size, Bytes& into) {
    // In pieces: what a file says about its size is not believed before it is there.
    constexpr std::size_t kPieceBytes = std::size_t{1} << 20U;
    std::size_t got = 0;
    while (got < size && stream_->good()) {
        const std::size_t piece = std::min(kPieceBytes, size - got);
        into.resize(into.size() + piece);
        stream_->read(reinterpret_cast<char*>(into.data() + into.size() - piece),
                      static_cast<std::streamsize>(piece));
        const auto read = static_cast<std::size_t>(stream_->gcount());
        into.resize(into.size() - (piece - read));
        got += read;
    }
    return got;
}

std::optional<RecordingError> RecordingReader::open() {
    errno = 0;  // a source need not set it
    stream_ = source_(0);
    if (stream_ == nullptr) {
        const std::string why = errno != 0 ? fmt::format(": {}", std::strerror(errno)) : "";
        return error_at(0, "cannot be opened" + why);
    }
    auto problem = read_head();
    if (!problem) {
        return std::nullopt;
    }
    if (auto* end = std::get_if<EndOfRecording>(&*problem)) {
        return *std::move(end->cut);  // what has no head yet is no recording
    }
    return std::get<RecordingError>(*std::move(problem));
}

std::optional<RecordingReader::Next> RecordingReader::go_to_next_part() {
    ++part_;
    offset_ = 0;
    decoder_.reset();
    stream_ = source_(part_);
    if (stream_ == nullptr) {
        return cut_here("cannot be opened, and the recording goes on there");
    }
    return read_head();
}

std::optional<RecordingReader::Next> RecordingReader::read_head() {
    Bytes head;
    if (read(kHeadBytesBeforeOptions, head) < kHeadBytesBeforeOptions) {
        return cut_here(stream_->bad() ? "cannot be read; is it a file?"
                                       : "the head of a recording is not whole");
    }
    if (text_of(head).substr(0, kRecordingMagic.size()) != kRecordingMagic) {
        return error_at(0, "no recording of marchland-server");
    }
    const std::uint32_t version = read_u32(std::span(head).subspan(8));
    if (version != kRecordingVersion) {
        return error_at(8, fmt::format("version {} of the format; this program reads version {}",
                                       version, kRecordingVersion));
    }
    const std::uint32_t options_bytes = read_u32(std::span(head).subspan(24));
    if (options_bytes > kOptionsBytesMax || (part_ != 0 && options_bytes != options_text_.size())) {
        return error_at(24, fmt::format("a damaged head: {} bytes of options", options_bytes));
    }
    if (read(options_bytes + kChecksumBytes, head) < options_bytes + kChecksumBytes) {
        return cut_here("the head of a recording is not whole");
    }
    if (auto error = check_head(head)) {
        return *std::move(error);
    }
    offset_ = head.size();
    return std::nullopt;
}

std::optional<RecordingError> RecordingReader::check_head(const Bytes& head) {
    const std::span<const std::byte> whole(head);
    const std::size_t checked = head.size() - kChecksumBytes;
    if (crc32c(whole.first(checked)) != read_u32(whole.subspan(checked))) {
        return error_at(0, "a damaged head: its checksum is wrong");
    }
    const std::uint64_t number = read_u64(whole.subspan(16));
    if (read_u32(whole.subspan(12)) != part_ || (part_ != 0 && number != number_)) {
        return error_at(12, fmt::format("not part {} of this recording", part_));
    }
    const std::string_view text = text_of(whole.first(checked).subspan(kHeadBytesBeforeOptions));
    if (part_ != 0) {
        return text == options_text_ ? std::nullopt
                                     : std::optional(error_at(kHeadBytesBeforeOptions,
                                                              "other options than in part 0"));
    }
    auto options = options_of(text);
    if (const auto* reason = std::get_if<std::string>(&options)) {
        return error_at(kHeadBytesBeforeOptions, "options: " + *reason);
    }
    number_ = number;
    options_ = std::get<ZoneOptions>(std::move(options));
    options_text_ = text;
    return std::nullopt;
}

std::optional<RecordingReader::Next> RecordingReader::read_block() {
    Bytes head;
    const std::size_t got = read(kBlockHeadBytes, head);
    if (got < kBlockHeadBytes) {
        return cut_here(got == 0 ? "the recording ends without its end mark"
                                 : "the recording breaks off in a block's head");
    }
    const std::span<const std::byte> fields(head);
    if (crc32c(fields.first(8)) != read_u32(fields.subspan(8))) {
        return damaged_block(std::move(head), "the checksum of its head is wrong");
    }
    const std::uint32_t size = read_u32(fields);
    if (size == 0 || size > kBlockBytesMax) {
        return error_at(
            offset_, fmt::format("a block of {} bytes; 1 to {} are allowed", size, kBlockBytesMax));
    }
    payload_.clear();
    if (read(size, payload_) < size) {
        return cut_here("the recording breaks off in a block");
    }
    if (crc32c(payload_) != read_u32(fields.subspan(4))) {
        head.insert(head.end(), payload_.begin(), payload_.end());
        return damaged_block(std::move(head), "its checksum is wrong");
    }
    payload_offset_ = offset_ + kBlockHeadBytes;
    offset_ = payload_offset_ + size;
    decoder_.emplace(payload_);
    return std::nullopt;
}

/// A machine that lost its power may leave a file as long as it was to be whose last blocks of the
/// disk were never written: zeros. Then it breaks off there, as if they were missing.
RecordingReader::Next RecordingReader::damaged_block(Bytes read_so_far, const char* flaw) {
    const auto zeros_of = [](const Bytes& bytes) {
        return static_cast<std::size_t>(
            std::find_if(bytes.rbegin(), bytes.rend(),
                         [](std::byte byte) { return byte != std::byte{0}; }) -
            bytes.rbegin());
    };
    const std::size_t zeros = zeros_of(read_so_far);
    const std::uint64_t end = offset_ + read_so_far.size();
    const std::uint64_t first_sector =
        (end - zeros + kSectorBytes - 1) / kSectorBytes * kSectorBytes;
    bool is_torn = zeros == read_so_far.size() || first_sector < end;
    for (Bytes rest; is_torn && read(kSectorBytes, rest) > 0; rest.clear()) {
        is_torn = zeros_of(rest) == rest.size();
    }
    return is_torn ? Next{cut_here("nothing but zeros up to the end of the file")}
                   : Next{error_at(offset_, std::string("a damaged block: ") + flaw)};
}

RecordingReader::Next RecordingReader::next() {
    while (true) {
        if (!decoder_ || decoder_->is_at_end()) {
            if (is_in_tick_) {
                return error_here("a tick that goes beyond its block");
            }
            if (auto end = read_block()) {
                return *std::move(end);
            }
        }
        record_offset_ = payload_offset_ + decoder_->offset();
        auto decoded = decoder_->next(last_tick_);
        if (auto* bad = std::get_if<BadRecord>(&decoded)) {
            return error_here(std::move(bad->reason));
        }
        auto& record = std::get<Record>(decoded);
        if (auto problem = misplaced(record)) {
            return error_here(*std::move(problem));
        }
        if (std::holds_alternative<RecordingEnd>(record)) {
            return EndOfRecording{};
        }
        if (!std::holds_alternative<NextPart>(record)) {
            return std::move(record);
        }
        if (auto end = go_to_next_part()) {
            return *std::move(end);
        }
    }
}

std::optional<std::string> RecordingReader::misplaced(const Record& record) {
    if (std::holds_alternative<Gone>(record)) {
        return "a record of a kind that no recording has";
    }
    const bool is_end =
        std::holds_alternative<NextPart>(record) || std::holds_alternative<RecordingEnd>(record);
    if (is_end && (!decoder_->is_at_end() || stream_->peek() != std::istream::traits_type::eof())) {
        return "something follows the end of the file's records";
    }
    const auto* begin = std::get_if<TickBegin>(&record);
    if (begin != nullptr || is_end || std::holds_alternative<LayoutRecord>(record)) {
        if (is_in_tick_) {
            return "a record that cannot be inside a tick";
        }
    } else if (!is_in_tick_) {
        return "a record that has to be inside a tick";
    }
    if (begin != nullptr) {
        is_in_tick_ = true;
        last_tick_ = begin->tick;
    } else if (std::holds_alternative<TickEnd>(record)) {
        is_in_tick_ = false;
    }
    return std::nullopt;
}

}  // namespace marchland::shards
