#include "compute/methods/ffd/similarity.h"

#include "compute/methods/ffd/similarity_lncc.h"
#include "compute/methods/ffd/similarity_nmi.h"
#include "compute/methods/ffd/similarity_rows.h"

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
    return parallelSum(ctx, weight.size.z, 2, [&](int begin, int end) {
        double sum = 0;
        for (int z = begin; z < end; ++z)
            for (int y = 0; y < weight.size.y; ++y)
                sum += static_cast<double>(rows::sum(weight.row(y, z), weight.size.x));
        return sum;
    });
}

} // namespace systole
