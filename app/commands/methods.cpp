// systole methods: the methods of the other commands, and all about one of them.
#include "app/registration/methods.h"

#include "app/commands/command.h"
#include "app/commands/help.h"
#include "app/commands/method_options.h"
#include "app/commands/parameter_options.h"
#include "app/error.h"
#include "compute/surface/surface_methods.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

namespace systole {
namespace {

/// What the lists of methods have in common.
struct MethodPage {
    std::string name, text; ///< the text: title and sentence
    std::string commands;   ///< that take it by --method
    const ParamTable* parameters;
    std::vector<Backend> backends;
};

std::vector<MethodPage> pages() {
    std::vector<MethodPage> pages;
    for (const MotionMethod& method : registrationMethods())
        pages.push_back({method.name, method.title + ". " + method.summary,
                         &method == &affineMethod() ? "register, landmarks tre"
                                                    : "motion, register, landmarks tre",
                         method.parameters, method.backends});
    for (const SurfaceMethod& method : surfaceMethods())
        pages.push_back({method.name, "Of surfaces: " + method.title + ".", "denoise",
                         method.parameters, method.backends});
    return pages;
}

/// "paper: levels 4, rho 2.33", or what it is without other values than the defaults.
std::string presetText(const ParamTable& table, const std::string& name) {
    const ParamSet values(table, name);
    std::vector<std::string> changed;
    for (const auto& [id, value] : table.preset(name))
        changed.push_back(id + " " + values.text(id));
    return changed.empty() ? "the defaults" : fmt::format("{}", fmt::join(changed, ", "));
}

void print(const MethodPage& page) {
    std::vector<std::string> backends;
    for (const Backend backend : page.backends)
        backends.emplace_back(name(backend));
    fmt::print("{}\n\n", wrapped(page.name + ": " + page.text, 0, 0));
    fmt::print("{}", helpRow("commands", page.commands));
    fmt::print("{}", helpRow("backends", fmt::format("{}", fmt::join(backends, ", "))));
    const ParamTable& table = *page.parameters;
    const std::vector<std::string> presets = table.presets();
    if (!presets.empty())
        fmt::print("\nPresets:\n");
    for (const std::string& preset : presets)
        fmt::print("{}", helpRow(preset, presetText(table, preset)));
    const ParamSet defaults(table);
    const auto printRows = [&](const char* heading, const auto& belongs) {
        bool any = false;
        for (const ParamRow& row : table.rows()) {
            if (!belongs(row))
                continue;
            fmt::print("{}", any ? "" : heading);
            any = true;
            fmt::print("{}", helpRow(fmt::format("--{} {}", row.id, defaults.text(row.id)),
                                     fmt::format("{} [{}]", parameterHelp(row), rangeText(row))));
        }
    };
    const auto isVariant = [](const ParamRow& row) { return row.id.starts_with(variantPrefix); };
    printRows("\nParameters, with their defaults:\n",
              [&](const ParamRow& row) { return !row.cudaOnly; });
    printRows("\nParameters that only CUDA uses:\n",
              [&](const ParamRow& row) { return row.cudaOnly && !isVariant(row); });
    printRows("\nVariants of CUDA kernels, also by --variant STAGE=NAME:\n", isVariant);
}

class MethodsCommand : public Command {
public:
    MethodsCommand()
        : Command("methods",
                  "List the methods, or all parameters, presets, backends and variants of one") {}
    void addOptions(CLI::App& app) override {
        app.add_option("NAME", name_, "Say all about this method; default: a sentence about each");
    }
    int run() override {
        const std::vector<MethodPage> all = pages();
        std::vector<std::string> names;
        for (const MethodPage& page : all) {
            names.push_back(page.name);
            if (name_.empty())
                fmt::print("{}", helpRow(page.name, page.text));
        }
        const auto found = std::ranges::find(all, name_, &MethodPage::name);
        if (!name_.empty() && found == all.end())
            throw UsageError(fmt::format("there is no method '{}'; there are {}", name_,
                                         fmt::join(names, ", ")));
        if (found != all.end())
            print(*found);
        return 0;
    }

private:
    std::string name_;
};

} // namespace

std::unique_ptr<Command> makeMethodsCommand() { return std::make_unique<MethodsCommand>(); }

} // namespace systole
