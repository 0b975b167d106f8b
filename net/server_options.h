#pragma once

#include "engine/entity.h"
#include "net/address_table.h"
#include "net/auth/auth_options.h"
#include "net/service_messages.h"
#include "net/transport/tls_context.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace marchland::net {

/// A second way in, for browsers: the same messages over WebSocket.
struct WebSocketOptions {
    bool is_on = false;
    std::string address = "127.0.0.1";
    std::uint16_t port = 7778;  ///< 0: any free one
    bool is_tls = false;
    /// Web pages that may connect; empty: all, but where nobody is asked for a token only those of
    /// this machine.
    std::vector<std::string> origins;
    /// See ServerOptions::is_behind_proxy.
    bool is_behind_proxy = false;

    friend bool operator==(const WebSocketOptions&, const WebSocketOptions&) = default;
};

/// For operators and their tools: metrics, status, a new layout, a stop (docs/operating.md).
struct AdminOptions {
    bool is_on = false;
    std::string address = "127.0.0.1";
    std::uint16_t port = 7779;    ///< 0: any free one
    std::string token_file;       ///< empty: no token is asked for
    std::string read_token_file;  ///< of another token, with which one may only look; empty: none
    /// Who may look at the live map at once, apart from the port's other connections; 0: nobody.
    std::size_t viewers_max = 8;

    friend bool operator==(const AdminOptions&, const AdminOptions&) = default;
};

/// Game logic that connects as a service (docs/services.md): what each may cost.
struct ServiceOptions {
    /// Services at once; one more is sent `full`. Who resumes is let in.
    std::size_t services_max = 16;
    std::size_t entities_max = 10'000;  ///< of each service
    std::size_t watchers_max = 256;  ///< of these, how many may watch: each costs as a player does
    /// As a player's limits, which hold until the service was permitted. A connection's buffer is
    /// about as large as the largest message.
    std::size_t message_bytes_max = 262'144;
    std::uint32_t messages_per_second_max = 2'000;
    std::uint32_t bytes_per_second_max = 4 * 1024 * 1024;
    /// How long its entities stay when its connection is lost, for it to come back; 0: not at all.
    std::uint32_t grace_ms = 30'000;
    /// Players' messages that wait until a service reads them; of more the oldest are lost, and it
    /// is sent that.
    std::size_t waiting_messages_max = 20'000;
    std::size_t waiting_message_bytes_max = 8 * 1024 * 1024;  ///< each is 64 bytes and its payload
    /// Is a service asked before a player comes in?
    enum class Admission : std::uint8_t {
        open,     ///< no
        asked,    ///< one that has no answer in time comes in as it asked to
        required  ///< one that has no answer in time is refused
    };
    Admission admission = Admission::open;
    std::uint32_t admission_ms_max = 2'000;  ///< how long it waits for the answer
    /// Who decides where players' entities are, unless a service sets it otherwise: client or
    /// service.
    Authority authority = Authority::client;

    friend bool operator==(const ServiceOptions&, const ServiceOptions&) = default;
};

/// The server: where clients come in and what each may cost. The comment says what changes when a
/// value is turned.
struct ServerOptions {
    /// Of the file descriptors that the process may have, so many are never a player's: they are
    /// the admin port's, a recording's, and those of files that are read again.
    static constexpr std::size_t kDescriptorsReserved = 32;
    [[nodiscard]] std::size_t descriptors_reserved() const {
        return kDescriptorsReserved + (admin.is_on ? admin.viewers_max : 0);
    }

    std::string address = "127.0.0.1";
    std::uint16_t port = 7777;  ///< 0: any free one; the log reports which
    bool is_tls = false;
    /// Only trusted proxies may connect, and send first whose connection it is (PROXY protocol,
    /// version 2). Limits and log then go by that address.
    bool is_behind_proxy = false;
    std::vector<std::string> trusted_proxies;  ///< addresses and networks
    WebSocketOptions web_socket;
    TlsOptions tls;  ///< for whichever entrance uses it
    AuthOptions auth;
    AdminOptions admin;
    ServiceOptions services;

