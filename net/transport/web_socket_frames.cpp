#include "net/transport/web_socket_frames.h"

#include "engine/assert.h"

#include <openssl/rand.h>

#include <algorithm>

namespace marchland::net {

namespace {

constexpr std::byte kFinal{0x80};
constexpr std::byte kReserved{0x70};
constexpr std::byte kMasked{0x80};
constexpr std::byte kBinary{0x02};
constexpr std::byte kCloseCode{0x08};
constexpr std::byte kPongCode{0x0A};
constexpr std::size_t kMaskBytes = 4;
constexpr std::uint64_t kLength16 = 126;  ///< the length is in the next 2 bytes
constexpr std::uint64_t kLength64 = 127;  ///< in the next 8

void append_big_endian(std::uint64_t number, std::size_t bytes, std::vector<std::byte>& to) {
    for (std::size_t i = bytes; i > 0; --i) {
        to.push_back(static_cast<std::byte>(number >> (8 * (i - 1))));
    }
}

std::uint64_t big_endian(std::span<const std::byte> bytes) {
    std::uint64_t number = 0;
    for (const std::byte byte : bytes) {
        number = number << 8U | static_cast<std::uint64_t>(byte);
    }
    return number;
}

/// Unforeseeable, so that no payload can look like something else on the way (RFC 6455, 10.3).
std::array<std::byte, kMaskBytes> new_mask() {
    std::array<std::byte, kMaskBytes> mask{};
    const int made = RAND_bytes(reinterpret_cast<unsigned char*>(mask.data()), kMaskBytes);
    MARCHLAND_ASSERT(made == 1);
    return mask;
}

void append_frame(std::byte opcode, std::span<const std::byte> payload, std::vector<std::byte>& to,
                  WebSocketEnd sender) {
    const bool is_masked = sender == WebSocketEnd::client;
    const auto masked = static_cast<std::uint64_t>(is_masked ? kMasked : std::byte{});
    to.push_back(kFinal | opcode);
    if (payload.size() < kLength16) {
        append_big_endian(masked | payload.size(), 1, to);
    } else if (payload.size() <= 0xFFFF) {
        append_big_endian(masked | kLength16, 1, to);
        append_big_endian(payload.size(), 2, to);
    } else {
        append_big_endian(masked | kLength64, 1, to);
        append_big_endian(payload.size(), 8, to);
    }
    if (!is_masked) {
        to.insert(to.end(), payload.begin(), payload.end());
        return;
    }
    const auto mask = new_mask();
    to.insert(to.end(), mask.begin(), mask.end());
    for (std::size_t i = 0; i < payload.size(); ++i) {
        to.push_back(payload[i] ^ mask[i % kMaskBytes]);
    }
}

/// May an end send it (RFC 6455, 7.4, and the registry that it founded)? 1004 is reserved, 1005,
/// 1006 and 1015 are reported of a connection and never sent on it.
bool is_close_code(std::uint64_t code) {
    return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) ||
           (code >= 3000 && code <= 4999);
}

}  // namespace

void append_binary(std::span<const std::byte> payload, std::vector<std::byte>& to,
                   WebSocketEnd sender) {
    append_frame(kBinary, payload, to, sender);
}

void append_close(WebSocketClose code, std::vector<std::byte>& to, WebSocketEnd sender) {
    const auto number = static_cast<std::uint16_t>(code);
    const std::array<std::byte, 2> payload{static_cast<std::byte>(number >> 8U),
                                           static_cast<std::byte>(number & 0xFFU)};
    append_frame(kCloseCode, payload, to, sender);
}

WebSocketFrames::Result WebSocketFrames::take(std::span<const std::byte> bytes,
                                              std::vector<std::byte>& up,
                                              std::vector<std::byte>& down) {
    while (true) {
        if (!is_in_payload_) {
            const std::size_t wanted = header_bytes() - header_size_;
            const std::size_t taken = std::min(wanted, bytes.size());
            std::copy_n(bytes.begin(), taken,
                        header_.begin() + static_cast<std::ptrdiff_t>(header_size_));
            header_size_ += taken;
            bytes = bytes.subspan(taken);
            if (taken < wanted) {
                return Result::more;
            }
            if (header_size_ < header_bytes()) {
                continue;  // its second byte says that there is more of it
            }
            if (!begin_frame(down)) {
                return Result::failed;
            }
        }
        const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size()));
        unmask(bytes.first(taken), is_control() ? control_ : up);
        bytes = bytes.subspan(taken);
        left_ -= taken;
        if (left_ > 0) {
            return Result::more;
        }
        if (const Result result = end_frame(down); result != Result::more) {
            return result;
        }
    }
}

