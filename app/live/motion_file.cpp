#include "app/live/motion_file.h"

#include "app/base/file_stem.h"
#include "compute/cuda/context.h"
#include "io/base/error.h"
#include "io/base/text.h"
#include "io/formats/writer.h"

#include <fmt/format.h>

namespace systole {
namespace {

FieldFormat formatOf(const std::string& path) {
    for (const FieldFormat format : {FieldFormat::MetaImage, FieldFormat::Nifti})
        if (lowerCase(path).ends_with(extensionOf(format)))
            return format;
    throw FileError(path + ": the name of a motion field must end with .mha or .nii.gz");
}

VectorField onHost(const VectorField& field, int device, BufferPool& pool) {
    constexpr std::size_t little = std::size_t{1} << 20; // it only copies
    CudaContext cuda({.device = device, .deviceBudget = little, .pinnedBudget = little});
    VectorField copied(field.geometry, pool, "motion to save");
    cuda.waitFor(CudaStream::Copy, field.ready);
    cuda.download(field.components.data(), copied.components.data(),
                  field.components.size() * sizeof(float), CudaStream::Copy);
    cuda.synchronize(CudaStream::Copy);
    return copied;
}

} // namespace

std::string whyNoMotionFile(const Session& session) {
    return !session.opened            ? "no file is open"
           : !session.inPlace.empty() ? session.inPlace + " is shown"
           : !session.motion.enabled  ? "the estimation is switched off"
           : !session.result          ? "no motion is shown yet"
                                      : "";
}

std::string motionFileName(const Session& session) {
    return fmt::format("{}_motion_{:04}_to_{:04}.mha", fileStem(session.opened->sequence.name),
                       session.result->fixedFrame, session.result->movingFrame);
}

void writeMotionFile(const std::string& path, const FrameResult& motion, int device,
                     const std::vector<std::string>& inputs) {
    const FieldFormat format = formatOf(path);
    refuseInputs(path, inputs);
    BufferPool pool;
    if (motion.field)
        return writeField(path, toMillimeters(*motion.field, pool), format);
    writeField(path, toMillimeters(onHost(*motion.device->field, device, pool), pool), format);
}

} // namespace systole
