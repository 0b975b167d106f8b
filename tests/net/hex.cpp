#include "tests/net/hex.h"

#include <cctype>
#include <memory>
#include <utility>

namespace marchland::tests {

std::string hex_of(std::span<const std::byte> bytes) {
    constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        if (i > 0 && i % 4 == 0) {
            text += ' ';
        }
        text += kDigits[std::to_integer<std::size_t>(bytes[i] >> 4)];
        text += kDigits[std::to_integer<std::size_t>(bytes[i] & std::byte{0x0f})];
    }
    return text;
}

std::vector<std::byte> bytes_of(const std::string& hex) {
    std::string digits;
    for (const char c : hex) {
        if (std::isxdigit(static_cast<unsigned char>(c)) != 0) {
            digits += c;
        }
    }
    std::vector<std::byte> bytes;
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
        bytes.push_back(static_cast<std::byte>(std::stoul(digits.substr(i, 2), nullptr, 16)));
    }
    return bytes;
}

std::vector<engine::StateWrite> state_of(std::vector<std::byte> bytes) {
    return {{0, bytes.empty() ? nullptr
                              : std::make_shared<const std::vector<std::byte>>(std::move(bytes))}};
}

}  // namespace marchland::tests
