// ITK's diffeomorphic demons as a program, for `systole bench motion` to run beside the others:
//     itk_demons FIXED MOVING FIELD LEVELS ITERATIONS STEP_SIGMA FIELD_SIGMA
// Sigmas in voxels, 0: no smoothing. Built on request alone: ninja itk_demons.
#include <itkDiffeomorphicDemonsRegistrationFilter.h>
#include <itkImageFileReader.h>
#include <itkImageFileWriter.h>
#include <itkMetaImageIOFactory.h>
#include <itkMultiResolutionPDEDeformableRegistration.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <vector>

int main(int count, char** arguments) {
    using Image = itk::Image<float, 3>;
    using Field = itk::Image<itk::Vector<float, 3>, 3>;
    using Demons = itk::DiffeomorphicDemonsRegistrationFilter<Image, Image, Field>;
    using Pyramid = itk::MultiResolutionPDEDeformableRegistration<Image, Image, Field, float>;
    if (count != 8) {
        std::cerr << "usage: itk_demons FIXED MOVING FIELD LEVELS ITERATIONS STEP_SIGMA "
                     "FIELD_SIGMA\n";
        return 2;
    }
    try {
        itk::MetaImageIOFactory::RegisterOneFactory();
        const auto levels = static_cast<unsigned>(std::atoi(arguments[4]));
        const auto iterations = static_cast<unsigned>(std::atoi(arguments[5]));
        const double stepSigma = std::atof(arguments[6]), fieldSigma = std::atof(arguments[7]);
        const auto demons = Demons::New();
        demons->SetMaximumUpdateStepLength(2); // symmetric gradients are its default
        demons->SetSmoothUpdateField(stepSigma > 0);
        demons->SetUpdateFieldStandardDeviations(stepSigma);
        demons->SetSmoothDisplacementField(fieldSigma > 0);
        demons->SetStandardDeviations(fieldSigma);
        const auto registration = Pyramid::New();
        registration->SetRegistrationFilter(demons);
        registration->SetFixedImage(itk::ReadImage<Image>(arguments[1]));
        registration->SetMovingImage(itk::ReadImage<Image>(arguments[2]));
        registration->SetNumberOfLevels(levels);
        // A thick slice counts as so many voxels as it is thick: the levels shrink towards cubes.
        const auto spacing = registration->GetFixedImage()->GetSpacing();
        const double smallest = std::min({spacing[0], spacing[1], spacing[2]});
        auto schedule = registration->GetFixedImagePyramid()->GetSchedule();
        for (unsigned level = 0; level < levels; ++level)
            for (unsigned axis = 0; axis < 3; ++axis)
                schedule[level][axis] = static_cast<unsigned>(std::max(
                    1L, std::lround((1u << (levels - 1 - level)) * smallest / spacing[axis])));
        registration->GetFixedImagePyramid()->SetSchedule(schedule);
        registration->GetMovingImagePyramid()->SetSchedule(schedule);
        registration->SetNumberOfIterations(std::vector<unsigned>(levels, iterations).data());
        itk::WriteImage(registration->GetOutput(), arguments[3]);
        return 0;
    } catch (const itk::ExceptionObject& error) {
        std::cerr << "itk_demons: " << error.GetDescription() << '\n';
        return 1;
    }
}
