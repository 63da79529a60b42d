#include "app/features/fields/shown_fields.h"

#include "app/base/error.h"
#include "app/cli/field_options.h"
#include "app/cli/option_forms.h"
#include "app/features/fields/fields_tool.h"
#include "app/fields/field_order.h"

#include <fmt/format.h>

namespace systole {

void ShownFieldOptions::addTo(CLI::App& app) {
    const OptionGroup group(app, "Displacement fields of another program as the motion");
    CLI::Option* const given =
        app.add_option("--fields", files,
                       "The folder of 'systole motion --lagrangian', or fields from the first "
                       "frame to each other one, in the order of its run.json, else of the "
                       "numbers in their names: shown and measured in place of estimated motion");
    addFieldConvention(app, convention)->needs(given);
}

void ShownFieldOptions::apply(FieldsTool& fields) const {
    const OrderedFields ordered = inOrderOfFrames(files);
    for (std::size_t i = 0; i < ordered.frames.size(); ++i)
        if (ordered.first != 0 || ordered.frames[i] != static_cast<int>(i) + 1)
            throw UsageError(fmt::format("--fields: {} leads from frame {} to {}, according to "
                                         "the run.json beside it; fields from frame 0 to every "
                                         "other one are needed",
                                         ordered.files[i], ordered.first, ordered.frames[i]));
    if (!ordered.note.empty())
        fmt::print("note: {}\n", ordered.note);
    fields.files = ordered.files;
    fields.convention = convention;
}

} // namespace systole
