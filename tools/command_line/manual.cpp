#include "tools/command_line/manual.h"

#include <CLI/CLI.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace marchland::tools {

namespace {

using CLI::detail::join;

/// An option as the three need it.
struct Known {
    std::vector<std::string> names;  ///< "-h", "--help"; of a positional its own name
    bool is_positional = false;
    std::string value;                 ///< "FILE"; empty: it takes none
    std::vector<std::string> choices;  ///< of its values, where there are few
    std::string text;
};

Known known(const CLI::Option& option) {
    Known result;
    result.is_positional = option.get_positional();
    result.names =
        CLI::detail::split(option.get_name(result.is_positional, !result.is_positional), ',');
    if (option.get_items_expected_max() > 0) {
        // "HOST:PORT", "NAME:{roam,crowd}", "N:UINT in [0 - 9]": only a check's text has a space or
        // a brace.
        const std::string type = option.get_type_name();
        const std::size_t check = type.find_first_of("{ ");
        result.value = type.substr(0, check == std::string::npos ? check : type.rfind(':', check));
        const std::size_t begin = type.find('{');
        if (begin != std::string::npos) {
            result.choices =
                CLI::detail::split(type.substr(begin + 1, type.find('}') - begin - 1), ',');
        }
    }
    result.text = option.get_description();
    if (!result.choices.empty()) {
        result.text += ": " + join(result.choices, ", ");
    }
    if (!option.get_default_str().empty() && !result.value.empty()) {
        result.text += " (default: " + option.get_default_str() + ')';
    }
    if (option.get_required()) {
        result.text += " (needed)";
    }
    return result;
}

std::vector<Known> options_of(const CLI::App& app) {
    std::vector<Known> all;
    for (const CLI::Option* const option : app.get_options()) {
        if (!option->get_group().empty()) {
            all.push_back(known(*option));
        }
    }
    return all;
}

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
    return app.get_subcommands(
        [](const CLI::App* command) { return !command->get_group().empty(); });
}

// man(1)

std::string roff(const std::string& text) {
    std::string escaped;
    for (const char c : text) {
        const bool begins_line = escaped.empty() || escaped.back() == '\n';
        if (begins_line && (c == '.' || c == '\'')) {
            escaped += "\\&";
        }
        escaped += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
    }
    return escaped;
}

void write_options(const CLI::App& app, std::ostream& out) {
    for (const Known& option : options_of(app)) {
        out << ".TP\n";
        const auto bold = [](const std::string& name) { return "\\fB" + roff(name) + "\\fR"; };
        out << join(option.names, bold, ", ")
            << (option.value.empty() || option.is_positional
                    ? ""
                    : " \\fI" + roff(option.value) + "\\fR")
            << '\n'
            << roff(option.text) << '\n';
    }
}

void write_commands(const CLI::App& app, const std::string& before, std::ostream& out) {
    for (const CLI::App* const command : commands_of(app)) {
        const std::string name = before + command->get_name();
        out << ".SS " << roff(name) << '\n' << roff(command->get_description()) << '\n';
        write_options(*command, out);
        write_commands(*command, name + ' ', out);
    }
}

void write_man(const CLI::App& app, std::ostream& out) {
    const bool has_commands = !commands_of(app).empty();
    out << ".TH " << roff(app.get_name()) << " 1 \"\" Marchland\n.SH NAME\n"
        << roff(app.get_name()) << " \\- " << roff(app.get_description()) << "\n.SH SYNOPSIS\n\\fB"
        << roff(app.get_name()) << "\\fR [options]" << (has_commands ? " command" : "")
        << "\n.SH OPTIONS\n";
    write_options(app, out);
    if (has_commands) {
        out << ".SH COMMANDS\n";
        write_commands(app, "", out);
    }
    if (!app.get_footer().empty()) {
        out << ".SH NOTES\n.nf\n" << roff(app.get_footer()) << "\n.fi\n";
    }
}

// Shells

