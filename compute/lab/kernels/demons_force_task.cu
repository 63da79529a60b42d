// The demons forces between two random frames as a task of the laboratory.
#include "compute/lab/kernels/tasks.cuh"
#include "compute/methods/demons/force_cuda.cuh"

namespace systole::lab {
using namespace gpu;

KernelTask makeDemonsForceTask(CudaContext& cuda, int side) {
    struct Data {
        Size3 size;
        std::vector<float> frames; ///< fixed and warped frame
        Buffer<float> fields;      ///< both frames, three planes of zero motion, the step
        Buffer<double2> sums;
        Buffer<double> energy;
        Buffer<unsigned> arrived;
    };
    const Size3 size = labSize(side);
    const std::size_t n = size.voxels();
    BufferPool& pool = cuda.devicePool();
    const std::shared_ptr<Data> d(
        new Data{size, randomVolume(side, 1), pool.acquire<float>(8 * n, "laboratory, demons"),
                 pool.acquire<double2>(demonsForceBlocks(size), "laboratory, sums"),
                 pool.acquire<double>(1, "laboratory, energy"),
                 pool.acquire<unsigned>(1, "laboratory, arrived")});
    const std::vector<float> warped = randomVolume(side, 2);
    d->frames.insert(d->frames.end(), warped.begin(), warped.end());
    cuda.upload(d->frames.data(), d->fields.data(), 2 * n * sizeof(float), CudaStream::Compute);
    cuda.zero(d->fields.data() + 2 * n, 3 * n * sizeof(float), CudaStream::Compute);
    cuda.zero(d->arrived.data(), sizeof(unsigned), CudaStream::Compute);
    cuda.synchronize(CudaStream::Compute);

    const DemonsScale scale{{1, 1, 1}, 1.0f / 16};
    KernelTask task = taskOf(d->fields.data() + 5 * n, 3 * n, 5 * n * sizeof(float));
    task.launch = [d, n, scale](int variant, LaunchLog& log) {
        float* const first = d->fields.data();
        demonsForces(variant,
                     {{{first, d->size},
                       {first + n, d->size},
                       {first + 2 * n, d->size},
                       {first + 5 * n, d->size},
                       scale},
                      d->energy.data(),
                      {d->sums.data(), d->arrived.data()}},
                     log);
    };
    task.onHost = [d, n, scale](const ExecContext& ctx) {
        std::vector<float> step(3 * n);
        const std::vector<float> rest(3 * n);
        systole::demonsForces({{d->frames.data(), d->size},
                               {d->frames.data() + n, d->size},
                               {rest.data(), d->size},
                               {step.data(), d->size},
                               scale},
                              ctx);
        return step;
    };
    return task;
}

} // namespace systole::lab
