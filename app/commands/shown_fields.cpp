#include "app/commands/shown_fields.h"

#include "app/commands/field_options.h"
#include "app/commands/option_forms.h"
#include "app/tools/fields/fields_tool.h"

namespace systole {

void ShownFieldOptions::addTo(CLI::App& app) {
    const OptionGroup group(app, "Displacement fields of another program as the motion");
    CLI::Option* const given =
        app.add_option("--fields", files,
                       "Fields from the first frame to frame 1, frame 2 and so on, in this "
                       "order: shown and measured in place of estimated motion");
    addFieldConvention(app, convention)->needs(given);
}

void ShownFieldOptions::apply(FieldsTool& fields) const {
    fields.files = files;
    fields.convention = convention;
}

} // namespace systole
