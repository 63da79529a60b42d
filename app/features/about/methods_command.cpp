// systole methods: the methods of the other commands, and all about one of them.
#include "app/base/error.h"
#include "app/base/json_file.h"
#include "app/cli/command.h"
#include "app/cli/common_options.h"
#include "app/cli/help.h"
#include "app/cli/method_options.h"
#include "app/cli/parameter_options.h"
#include "app/cli/record_parts.h"
#include "app/estimation/registration_methods.h"
#include "compute/surface/surface_methods.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

namespace systole {
namespace {

/// Description of a method, the same for all kinds of methods.
struct MethodPage {
    std::string name, text; ///< the text: title and sentence
    std::string commands;   ///< commands whose --method takes it
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

Json valueOf(const ParamValue& value) {
    return std::visit([](const auto& each) { return Json(each); }, value);
}

Json rowOf(const ParamRow& row) {
    Json json{{"id", row.id},
              {"title", row.label()},
              {"help", row.help},
              {"default", valueOf(row.defaultValue)},
              {"unit", nullIfEmpty(row.unit)},
              {"cuda_only", row.cudaOnly}};
    if (row.type == ParamType::Choice)
        json["choices"] = row.choices;
    if (row.type == ParamType::Real || row.type == ParamType::Integer)
        json["range"] = {row.minimum, row.maximum};
    return json;
}

Json asJson(const MethodPage& page) {
    const ParamTable& table = *page.parameters;
    Json json{{"name", page.name},         {"text", page.text},
              {"commands", page.commands}, {"backends", Json::array()},
              {"presets", Json::object()}, {"parameters", Json::array()}};
    for (const Backend backend : page.backends)
        json["backends"].push_back(name(backend));
    for (const std::string& preset : table.presets()) {
        Json& values = json["presets"][preset] = Json::object();
        for (const auto& [id, value] : table.preset(preset))
            values[id] = valueOf(value);
    }
    for (const ParamRow& row : table.rows())
        json["parameters"].push_back(rowOf(row));
    return json;
}

class MethodsCommand : public Command {
public:
    MethodsCommand()
        : Command("methods",
                  "List the methods, or all parameters, presets, backends and variants of one") {}
    void addOptions(CLI::App& app) override {
        app.add_option("NAME", name_, "Say all about this method; default: a sentence about each");
        addJsonFlag(app, json_);
    }
    int run() override {
        std::vector<MethodPage> shown = pages();
        if (!name_.empty()) {
            std::vector<std::string> names;
            for (const MethodPage& page : shown)
                names.push_back(page.name);
            std::erase_if(shown, [&](const MethodPage& page) { return page.name != name_; });
            if (shown.empty())
                throw UsageError(fmt::format("there is no method '{}'; there are {}", name_,
                                             fmt::join(names, ", ")));
        }
        if (json_) {
            Json list = Json::array();
            for (const MethodPage& page : shown)
                list.push_back(asJson(page));
            fmt::print("{}\n", jsonText(list));
        } else if (!name_.empty()) {
            print(shown.front());
        } else {
            for (const MethodPage& page : shown)
                fmt::print("{}", helpRow(page.name, page.text));
        }
        return 0;
    }

private:
    std::string name_;
    bool json_ = false;
};

} // namespace

std::unique_ptr<Command> makeMethodsCommand() { return std::make_unique<MethodsCommand>(); }

} // namespace systole
