#include "app/features/tasks.h"

#include "app/features/bias/bias_run.h"
#include "app/features/cardiac/strain_run.h"
#include "app/features/landmarks/landmark_parameters.h"
#include "app/features/motion/motion_run.h"
#include "app/features/registration/registration_run.h"
#include "app/features/segmentation/segment_run.h"
#include "app/features/surface/surface_run.h"

namespace systole {

std::vector<Task> tasks() {
    return {motionTask(),    registrationTask(), biasTask(),   denoiseTask(), segmentTask(),
            detectionTask(), trackingTask(),     strainTask(), wallTask()};
}

} // namespace systole