std::string words_of(const CLI::App& app) {
    std::string words;
    for (const Known& option : options_of(app)) {
        for (const std::string& name : option.names) {
            words += option.is_positional ? "" : name + ' ';
        }
    }
    for (const CLI::App* const command : commands_of(app)) {
        words += command->get_name() + ' ';
    }
    return words;
}

/// A function for the command, and one for each of its own: `at` is the first word that is this
/// command's.
void write_bash(const CLI::App& app, const std::string& function, std::ostream& out) {
    for (const CLI::App* const command : commands_of(app)) {
        write_bash(*command, function + "_" + command->get_name(), out);
    }
    out << function << "() {\n    local at=$1 i\n";
    if (!commands_of(app).empty()) {
        out << "    for ((i = at; i < COMP_CWORD; ++i)); do\n        case ${COMP_WORDS[i]} in\n";
        for (const CLI::App* const command : commands_of(app)) {
            out << "        " << command->get_name() << ") " << function << '_'
                << command->get_name() << " $((i + 1)); return ;;\n";
        }
        out << "        esac\n    done\n";
    }
    out << "    case ${COMP_WORDS[COMP_CWORD - 1]} in\n";
    for (const Known& option : options_of(app)) {
        if (option.value.empty() || option.is_positional) {
            continue;
        }
        out << "    " << join(option.names, "|") << ") COMPREPLY=($(compgen "
            << (option.value == "FILE" ? "-f" : "-W '" + join(option.choices, " ") + "'")
            << " -- \"${COMP_WORDS[COMP_CWORD]}\")); return ;;\n";
    }
    out << "    esac\n    COMPREPLY=($(compgen -W '" << words_of(app)
        << "' -- \"${COMP_WORDS[COMP_CWORD]}\"))\n}\n";
}

std::string zsh(const std::string& text) {
    std::string escaped;
    for (const char c : text) {
        escaped += c == '\''                                       ? "'\\''"
                   : c == '[' || c == ']' || c == ':' || c == '\\' ? std::string("\\") + c
                   : c == '\n'                                     ? " "
                                                                   : std::string(1, c);
    }
    return escaped;
}

void write_zsh(const CLI::App& app, const std::string& function, std::ostream& out) {
    const auto commands = commands_of(app);
    for (const CLI::App* const command : commands) {
        write_zsh(*command, function + "_" + command->get_name(), out);
    }
    out << function << "() {\n    local context state line\n    _arguments -C";
    for (const Known& option : options_of(app)) {
        const std::string value =
            ':' + zsh(option.value) + ':' +
            (option.value == "FILE"   ? "_files"
             : option.choices.empty() ? ""
                                      : '(' + join(option.choices, " ") + ')');
        for (const std::string& name : option.names) {
            out << " \\\n        '";
            if (option.is_positional) {
                out << ':' << zsh(name) << ":_files'";
            } else {
                out << name << '[' << zsh(option.text) << ']' << (option.value.empty() ? "" : value)
                    << '\'';
            }
        }
    }
    if (!commands.empty()) {
        out << " \\\n        '1:command:(";
        out << join(
                   commands, [](const CLI::App* command) { return command->get_name(); }, " ")
            << ")' '*::argument:->command'\n    [[ $state == command ]] && case $words[1] in\n";
        for (const CLI::App* const command : commands) {
            out << "    " << command->get_name() << ") " << function << '_' << command->get_name()
                << " ;;\n";
        }
        out << "    esac";
    }
    out << "\n}\n";
}

}  // namespace

bool write_manual(const CLI::App& app, std::string_view request, std::ostream& out) {
    const std::string function = '_' + app.get_name();
    if (request == "--print-man") {
        write_man(app, out);
    } else if (request == "--print-completion-bash") {
        write_bash(app, function, out);
        out << function << "_all() { " << function << " 1; }\ncomplete -o default -F " << function
            << "_all " << app.get_name() << '\n';
    } else if (request == "--print-completion-zsh") {
        out << "#compdef " << app.get_name() << '\n';
        write_zsh(app, function, out);
        out << function << " \"$@\"\n";
    } else {
        return false;
    }
    return true;
}

}  // namespace marchland::tools