/// As far as it is known: two bytes, until they say how many.
std::size_t WebSocketFrames::header_bytes() const {
    if (header_size_ < 2) {
        return 2;
    }
    const auto length = static_cast<std::uint64_t>(header_[1] & ~kMasked);
    return 2 +
           (length == kLength64   ? 8U
            : length == kLength16 ? 2U
                                  : 0U) +
           (is_masked() ? kMaskBytes : 0);
}

/// Looks at a whole header. False when it may not be, with the reason in `down`.
bool WebSocketFrames::begin_frame(std::vector<std::byte>& down) {
    const auto opcode = static_cast<std::uint8_t>(header_[0] & ~(kFinal | kReserved));
    opcode_ = static_cast<Opcode>(opcode);
    is_final_ = (header_[0] & kFinal) != std::byte{};
    const bool is_known = opcode <= 2 || (opcode >= 8 && opcode <= 10);
    const bool is_in_order = is_control() || (opcode_ == Opcode::continuation) == is_in_message_;
    const bool is_plain = (header_[0] & kReserved) == std::byte{};
    const bool is_masked_as_due = ((header_[1] & kMasked) != std::byte{}) == is_masked();
    if (!is_known || !is_in_order || !is_plain || !is_masked_as_due || !read_length() ||
        (is_control() && (!is_final_ || left_ > kControlBytesMax))) {
        append_close(WebSocketClose::protocol_error, down, own_end());
        return false;
    }
    if (opcode_ == Opcode::text) {
        append_close(WebSocketClose::unsupported_data, down, own_end());
        return false;
    }
    is_in_payload_ = true;
    mask_at_ = 0;
    return true;
}

/// False when it is not in the shortest form, or longer than RFC 6455 knows.
bool WebSocketFrames::read_length() {
    const auto short_length = static_cast<std::uint64_t>(header_[1] & ~kMasked);
    if (short_length < kLength16) {
        left_ = short_length;
        return true;
    }
    if (short_length == kLength16) {
        left_ = big_endian(std::span(header_).subspan(2, 2));
        return left_ >= kLength16;
    }
    left_ = big_endian(std::span(header_).subspan(2, 8));
    return left_ > 0xFFFF && left_ >> 63U == 0;
}

void WebSocketFrames::unmask(std::span<const std::byte> payload, std::vector<std::byte>& to) {
    if (!is_masked()) {
        to.insert(to.end(), payload.begin(), payload.end());
        return;
    }
    const std::byte* const mask = header_.data() + header_size_ - kMaskBytes;
    for (const std::byte byte : payload) {
        to.push_back(byte ^ mask[mask_at_]);
        mask_at_ = (mask_at_ + 1) % kMaskBytes;
    }
}

WebSocketFrames::Result WebSocketFrames::end_frame(std::vector<std::byte>& down) {
    is_in_payload_ = false;
    header_size_ = 0;
    if (!is_control()) {
        is_in_message_ = !is_final_;
        return Result::more;
    }
    auto result = Result::more;
    if (opcode_ == Opcode::ping) {
        append_frame(kPongCode, control_, down, own_end());
    } else if (opcode_ == Opcode::close && !control_.empty() &&
               (control_.size() == 1 || !is_close_code(big_endian(std::span(control_).first(2))))) {
        append_close(WebSocketClose::protocol_error, down, own_end());  // half a code, or none
        result = Result::failed;
    } else if (opcode_ == Opcode::close) {
        append_frame(kCloseCode,
                     std::span(control_).first(std::min<std::size_t>(2, control_.size())), down,
                     own_end());
        result = Result::closed;
    }
    control_.clear();
    return result;
}

}  // namespace marchland::net
