#include "tests/config/test_folder.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

namespace marchland::config {

namespace {

const std::filesystem::path kConfigs = MARCHLAND_CONFIG_DIR;

std::string text_of(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

/// Cuts a piece out, and puts in something that means something to a TOML parser, or to nobody.
void damage(std::string& text) {
    const auto begin = *rc::gen::inRange<std::size_t>(0, text.size() + 1);
    const auto length = *rc::gen::inRange<std::size_t>(0, 12);
    text.erase(begin, length);
    text.insert(begin, *rc::gen::weightedOneOf<std::string>(
                           {{3, rc::gen::element<std::string>(
                                    "", "\n", "[", "[[", "]", "{", "}", "\"", "'''", "=", ".", ",",
                                    "#", "-", "1", "0.0001", "1e400", "nan", "true", "1979-05-27",
                                    "[shards]\n", "[[shard]]\n", "x = 1\n", "columns = 0\n")},
                            {1, rc::gen::string<std::string>()}}));
}

/// Loading gives a configuration, or errors that have a reason and stand in the file.
void check_loading_damaged(std::string text, bool is_layout) {
    const TestFolder folder;
    for (int times = *rc::gen::inRange(1, 6); times > 0; --times) {
        damage(text);
    }
    const auto file = folder.write("damaged.toml", text);
    const auto result = is_layout ? load_server_config(kConfigs / "demo.toml", file)
                                  : load_server_config(file, std::nullopt);
    const auto* diagnostics = std::get_if<Diagnostics>(&result);
    if (diagnostics == nullptr) {
        return;
    }
    RC_ASSERT(!diagnostics->empty());
    const auto lines = std::ranges::count(text, '\n') + 1;
    for (const Diagnostic& diagnostic : *diagnostics) {
        RC_ASSERT(!diagnostic.reason.empty());
        RC_ASSERT(diagnostic.line <= lines);
    }
}

}  // namespace

RC_GTEST_PROP(DamagedFile, OfAServerIsAConfigurationOrErrorsInIt, ()) {
    check_loading_damaged(text_of(kConfigs / "demo.toml"), false);
}

RC_GTEST_PROP(DamagedFile, OfALayoutIsALayoutOrErrorsInIt, ()) {
    check_loading_damaged(text_of(kConfigs / "layouts" / "irregular.toml"), true);
}

}  // namespace marchland::config
