// Options of the Fields panel: --fields, --field-convention.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace systole {

class FieldsTool;

struct ShownFieldOptions {
    std::vector<std::string> files;
    std::string convention = "auto";

    void addTo(CLI::App& app);
    bool any() const { return !files.empty(); }
    void apply(FieldsTool& fields) const;
};

} // namespace systole
