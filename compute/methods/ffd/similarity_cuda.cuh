// The similarities on the device: the CUDA counterparts of similarity.h. Volumes are in device
// memory.
#pragma once

#include "compute/methods/ffd/points_cuda.cuh"
#include "compute/methods/ffd/similarity.h"
#include "compute/ops/still_region_cuda.cuh"

namespace systole::gpu {

/// Results of kernels that the host waits for.
struct FfdSums {
    double2 similarity;           ///< sum of the similarity, sum of the weights
    double2 penalty;              ///< the quadratic ones
    double2 volume;               ///< the penalty of volume change
    double products[maxProducts]; ///< products of vectors of control points
    unsigned longest;             ///< see longest()
    float noise;                  ///< madeGood · whiteNoise() of the moving image
    int notFinite[2];
    StillState still;
};

class DeviceSimilarity : public SimilarityScale {
public:
    /// Similarity::begin() on the device; waits for it. `sums` is on the device.
    virtual void begin(const Similarity::Level& level, FfdSums* sums, const GridSum& room,
                       LaunchLog& log) = 0;
    /// Enqueues what the value is made of; also sums->similarity.y, the sum of the weights.
    virtual void enqueue(const ComparedImages& images, FfdSums* sums, const GridSum& room,
                         LaunchLog& log) = 0;
    /// The value, once the stream is done and `sums` downloaded.
    virtual double value(const FfdSums& sums) = 0;
    /// Enqueues out = d value / d warped for the images of the last value.
    virtual void derivative(const ComparedImages& images, VolumeView<float> out,
                            LaunchLog& log) = 0;
};

/// Each adds its device memory to `space`.
std::unique_ptr<DeviceSimilarity> makeSsdOnDevice();
std::unique_ptr<DeviceSimilarity> makeNmiOnDevice(Workspace& space);
std::unique_ptr<DeviceSimilarity> makeLnccOnDevice(double window, Size3 finest, Workspace& space);

/// *out = (Σ weight · (a − b − shift)^power, Σ weight), power 1 or 2; b and weight may be null
/// (0 and 1).
struct Moment {
    const float* a;
    const float* b;
    const float* weight;
    float shift;
    int power;
};
void sumMoment(const Moment& moment, std::size_t voxels, const GridSum& room, double2* out,
               LaunchLog& log);

/// Waits for the stream and returns the sums.
FfdSums downloadSums(const FfdSums* sums, LaunchLog& log);

} // namespace systole::gpu
