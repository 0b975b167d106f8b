#pragma once

#include "tools/bench/measure.h"

#include <span>
#include <string>
#include <string_view>

namespace marchland::bench {

/// `tick`, `move` or `query`.
std::string_view name_of(Path path);

/// One line: {"benchmark":"index","commit":...,"results":[...]}, one object per case. `curve` is
/// empty unless they are points of one.
std::string index_json(std::span<const CaseResult> results, std::string_view curve,
                       std::string_view commit, bool is_interrupted);

/// A table for people, with a line that says how to read it.
std::string index_table(std::span<const CaseResult> results);

}  // namespace marchland::bench
