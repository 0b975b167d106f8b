#include "shards/recording/recording_file.h"

#include "engine/assert.h"
#include "shards/ids.h"
#include "shards/recording/crc32c.h"
#include "shards/recording/options_text.h"
#include "shards/recording/records.h"

#include <spdlog/fmt/fmt.h>

#include <cerrno>
#include <string_view>
#include <system_error>

namespace marchland::shards {

namespace {

Bytes head_of(std::uint32_t part, std::uint64_t number, std::string_view options) {
    Bytes head;
    append_text(kRecordingMagic, head);
    append_u32(kRecordingVersion, head);
    append_u32(part, head);
    append_u64(number, head);
    append_u32(static_cast<std::uint32_t>(options.size()), head);
    append_text(options, head);
    append_u32(crc32c(head), head);
    return head;
}

}  // namespace

std::filesystem::path part_path(const std::filesystem::path& file, std::uint32_t part) {
    return part == 0 ? file : std::filesystem::path(file.string() + '.' + std::to_string(part));
}

std::optional<std::string> RecordingFile::open(const std::filesystem::path& file,
                                               const ZoneOptions& options,
                                               const RecordingLimits& limits) {
    MARCHLAND_ASSERT(stream_ == nullptr);
    file_ = file;
    options_text_ = options_text(options);
    MARCHLAND_ASSERT(options_text_.size() <= kOptionsBytesMax);
    limits_ = limits;
    number_ = new_random_number();
    for (std::uint32_t part = 1; part < limits.parts_max; ++part) {
        std::error_code ignored;
        if (const auto later = part_path(file, part); std::filesystem::exists(later, ignored)) {
            return fmt::format(
                "{}: exists, and would be taken for part {} or end the recording there",
                later.string(), part);
        }
    }
    return open_part();
}

std::optional<std::string> RecordingFile::open_part() {
    const std::string name = part_path(file_, part_).string();
    errno = 0;
    stream_.reset(std::fopen(name.c_str(), "wbx"));
    if (stream_ == nullptr) {
        return failure("cannot be made");
    }
    std::setvbuf(stream_.get(), nullptr, _IONBF, 0);  // blocks are written whole
    part_bytes_ = 0;
    has_block_ = false;
    return write(head_of(part_, number_, options_text_));
}

std::optional<std::string> RecordingFile::append(const Bytes& payload) {
    const bool is_full =
        has_block_ && part_bytes_ + kBlockHeadBytes + payload.size() > limits_.part_bytes_max;
    if (is_full) {
        if (part_ + 1 >= limits_.parts_max) {
            return fmt::format("{}: {} parts are full, which is the limit", file_.string(),
                               limits_.parts_max);
        }
        Bytes mark;
        encode_mark(RecordKind::next_part, mark);
        if (auto error = write_block(mark)) {
            return error;
        }
        ++part_;
        if (auto error = open_part()) {
            return error;
        }
    }
    has_block_ = true;
    return write_block(payload);
}

std::optional<std::string> RecordingFile::close() {
    Bytes mark;
    encode_mark(RecordKind::end, mark);
    auto error = write_block(mark);
    if (std::fclose(stream_.release()) != 0 && !error) {
        error = failure("cannot be written");
    }
    return error;
}

std::optional<std::string> RecordingFile::write_block(const Bytes& payload) {
    MARCHLAND_ASSERT(!payload.empty() && payload.size() <= kBlockBytesMax);
    Bytes block;
    block.reserve(kBlockHeadBytes + payload.size());
    append_u32(static_cast<std::uint32_t>(payload.size()), block);
    append_u32(crc32c(payload), block);
    append_u32(crc32c(block), block);
    block.insert(block.end(), payload.begin(), payload.end());
    return write(block);
}

std::optional<std::string> RecordingFile::write(const Bytes& bytes) {
    errno = 0;
    const std::size_t written = std::fwrite(bytes.data(), 1, bytes.size(), stream_.get());
    part_bytes_ += written;
    bytes_total_ += written;
    return written == bytes.size() ? std::nullopt : std::optional(failure("cannot be written"));
}

std::string RecordingFile::failure(const char* what) const {
    return fmt::format("{}: {}: {}", part_path(file_, part_).string(), what,
                       std::generic_category().message(errno));
}

}  // namespace marchland::shards
