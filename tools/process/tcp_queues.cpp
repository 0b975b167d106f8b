#include "tools/process/tcp_queues.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

namespace marchland::process {
namespace {

constexpr std::size_t kFields = 5;  // sl, local_address, rem_address, st, tx_queue:rx_queue

std::optional<std::size_t> hexadecimal(std::string_view text) {
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional(number)
                                                                    : std::nullopt;
}

/// What is before, or behind, the last colon.
std::string_view before_colon(std::string_view text) {
    return text.substr(0, std::min(text.rfind(':'), text.size()));
}
std::string_view behind_colon(std::string_view text) {
    return text.substr(text.rfind(':') + 1);  // npos + 1 is 0: all of it
}

std::array<std::string_view, kFields> first_fields(std::string_view line) {
    std::array<std::string_view, kFields> fields;
    for (std::string_view& field : fields) {
        line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
        field = line.substr(0, line.find(' '));
        line.remove_prefix(field.size());
    }
    return fields;
}

void add_row(std::string_view line, std::uint16_t local_port, TcpQueues& to) {
    const auto fields = first_fields(line);
    const auto port = hexadecimal(behind_colon(fields[1]));
    const auto state = hexadecimal(fields[3]);
    const auto unsent = hexadecimal(before_colon(fields[4]));
    constexpr std::size_t kListening = 10;
    if (port == local_port && state && state != kListening && unsent) {
        ++to.connections;
        to.unsent_bytes_max = std::max(to.unsent_bytes_max, *unsent);
        to.unsent_bytes += *unsent;
    }
}

}  // namespace

void add_tcp_queues(std::string_view table, std::uint16_t local_port, TcpQueues& to) {
    while (!table.empty()) {
        const std::string_view line = table.substr(0, table.find('\n'));
        add_row(line, local_port, to);
        table.remove_prefix(std::min(line.size() + 1, table.size()));
    }
}

TcpQueues tcp_queues_at(std::uint16_t local_port) {
    TcpQueues queues;
    for (const char* const name : {"/proc/net/tcp", "/proc/net/tcp6"}) {
        std::ifstream file(name);
        const std::string table{std::istreambuf_iterator<char>(file), {}};
        add_tcp_queues(table, local_port, queues);
    }
    return queues;
}

}  // namespace marchland::process
