#include "shards/zone.h"
#include "shards/zone_threads.h"
#include "net/server.h"
#include "tools/bench/benchmark.h"
#include "tools/bench/loopback.h"
#include "tools/bench/statistics.h"
#include "tools/bench/zone_stage.h"
#include "tools/clients/cpp/client.h"
#include "tools/clients/cpp/service.h"
#include "tools/progress/progress_line.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <pthread.h>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <unordered_map>
#include <variant>
#include <vector>

namespace marchland::bench {
namespace {

using namespace std::chrono_literals;
using SteadyClock = std::chrono::steady_clock;

constexpr const char* kFooter = R"(
One zone with two shards in this process, at 20 ticks a second. Players who stand still send its
services so many messages, each message to one service in turn; each service checks that it has every
message of every player once and in order. Turns of a second come in threes: nobody sends any; all do;
all do, and some lose their connections and resume them. The cost of a message is what the second kind
of turn takes more than the first: CPU time of all threads but the players' and the services'. Its
latency, in turns of the second kind, is from when it was due to the service's having it.

With --slow one service more wants all messages and reads none until the end. It is to hold up nobody:
what it has then, and what it lost by the MessagesLost that it is sent, are all there were.

  marchland-bench messages
  marchland-bench messages --rate 25 --together 5
  marchland-bench messages --slow --json)";

struct Conversation {
    std::size_t players = 2'000;
    std::size_t services = 2;
    std::size_t rate = 10;
    std::size_t together = 1;
    std::size_t resumes = 100;
    bool has_slow = false;
    std::uint64_t seed = 1;
};

/// What a message says.
struct Payload {
    std::uint64_t number = 0;  ///< among all of its player's, from 0
    SteadyClock::time_point due;
    bool is_timed = false;  ///< of a turn whose latencies are reported
};

std::vector<std::byte> bytes_of(const Payload& payload) {
    std::vector<std::byte> bytes(sizeof payload);
    std::memcpy(bytes.data(), &payload, sizeof payload);
    return bytes;
}

[[noreturn]] void fail_with(const client::Problem& problem) {
    throw std::runtime_error(problem.text);
}

template <typename Session>
Session joined(std::variant<Session, client::Problem> made) {
    if (const auto* const problem = std::get_if<client::Problem>(&made)) fail_with(*problem);
    return std::get<Session>(std::move(made));
}

client::SessionOptions quick_to_return() {
    client::SessionOptions options;
    options.retry = options.retry_max = 20ms;  // also for who is cut again soon
    return options;
}

/// A zone that ticks by itself, and its server.
class TalkingZone {
public:
    explicit TalkingZone(const Conversation& asked)
        : door_(door_options(asked)),
          zone_(zone_options(asked), grid_layout(kMap, 2, 1), door_),
          threads_(zone_, [this](const std::string& why) { note_failure(why); }) {
        if (const auto failure = door_.start(zone_)) {
            throw std::runtime_error("cannot listen on loopback: " + failure->error.message());
        }
        threads_.start();
    }
    ~TalkingZone() {
        threads_.stop();
        door_.stop();
    }

    [[nodiscard]] std::vector<client::Address> address() const {
        auto resolved = client::resolve({"127.0.0.1", std::to_string(door_.port())});
        return std::get<std::vector<client::Address>>(std::move(resolved));
    }

    /// Why the zone has stopped, if it has.
    [[nodiscard]] std::optional<std::string> failure() {
        const std::lock_guard lock(mutex_);
        return failure_;
    }

