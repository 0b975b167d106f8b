#pragma once

#include "net/messages.h"
#include "tests/net/small_world_welcome.h"

#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace marchland::bots {

/// What a server says to one client after its Hello, byte by byte.
using Script = std::vector<std::byte>;

// Appends to a script. A frame may be as wrong as the test wants it.
void say(Script& script, const net::Welcome& welcome);
void say(Script& script, const net::ErrorMessage& error);
void say(Script& script, const net::FrameMessage& frame);

using tests::welcome_as;

/// A server that breaks its contract on purpose. The first client is the scout, which gets a proper
/// Welcome; each one after it gets the next script. Then it waits for that client to say something
/// more, or to go, and closes.
class RogueServer {
public:
    /// What it does after the script.
    enum class Then : std::uint8_t {
        waits_for_leave,  ///< reads until a Leave, or until the client closes
        closes,           ///< at once, without a word
    };

    RogueServer(std::vector<Script> scripts, Then then);
    RogueServer(const RogueServer&) = delete;
    RogueServer& operator=(const RogueServer&) = delete;
    ~RogueServer();

    [[nodiscard]] std::uint16_t port() const { return port_; }

private:
    void serve();
    void serve_client(int client, const Script& script, Then then);

    const std::vector<Script> scripts_;
    const Then then_;
    int listener_ = -1;
    std::uint16_t port_ = 0;
    std::jthread thread_;
};

}  // namespace marchland::bots
