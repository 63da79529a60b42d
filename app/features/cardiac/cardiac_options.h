// Options of the Cardiac panel: --cardiac, --cardiac-set, --cardiac-show, --cardiac-segment.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace systole {

class CardiacTool;

struct CardiacOptions {
    std::string labels;                  ///< file, or "segmentation"; empty: none
    std::string quantity;                ///< of the bull's-eye; empty: as it is
    std::vector<std::string> parameters; ///< NAME=VALUE
    int segment = 0;

    void addTo(CLI::App& app);
    bool any() const { return !labels.empty(); }
    /// Throws UsageError.
    void apply(CardiacTool& cardiac) const;
};

} // namespace systole