    static constexpr std::int32_t kSideMm = 2'000'000;

private:
    void note_failure(const std::string& why) {
        const std::lock_guard lock(mutex_);
        failure_ = failure_.value_or(why);
    }
    static net::ServerOptions door_options(const Conversation& asked) {
        net::ServerOptions options;
        options.port = 0;
        options.connections_max = asked.players + 100;
        options.handshakes_max = options.connections_max;
        options.default_view = engine::View::circle(1'000, 1'100);
        options.player_messages = {
            static_cast<std::uint32_t>(2 * (asked.rate + asked.together) + 10), 64};
        options.messages_per_second_max = 10'000;
        options.bytes_per_second_max = 10'000'000;
        options.services.bytes_per_second_max = 100'000'000;
        if (asked.has_slow) {  // which neither reads nor says anything, to the end
            options.idle_timeout_ms = options.slow_timeout_ms = kLongMs;
            options.services.waiting_messages_max = 5'000;
        }
        return options;
    }
    static shards::ZoneOptions zone_options(const Conversation& asked) {
        shards::ZoneOptions options;
        options.world = kMap;
        options.entities_max = asked.players + 100;
        return options;
    }

    static constexpr engine::Rect kMap{0, 0, kSideMm, kSideMm};
    static constexpr std::uint32_t kLongMs = 3'600'000;

    std::mutex mutex_;  ///< guards failure_
    std::optional<std::string> failure_;
    net::Server door_;
    shards::Zone zone_;
    shards::ZoneThreads threads_;
};

/// A service on a thread of its own: every player's messages to it come once and in order, or it
/// has a failure.
///
/// Threads  count, cpu_ns, has_failed: any. The rest: the owner's; failure and latencies_ms after
///          stop().
class Listener {
public:
    /// It is sent each player's messages whose number leaves this rest when it is divided by
    /// `services`.
    Listener(const TalkingZone& zone, std::size_t rest, std::size_t services)
        : services_(services), rest_(rest), service_(joined(zone, *this)) {
        service_.subscribe({static_cast<std::uint16_t>(rest)});
        thread_ = std::thread([this] { run(); });
    }
    ~Listener() { stop(); }

    void stop() {
        is_over_ = true;
        if (thread_.joinable()) thread_.join();
    }
    [[nodiscard]] std::uint64_t count() const { return count_; }
    /// Of its thread. Before stop().
    [[nodiscard]] std::uint64_t cpu_ns() const {
        clockid_t clock{};
        timespec used{};
        pthread_getcpuclockid(const_cast<std::thread&>(thread_).native_handle(), &clock);
        clock_gettime(clock, &used);
        return static_cast<std::uint64_t>(used.tv_sec) * 1'000'000'000 +
               static_cast<std::uint64_t>(used.tv_nsec);
    }
    [[nodiscard]] bool has_failed() const { return has_failed_; }
    [[nodiscard]] const std::string& failure() const { return failure_; }
    [[nodiscard]] const std::vector<double>& latencies_ms() const { return latencies_ms_; }

private:
    static client::Service joined(const TalkingZone& zone, Listener& to) {
        return bench::joined(client::Service::join(
            zone.address(), fmt::format("listener {}", to.rest_),
            [&to](const net::ServerMessage& message, client::Service::Ref,
                  const client::SeenWorld*) { to.take(message); },
            quick_to_return()));
    }

    void run() {
        while (!is_over_ && !has_failed_) {
            if (const auto problem = service_.serve(20ms)) {
                fail_as(problem->text);
            }
        }
    }

    void take(const net::ServerMessage& message) {
        if (const auto* const lost = std::get_if<net::MessagesLost>(&message)) {
            fail_as(fmt::format("{} messages were lost before they were read", lost->count));
        }
        const auto* const from_player = std::get_if<net::PlayerMessage>(&message);
        if (from_player == nullptr) return;
        Payload payload;
        if (from_player->payload.size() != sizeof payload) {
            return fail_as("a message has another payload");
        }
        std::memcpy(&payload, from_player->payload.data(), sizeof payload);
        auto& next = next_of_.try_emplace(to_number(from_player->entity), rest_).first->second;
        if (payload.number != next) {
            return fail_as(fmt::format("player {}'s message {} comes where {} is next",
                                       to_number(from_player->entity), payload.number, next));
        }
        next += services_;
        if (payload.is_timed) {
            latencies_ms_.push_back(
                std::chrono::duration<double, std::milli>(SteadyClock::now() - payload.due)
                    .count());
        }
        ++count_;
    }

