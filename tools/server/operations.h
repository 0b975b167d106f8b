#pragma once

#include "shards/zone.h"
#include "shards/zone_threads.h"
#include "net/admin/admin_server.h"
#include "net/server.h"
#include "net/token_bucket.h"
#include "config/config.h"
#include "tools/server/background_tasks.h"
#include "tools/server/log.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace marchland::server {

/// What came of a layout: text for whoever asked, each line of which is in the log.
struct LayoutResult {
    unsigned status = 422;  ///< 200: it is in force; 422: it is wrong; 503: not now
    std::string text = {};
};

/// What operators ask of a running server and do to it, over the admin port (docs/operating.md,
/// docs/admin_api.json).
///
/// Each change is one line of the log, a warning: `audit: who=… what=… before=… after=…`.
///
/// Threads  actions() are called on the admin port's; everything else is the main thread's, which
///          owns the zone's threads. What needs it waits for it as a task.
class Operations {
public:
    using Clock = std::chrono::steady_clock;
    using LayoutOrErrors = std::variant<shards::Layout, config::Diagnostics>;

    /// All of it outlives this.
    /// `reload`: reads again what may change while the server runs, on the main thread, and says in
    /// JSON what came of it.
    Operations(const config::ServerConfig& config, shards::Zone& zone, net::Server& server,
               shards::ZoneThreads& threads, const Log& log, std::function<std::string()> reload);

    [[nodiscard]] net::AdminActions actions();

    /// The server has been started, and players can come in.
    void open() { is_open_.store(true); }
    /// They can no more, and nothing more is begun for anybody.
    void close() {
        is_open_.store(false);
        background_tasks_.end();
    }
    void run_background_tasks() { background_tasks_.run(); }
    /// Reads again what may change, with an audit line; says in JSON what came of it.
    std::string reload_for(std::string_view who);
    /// Puts a layout in force; or says why not, and everything stays as it was. Also in the log,
    /// but for those beyond a limit, which counts them.
    LayoutResult put_in_force(LayoutOrErrors read, const std::string& source,
                              net::LogLimit* limit = nullptr);
    /// Somebody asked for it, or the server is drained: why, for the log.
    [[nodiscard]] std::optional<std::string> reason_to_stop(Clock::time_point now);

private:
    using Answer = net::AdminAnswer;
    using Call = net::AdminCall;

    Answer connections(const Call&);
    Answer kick(const Call& call);
    Answer ban(const Call& call);
    Answer unban(const Call& call);
    Answer bans(const Call&);
    Answer begin_backup(const Call& call);
    Answer backup(const Call&);
    Answer limits(const Call&);
    Answer set_limits(const Call& call);
    Answer reload(const Call& call);
    Answer entity(const Call& call);
    Answer drain(const Call& call);
    Answer stop(const Call& call);
    Answer layout(const Call&);
    Answer play_zone(const Call&);
    Answer check_layout(const Call& call);
    Answer change_layout(const Call& call);
    Answer undo_layout(const Call& call);
    Answer log_level(const Call&);
    Answer set_log_level(const Call& call);

    /// Of GET /entity/ID: whoever asks while a question is under way waits for the next one, which
    /// is about all of them. So shards and I/O threads are asked now and then, however many ask
    /// here.
    struct EntityAsked {
        engine::EntityId id{};
        std::optional<Answer> answer;
    };
    struct EntityQuestion;
    /// Ends the question that is under way once it is answered; else begins the next.
    void look_after_entities();
    void end_entity_question(Clock::time_point now);

    Answer put_layout(const Call& call, const char* what, const std::string& source,
                      const std::function<LayoutOrErrors()>& read);
    void keep_bans();
    [[nodiscard]] shards::StoreWriter& state_writer() const;
    /// Runs it on the main thread, to its end. Throws Refusal where that has no time; `done`:
    /// "nothing was ...".
    void ask_main(std::function<void()> task, std::string_view done);
    std::string begin_drain(std::chrono::seconds wait, const std::string& text);

    const config::ServerConfig& config_;
    shards::Zone& zone_;
    net::Server& server_;
    shards::ZoneThreads& threads_;
    const Log& log_;
    const std::function<std::string()> reload_;
    BackgroundTasks background_tasks_;
    std::atomic<bool> is_open_{false};
    std::atomic<bool> is_to_stop_{false};

    // The admin port's thread's.
    std::vector<std::shared_ptr<EntityAsked>> entities_asked_;
    std::shared_ptr<EntityQuestion> entity_question_;  ///< the newest; null: there was none

    // The main thread's.
    net::LogLimit layout_log_limit_;  ///< of those that came over the admin port
    /// Before the newest that an operator or the file put in force.
    std::optional<shards::Layout> layout_before_;
    std::optional<Clock::time_point> drained_at_;  ///< at the latest
    std::uint32_t empty_looks_ = 0;                ///< in which no player was inside, in a row
};

}  // namespace marchland::server
