// marchland-admin: asks and steers a running zone over its admin port.

#include "tools/clients/cpp/address.h"
#include "tools/command_line/parse.h"
#include "tools/command_line/run_main.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/beast/core/file.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/http/file_body.hpp>
#include <boost/json.hpp>
#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <sys/stat.h>

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
namespace json = boost::json;

constexpr auto kTimeout = std::chrono::seconds(30);
constexpr std::uint64_t kAnswerBytesMax = std::uint64_t{64} * 1024 * 1024;
constexpr std::uint64_t kBackupBytesMax = std::uint64_t{64} << 30U;
/// How long the zone may take to make one, and how often it is asked.
constexpr auto kBackupMax = std::chrono::minutes(10);
constexpr auto kBackupLook = std::chrono::milliseconds(100);
/// Headers of a backup: up to which tick, how old, and whether that is as it should be.
constexpr const char* kStateTick = "Marchland-State-Tick";
constexpr const char* kStateAge = "Marchland-State-Age-Seconds";
constexpr const char* kState = "Marchland-State";

constexpr const char* kFooter = R"(
The token is the first line of --token-file, or of the file that MARCHLAND_ADMIN_TOKEN_FILE names. With the zone's
admin.read_token_file one may look; kick, ban, unban, backup, drain, stop, reload, layout apply and undo, limits --memory-mib and
log-level LEVEL need that of admin.token_file. Each change is a line in the zone's log that begins with "audit:".

Exit code: 0 done, 1 the zone refused or cannot be reached, 2 bad arguments or a bad file.

  marchland-admin who
  marchland-admin --connect 10.0.0.1:7779 --token-file admin.token kick --subject ann --reason "be kind"
  marchland-admin ban --address 10.0.0.7 --seconds 3600
  marchland-admin layout check new.toml && marchland-admin layout apply new.toml
  marchland-admin backup zone.db
  marchland-admin drain --seconds 60 --text "Back in five minutes")";

struct Request {
    http::verb method = http::verb::get;
    std::string target;
    std::string body = {};
};

struct Typed {
    std::string connect = "127.0.0.1:7779";
    std::string token_file;
    bool json = false;
    std::function<Request()> request;  ///< of the command; none: it is more than one (backup)

    std::optional<std::uint64_t> connection;
    std::optional<std::uint64_t> entity;
    std::string subject;
    std::string address;
    std::string reason;
    std::uint64_t ban_seconds = 0;
    std::uint64_t drain_seconds = 30;
    std::string text;
    std::string file;
    std::string level;
    std::optional<std::uint64_t> memory_mib;
};

/// With only what was typed.
Request post(std::string target, const json::object& all) {
    json::object body;
    for (const auto& [key, value] : all) {
        if (!value.is_null() && value != json::value("")) {
            body.insert_or_assign(key, value);
        }
    }
    return {http::verb::post, std::move(target), json::serialize(body)};
}