    void fail_as(std::string why) {
        if (!has_failed_) {
            failure_ = std::move(why);
            has_failed_ = true;
        }
    }

    const std::size_t services_;
    const std::size_t rest_;
    std::unordered_map<std::uint64_t, std::uint64_t> next_of_;
    std::vector<double> latencies_ms_;
    std::atomic<std::uint64_t> count_{0};
    std::atomic<bool> is_over_{false};
    std::atomic<bool> has_failed_{false};
    std::string failure_;
    client::Service service_;
    std::thread thread_;
};

/// A service that wants all messages, and does not read.
class SlowListener {
public:
    SlowListener(const TalkingZone& zone, std::size_t services) {
        client::SessionOptions options;
        options.resume = false;
        options.silence_max = 1h;
        service_.emplace(joined(client::Service::join(
            zone.address(), "slow",
            [this](const net::ServerMessage& message, client::Service::Ref,
                   const client::SeenWorld*) {
                if (const auto* const lost = std::get_if<net::MessagesLost>(&message)) {
                    lost_ += lost->count;
                }
                received_ += std::holds_alternative<net::PlayerMessage>(message) ? 1 : 0;
            },
            std::move(options))));
        std::vector<std::uint16_t> kinds;
        for (std::size_t kind = 0; kind < services; ++kind) {
            kinds.push_back(static_cast<std::uint16_t>(kind));
        }
        service_->subscribe(kinds);
        serve();
    }

    /// Reads until so many have come, or are lost by the MessagesLost that come.
    void catch_up(std::uint64_t sent) {
        const auto deadline = SteadyClock::now() + 20s;
        while (received_ + lost_ < sent && SteadyClock::now() < deadline) {
            serve();
        }
        for (int times = 0; times < kTimesMore; ++times) {
            serve();
        }
        if (received_ + lost_ != sent) {
            throw std::runtime_error(
                fmt::format("of {} messages the slow service has {}, and was sent that {} "
                            "are lost",
                            sent, received_, lost_));
        }
    }
    [[nodiscard]] std::uint64_t lost() const { return lost_; }

    /// So often for 20 ms somebody looks for more than was to come.
    static constexpr int kTimesMore = 10;

private:
    void serve() {
        if (const auto problem = service_->serve(20ms)) fail_with(*problem);
    }

    std::optional<client::Service> service_;
    std::uint64_t received_ = 0;
    std::uint64_t lost_ = 0;
};

/// What a turn took.
struct Turn {
    std::uint64_t messages = 0;
    std::uint64_t cpu_ns = 0;  ///< of the server's threads
    double sending_seconds = 0;
    double seconds = 0;  ///< until the services had them
};

/// Players who stand on a grid, on the thread that made them; and the services that they send
/// messages to.
class Stage {
public:
    explicit Stage(const Conversation& asked)
        : asked_(asked),
          zone_(asked),
          dice_(asked.seed),
          sent_by_(asked.players),
          cuts_of_(asked.players),
          resumes_of_(asked.players) {
        for (std::size_t i = 0; i < asked.services; ++i) {
            listeners_.push_back(std::make_unique<Listener>(zone_, i, asked.services));
        }
        if (asked.has_slow) slow_.emplace(zone_, asked.services);
        const auto address = zone_.address();
        const auto columns = static_cast<std::size_t>(std::ceil(std::sqrt(double(asked.players))));
        const std::size_t step_mm = TalkingZone::kSideMm / (columns + 1);
        for (std::size_t i = 0; i < asked.players; ++i) {
            net::Hello hello;
            hello.spawn =
                engine::Position{static_cast<std::int32_t>((1 + i % columns) * step_mm),
                                 static_cast<std::int32_t>((1 + i / columns) * step_mm), 0};
            client::SessionOptions options = quick_to_return();
            options.on_resumed = [this, i] { ++resumes_of_[i]; };
            players_.push_back(
                joined(client::Client::join(address, hello, {}, std::move(options))));
        }
    }

