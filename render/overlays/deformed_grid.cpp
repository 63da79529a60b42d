// A grid that the motion deforms, on the slices and on their planes in the volume.
#include "render/glyph_sampling.h"
#include "render/overlays/line_overlay.h"

#include <fmt/format.h>

namespace systole {
namespace {

const std::vector<DisplayRow>& rows() {
    static const std::vector<DisplayRow> rows{
        {.param =
             switchParam("grid", false,
                         "A grid on the slices that the motion deforms, in the 3D view too; faint "
                         "where nothing moves or the image is dark."),
         .label = "Deformed &grid",
         .section = "Motion",
         .key = 'N',
         .extra = true},
        {.param = realParam("grid-spacing", 0, 0, 1e6, "mm",
                            "Millimeters between lines of the grid; chosen when not given."),
         .label = "grid spacing",
         .automatic = true,
         .group = "Grid and lines",
         .sliderMaximum = 20},
        {.param = realParam("grid-scale", 0, 0, 1000, "",
                            "Drawn millimeters of the grid's deformation per millimeter of motion; "
                            "chosen when not given: that of the arrows, and at least 1."),
         .label = "grid scale",
         .automatic = true,
         .group = "Grid and lines",
         .sliderMaximum = 10},
        {.param = realParam("grid-opacity", 0.8, 0, 1, "", "Opacity of the grid."),
         .label = "grid opacity",
         .group = "Grid and lines"},
    };
    return rows;
}
enum Row { Shown, Spacing, Scale, Opacity };

constexpr int linesAlongSlice = 16;
constexpr double samplesPerCell = 4; ///< min samples per cell; at least one per voxel, too

class DeformedGrid : public LineOverlay {
public:
    DeformedGrid() : LineOverlay(rows(), Opacity, 1.3) {}

protected:
    std::vector<double> lineOptions(const SceneState& state) const override {
        return {rows()[Spacing].real(state.display), scaleOf(state)};
    }

    std::vector<FlowLine> lines(const SceneState& state, ViewKind view) const override {
        std::vector<FlowLine> all;
        for (const ViewKind plane : {ViewKind::Axial, ViewKind::Coronal, ViewKind::Sagittal})
            if (view == plane || view == ViewKind::Volume3D)
                addGrid(state, plane, all);
        return all;
    }

    std::string label(const SceneState& state) const override {
        return !shows(state) || scaleOf(state) == 1 ? ""
                                                    : fmt::format("grid ×{:g}", scaleOf(state));
    }

private:
    static double scaleOf(const SceneState& state) {
        const double wanted = rows()[Scale].real(state.display);
        return wanted > 0 ? wanted : state.scale.grid();
    }

    static void addGrid(const SceneState& state, ViewKind plane, std::vector<FlowLine>& all) {
        const Geometry& grid = state.motion.geometry();
        const double wanted = rows()[Spacing].real(state.display);
        const double spacing =
            wanted > 0 ? wanted : sliceGlyphSpacing(grid, plane, linesAlongSlice);
        const sampling::SliceLattice lattice = sliceLattice(grid, plane, state.crosshair, spacing);
        const double pieces = std::max(samplesPerCell, spacing / smallestSpacing(grid));
        const sampling::ArrowSource source = sourceOf(state);
        const double scale = scaleOf(state);
        const auto add = [&](Vec3 middle, Vec3 half, int cells) {
            const auto steps = static_cast<int>(std::ceil(2 * cells * pieces));
            for (FlowLine& line :
                 deformedLine(source, middle - half, middle + half, std::max(steps, 1), scale))
                all.push_back(std::move(line));
        };
        const Vec3 halfRight = static_cast<double>(lattice.columns) * lattice.right;
        const Vec3 halfUp = static_cast<double>(lattice.rows) * lattice.up;
        for (int row = -lattice.rows; row <= lattice.rows; ++row)
            add(lattice.center + static_cast<double>(row) * lattice.up, halfRight, lattice.columns);
        for (int column = -lattice.columns; column <= lattice.columns; ++column)
            add(lattice.center + static_cast<double>(column) * lattice.right, halfUp, lattice.rows);
    }
};

} // namespace

OverlayKind gridOverlay() {
    OverlayKind kind{rows(), makeOverlay<DeformedGrid>};
    kind.colorsMotion = always;
    kind.readsHostField = always;
    return kind;
}

} // namespace systole
