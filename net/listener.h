#pragma once

#include "net/address_table.h"
#include "net/io_thread.h"
#include "net/proxy_header.h"
#include "net/server_options.h"
#include "net/token_bucket.h"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace marchland::net {

class TlsContext;
struct OriginRule;

/// One port that clients may come in by, and what stands between its sockets and the protocol.
struct Entrance {
    std::string address;
    std::uint16_t port = 0;               ///< 0: any free one
    const TlsContext* tls = nullptr;      ///< null: without
    const OriginRule* origins = nullptr;  ///< null: no WebSocket
    bool is_behind_proxy = false;
};

/// Accepts connections at one entrance and deals them to the I/O threads in turn.
///
/// Behind a proxy: who connects must be a trusted one, and sends first whose connection it is
/// (ProxyHeader). That address counts for everything from then on. Others are closed.
///
/// Where limits.handshakes_max have not sent Hello yet it accepts no more before there is room:
/// those who come wait with the kernel, and nobody is thrown out whom the server had no time for.
/// But who stays silent, or was refused, gives way, if its address has more handshakes than others'
/// (AddressTable::find_place()).
///
/// Threads  The first I/O thread's, but for open() (before that I/O thread starts) and close() (the
///          owner's).
/// Errors   When the system is out of descriptors or memory it pauses, logs it at most once a
///          second, and goes on; the last descriptors it leaves to others
///          (ServerOptions::descriptors_reserved). What is thrown for one connection ends that one.
///          Connections over the limit are sent `full`; far over it, closed. So are those of an
///          address over its limits: the first is sent `address_limit`.
class Listener {
public:
    Listener(const ServerOptions& options, Entrance entrance, AddressTable& addresses,
             std::vector<std::unique_ptr<IoThread>>& io_threads);
    ~Listener();

    /// Binds, listens and begins to accept. `inherited`: a socket that listens already, instead.
    boost::system::error_code open(std::optional<int> inherited);
    /// Returns when every connection that was accepted is with its I/O thread. The I/O threads must
    /// run.
    void close();

    [[nodiscard]] std::uint16_t port() const { return port_; }

private:
    class Introduction;

    boost::system::error_code adopt(int inherited);
    boost::system::error_code listen();
    void accept();
    void take(boost::asio::ip::tcp::socket socket, IoThread& io_thread);
    void receive(boost::asio::ip::tcp::socket socket, IoThread& io_thread);
    template <typename Act>
    void end_one_that_fails(IoThread& io_thread, Act&& act);
    void introduce(boost::asio::ip::tcp::socket socket, const boost::asio::ip::tcp::endpoint& proxy,
                   IoThread& io_thread);
    void deal(boost::asio::ip::tcp::socket socket, const boost::asio::ip::tcp::endpoint& from,
              IoThread& io_thread);
    /// Admitted, and without a place yet.
    struct Newcomer {
        boost::asio::ip::tcp::socket socket;
        boost::asio::ip::tcp::endpoint from;
        AddressTable::Slot slot;
        IoThread* io_thread;
    };
    [[nodiscard]] bool find_place(Newcomer& newcomer);
    void on_displaced(IoThread::Displaced displaced);
    void take_in(Newcomer newcomer, Arrival::Refusal refusal);
    void take_in_waiting();
    void look_again(boost::asio::steady_timer& timer, std::chrono::milliseconds wait);
    void log(const boost::asio::ip::tcp::endpoint& proxy, const char* problem);
    void pause(const boost::system::error_code& reason);
    [[nodiscard]] std::size_t connections() const;

    const ServerOptions& options_;
    const Entrance entrance_;
    AddressTable& addresses_;
    std::vector<std::unique_ptr<IoThread>>& io_threads_;
    boost::asio::ip::tcp::acceptor acceptor_;
    boost::asio::steady_timer pause_timer_;
    boost::asio::steady_timer room_timer_;
    std::size_t next_io_thread_ = 0;
    std::uint16_t port_ = 0;
    LogLimit log_limit_;
    const TrustedProxies proxies_;
    std::list<std::shared_ptr<Introduction>> introductions_;  ///< the oldest first
    std::deque<Newcomer> newcomers_;                          ///< more than one only behind a proxy
    bool is_accepting_ = false;
    bool is_displacing_ = false;  ///< and waits for the answer
    bool waits_ = false;          ///< as the first I/O thread knows
};

}  // namespace marchland::net