/// Throws boost::system::system_error when there is no answer. The body of a 200 goes to the file,
/// where there is one.
http::response<http::string_body> ask(const Typed& typed, const std::string& token,
                                      const Request& asked, boost::beast::file* file = nullptr) {
    const auto zone = marchland::client::parse_host_port(typed.connect);
    if (!zone) {
        throw marchland::tools::BadInput(
            fmt::format("--connect: '{}' is not HOST:PORT, such as 127.0.0.1:7779", typed.connect));
    }
    asio::io_context io;
    asio::ip::tcp::resolver resolver(io);
    boost::beast::tcp_stream stream(io);
    // One after the other, each by itself: only operations that do not block have a time limit.
    const auto finish = [&](auto answer) {
        io.restart();
        io.run();
        answer.get();
    };
    stream.expires_after(kTimeout);
    finish(stream.async_connect(resolver.resolve(zone->host, zone->port), asio::use_future));
    http::request<http::string_body> request{asked.method, asked.target, 11};
    request.set(http::field::host, typed.connect);
    if (!token.empty()) {
        request.set(http::field::authorization, "Bearer " + token);
    }
    request.body() = asked.body;
    request.prepare_payload();
    finish(http::async_write(stream, request, asio::use_future));
    boost::beast::flat_buffer buffer;
    http::response_parser<http::empty_body> head;
    finish(http::async_read_header(stream, buffer, head, asio::use_future));
    if (file == nullptr || head.get().result() != http::status::ok) {
        http::response_parser<http::string_body> parser(std::move(head));
        parser.body_limit(kAnswerBytesMax);
        finish(http::async_read(stream, buffer, parser, asio::use_future));
        return parser.release();
    }
    http::response_parser<http::file_body> parser(std::move(head));
    parser.body_limit(kBackupBytesMax);
    boost::system::error_code error;
    parser.get().body().reset(std::move(*file), error);
    while (!error && !parser.is_done()) {
        stream.expires_after(kTimeout);  // each piece's
        finish(http::async_read_some(stream, buffer, parser, asio::use_future));
    }
    if (error) {
        throw boost::system::system_error(error);
    }
    http::response<http::string_body> answer{http::status::ok, 11};
    for (const char* const name : {kStateTick, kStateAge, kState}) {
        answer.set(name, parser.get()[name]);
    }
    return answer;
}

/// A number without an exponent, as long as that is readable. Subjects and reasons are what others
/// wrote: as in the zone's log, a terminal acts on nothing in them, and none begins a row.
std::string plain(const json::value& value) {
    std::string text = value.is_null()     ? "-"
                       : value.is_string() ? std::string(value.get_string())
                       : value.is_double() ? fmt::format("{}", value.get_double())
                                           : json::serialize(value);
    std::ranges::replace_if(
        text, [](char c) { return c < ' ' || c > '~'; }, '?');
    return text;
}

/// A table of objects, with a column for each key that any of them has; anything else line by line.
void print(const json::value& value) {
    if (!value.is_object()) {
        std::cout << plain(value) << '\n';
        return;
    }
    for (const auto& [key, part] : value.get_object()) {
        if (!part.is_array() || part.get_array().empty() || !part.get_array().front().is_object()) {
            std::cout << std::string_view(key) << ": " << plain(part) << '\n';
            continue;
        }
        json::object columns;
        for (const json::value& row : part.get_array()) {
            columns.insert(row.as_object().begin(), row.as_object().end());
        }
        for (const auto& [column, ignored] : columns) {
            std::cout << std::string_view(column) << '\t';
        }
        std::cout << '\n';
        for (const json::value& row : part.get_array()) {
            for (const auto& [column, ignored] : columns) {
                const json::value* const cell = row.as_object().if_contains(column);
                std::cout << (cell == nullptr ? "-" : plain(*cell)) << '\t';
            }
            std::cout << '\n';
        }
    }
}

/// With --json always an object, in one line. `is_reload`: it says yes or no, which of its parts
/// the zone took.
int show(const http::response<http::string_body>& response, bool as_json, bool is_reload = false) {
    const bool is_good = response.result_int() < 300;
    boost::system::error_code error;
    const bool is_json = response[http::field::content_type] == "application/json";
    json::value value = is_json ? json::parse(response.body(), error) : json::value();
    if (!is_json || error) {
        value = json::object{{is_good ? "text" : "error", response.body()}};
    }
    if (as_json) {
        std::cout << json::serialize(value) << '\n';
    } else if (is_json && !error) {
        print(value);
    } else {
        (is_good ? std::cout : std::cerr) << response.body();
    }
    const bool is_whole = !is_reload || !value.is_object() ||
                          std::ranges::none_of(value.get_object(), [](const auto& part) {
                              return part.value() == false;
                          });
    std::cerr << (is_whole ? "" : "refused: see the zone's log\n");
    return is_good && is_whole ? 0 : marchland::tools::kExitFailed;
}

