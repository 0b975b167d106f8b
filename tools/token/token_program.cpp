#include "tools/token/token_program.h"

#include "net/admission.h"
#include "net/auth/token_gate.h"
#include "net/auth/token_signer.h"
#include "net/encode_client.h"
#include "net/permit_rules.h"
#include "net/regular_file.h"
#include "net/wire_values.h"
#include "config/config.h"
#include "tools/command_line/json_text.h"
#include "tools/command_line/parse.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <ostream>
#include <string>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <variant>

namespace marchland::token {
namespace {

using tools::json_text;

constexpr const char* kFooter = R"(
new-key writes a signing key that nobody else can read, and for EdDSA the public key that the zone needs
(auth.keys). With HS256 both are one secret, which the zone needs, too. Files that exist are never overwritten.

sign prints one token. What may stand in it: docs/security.md.

explain prints what a token says, and, with a server's configuration, whether that server would let its bearer
in now, and if not, why.

Exit code: 0 all is well, 1 the token would be refused or a file cannot be written, 2 bad arguments or a bad file.

  marchland-token new-key --out login-private.pem --public login.pem
  marchland-token sign --key login-private.pem --kid 2026 --audience zone --subject ann --valid-s 300
  marchland-token explain --config zone.toml TOKEN)";

struct Typed {
    std::string algorithm = "EdDSA";
    std::string out;
    std::string public_out;
    std::string key;
    std::string kid;
    std::string role = "player";
    net::NewClaims claims;
    std::int64_t valid_s = 300;
    std::int64_t valid_in_s = 0;
    std::vector<std::int32_t> spawn;
    std::vector<std::string> more_claims;
    std::string token;
    std::string config;
    bool json = false;
};

void declare(CLI::App& app, Typed& typed) {
    CLI::App* const new_key = app.add_subcommand("new-key", "Makes a key");
    new_key->add_option("--algorithm", typed.algorithm, "EdDSA (default) or HS256")
        ->check(CLI::IsMember({"EdDSA", "HS256"}));
    new_key->add_option("--out", typed.out, "The file for the key that signs")
        ->required()
        ->type_name("FILE");
    new_key->add_option("--public", typed.public_out, "With EdDSA: the file for the zone's key")
        ->type_name("FILE");

    CLI::App* const sign = app.add_subcommand("sign", "Makes a token");
    sign->add_option("--key", typed.key, "The key that signs: a private key as PEM, or a secret")
        ->required()
        ->type_name("FILE");
    sign->add_option("--kid", typed.kid, "The key's id, as auth.keys has it")->type_name("ID");
    sign->add_option("--audience", typed.claims.audience, "The zone's auth.audience")->required();
    sign->add_option("--subject", typed.claims.subject, "Who it is for");
    sign->add_option("--role", typed.role, "player (default) or service")
        ->check(CLI::IsMember({"player", "service"}));
    sign->add_option("--valid-s", typed.valid_s, "For so many seconds (300)")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 33U));
    sign->add_option("--valid-in-s", typed.valid_in_s, "From so many seconds from now on (0)")
        ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 33U));
    sign->add_option("--kind", typed.claims.kind, "What its entity is, 0 to 65535");
    sign->add_option("--spawn-mm", typed.spawn, "Where it begins, in millimetres")
        ->type_name("X,Y[,Z]")
        ->delimiter(',')
        ->expected(2, 3);
    sign->add_option("--view-leave-radius-mm-max", typed.claims.leave_radius_mm_max,
                     "How far its views may reach")
        ->check(CLI::Range(0, INT32_MAX));
    sign->add_option("--frames-hz", typed.claims.frames_hz, "How many frames a second it gets")
        ->check(CLI::Range(1, UINT16_MAX));
    sign->add_option("--claim", typed.more_claims,
                     "Another claim, as auth.claims_for_services names it: JSON, or a text")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false);

    CLI::App* const explain = app.add_subcommand("explain", "Says what a token holds");
    explain->add_option("TOKEN", typed.token, "The token")->required();
    explain->add_option("--config", typed.config, "A server's configuration: would it take it?")
        ->type_name("FILE");
    for (CLI::App* const command : {new_key, sign, explain}) {
        command->add_flag("--json", typed.json,
                          "One JSON object as the last line of standard output");
    }
    app.require_subcommand(1);
}

