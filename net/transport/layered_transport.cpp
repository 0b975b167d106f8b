#include "net/transport/layered_transport.h"

#include "engine/assert.h"

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <utility>

namespace marchland::net {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

/// Read at once; on the stack, so that no connection holds it while nothing comes.
constexpr std::size_t kReadBytes = std::size_t{16} * 1024;

}  // namespace

LayeredTransport::LayeredTransport(SocketIo& sockets, tcp::socket socket,
                                   std::vector<std::unique_ptr<Layer>> layers,
                                   const tcp::endpoint& from)
    : socket_(sockets.adopt(std::move(socket), from)),
      io_(sockets.io()),
      layers_(std::move(layers)),
      between_(layers_.size() - 1),
      wrapped_(layers_.size() - 1) {
    MARCHLAND_ASSERT(!layers_.empty());
    socket_->attach(*this);
}

// In

void LayeredTransport::await_readable() {
    const bool is_over = state() == Layer::State::ended || state() == Layer::State::failed;
    if (read_bytes_ == up_.size() && !is_over && !end_) {
        socket_->await_readable();
        return;
    }
    asio::post(io_, [this, weak = weak_from_this()] {
        const auto held = weak.lock();
        if (held && user_ != nullptr) {
            user_->on_readable();
        }
    });
}

void LayeredTransport::on_readable() {
    std::array<std::byte, kReadBytes> from_socket;
    error_code error;
    const std::size_t bytes = socket_->read(from_socket, error).bytes;
    if (error == asio::error::would_block) {
        socket_->await_readable();
    } else if (error) {
        end_ = error;
        user_->on_readable();
    } else {
        wire_bytes_ += bytes;
        take_in(std::span(from_socket).first(bytes));
    }
}

/// While it waits nothing is read: what the peer sends waits with the kernel.
void LayeredTransport::wait_for_turn() {
    waits_since_ = HandshakeTurns::Clock::now();
    turns_->wait(address_, this, [this] { on_turn(); });
}

/// Whoever is gone by now gets no signature.
void LayeredTransport::on_turn() {
    waited_ += HandshakeTurns::Clock::now() - *std::exchange(waits_since_, std::nullopt);
    if (!socket_->is_open() || socket_->has_ended()) {
        end_ = asio::error::eof;
        user_->on_readable();
        return;
    }
    layers_.front()->give_turn();
    take_in({});
}

/// Its user is notified also when nothing was carried: it counts what came, or is at the end.
void LayeredTransport::take_in(std::span<const std::byte> from_socket) {
    const auto held = shared_from_this();  // the user may close it when a send of its is over
    try {
        take(from_socket);
        if (turns_ != nullptr && layers_.front()->needs_turn()) {
            wait_for_turn();
            return;
        }
        drain(end_);
        if (!end_ && answer_bytes_ + sending_answer_bytes_ > kAnswerBytesMax) {
            end_ = asio::error::no_buffer_space;
        }
        if (!end_ && asio::buffer_size(unwrapped_) > 0 && state() != Layer::State::opening) {
            send_waiting();
        }
    } catch (const std::exception&) {  // no memory in a layer
        end_ = asio::error::no_memory;
    }
    if (user_ != nullptr) {
        user_->on_readable();
    }
}

void LayeredTransport::take(std::span<const std::byte> from_socket) {
    const std::size_t waiting = down_.size();
    std::span<const std::byte> below = from_socket;
    Layer::Bytes answer;  // of a layer above the first: allocates only when there is one
    for (std::size_t i = 0; i < layers_.size(); ++i) {
        const bool is_last = i + 1 == layers_.size();
        Layer::Bytes& above = is_last ? up_ : between_[i];
        if (!is_last) {
            above.clear();
        }
        answer.clear();
        layers_[i]->take(below, above, i == 0 ? down_ : answer);
        if (!answer.empty()) {
            wrap(answer, i);
        }
        below = above;
    }
    answer_bytes_ += down_.size() - waiting;
}

Transport::Read LayeredTransport::read(std::span<std::byte> space, error_code& error) {
    error = end_;
    const std::size_t bytes = error ? 0 : std::min(space.size(), up_.size() - read_bytes_);
    const std::size_t wire_bytes = std::exchange(wire_bytes_, 0);
    if (bytes > 0) {
        std::memcpy(space.data(), up_.data() + read_bytes_, bytes);
        read_bytes_ += bytes;
    } else if (!error && state() == Layer::State::ended) {
        error = asio::error::eof;
    } else if (!error && state() == Layer::State::failed) {
        error = asio::error::connection_aborted;
    } else if (!error && wire_bytes == 0) {
        error = asio::error::would_block;
    }
    if (read_bytes_ == up_.size()) {
        up_.clear();
        read_bytes_ = 0;
    }
    return {bytes, wire_bytes};
}

// Out

bool LayeredTransport::send(const Buffers& buffers, std::shared_ptr<const void> holder,
                            error_code& error) {
    error = {};
    if (state() == Layer::State::opening) {
        unwrapped_ = buffers;
        holder_ = std::move(holder);
        return false;
    }
    if (state() == Layer::State::failed) {
        error = asio::error::connection_aborted;
        return false;
    }
    wrap(buffers);
    drain(error);
    if (error || is_drained()) {
        return !error;
    }
    holder_ = std::move(holder);
    return false;
}

