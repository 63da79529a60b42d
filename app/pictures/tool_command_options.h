// The options of all tools (app/feature/tool_options.h) on a command line.
#pragma once

#include "app/feature/tool_options.h"

#include <map>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace systole {

class Tools;

class ToolCommandOptions {
public:
    /// Adds every option but those of these names, which the command has itself.
    void addTo(CLI::App& app, const std::vector<std::string>& but = {});
    /// Checks what was given together. Throws UsageError.
    void check() const;
    /// Sets the tools, in their order. Throws UsageError and FileError.
    void apply(Tools& tools) const;

    bool given(const std::string& name) const;
    bool any() const; ///< one was given that the views show
    /// An option was given that gives motion in place of an estimated one.
    bool givesMotion() const;
    /// An option was given beside those that give motion and those that a panel alone shows.
    bool anyElse() const;
    /// An option was given that gives a switch of the display something to draw.
    bool draws(const std::string& display) const;
    /// "--surface, --surface-threshold or --segment": the options that draws() looks for.
    std::string namesOfDrawing(const std::string& display) const;
    /// Sets of switches of the display that the options given want on.
    std::vector<std::vector<std::string>> shows() const;
    /// Adds the titles of the panels that the options given are seen in, unless they are there.
    void addPanels(std::vector<std::string>& titles) const;

private:
    void add(CLI::App& app, const ToolOption& option);
    /// The options that were given, in the order of the tables.
    std::vector<const ToolOption*> givenOptions() const;

    std::map<std::string, CLI::Option*> options_; ///< options by name
    std::map<std::string, OptionValues> values_;
};

} // namespace systole
