#include "app/commands/field_options.h"

#include "app/commands/option_forms.h"
#include "app/commands/register_images.h"
#include "app/error.h"
#include "io/source.h"

#include <fmt/format.h>

#include <algorithm>

namespace systole {
namespace {

constexpr const char* byFileOrImages = "auto";

std::shared_ptr<const Volume> shared(Volume volume) {
    return std::make_shared<const Volume>(std::move(volume));
}

std::string conventionHelp() {
    std::string help = "What the numbers of the fields are, for files that don't say it; auto: as "
                       "the file says, or as the images prove.";
    for (const FieldConvention& convention : fieldConventions())
        help += " " + textOf(convention) + ".";
    return help;
}

std::vector<std::string> conventionNames() {
    std::vector<std::string> names{byFileOrImages};
    for (const FieldConvention& convention : fieldConventions())
        names.emplace_back(convention.name);
    return names;
}

} // namespace

void FieldOptions::addTo(CLI::App& app) {
    addChoice(app, "--field-convention", convention_, conventionNames(), conventionHelp());
    CLI::Option* const images = app.add_option(
        "--images", images_,
        "The 4D sequence that the fields belong to: its frames prove the convention, "
        "or find it; a wrong one is refused");
    CLI::Option* const fixed =
        app.add_option("--fixed", fixed_,
                       "The same with files of their own: the fixed image of all fields, or "
                       "FILE@FRAME")
            ->excludes(images);
    CLI::Option* const moving = addRepeatable(
        app, "--moving", moving_, "The moving image, or FILE@FRAME; once for each field");
    fixed->needs(moving);
    moving->needs(fixed);
}

FieldImagesOf FieldOptions::imagesOf(const Fields& fields, const ExecContext& ctx) const {
    if (!hasImages())
        return {};
    if (images_.empty()) {
        if (moving_.size() != fields.files.size())
            throw UsageError(fmt::format("--moving: {} images for {} fields", moving_.size(),
                                         fields.files.size()));
        const auto fixed = shared(readImage(parseFrameOfFile(fixed_), "--fixed", ctx).volume);
        return [this, fixed, &ctx](std::size_t i) -> FieldImages {
            return {fixed, shared(readImage(parseFrameOfFile(moving_[i]), "--moving", ctx).volume)};
        };
    }
    const auto sequence =
        std::make_shared<Sequence>(openSequence({images_}, {.acceptUnknown = true}));
    const auto require = [&](int frame) {
        if (frame < 0 || frame >= sequence->frames)
            throw UsageError(fmt::format("--images: {} has no frame {}; its frames are 0 to {}",
                                         sequence->name, frame, sequence->frames - 1));
    };
    require(fields.reference);
    std::ranges::for_each(fields.frames, require);
    const auto fixed = shared(decodeFrame(*sequence, fields.reference, *ctx.pool, "--images"));
    return [sequence, fixed, frames = fields.frames, &ctx](std::size_t i) -> FieldImages {
        return {fixed, shared(decodeFrame(*sequence, frames[i], *ctx.pool, "--images"))};
    };
}

FieldReading FieldOptions::reading(const Fields& fields, const ExecContext& ctx) const {
    try {
        return readingOf(fields.files, findFieldConvention(convention_), imagesOf(fields, ctx),
                         ctx);
    } catch (const UnknownConvention& error) {
        throw UnknownConvention(
            error.what() + std::string(hasImages() ? "; name the convention by --field-convention"
                                                   : "; name it by --field-convention, or give the "
                                                     "images (--images), which find it"));
    }
}

} // namespace systole
