#include "app/anatomy/tissue_labels.h"

#include "app/anatomy/label_grid.h"
#include "app/base/json_file.h"
#include "compute/ops/soft_mask.h"
#include "io/base/error.h"
#include "io/source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

namespace systole {
namespace {

namespace fs = std::filesystem;

/// The wall's label in the record of the phantom that the file is part of.
std::optional<int> labelOfPhantom(const fs::path& file) {
    std::error_code failure; // a study may consist of links
    const fs::path path = fs::canonical(file.parent_path() / "phantom.json", failure);
    const std::optional<Json> record = failure ? std::nullopt : readJson(path.string());
    if (!record || !record->contains("labels") || !record->at("labels").is_object())
        return {};
    const Json& labels = record->at("labels");
    if (labels.value("file", Json()) != file.filename().string() || !labels.contains("values") ||
        !labels["values"].is_object() || !labels["values"].contains("wall") ||
        !labels["values"]["wall"].is_number_integer())
        return {};
    return labels["values"]["wall"].get<int>();
}

/// True if the name ends with patientN_frameN_gt.nii, perhaps with .gz.
bool isNamedAsAcdc(std::string_view name) {
    const auto take = [&](std::string_view text) {
        const bool found = name.starts_with(text);
        name.remove_prefix(found ? text.size() : 0);
        return found;
    };
    const auto takeNumber = [&] {
        const std::size_t digits = name.find_first_not_of("0123456789");
        const bool found = digits != 0 && digits != std::string_view::npos;
        name.remove_prefix(found ? digits : 0);
        return found;
    };
    const std::size_t begin = name.rfind("patient");
    if (begin == std::string_view::npos)
        return false;
    name.remove_prefix(begin);
    return take("patient") && takeNumber() && take("_frame") && takeNumber() && take("_gt.nii") &&
           (name.empty() || name == ".gz");
}

/// Label of the myocardium in the ACDC data, where 1 is the right and 3 the left ventricle; none:
/// the file isn't named like theirs.
std::optional<int> labelOfAcdc(const fs::path& file) {
    return isNamedAsAcdc(file.filename().string()) ? std::optional(2) : std::nullopt;
}

std::optional<int> statedLabel(const fs::path& file, const std::set<int>& labels) {
    if (const auto label = labelOfPhantom(file))
        return label;
    if (const auto label = labelOfAcdc(file))
        return label;
    return labels.size() == 1 ? std::optional(*labels.begin()) : std::nullopt;
}

} // namespace

std::set<int> labelsIn(std::span<const float> values, const std::string& file) {
    std::set<int> labels;
    for (const float value : values)
        if (value > 0)
            labels.insert(static_cast<int>(value));
    if (labels.empty())
        throw FileError(fmt::format("{}: the label map has no label but 0", file));
    return labels;
}

Volume readLabels(const std::string& file, const Geometry* geometry,
                  std::vector<std::string>& notes, const ExecContext& ctx) {
    const Sequence sequence = openSequence({file});
    if (sequence.frames != 1)
        throw FileError(fmt::format("{}: the label map must be one frame", file));
    Volume map = decodeFrame(sequence, 0, *ctx.pool, "labels");
    roundToLabels(map.view().span(), file);
    return geometry ? labelsOnGrid(std::move(map), file, *geometry, notes, ctx) : std::move(map);
}

std::vector<std::uint8_t> TissueLabels::voxels() const {
    const auto values = map.view().span();
    std::vector<std::uint8_t> voxels(values.size());
    std::ranges::transform(values, voxels.begin(), [this](float value) {
        return value == static_cast<float>(label) ? 1 : 0;
    });
    return voxels;
}

TissueLabels readTissueLabels(const std::string& file, std::optional<int> label,
                              const Geometry& geometry, const char* option,
                              const ExecContext& ctx) {
    std::vector<std::string> notes;
    Volume map = readLabels(file, &geometry, notes, ctx);
    const std::set<int> labels = labelsIn(map.view().span(), file);
    if (!label)
        label = statedLabel(file, labels);
    if (!label)
        throw FileError(fmt::format("{}: the file doesn't say which of its labels {} is tissue; "
                                    "name it with {}",
                                    file, fmt::join(labels, ", "), option));
    if (!labels.contains(*label))
        throw FileError(fmt::format("{}: the label map has no label {}; its labels are {}", file,
                                    *label, fmt::join(labels, ", ")));
    return {std::move(map), *label, std::move(notes)};
}

TissueWeight readTissue(const std::string& file, std::optional<int> label, const Geometry& geometry,
                        const ExecContext& ctx) {
    const TissueLabels tissue = readTissueLabels(file, label, geometry, "--tissue-label", ctx);
    const auto weight =
        std::make_shared<Volume>(tissue.map.geometry, *ctx.pool, "incompressibility");
    softMask(tissue.map.view(), static_cast<float>(tissue.label), weight->view(), ctx);
    return {weight, tissue.label, tissue.notes};
}

} // namespace systole