/// Nobody but its owner may read it, from its first moment on. Returns what went wrong: then it is
/// not there.
std::string write_new(const std::string& path, std::string_view bytes, mode_t mode) {
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (file < 0) {
        return path + ": cannot be made: " + std::generic_category().message(errno);
    }
    const bool is_written = write(file, bytes.data(), bytes.size()) == std::ssize(bytes);
    if (close(file) == 0 && is_written) {
        return "";
    }
    unlink(path.c_str());
    return path + ": cannot be written";
}

class Program {
public:
    Program(Typed typed, std::ostream& out, std::ostream& err)
        : typed_(std::move(typed)), out_(out), err_(err) {}

    int new_key() {
        const bool is_pair = typed_.algorithm == "EdDSA";
        if (is_pair != !typed_.public_out.empty()) {
            throw tools::BadInput(is_pair
                                      ? "--public: EdDSA needs a file for the zone's key"
                                      : "--public: with HS256 the zone needs the secret itself");
        }
        const std::string key =
            net::new_signing_key(is_pair ? net::TokenAlgorithm::eddsa : net::TokenAlgorithm::hs256);
        if (auto flaw = write_new(typed_.out, key, 0600); !flaw.empty()) {
            return fail(flaw);
        }
        if (is_pair) {
            const auto signer = net::TokenSigner::make(key, "");
            const auto bytes = std::get<net::TokenSigner>(signer).verifying_bytes();
            if (auto flaw = write_new(typed_.public_out, bytes, 0644); !flaw.empty()) {
                unlink(typed_.out.c_str());  // half a pair is of no use
                return fail(flaw);
            }
        }
        const std::string& for_zone = is_pair ? typed_.public_out : typed_.out;
        out_ << (typed_.json
                     ? fmt::format(R"({{"algorithm":{},"signs":{},"checks":{}}})",
                                   json_text(typed_.algorithm), json_text(typed_.out),
                                   json_text(for_zone))
                     : fmt::format("{} signs; the zone's configuration:\n[auth]\nkeys = [{{ file = "
                                   "{}, algorithm = \"{}\", kid = \"...\" }}]",
                                   typed_.out,
                                   json_text(std::filesystem::absolute(for_zone).string()),
                                   typed_.algorithm))
             << '\n';
        return end();
    }

    int sign() {
        const std::string about = typed_.key + ": ";
        const auto bytes = tools::require(net::read_secret_file(typed_.key), about);
        const auto signer = tools::require(net::TokenSigner::make(bytes, typed_.kid), about);
        const std::int64_t now_s = std::chrono::duration_cast<std::chrono::seconds>(
                                       std::chrono::system_clock::now().time_since_epoch())
                                       .count();
        net::NewClaims& claims = typed_.claims;
        claims.is_service = typed_.role == "service";
        if (typed_.valid_in_s != 0) {
            claims.not_before_s = now_s + typed_.valid_in_s;
        }
        claims.expires_s = now_s + typed_.valid_in_s + typed_.valid_s;
        if (!typed_.spawn.empty()) {
            claims.spawn = engine::Position{typed_.spawn[0], typed_.spawn[1],
                                            typed_.spawn.size() == 3 ? typed_.spawn[2] : 0};
        }
        for (const std::string& claim : typed_.more_claims) {
            constexpr std::array<std::string_view, 9> kOfOtherOptions = {
                "aud",      "sub",  "role",  "nbf",
                "exp",      "kind", "spawn", "view_leave_radius_mm_max",
                "frames_hz"};
            const auto equals = claim.find('=');
            const std::string name = claim.substr(0, equals);
            if (equals == std::string::npos || name.empty() ||
                std::ranges::find(kOfOtherOptions, name) != kOfOtherOptions.end()) {
                throw tools::BadInput("--claim " + claim +
                                      ": must be NAME=VALUE, of no claim that an option makes");
            }
            claims.more.insert_or_assign(name, claim.substr(equals + 1));
        }
        const auto text = net::claims_text(claims);
        if (!text) {
            throw tools::BadInput("--audience, --subject, --claim: must be UTF-8");
        }
        const std::string token = signer.sign(*text);
        out_ << (typed_.json ? fmt::format(R"({{"token":{},"claims":{}}})", json_text(token), *text)
                             : token)
             << '\n';
        return end();
    }

