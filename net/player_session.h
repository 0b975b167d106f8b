#pragma once

#include "net/connection.h"
#include "net/resume_store.h"
#include "net/session.h"

#include <memory>
#include <optional>

namespace marchland::net {

/// A player: one entity, what its client asks for it, and the frames of what it sees.
class PlayerSession final : public Session {
public:
    /// Whoever sent this Hello, and was permitted to, is in the zone and has its Welcome; or the
    /// error to answer with.
    static Admitted admit(Connection& connection, Hello hello);

    /// Made before its `port` is the entity's: what throws later finds somebody who lets go of the
    /// port.
    PlayerSession(Connection& connection, std::shared_ptr<PlayerPort> port,
                  engine::EntityId entity);

    [[nodiscard]] std::optional<engine::EntityId> entity() const override { return entity_; }
    void notify(const Notice& notice) override;
    void receive(ClientMessage&& message) override;
    [[nodiscard]] bool is_held_up(TimePoint now) override;
    void make_up_for(TimePoint::duration time) override;
    void check() override;
    void on_frame(PlayerPort& port) override;
    void on_frame_sent() override;
    void on_removed(PlayerPort& port) override;
    void leave(PlayerLeftReason why) override;
    void lose() override;

private:
    class Waiting;
    class Leaving;
    class Asking;

    static Admitted ask_or_join(Connection& connection, Hello hello, TimePoint now);
    static Admitted join(Connection& connection, const Hello& hello, const shards::Inputs& given,
                         std::uint64_t request);
    static Admitted resume(Connection& connection, const Hello& hello);
    static std::optional<Admitted> replace(Connection& connection, const Hello& hello);
    static std::unique_ptr<PlayerSession> take_over(Connection& connection, const Hello& hello,
                                                    ResumablePlayer resumable);

    void begin(const ResumablePlayer& player, std::uint32_t message_number);
    void handle(const Hello&);
    void handle(const Move& move);
    void handle(const SetView& set_view);
    void handle(const SetFrameRate& rate);
    void handle(const Ping& ping);
    void handle(const KeyframeRequest&);
    void handle(const SetState& set_state);
    void handle(SendMessage message);
    [[nodiscard]] bool pass_on();
    void handle(const LeaveZone&);
    [[nodiscard]] bool take_credit(const SendLimit& send_limit, TokenBucket& bucket,
                                   std::size_t bytes);

    Connection& connection_;
    SessionContext& context_;
    const std::shared_ptr<PlayerPort> port_;
    const engine::EntityId entity_;
    /// Which of its entity's connections this is, by PlayerNotices::come_back.
    std::uint32_t line_ = 0;
    std::optional<SessionPass> pass_;
    /// Its client answered: it has the Welcome, and the resume token in that.
    bool has_spoken_ = false;
    /// To services, while its entity's next tick has no room for it. No other message is read
    /// meanwhile.
    std::optional<SendMessage> waiting_message_;
    TokenBucket state_limit_;
    TokenBucket message_limit_;
};

}  // namespace marchland::net
