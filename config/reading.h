#pragma once

#include "config/config.h"
#include "config/document.h"

#include <cstddef>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace marchland::config {

/// More errors than this are counted and not reported: nobody reads them, and the first explain
/// most.
inline constexpr std::size_t kDiagnosticsMax = 50;

/// One reading of one file: which keys it has and what is wrong with them. Collects, so that all
/// errors of a file come at once; checks across keys ask it, so that one error is not reported
/// twice.
class Reading {
public:
    explicit Reading(std::string file);

    void refuse(Place place, std::string_view key, std::string reason, std::string hint = "");
    void refuse(const FileProblem& problem);
    /// Refuses the first of these keys, at the place of the first that the file has.
    void refuse(std::initializer_list<std::string_view> keys, std::string reason,
                std::string hint = "");

    /// Notes that the file has this (dotted) key, with its value at `place`.
    void note(const std::string& key, Place place);
    /// Where the value of a known key stands; nothing when the file does not have it.
    [[nodiscard]] std::optional<Place> place_of(std::string_view key) const;
    /// Where to report what is wrong between keys: at the first of them that the file has.
    [[nodiscard]] Place place_of_first(std::initializer_list<std::string_view> keys) const;
    /// Was something refused at this key, at a table that it is in, or at a member of it?
    [[nodiscard]] bool is_refused(std::string_view key) const;
    [[nodiscard]] std::size_t refused_count() const { return refused_count_; }

    /// Notes that a key of this name belongs to that section: a hint for whoever puts it elsewhere.
    void note_home(std::string_view name, std::string_view section);
    [[nodiscard]] std::optional<std::string> home_of(std::string_view name) const;

    /// Everything that was refused, in the order of the file.
    [[nodiscard]] Diagnostics take_diagnostics();

private:
    const std::string file_;
    Diagnostics diagnostics_;  ///< the first kDiagnosticsMax
    std::size_t refused_count_ = 0;
    std::map<std::string, Place, std::less<>> places_;
    std::set<std::string, std::less<>> refused_;
    std::map<std::string, std::string, std::less<>> homes_;
};

}  // namespace marchland::config