    int explain() {
        const net::TokenContent content = net::content_of(typed_.token);
        std::optional<std::string> refusal;
        if (!typed_.config.empty()) {
            refusal =
                refusal_by(tools::require(config::load_server_config(typed_.config, std::nullopt)));
        }
        typed_.json ? explain_as_json(content, refusal) : explain_as_text(content, refusal);
        const int code = end();
        return code == 0 && refusal && !refusal->empty() ? tools::kExitFailed : code;
    }

private:
    /// Why that server would refuse a Hello with the token and nothing else; empty: it would not.
    [[nodiscard]] std::string refusal_by(const config::ServerConfig& config) const {
        net::TokenGate gate(config.server.auth);
        if (const auto flaws = gate.reload(); !flaws.empty()) {
            throw tools::BadInput(flaws.front());
        }
        const auto checked = gate.check(typed_.token, std::chrono::system_clock::now());
        if (const auto* const reason = std::get_if<std::string>(&checked)) {
            return *reason;
        }
        net::Hello hello;
        hello.token = typed_.token;
        flatbuffers::FlatBufferBuilder builder;
        if (net::encode(builder, hello).size() >
            net::kLengthPrefixBytes + config.server.message_bytes_max) {
            return "a Hello with it is longer than limits.message_bytes_max";
        }
        const auto& permit = std::get<net::Permit>(checked);
        net::apply(permit, config.server.default_view, hello);
        const auto entity = net::entity_for(hello, config.server, config.zone);
        const auto* const error = std::get_if<net::ErrorMessage>(&entity);
        return error == nullptr || permit.role == net::Permit::Role::service ? "" : error->text;
    }

    void explain_as_json(const net::TokenContent& content,
                         const std::optional<std::string>& refusal) {
        const auto or_null = [](const std::string& json) { return json.empty() ? "null" : json; };
        out_ << fmt::format(R"({{"header":{},"claims":{},"is_accepted":{},"refused_because":{}}})",
                            or_null(content.header), or_null(content.claims),
                            !refusal           ? "null"
                            : refusal->empty() ? "true"
                                               : "false",
                            !refusal || refusal->empty() ? "null" : json_text(*refusal))
             << '\n';
    }

    void explain_as_text(const net::TokenContent& content,
                         const std::optional<std::string>& refusal) {
        const auto or_none = [](const std::string& json) {
            return json.empty() ? "cannot be read" : json;
        };
        out_ << "header: " << or_none(content.header) << "\nclaims: " << or_none(content.claims)
             << '\n';
        if (!refusal) {
            out_ << "nobody has checked its signature: that needs --config\n";
        } else if (refusal->empty()) {
            out_ << "this server lets its bearer in\n";
        } else {
            out_ << "refused: " << *refusal << '\n';
        }
    }

    int fail(const std::string& what) {
        err_ << what << '\n';
        return tools::kExitFailed;
    }
    int end() { return out_.flush() ? 0 : tools::kExitFailed; }

    Typed typed_;
    std::ostream& out_;
    std::ostream& err_;
};

}  // namespace

int run_program(int argc, const char* const* argv, std::string_view version, std::ostream& out,
                std::ostream& err) {
    const auto run = [&] {
        CLI::App app("Makes keys and tokens, and explains tokens.", "marchland-token");
        app.footer(kFooter);
        app.set_version_flag("--version", std::string(version));
        Typed typed;
        declare(app, typed);
        tools::parse(app, argc, argv, out, err);
        const std::string command = app.get_subcommands().at(0)->get_name();
        Program program(std::move(typed), out, err);
        return command == "new-key" ? program.new_key()
               : command == "sign"  ? program.sign()
                                    : program.explain();
    };
    return tools::run_or_refuse(run, err);
}

}  // namespace marchland::token