    enum class Kind : std::uint8_t { quiet, untimed, timed };
    /// Players are served as often in a quiet turn. It ends when all that was sent is with the
    /// services, and everybody is back.
    Turn run(std::chrono::milliseconds length, Kind kind, std::size_t cuts) {
        const auto began = SteadyClock::now();
        const std::uint64_t cpu_before = server_cpu_ns();
        Turn turn;
        const auto between = std::chrono::duration_cast<std::chrono::nanoseconds>(
                                 asked_.together * 1'000'000'000ns / asked_.rate) /
                             players_.size();
        const auto sendings = static_cast<std::size_t>(length / between);
        for (std::size_t i = 0; i < sendings; ++i) {
            const auto due = began + between * static_cast<std::int64_t>(i);
            if (due > SteadyClock::now() + 1ms) std::this_thread::sleep_until(due);
            const std::size_t player = next_player_++ % players_.size();
            for (std::size_t k = 0; kind != Kind::quiet && k < asked_.together; ++k) {
                send(player, due, kind == Kind::timed);
                ++turn.messages;
            }
            serve(player);
            for (auto cut = i * cuts / sendings; cut < (i + 1) * cuts / sendings; ++cut) {
                cut_one();
            }
        }
        turn.sending_seconds = std::chrono::duration<double>(SteadyClock::now() - began).count();
        settle();
        turn.seconds = std::chrono::duration<double>(SteadyClock::now() - began).count();
        turn.cpu_ns = server_cpu_ns() - cpu_before;
        return turn;
    }

    /// Nothing came twice, or without having been sent.
    void finish() {
        for (int times = 0; times < SlowListener::kTimesMore; ++times) {
            serve_all();
            std::this_thread::sleep_for(20ms);
        }
        for (const auto& listener : listeners_) {
            listener->stop();
            if (listener->has_failed()) throw std::runtime_error(listener->failure());
        }
        if (received() != sent() || cuts_of_ != resumes_of_) fail_unsettled();
        if (slow_) slow_->catch_up(sent());
        if (const auto why = zone_.failure()) throw std::runtime_error(*why);
    }

    [[nodiscard]] std::uint64_t sent() const {
        return std::accumulate(sent_by_.begin(), sent_by_.end(), std::uint64_t{0});
    }
    [[nodiscard]] std::size_t resumes() const {
        return std::accumulate(resumes_of_.begin(), resumes_of_.end(), std::size_t{0});
    }
    [[nodiscard]] std::uint64_t lost_by_slow() const { return slow_ ? slow_->lost() : 0; }
    /// After finish().
    [[nodiscard]] std::vector<double> latencies_ms() const {
        std::vector<double> all;
        for (const auto& listener : listeners_) {
            all.insert(all.end(), listener->latencies_ms().begin(), listener->latencies_ms().end());
        }
        return all;
    }

private:
    void send(std::size_t player, SteadyClock::time_point due, bool is_timed) {
        const std::uint64_t number = sent_by_[player]++;
        const auto kind = static_cast<std::uint16_t>(number % asked_.services);
        if (!players_[player].say(kind, bytes_of({number, due, is_timed}))) {
            fail(player, "has more to say than it may");
        }
    }
    void serve(std::size_t player) {
        if (const auto problem = players_[player].serve(0ms)) fail(player, problem->text);
    }
    void serve_all() {
        for (std::size_t player = 0; player < players_.size(); ++player)
            serve(player);
    }
    /// Of those who are connected.
    void cut_one() {
        std::size_t player = dice_() % players_.size();
        for (std::size_t tries = 0; players_[player].fd() == -1; ++tries) {
            if (tries == players_.size()) {  // everybody is on the way back
                serve_all();
                tries = 0;
            }
            player = (player + 1) % players_.size();
        }
        players_[player].cut();
        ++cuts_of_[player];
    }
    void settle() {
        const auto deadline = SteadyClock::now() + 20s;
        while (received() < sent() || cuts_of_ != resumes_of_) {
            serve_all();
            for (const auto& listener : listeners_) {
                if (!listener->has_failed()) continue;
                listener->stop();
                throw std::runtime_error(listener->failure());
            }
            if (SteadyClock::now() > deadline) fail_unsettled();
        }
    }
    [[noreturn]] void fail_unsettled() const {
        throw std::runtime_error(fmt::format(
            "of {} messages the services have {}; of {} connections that were lost {} are back",
            sent(), received(), std::accumulate(cuts_of_.begin(), cuts_of_.end(), std::size_t{0}),
            resumes()));
    }
    [[nodiscard]] std::uint64_t received() const {
        std::uint64_t received = 0;
        for (const auto& listener : listeners_)
            received += listener->count();
        return received;
    }
    [[nodiscard]] std::uint64_t server_cpu_ns() const {
        std::uint64_t cpu = others_cpu_ns();
        for (const auto& listener : listeners_)
            cpu -= listener->cpu_ns();
        return cpu;
    }

    const Conversation asked_;
    TalkingZone zone_;
    std::vector<std::unique_ptr<Listener>> listeners_;
    std::optional<SlowListener> slow_;
    std::vector<client::Client> players_;
    std::minstd_rand dice_;
    std::size_t next_player_ = 0;
    std::vector<std::uint64_t> sent_by_;   ///< by player
    std::vector<std::size_t> cuts_of_;     ///< by player
    std::vector<std::size_t> resumes_of_;  ///< by player
};

struct Measured {
    std::vector<double> per_second, cpu_ns, cpu_percent;  ///< by turn
    std::vector<double> latencies_ms;
    std::uint64_t messages = 0;
    std::size_t resumes = 0;
    std::uint64_t lost_by_slow = 0;
};

/// Of the turns that there were when it was interrupted; nothing where there were none.
std::optional<Measured> measure(const Conversation& asked, const CommonOptions& common,
                                const Host& host, tools::ProgressLine& line) {
    constexpr auto kTurn = 1'000ms;
    line.show("messages: players come in", 0, 0);
    Stage stage(asked);
    Measured measured;
    stage.run(kTurn, Stage::Kind::untimed, 0);
    for (std::size_t turn = 0; turn < common.repetitions && !host.is_interrupted(); ++turn) {
        line.show("messages: turn", turn, common.repetitions);
        const Turn quiet = stage.run(kTurn, Stage::Kind::quiet, 0);
        const Turn loud = stage.run(kTurn, Stage::Kind::timed, 0);
        const std::size_t cuts = (turn + 1) * asked.resumes / common.repetitions -
                                 turn * asked.resumes / common.repetitions;
        stage.run(kTurn, Stage::Kind::untimed, cuts);
        const auto messages = static_cast<double>(loud.messages);
        const double more_ns = static_cast<double>(loud.cpu_ns) / loud.seconds -
                               static_cast<double>(quiet.cpu_ns) / quiet.seconds;
        measured.per_second.push_back(messages / loud.sending_seconds);
        measured.cpu_ns.push_back(more_ns * loud.seconds / messages);
        measured.cpu_percent.push_back(more_ns / 1e7);
    }
    stage.finish();
    measured.latencies_ms = stage.latencies_ms();
    measured.messages = stage.sent();
    measured.resumes = stage.resumes();
    measured.lost_by_slow = stage.lost_by_slow();
    return measured.cpu_ns.empty() ? std::nullopt : std::optional(measured);
}

std::string result_json(const Conversation& asked, const Measured& measured) {
    return fmt::format(
        R"({{"players":{},"services":{},"rate":{},"together":{},"seed":{},"messages":{},)"
        R"("messages_per_second":{:.0f},"cpu_ns_per_message":{:.0f},"cpu_percent_of_core":{:.1f},)"
        R"("spread":{:.3f},"latency_ms_p50":{:.1f},"latency_ms_p99":{:.1f},"resumes":{}{}}})",
        asked.players, asked.services, asked.rate, asked.together, asked.seed, measured.messages,
        median(measured.per_second), median(measured.cpu_ns), median(measured.cpu_percent),
        spread(measured.cpu_ns), percentile(measured.latencies_ms, 50),
        percentile(measured.latencies_ms, 99), measured.resumes,
        asked.has_slow ? fmt::format(R"(,"lost_by_slow":{})", measured.lost_by_slow) : "");
}

std::string result_text(const Conversation& asked, const Measured& measured) {
    std::string text = fmt::format(
        "{} players, {} services: {} messages, each once and in order, over {} resumes\n"
        "  {:>8.0f} messages a second\n"
        "  {:>8.0f} ns CPU of the server for each (spread {:.0f}%): {:.1f}% of a core\n"
        "  {:>8.1f} ms until the service has it; p99 {:.1f}\n",
        asked.players, asked.services, measured.messages, measured.resumes,
        median(measured.per_second), median(measured.cpu_ns), spread(measured.cpu_ns) * 100,
        median(measured.cpu_percent), percentile(measured.latencies_ms, 50),
        percentile(measured.latencies_ms, 99));
    if (asked.has_slow) {
        text += fmt::format("  {:>8} lost by the slow service, and it was sent how many\n",
                            measured.lost_by_slow);
    }
    return text;
}

void declare(CLI::App& app, Conversation& asked) {
    app.add_option("--players", asked.players, "Who send messages")
        ->check(CLI::Range(1, 5'000))
        ->capture_default_str();
    app.add_option("--services", asked.services, "Who are sent them, each as many")
        ->check(CLI::Range(1, 16))
        ->capture_default_str();
    app.add_option("--rate", asked.rate, "Messages of each player in a second")
        ->check(CLI::Range(1, 200))
        ->capture_default_str();
    app.add_option("--together", asked.together, "So many of a player's come at once")
        ->check(CLI::Range(1, 100))
        ->capture_default_str();
    app.add_option("--resumes", asked.resumes, "Connections lost and resumed, in all turns")
        ->check(CLI::Range(0, 10'000))
        ->capture_default_str();
    app.add_flag("--slow", asked.has_slow, "One service more wants all messages and does not read");
}

}  // namespace

int run_messages_benchmark(int argc, const char* const* argv, const Host& host) {
    CLI::App app("What players' messages to services cost the server, and how long they take.",
                 "marchland-bench messages");
    app.footer(kFooter);
    Conversation asked;
    CommonOptions common{.repetitions = 10};
    declare(app, asked);
    parse(app, common, "20 players, and unsteady: does it run?", argc, argv, host);
    asked.seed = common.seed;
    if (common.is_quick) {
        asked.players = 20;
        asked.resumes = std::min<std::size_t>(asked.resumes, 4);
    }
    if (asked.together > asked.rate) {
        throw tools::BadInput(fmt::format(
            "messages: --together {} is more than a player sends in a second, --rate {}",
            asked.together, asked.rate));
    }
    require_open_files("--players", asked.players, 1);
    return run_one<Measured>(
        "messages", common, host,
        [&](tools::ProgressLine& line) { return measure(asked, common, host, line); },
        [&](const Measured& measured) { return result_json(asked, measured); },
        [&](const Measured& measured) { return result_text(asked, measured); });
}

}  // namespace marchland::bench
