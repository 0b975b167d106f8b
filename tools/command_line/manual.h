#pragma once

#include <ostream>
#include <string_view>

namespace CLI {
class App;
}

namespace marchland::tools {

/// What the installation puts beside a program, made of the table that reads its command line:
/// `request` is "--print-man" (roff, for man(1)), "--print-completion-bash" or
/// "--print-completion-zsh". False for anything else: nothing is written.
bool write_manual(const CLI::App& app, std::string_view request, std::ostream& out);

}  // namespace marchland::tools
