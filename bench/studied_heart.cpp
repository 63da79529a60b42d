#include "bench/studied_heart.h"

#include "compute/core/points.h"
#include "io/phantom/infarct.h"

namespace systole {
namespace {

cardiac::Ventricle ventricleIn(const PhantomPair& pair, ExecContext& ctx) {
    const HeartShape& shape = pair.phantom.options().heart;
    const HeartPose pose(shape);
    cardiac::TissueMap map{pair.phantom.geometry(), {}};
    for (const std::uint8_t label : pair.phantom.labels(0, ctx))
        map.at.push_back(
            label == static_cast<std::uint8_t>(PhantomTissue::Wall)    ? cardiac::Tissue::Wall
            : label == static_cast<std::uint8_t>(PhantomTissue::Blood) ? cardiac::Tissue::Cavity
                                                                       : cardiac::Tissue::Other);
    return ventricleOf(map,
                       {pose.fromOwn({0, 0, -shape.endocardialHalfLength}),
                        pose.fromOwn({0, 0, shape.baseHeight}),
                        pose.fromOwn({shape.endocardialRadius, 0, 0})},
                       ctx);
}

} // namespace

StudiedHeart::StudiedHeart(const PhantomPair& pair, const ExecContext& given)
    : ctx_(given)
    , ventricle_(ventricleIn(pair, ctx_))
    , fits_(ventricle_, cardiac::MeasureOptions().order, ctx_) {}

cardiac::Measures StudiedHeart::measure(const VectorField& field,
                                        const cardiac::StrainDefinition& definition) const {
    cardiac::VentricleMotion motion;
    motion.addReference(ventricle_, 0);
    motion.add(ventricle_, 1, NAN, toMillimeters(field, *ctx_.pool));
    cardiac::MeasureOptions options;
    options.definition = &definition;
    return measuresOf(fits_, motion, options, ctx_);
}

double ejected(const cardiac::Measures& measures, double cardiac::CavityVolumes::*way) {
    return 100 * (1 - measures.frames[1].cavity.*way / (measures.frames[0].cavity.*way));
}

} // namespace systole
