#include "config/reading.h"

#include <algorithm>
#include <utility>

namespace marchland::config {

namespace {

template <typename Value>
std::optional<Value> value_at(const std::map<std::string, Value, std::less<>>& map,
                              std::string_view key) {
    const auto found = map.find(key);
    return found == map.end() ? std::nullopt : std::optional<Value>(found->second);
}

/// Keys and values are quoted from a file: none of them may steer the terminal.
std::string printable(std::string text) {
    std::ranges::replace_if(
        text, [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
    return text;
}

}  // namespace

std::string to_text(const Diagnostic& diagnostic) {
    std::string text = printable(diagnostic.file);
    if (diagnostic.line != 0) {
        text += ':' + std::to_string(diagnostic.line) + ':' + std::to_string(diagnostic.column);
    }
    if (!diagnostic.key.empty()) {
        text += ": " + printable(diagnostic.key);
    }
    text += ": " + printable(diagnostic.reason);
    if (!diagnostic.hint.empty()) {
        text += "\n  hint: " + printable(diagnostic.hint);
    }
    return text;
}

std::string to_text(const Diagnostics& diagnostics) {
    std::string text;
    for (const Diagnostic& diagnostic : diagnostics) {
        text += (text.empty() ? "" : "\n") + to_text(diagnostic);
    }
    return text;
}

Reading::Reading(std::string file) : file_(std::move(file)) {}

void Reading::refuse(Place place, std::string_view key, std::string reason, std::string hint) {
    refused_.emplace(key);
    ++refused_count_;
    if (diagnostics_.size() < kDiagnosticsMax) {
        diagnostics_.push_back({file_, place.line, place.column, std::string(key),
                                std::move(reason), std::move(hint)});
    }
}

void Reading::refuse(const FileProblem& problem) {
    refuse(problem.place, "", problem.reason, problem.hint);
}

void Reading::refuse(std::initializer_list<std::string_view> keys, std::string reason,
                     std::string hint) {
    refuse(place_of_first(keys), *keys.begin(), std::move(reason), std::move(hint));
}

void Reading::note(const std::string& key, Place place) {
    places_[key] = place;
}

std::optional<Place> Reading::place_of(std::string_view key) const {
    return value_at(places_, key);
}

Place Reading::place_of_first(std::initializer_list<std::string_view> keys) const {
    for (const std::string_view key : keys) {
        if (const auto place = place_of(key)) {
            return *place;
        }
    }
    return {};
}

bool Reading::is_refused(std::string_view key) const {
    // "world" stands for "world.bounds_m": a table of the wrong kind was not read at all.
    for (auto dot = key.rfind('.'); dot != std::string_view::npos; dot = key.rfind('.', dot - 1)) {
        if (refused_.contains(key.substr(0, dot))) {
            return true;
        }
    }
    // "world.bounds_m.min_x" stands for "world.bounds_m" too; the set is in order of names.
    const std::string members = std::string(key) + '.';
    const auto first_member = refused_.lower_bound(members);
    return refused_.contains(key) ||
           (first_member != refused_.end() && first_member->starts_with(members));
}

void Reading::note_home(std::string_view name, std::string_view section) {
    homes_.emplace(name, section);
}

std::optional<std::string> Reading::home_of(std::string_view name) const {
    return value_at(homes_, name);
}

Diagnostics Reading::take_diagnostics() {
    std::ranges::stable_sort(diagnostics_, {}, [](const Diagnostic& diagnostic) {
        return Place{diagnostic.line, diagnostic.column};
    });
    // Keys are read in the order of the file, so those left out are its last, but for checks across
    // keys, which come after all.
    if (refused_count_ > diagnostics_.size()) {
        const std::size_t more = refused_count_ - diagnostics_.size();
        diagnostics_.push_back(
            {file_, 0, 0, "", std::to_string(more) + " more errors not shown", ""});
    }
    return std::move(diagnostics_);
}

}  // namespace marchland::config
