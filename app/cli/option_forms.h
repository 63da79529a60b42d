// Options in the forms that most commands have: their check, and their default in the help.
#pragma once

#include "app/cli/option_checks.h"

#include <CLI/App.hpp>

#include <string>
#include <type_traits>
#include <vector>

namespace systole {

/// While it lives, options that the command gets stand under this title in its help.
class OptionGroup {
public:
    OptionGroup(CLI::App& app, const std::string& title) : defaults_(*app.option_defaults()) {
        defaults_.group(title);
    }
    ~OptionGroup() { defaults_.group("Options"); }
    OptionGroup(const OptionGroup&) = delete;
    OptionGroup& operator=(const OptionGroup&) = delete;

private:
    CLI::OptionDefaults& defaults_;
};

/// A number within a range, both ends included.
template <typename Number>
CLI::Option* addNumber(CLI::App& app, const std::string& name, Number& value,
                       std::type_identity_t<Number> min, std::type_identity_t<Number> max,
                       const std::string& help) {
    return app.add_option(name, value, help)->check(inRange(min, max))->capture_default_str();
}

/// One of several words.
inline CLI::Option* addChoice(CLI::App& app, const std::string& name, std::string& value,
                              const std::vector<std::string>& words, const std::string& help) {
    return app.add_option(name, value, help)->check(oneOf(words))->capture_default_str();
}

/// A list, by commas or by repeating the option; files that follow aren't taken for its values.
template <typename Value>
CLI::Option* addList(CLI::App& app, const std::string& name, std::vector<Value>& values,
                     const std::string& help) {
    return app.add_option(name, values, help)->delimiter(',')->allow_extra_args(false);
}

/// A list only by repeating the option: its values are text that may contain commas.
inline CLI::Option* addRepeatable(CLI::App& app, const std::string& name,
                                  std::vector<std::string>& values, const std::string& help) {
    return app.add_option(name, values, help)->allow_extra_args(false);
}

/// Milliseconds from frame to frame; 0: the times in the file.
inline CLI::Option* addFrameTime(CLI::App& app, double& milliseconds) {
    return app
        .add_option("--frame-time", milliseconds,
                    "Milliseconds per frame, if the file has no times or wrong ones")
        ->check(CLI::PositiveNumber);
}

/// The files of a sequence.
inline CLI::Option* addFiles(CLI::App& app, std::vector<std::string>& files) {
    return app.add_option("FILE", files,
                          "One 4D file, one 3D file per frame in their order, or a DICOM folder");
}

} // namespace systole
