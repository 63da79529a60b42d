#include "app/features/cardiac/cardiac_options.h"

#include "app/cli/option_forms.h"
#include "app/cli/text_parts.h"
#include "app/features/cardiac/cardiac_tool.h"

#include <CLI/CLI.hpp>

namespace systole {
namespace {

constexpr const char* ofSegmentation = "segmentation";

std::vector<std::string> quantityNames() {
    std::vector<std::string> names;
    for (const BullsEyeQuantity& quantity : bullsEyeQuantities())
        names.emplace_back(quantity.name);
    return names;
}

} // namespace

void CardiacOptions::addTo(CLI::App& app) {
    const OptionGroup group(app, "The left ventricle by its motion, as by 'systole strain'");
    CLI::Option* const ofLabels =
        app.add_option("--cardiac", labels,
                       "Label map of the first frame, or 'segmentation': cavity and wall of the "
                       "Cardiac panel");
    app.add_option("--cardiac-set", parameters,
                   "NAME=VALUE: a parameter by the names of the options of 'systole strain'")
        ->needs(ofLabels);
    addChoice(app, "--cardiac-show", quantity, quantityNames(), "What the bull's-eye shows")
        ->needs(ofLabels);
    app.add_option("--cardiac-segment", segment, "Highlight a segment, from 1")
        ->check(inRange(1, cardiac::ahaSegments(cardiac::AhaModel::Eighteen)))
        ->needs(ofLabels);
}

void CardiacOptions::apply(CardiacTool& cardiac) const {
    if (!any())
        return;
    if (labels == ofSegmentation)
        cardiac.choose(HeartLabels::Segmentation);
    else
        cardiac.openFile(labels);
    for (const std::string& text : parameters)
        assignParameter(cardiac.parameters, text, "--cardiac-set");
    cardiac.markAsNamed();
    if (!quantity.empty())
        cardiac.quantity =
            static_cast<int>(&bullsEyeQuantity(quantity) - bullsEyeQuantities().data());
    cardiac.select(segment);
}

} // namespace systole