/// The handshake is over.
void LayeredTransport::send_waiting() {
    error_code error;
    if (send(std::exchange(unwrapped_, {}), holder_, error) || error) {
        const auto held = std::exchange(holder_, nullptr);
        user_->on_sent(error);
    }
}

void LayeredTransport::wrap(const Buffers& buffers) {
    for (const asio::const_buffer& buffer : buffers) {
        if (buffer.size() > 0) {
            wrap({static_cast<const std::byte*>(buffer.data()), buffer.size()}, layers_.size());
        }
    }
    is_in_down_ = true;
}

/// Through the first `layers_below` layers, from above, to the end of what waits for the socket.
void LayeredTransport::wrap(std::span<const std::byte> bytes, std::size_t layers_below) {
    for (std::size_t i = layers_below; i > 0; --i) {
        if (i == 1) {
            layers_[0]->wrap(bytes, down_);
        } else {
            Layer::Bytes& wrapped = wrapped_[i - 2];
            wrapped.clear();
            layers_[i - 1]->wrap(bytes, wrapped);
            bytes = wrapped;
        }
    }
    if (layers_below == 0) {
        down_.insert(down_.end(), bytes.begin(), bytes.end());
    }
}

/// Gives the socket what waits, unless it is busy with what it was given before.
void LayeredTransport::drain(error_code& error) {
    error = {};
    if (!sending_.empty() || down_.empty()) {
        return;
    }
    std::swap(down_, sending_);
    sending_answer_bytes_ = std::exchange(answer_bytes_, 0);
    is_in_sending_ = std::exchange(is_in_down_, false);
    if (socket_->send({asio::buffer(sending_), {}}, shared_from_this(), error) || error) {
        end_sending();
    }
}

void LayeredTransport::end_sending() {
    sending_.clear();
    sending_answer_bytes_ = 0;
    is_in_sending_ = false;
}

/// What a layer answered goes out though nobody sends anything.
void LayeredTransport::on_sent(const error_code& error) {
    bool is_done = is_in_sending_;
    error_code failure = error;
    end_sending();
    if (!failure) {
        is_done |= is_in_down_;
        drain(failure);
        is_done &= !is_in_sending_;
    }
    if (is_drained() && is_ending_) {
        socket_->shut_down();
    }
    if (holder_ && (failure || is_done)) {
        const auto held = std::exchange(holder_, nullptr);
        user_->on_sent(failure);
    }
}

// The end

void LayeredTransport::shut_down() {
    // Whoever is not open has nothing to end.
    for (std::size_t i = layers_.size(); i > 0 && state() != Layer::State::opening; --i) {
        Layer::Bytes end;
        layers_[i - 1]->end(end);
        wrap(end, i - 1);
    }
    error_code ignored;  // not connected any more: the read reports it
    drain(ignored);
    if (is_drained()) {
        socket_->shut_down();
    } else {
        is_ending_ = true;
    }
}

void LayeredTransport::close() {
    socket_->close();
    user_ = nullptr;
    holder_.reset();  // it may hold this: whoever calls holds it, too
    if (std::exchange(waits_since_, std::nullopt)) {
        turns_->cancel(address_, this);
    }
}

void LayeredTransport::reset() {
    socket_->reset();
    close();
}

void LayeredTransport::trim(std::size_t bytes_kept) {
    const auto trim_one = [bytes_kept](Layer::Bytes& buffer) {
        if (buffer.capacity() > bytes_kept) {
            Layer::Bytes().swap(buffer);  // "= {}" would keep the memory
        }
    };
    for (Layer::Bytes* const buffer : {&up_, &down_, &sending_}) {
        if (buffer->empty()) {
            trim_one(*buffer);
        }
    }
    // Scratch memory: what is in it was passed on.
    std::ranges::for_each(between_, trim_one);
    std::ranges::for_each(wrapped_, trim_one);
}

std::size_t LayeredTransport::memory_bytes() const {
    std::size_t bytes =
        up_.capacity() + down_.capacity() + sending_.capacity() + socket_->memory_bytes();
    for (const auto* const buffers : {&between_, &wrapped_}) {
        for (const Layer::Bytes& buffer : *buffers) {
            bytes += buffer.capacity();
        }
    }
    return bytes;
}

void LayeredTransport::take_turns(HandshakeTurns& turns, HandshakeTurns::Address address) {
    turns_ = &turns;
    address_ = address;
}

std::chrono::steady_clock::duration LayeredTransport::waited(
    std::chrono::steady_clock::time_point now) const {
    return waited_ + (waits_since_ ? now - *waits_since_ : std::chrono::steady_clock::duration());
}

std::string LayeredTransport::failure() const {
    for (const auto& layer : layers_) {
        if (auto text = layer->failure(); !text.empty()) {
            return text;
        }
    }
    return "";
}

/// Of all layers together: open when all are, over when one is.
Layer::State LayeredTransport::state() const {
    auto state = Layer::State::open;
    for (const auto& layer : layers_) {
        const Layer::State it = layer->state();
        if (it == Layer::State::failed || it == Layer::State::ended) {
            return it;
        }
        state = it == Layer::State::opening ? it : state;
    }
    return state;
}

}  // namespace marchland::net