/// Made by the zone, and then fetched. The zone hands it out once: first of all there is a file for
/// it.
http::response<http::string_body> fetch_backup(const Typed& typed, const std::string& token,
                                               boost::beast::file& file) {
    auto answer = ask(typed, token, {http::verb::post, "/backup"});
    const auto deadline = std::chrono::steady_clock::now() + kBackupMax;
    while (answer.result() == http::status::accepted) {
        answer = ask(typed, token, {http::verb::get, "/backup"}, &file);
        if (answer.result() == http::status::accepted) {
            if (std::chrono::steady_clock::now() > deadline) {
                return {http::status::gateway_timeout, 11, "it is not made in time\n"};
            }
            std::this_thread::sleep_for(kBackupLook);
        }
    }
    return answer;
}

/// A part of a backup is none, and goes.
int back_up(const Typed& typed, const std::string& token) {
    ::umask(077);
    boost::beast::file file;
    boost::system::error_code error;
    file.open(typed.file.c_str(), boost::beast::file_mode::write_new, error);
    if (error) {
        throw marchland::tools::BadInput(typed.file + ": " + error.message());
    }
    http::response<http::string_body> answer;
    try {
        answer = fetch_backup(typed, token, file);
    } catch (...) {
        std::remove(typed.file.c_str());
        throw;
    }
    if (answer.result() != http::status::ok) {
        std::remove(typed.file.c_str());
        return show(answer, typed.json);
    }
    const std::string_view state = answer[kState];
    const std::string age = answer[kStateAge];
    answer.body() = fmt::format("a backup of the state up to tick {}, {} s old, is in {}\n",
                                std::string_view(answer[kStateTick]), age, typed.file);
    show(answer, typed.json);
    if (state == "behind") {
        std::cerr << fmt::format(
            "warning: {} s of the game are missing: the zone's state is not written in time\n",
            age);
    } else if (state == "not kept") {
        std::cerr << fmt::format(
            "the zone keeps its state no more: the copy in {} is of before that\n", typed.file);
        return marchland::tools::kExitFailed;
    }
    return 0;
}

