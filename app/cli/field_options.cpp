#include "app/cli/field_options.h"

#include "app/base/error.h"
#include "app/base/plural.h"
#include "app/cli/image_arguments.h"
#include "app/cli/option_forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

namespace systole {
namespace {

constexpr const char* byFileOrImages = "auto";

std::shared_ptr<const Volume> shared(Volume volume) {
    return std::make_shared<const Volume>(std::move(volume));
}

} // namespace

std::string fieldConventionHelp() {
    std::string help = "Meaning of the numbers in field files that don't state it; auto: as the "
                       "file states, or as the images prove.";
    for (const FieldConvention& convention : fieldConventions())
        help += " " + textOf(convention) + ".";
    return help;
}

std::vector<std::string> fieldConventionNames() {
    std::vector<std::string> names{byFileOrImages};
    for (const FieldConvention& convention : fieldConventions())
        names.emplace_back(convention.name);
    return names;
}

void FieldOptions::addTo(CLI::App& app) {
    addChoice(app, "--field-convention", convention_, fieldConventionNames(),
              fieldConventionHelp());
    CLI::Option* const images = app.add_option(
        "--images", images_,
        "The 4D sequence that the fields belong to: its frames prove the convention, "
        "or find it; a wrong one is refused");
    CLI::Option* const fixed =
        app.add_option("--fixed", fixed_,
                       "The same with separate files: the fixed image of all fields, or "
                       "FILE@FRAME")
            ->excludes(images);
    CLI::Option* const moving = addRepeatable(
        app, "--moving", moving_, "The moving image, or FILE@FRAME; once for each field");
    fixed->needs(moving);
    moving->needs(fixed);
}

std::string FieldOptions::imagesName() const {
    const std::string path = !images_.empty() ? images_ : parseFrameOfFile(fixed_).path;
    return std::filesystem::path(path).filename().string();
}

FieldImagesOf FieldOptions::imagesOf(Fields& fields, const ExecContext& ctx) const {
    if (!hasImages())
        return {};
    if (!images_.empty())
        return framesOf(openSequence({images_}, {.acceptUnknown = true}), fields, ctx);
    if (moving_.size() != fields.files.size())
        throw UsageError(
            fmt::format("--moving: {} images for {} fields", moving_.size(), fields.files.size()));
    const auto fixed = shared(readImage(parseFrameOfFile(fixed_), "--fixed", ctx).volume);
    return [this, fixed, &ctx](std::size_t i) -> FieldImages {
        return {fixed, shared(readImage(parseFrameOfFile(moving_[i]), "--moving", ctx).volume)};
    };
}

FieldImagesOf FieldOptions::framesOf(const Sequence& sequence, Fields& fields,
                                     const ExecContext& ctx) const {
    fields.following = sequence.frames - 1 - fields.reference;
    if (fields.counted && static_cast<int>(fields.files.size()) > fields.following)
        throw UsageError(fmt::format("--images: {} for {}, which has {} after frame {}",
                                     plural(std::ssize(fields.files), "field"), sequence.name,
                                     plural(fields.following, "frame"), fields.reference));
    const auto require = [&](int frame) {
        if (frame < 0 || frame >= sequence.frames)
            throw UsageError(fmt::format("--images: {} has no frame {}; its frames are 0 to {}",
                                         sequence.name, frame, sequence.frames - 1));
    };
    require(fields.reference);
    std::ranges::for_each(fields.frames, require);
    for (const int frame : fields.frames)
        if (sequence.timeKnown())
            fields.seconds.push_back(sequence.timeOf(frame) - sequence.timeOf(fields.reference));
    const auto fixed = shared(decodeFrame(sequence, fields.reference, *ctx.pool, "--images"));
    return [sequence = std::make_shared<Sequence>(sequence), fixed, frames = fields.frames,
            &ctx](std::size_t i) -> FieldImages {
        return {fixed, shared(decodeFrame(*sequence, frames[i], *ctx.pool, "--images"))};
    };
}

std::shared_ptr<GivenFieldFiles> FieldOptions::open(Fields& fields, const ExecContext& ctx) const {
    const FieldImagesOf images = imagesOf(fields, ctx);
    try {
        return std::make_shared<GivenFieldFiles>(fields.files, findFieldConvention(convention_),
                                                 images, ctx);
    } catch (const UnknownConvention& error) {
        throw UnknownConvention(
            error.what() + std::string(hasImages() ? "; name the convention by --field-convention"
                                                   : "; name it by --field-convention, or give the "
                                                     "images (--images), which find it"));
    } catch (const FileError& error) {
        if (!fields.counted || std::ssize(fields.files) >= fields.following)
            throw;
        throw FileError(fmt::format(
            "{}; or {} named don't lead to the frames from {} to {}: --images has {} after frame "
            "{}, so name a field for each",
            error.what(), plural(std::ssize(fields.files), "field"), fields.reference + 1,
            fields.reference + std::ssize(fields.files), fields.following, fields.reference));
    }
}

} // namespace systole
