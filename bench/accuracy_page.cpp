#include "bench/accuracy_page.h"

#include "app/base/web_page.h"
#include "render/base/colormaps.h"
#include "render/base/image.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace systole {
namespace {

constexpr double panelWidth = 320; ///< pixels
constexpr int arrowEvery = 3;      ///< voxels

/// A plane of x and z through a phantom, z upwards.
class Plane {
public:
    Plane(const PhantomPair& pair, FieldView<const float> field) : pair_(pair), field_(field) {
        const Vec3 spacing = pair.phantom.geometry().spacing();
        const double smallest = std::min({spacing.x, spacing.y, spacing.z});
        unit_ = (1 / smallest) * spacing;
        double most = -1;
        for (int y = 0; y < field.size.y; ++y) {
            double sum = 0;
            for (int z = 0; z < field.size.z; ++z)
                for (int x = 0; x < field.size.x; ++x)
                    if (pair.measured[at(x, y, z)])
                        sum += length(estimated(x, y, z) - truth(x, y, z));
            if (sum > most) {
                most = sum;
                y_ = y;
            }
        }
    }

    std::string drawn() const {
        double motion = 1e-6, error = 1e-6;
        forEach([&](int x, int z) {
            motion = std::max(motion, length(truth(x, y_, z)));
            error = std::max(error, length(estimated(x, y_, z) - truth(x, y_, z)));
        });
        return panel("fixed image; true motion white, estimated orange", {}, 1, true) +
               panel(
                   fmt::format("true motion, yellow {:.1f}", motion),
                   [&](int x, int z) { return length(truth(x, y_, z)); }, motion, false) +
               panel(
                   "estimated motion, the same scale",
                   [&](int x, int z) { return length(estimated(x, y_, z)); }, motion, false) +
               panel(
                   fmt::format("error, yellow {:.2f}", error),
                   [&](int x, int z) { return length(estimated(x, y_, z) - truth(x, y_, z)); },
                   error, false);
    }

private:
    std::size_t at(int x, int y, int z) const { return field_.componentView(0).offset(x, y, z); }
    Vec3 of(FieldView<const float> field, int x, int y, int z) const {
        const std::size_t i = at(x, y, z);
        return {unit_.x * static_cast<double>(field.u[i]),
                unit_.y * static_cast<double>(field.v[i]),
                unit_.z * static_cast<double>(field.w[i])};
    }
    Vec3 truth(int x, int y, int z) const { return of(pair_.truth.view(), x, y, z); }
    Vec3 estimated(int x, int y, int z) const { return of(field_, x, y, z); }
    /// The voxels of the plane whose errors count.
    void forEach(const std::function<void(int x, int z)>& visit) const {
        for (int z = 0; z < field_.size.z; ++z)
            for (int x = 0; x < field_.size.x; ++x)
                if (pair_.measured[at(x, y_, z)])
                    visit(x, z);
    }

    std::string panel(const std::string& title, const std::function<double(int, int)>& map,
                      double highest, bool arrows) const {
        RgbaImage image{field_.size.x, field_.size.z, {}};
        for (int row = 0; row < field_.size.z; ++row)
            for (int x = 0; x < field_.size.x; ++x) {
                const int z = field_.size.z - 1 - row;
                const bool mapped = map && pair_.measured[at(x, y_, z)];
                const auto gray = static_cast<double>(pair_.fixed.view()(x, y_, z)) / 255;
                const Color color = mapped ? colorAt(ColorMap::Viridis, map(x, z) / highest)
                                           : colorAt(ColorMap::Gray, map ? 0.4 * gray : gray);
                for (const float part : {color.red, color.green, color.blue, 1.0f})
                    image.pixels.push_back(static_cast<std::uint8_t>(std::lround(255 * part)));
            }
        const double scale = panelWidth / (unit_.x * field_.size.x),
                     height = scale * unit_.z * field_.size.z;
        std::string svg = fmt::format(
            "<figure><svg width=\"{0:.0f}\" height=\"{1:.0f}\"><image width=\"{0:.0f}\" "
            "height=\"{1:.0f}\" preserveAspectRatio=\"none\" "
            "href=\"{2}\"/>",
            panelWidth, height, pngSource(encodePng(image)));
        const auto arrow = [&](int x, int z, Vec3 w, const char* color) {
            const double px = scale * unit_.x * (x + 0.5),
                         py = height - scale * unit_.z * (z + 0.5);
            svg += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" "
                               "stroke=\"{}\"/>",
                               px, py, px + scale * w.x, py - scale * w.z, color);
        };
        if (arrows)
            forEach([&](int x, int z) {
                if (x % arrowEvery || z % arrowEvery)
                    return;
                arrow(x, z, truth(x, y_, z), "white");
                arrow(x, z, estimated(x, y_, z), "orange");
            });
        return fmt::format("{}</svg><figcaption>{}</figcaption></figure>\n", svg, title);
    }

    const PhantomPair& pair_;
    FieldView<const float> field_;
    Vec3 unit_; ///< size of a voxel, smallest spacings
    int y_ = 0;
};

} // namespace

void AccuracyPage::add(const std::string& look, const std::string& program, const PhantomPair& pair,
                       FieldView<const float> field) {
    const std::pair key{look, program};
    if (!drawn_.contains(key))
        order_.push_back(key);
    const WallError error = wallError(pair, field);
    const PhantomOptions& options = pair.phantom.options();
    drawn_[key].push_back(
        {error.mean,
         fmt::format("<h3>{}, seed {}: mean error {:.3f} of {:.2f}</h3>\n<p>{} scatterers per "
                     "voxel, voxels "
                     "{:g} "
                     "times as high as wide, infarct {:.0f} degrees, dropout {:.2f}, shadow "
                     "{:.2f}, lateral "
                     "growth {:.2f}, {:.2f} of the contraction</p>\n{}",
                     program, options.seed, error.mean, error.motion, options.scatterersPerVoxel,
                     options.voxelHeight, options.heart.infarctDegrees, options.dropout,
                     options.shadow, options.lateralGrowth, pair.phantom.contraction(1),
                     Plane(pair, field).drawn())});
}

std::string AccuracyPage::html() const {
    std::string text =
        "<h1>The worst tenth of each program's cases on each look</h1>\n<p>Lengths in smallest "
        "spacings; a plane of x and z; maps of the wall where it is seen.</p>\n";
    std::string look;
    for (const auto& key : order_) {
        if (key.first != look)
            text += fmt::format("<h2>{}</h2>\n", look = key.first);
        std::vector<Drawn> cases = drawn_.at(key);
        std::ranges::sort(cases, std::greater{}, &Drawn::error);
        cases.resize((cases.size() + 9) / 10);
        for (const Drawn& each : cases)
            text += each.text;
    }
    return htmlPage("Accuracy: worst cases",
                    "body{font-family:sans-serif;background:#111;color:#ddd}"
                    "figure{display:inline-block;margin:4px}image{image-rendering:pixelated}",
                    text);
}

} // namespace systole
