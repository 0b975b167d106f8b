#pragma once

#include "net/connection.h"
#include "net/resume_store.h"
#include "net/service_entities.h"
#include "net/session.h"

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace marchland::net {

/// A service: game logic that owns entities, watches through some of them, moves players' entities
/// about, and is sent players' coming and going. docs/services.md is a tour.
///
/// Bounds   Its entities: entities_max, of which watchers_max watch. Each watcher has one frame at
///          a time, and one of these is with the connection; the others wait here. Of what else it
///          is to read, kAnswerBytesMax and the ServiceWelcome wait at most, and players' notices
///          in a queue as large as there are players.
class ServiceSession final : public Session {
public:
    static constexpr std::size_t kAnswerBytesMax = std::size_t{256} * 1024;
    /// Over this no command is taken until all is read. Notices go as far: they never hold commands
    /// up.
    static constexpr std::size_t kAnswerBytesMark = kAnswerBytesMax / 2;

    /// Whoever sent this ServiceHello, and was permitted to, has its entities and its
    /// ServiceWelcome; or the error to answer with.
    static Admitted admit(Connection& connection, const ServiceHello& hello);

    /// Made before anybody knows it: what throws later finds somebody who lets go of its queue and
    /// ports.
    ServiceSession(Connection& connection, std::shared_ptr<ServiceEntities> entities, bool admits);

    void receive(ClientMessage&& message) override;
    void check() override;
    void on_frame(PlayerPort& port) override;
    void on_frame_sent() override;
    void on_removed(PlayerPort& port) override;
    void on_notices() override;
    void on_said() override;
    void leave(PlayerLeftReason why) override;
    void lose() override;

private:
    using Access = ServiceEntities::Access;
    using Error = std::optional<ErrorMessage>;

    void begin(const std::string& name, TokensGiven given);
    void take_over_watchers(Access& access);
    void welcome(const Access& access, bool is_resumed);
    void end();

    void handle(const Ping& ping);
    void handle(const KeyframeRequest&);
    void handle(const Subscribe& subscribe);
    void handle(const AdmitPlayer& admit);
    void handle(const LeaveZone&);

    // Commands. What is refused goes to refused_; an error closes the connection.
    template <typename Command>
    void execute(const Command& command);
    [[nodiscard]] Error carry_out(Access& access, const Spawn& spawn);
    [[nodiscard]] Error carry_out(Access& access, const Despawn& despawn);
    [[nodiscard]] Error carry_out(Access& access, const MoveMany& move_many);
    [[nodiscard]] Error carry_out(Access& access, const Change& change);
    [[nodiscard]] Error carry_out(Access& access, const TransferPlayer& transfer);
    [[nodiscard]] Error carry_out(Access& access, const SendMessages& send_messages);
    [[nodiscard]] std::vector<engine::EntityId> players_among(
        const std::vector<engine::EntityId>& to);
    [[nodiscard]] std::optional<RefusalReason> spawn_one(Access& access, const SpawnOne& one);
    [[nodiscard]] std::shared_ptr<PlayerPort> make_watcher(engine::EntityId entity,
                                                           bool is_resumed);
    template <typename Use>
    [[nodiscard]] std::optional<RefusalReason> with_player(
        engine::EntityId entity, Use&& use, RefusalReason if_own = RefusalReason::not_yours);
    template <typename Use>
    [[nodiscard]] std::optional<RefusalReason> with_port(Access& access, engine::EntityId entity,
                                                         Use&& use);
    void despawn_own(Access& access, engine::EntityId entity);
    void forget_watcher(engine::EntityId entity);
    void refuse_if(std::optional<RefusalReason> reason, engine::EntityId entity,
                   std::uint32_t ref = 0);
    void answer_refused(std::uint8_t command);

    Connection& connection_;
    SessionContext& context_;
    const std::shared_ptr<ServiceEntities> entities_;
    const ServiceEntities::Holder holder_;
    const std::shared_ptr<NoticeQueue> queue_;
    bool is_short_of_room_ = false;  ///< notices wait until what was written is sent
    std::optional<SessionPass> pass_;
    bool has_spoken_ = false;  ///< so it has the ServiceWelcome, and its token

    std::map<engine::EntityId, std::shared_ptr<PlayerPort>> watchers_;  ///< of this connection
    std::deque<std::shared_ptr<PlayerPort>> frames_;  ///< the first one is with the connection

    // Scratch memory, empty between two messages.
    std::vector<CommandRefused> refused_;
    std::vector<SpawnedOne> spawned_;
};

}  // namespace marchland::net