void declare(CLI::App& app, Typed& typed) {
    app.option_defaults()->always_capture_default();
    app.add_option("--connect", typed.connect, "The zone's admin port")->type_name("HOST:PORT");
    app.add_option("--token-file", typed.token_file, "Its first line is the token")
        ->type_name("FILE")
        ->envname("MARCHLAND_ADMIN_TOKEN_FILE");
    app.add_flag("--json", typed.json, "Print one JSON object");
    app.require_subcommand(1);
    app.fallthrough();

    const auto add = [&typed](CLI::App& to, const char* name, const char* about,
                              std::function<Request()> request) {
        CLI::App* const command = to.add_subcommand(name, about);
        command->final_callback([&typed, request] { typed.request = request; });
        return command;
    };
    const auto plain = [](http::verb method, const char* target) {
        return [method, target] { return Request{method, target}; };
    };
    using http::verb;
    add(app, "who", "Who is connected", plain(verb::get, "/connections"));
    add(app, "status", "The zone's counters", plain(verb::get, "/status"));
    add(app, "limits", "Limits, and how much of them is used",
        [&typed] {
            return typed.memory_mib ? post("/limits", {{"memory_bytes", *typed.memory_mib << 20U}})
                                    : Request{verb::get, "/limits"};
        })
        ->add_option("--memory-mib", typed.memory_mib,
                     "From now on nobody joins where the process has more; 0: no limit")
        ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1} << 40U));
    add(app, "reload", "Reads layout, certificate and token keys again, as SIGHUP does",
        plain(verb::post, "/reload"));
    add(app, "bans", "Who is banned", plain(verb::get, "/bans"));
    add(app, "stop", "Stops the zone", plain(verb::post, "/stop"));
    app.add_subcommand("backup", "Writes a copy of the zone's state to a file")
        ->add_option("FILE", typed.file, "Here, and not there yet")
        ->required();
    add(app, "entity", "All that is known of an entity",
        [&typed] {
            return Request{verb::get, "/entity/" + std::to_string(typed.entity.value())};
        })
        ->add_option("ID", typed.entity, "Its id")
        ->required();
    CLI::App* const kick = add(app, "kick", "Closes connections", [&typed] {
        return post("/kick", {{"connection", json::value_from(typed.connection)},
                              {"entity", json::value_from(typed.entity)},
                              {"subject", typed.subject},
                              {"address", typed.address},
                              {"reason", typed.reason}});
    });
    kick->add_option("--connection", typed.connection, "Its id in who");
    kick->add_option("--entity", typed.entity, "The id of its entity");
    CLI::App* const ban = add(app, "ban", "Closes connections, and lets nobody in again", [&typed] {
        return post("/ban", {{"subject", typed.subject},
                             {"address", typed.address},
                             {"reason", typed.reason},
                             {"seconds", typed.ban_seconds == 0 ? json::value()
                                                                : json::value(typed.ban_seconds)}});
    });
    ban->add_option("--seconds", typed.ban_seconds,
                    "For so long; 0: until unban, or without [state] a restart");
    CLI::App* const unban = add(app, "unban", "Ends a ban", [&typed] {
        return post("/unban", {{"subject", typed.subject}, {"address", typed.address}});
    });
    for (CLI::App* const command : {kick, ban, unban}) {
        command->add_option("--subject", typed.subject, "Of a token");
        command->add_option("--address", typed.address, "An IP address, without a port");
    }
    for (CLI::App* const command : {kick, ban}) {
        command->add_option("--reason", typed.reason, "Kept with it; who is kicked is sent it");
    }
    CLI::App* const drain =
        add(app, "drain", "Lets no player in, tells those inside, then stops the zone", [&typed] {
            return post("/drain", {{"seconds", typed.drain_seconds}, {"text", typed.text}});
        });
    drain->add_option("--seconds", typed.drain_seconds, "When it stops at the latest");
    drain->add_option("--text", typed.text, "What players are sent");
    add(app, "log-level", "Tells or sets the log's level", [&typed] {
        return typed.level.empty() ? Request{verb::get, "/log-level"}
                                   : post("/log-level", {{"level", typed.level}});
    })->add_option("LEVEL", typed.level, "debug, info, warning, error or off");

    CLI::App* const layout = app.add_subcommand("layout", "The layout of the shards");
    layout->require_subcommand(1);
    add(*layout, "get", "Prints the newest one", plain(verb::get, "/layout"));
    add(*layout, "undo", "Puts the one before in force; a second undo takes the first one back",
        plain(verb::post, "/layout/undo"));
    const auto with_file = [&typed](const char* target) {
        return [&typed, target] {
            return Request{verb::post, target, marchland::tools::read_file(typed.file)};
        };
    };
    for (CLI::App* const command :
         {add(*layout, "check", "Says what is wrong with a file; changes nothing",
              with_file("/layout/check")),
          add(*layout, "apply", "Puts a file in force", with_file("/layout"))}) {
        command->add_option("FILE", typed.file, "A layout file")->required();
    }
    app.footer(kFooter);
}

}  // namespace

int main(int argc, char** argv) {
    namespace tools = marchland::tools;
    const auto run = [](int count, char** arguments, const std::string& about, std::ostream& out,
                        std::ostream& err) {
        Typed typed;
        CLI::App app("Asks and steers a running zone over its admin port.", "marchland-admin");
        declare(app, typed);
        app.set_version_flag("--version", about);
        const auto ask_zone = [&] {
            tools::parse(app, count, arguments, out, err);
            std::string token = typed.token_file.empty() ? "" : tools::read_file(typed.token_file);
            token = token.substr(0, token.find_first_of("\r\n"));
            if (!typed.request) {
                return back_up(typed, token);
            }
            const Request request = typed.request();
            return show(ask(typed, token, request), typed.json, request.target == "/reload");
        };
        try {
            return tools::run_or_refuse(ask_zone, err, "marchland-admin: ");
        } catch (const boost::system::system_error& error) {
            err << fmt::format("marchland-admin: {}: {}\n", typed.connect, error.code().message());
            return tools::kExitFailed;
        }
    };
    return tools::run_main("marchland-admin", argc, argv, run);
}