    std::uint32_t io_threads = 1;  ///< 1 to 64
    /// How an I/O thread reads and writes its sockets.
    enum class Io : std::uint8_t {
        automatic,  ///< io_uring where the kernel and its policy allow it, else epoll
        epoll,
        io_uring,  ///< or the server does not start
    };
    Io io = Io::automatic;
    /// An I/O thread looks at its sockets at most once in so long. Higher costs less CPU where many
    /// play, and lets what they send wait up to so long; 0: it looks as soon as anything comes.
    std::uint32_t batch_us = 2'000;

    /// Connections at once; one more is sent `full` and closed.
    std::size_t connections_max = 10'000;
    /// How many may be without a Hello, or refused and not closed yet. With so many nothing more is
    /// accepted until one of the address that has most gives way: if it was refused, or is silent
    /// for a tenth of handshake_timeout_ms. So silent connections never keep players out.
    std::size_t handshakes_max = 2'000;
    AddressLimits address_limits;
    /// The largest message that a client may send, its length prefix left out. Each connection
    /// holds a buffer of about this size.
    std::size_t message_bytes_max = 2'048;
    /// A token bucket each: this many a second, and as many at once.
    std::uint32_t messages_per_second_max = 200;
    std::uint32_t bytes_per_second_max = 64 * 1024;
    std::uint32_t handshake_timeout_ms = 5'000;
    std::uint32_t idle_timeout_ms = 30'000;
    /// A client that has taken no frame for this long is given up.
    std::uint32_t slow_timeout_ms = 20'000;
    /// A client that is sent why it is closed gets this long to read it and to close its end.
    std::uint32_t linger_timeout_ms = 1'000;
    /// What the kernel may hold unsent of one client's stream. Small: or stale frames pile up in
    /// it.
    std::uint32_t unsent_bytes_max = 16 * 1024;

    /// What a connection keeps of each of its buffers once nothing is in it: one that grew for a
    /// large message is given back within a second. More: fewer allocations where frames are large.
    std::size_t idle_buffer_bytes_max = 16 * 1024;

    /// Of the process, as the system counts it: with more than that nobody joins and nothing is
    /// spawned, until it is 5 % less. Who is in plays on, and who is lost may resume. 0: as much as
    /// there is.
    std::size_t memory_bytes_max = 0;

    /// A player's entity may go no faster: a move that is too far is refused, and the client is
    /// sent where its entity is. Up to a second's way may be made at once. 0: as fast as it likes.
    std::uint32_t speed_max_mm_per_s = 0;

    /// A position of a player's that is outside the world.
    enum class Edge : std::uint8_t {
        /// A move is not made, and the client sent where its entity is; a Hello is refused.
        refuse,
        clamp,  ///< the nearest one inside counts, and nothing is sent
    };
    Edge edge = Edge::refuse;

    /// How long an entity stays in the world when its connection is lost, for its client to come
    /// back; 0: it leaves at once. No longer than slow_timeout_ms: who takes no frame for that is
    /// given up.
    std::uint32_t resume_grace_ms = 10'000;
    /// Entities that stay so at once; one more leaves.
    std::size_t resume_waiting_max = 1'000;

    /// What a player may send through its entity: so many a second, and at once, of at most so many
    /// bytes. SetStates, which set slots whose writer is the player. 0: none.
    std::uint32_t player_states_per_second_max = 10;
    SendLimit player_messages{0, 1'024};  ///< to services

    /// How many frames a second a client gets for whom nothing else is set; 0: as many as there are
    /// ticks. Fewer costs as much less, and moves come as much later.
    std::uint32_t frames_hz = 0;
    /// With ZoneOptions::prediction_error_mm: for how long an entity goes on with the velocity of
    /// its client's last move when no other comes.
    std::uint32_t prediction_ms_max = 500;

    /// What a client that asks for no view of its own sees.
    engine::View default_view = engine::View::circle(50'000, 55'000);
    /// Where a client that asks for no place begins.
    engine::Position default_spawn;
    /// False: its Hello's place counts for nothing, so that leaving and coming again is no way to a
    /// place of its choice.
    bool spawn_by_client = true;
};

}  // namespace marchland::net
