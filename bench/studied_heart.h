// A phantom's left ventricle and what a motion says of it, for benchmarks.
#pragma once

#include "bench/phantom_case.h"
#include "compute/cardiac/measures.h"

namespace systole {

/// The ventricle of a pair's first frame, by the phantom's own points.
class StudiedHeart {
public:
    StudiedHeart(const PhantomPair& pair, const ExecContext& given);

    const cardiac::Ventricle& ventricle() const { return ventricle_; }
    /// Measures of the first frame and of one to which `field` leads; voxels, from fixed to moving.
    cardiac::Measures measure(const VectorField& field,
                              const cardiac::StrainDefinition& definition) const;

private:
    mutable ExecContext ctx_;
    cardiac::Ventricle ventricle_;
    cardiac::VentricleFits fits_;
};

/// Percent of the cavity's volume that is gone in the second frame, by a way to the volume.
double ejected(const cardiac::Measures& measures, double cardiac::CavityVolumes::*way);

} // namespace systole
