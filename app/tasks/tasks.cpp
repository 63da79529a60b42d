#include "app/tasks/tasks.h"

#include "app/bias/bias_run.h"
#include "app/cardiac/strain_run.h"
#include "app/landmarks/landmark_parameters.h"
#include "app/segmentation/segment_run.h"
#include "compute/motion/methods.h"
#include "compute/surface/nonlocal_means.h"

#include <algorithm>
#include <stdexcept>

namespace systole {

const std::vector<Task>& tasks() {
    static const std::vector<Task> all = [] {
        const std::vector<Backend> cpu{Backend::Cpu}, any{Backend::Cpu, Backend::Cuda};
        return std::vector<Task>{
            {"motion", "The motion from frame to frame", nullptr, any},
            {"register", "The transform between two images", nullptr, any},
            {"bias", "Volume change that methods find in noise alone", &biasTable(),
             motionMethod(usualBiasMethods().front()).backends},
            {"denoise", "The surface of a label or a threshold", &nonlocalMeansTable(), any},
            {"segment", "A chamber of the heart and its wall", &segmentTable(), cpu},
            {"landmarks detect", "Points of an image that can be found again", &detectionTable(),
             any},
            {"landmarks track", "Points followed through a sequence", &trackingTable(), any},
            {"strain", "Strain, twist and volumes of the left ventricle", &strainTable(), cpu},
            {"wall", "Tracks that move with an elastic wall", &wallTable(), cpu},
        };
    }();
    return all;
}

const Task& taskNamed(const std::string& name) {
    const auto found = std::ranges::find(tasks(), name, &Task::name);
    if (found == tasks().end())
        throw std::out_of_range("no task " + name);
    return *found;
}

} // namespace systole
