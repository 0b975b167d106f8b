#pragma once

#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

namespace marchland::tools {

/// What a program of ours tells its caller; 0 when all is well.
inline constexpr int kExitFailed = 1;    ///< the run found something wrong
inline constexpr int kExitBadInput = 2;  ///< bad arguments, or a bad file

/// Thrown where the program is to end at once, with this exit code; everything has been said.
struct ExitCode {
    int value = 0;
};

/// What is wrong with an argument or a file. The program says it, and ends with kExitBadInput.
class BadInput : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// What was read. Throws BadInput where there is a reason instead, or are errors; `about` goes
/// before them.
template <typename Value, typename Problem>
Value require(std::variant<Value, Problem> read, std::string_view about = "") {
    if (const auto* const problem = std::get_if<1>(&read)) {
        if constexpr (std::is_convertible_v<Problem, std::string>) {
            throw BadInput(std::string(about) + *problem);
        } else {
            throw BadInput(std::string(about) + to_text(*problem));
        }
    }
    return std::get<0>(std::move(read));
}

/// The exit code of `run`, which may throw one; where it throws BadInput, that is written to `err`,
/// behind `about`.
template <typename Run>
int run_or_refuse(const Run& run, std::ostream& err, std::string_view about = "") {
    try {
        return run();
    } catch (const ExitCode& ended) {
        return ended.value;
    } catch (const BadInput& error) {
        err << about << error.what() << '\n';
        return kExitBadInput;
    }
}

}  // namespace marchland::tools
