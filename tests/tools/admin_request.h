#pragma once

#include "tests/net/test_client.h"

#include <cstdint>
#include <span>
#include <string>

namespace marchland::server {

/// What an HTTP/1.1 server answers, header and all.
inline std::string ask_admin(std::uint16_t port, const std::string& method, const std::string& path,
                             const std::string& body = "", const std::string& headers = "") {
    tests::TestClient client(port);
    const std::string request = method + ' ' + path + " HTTP/1.1\r\nHost: localhost\r\n" + headers +
                                "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
                                body;
    client.send_bytes(std::as_bytes(std::span(request)));
    std::string answer;
    while (const auto some = client.receive_bytes()) {
        answer += *some;
    }
    return answer;
}

}  // namespace marchland::server
