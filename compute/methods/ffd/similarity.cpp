#include "compute/methods/ffd/similarity.h"

#include "compute/methods/ffd/similarity_lncc.h"
#include "compute/methods/ffd/similarity_nmi.h"
#include "compute/methods/ffd/similarity_rows.h"
#include "compute/ops/over_voxels.h"

namespace systole {

std::unique_ptr<Similarity> makeSimilarity(const SimilarityOptions& options, Size3 finest,
                                           Workspace& space) {
    switch (options.kind) {
    case SimilarityKind::Ssd:
        return makeSsd();
    case SimilarityKind::Nmi:
        return makeNmi(finest, space);
    case SimilarityKind::Lncc:
        break;
    }
    return makeLncc(options.window, finest, space);
}

double totalWeight(VolumeView<const float> weight, const ExecContext& ctx) {
    return sumOverRows(weight.size, ctx,
                       [&](int y, int z) { return rows::sum(weight.row(y, z), weight.size.x); });
}

} // namespace systole
