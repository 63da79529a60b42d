// Sound files of every format that is read, small.
#pragma once

#include "tests/fuzz/readers.h"

namespace systole::fuzz {

using Seeds = void(const NextPath& next);
Seeds niftiSeeds, niftiPairSeeds, packedNiftiSeeds, nrrdSeeds, metaSeeds, vtkSeeds, giplSeeds,
    packedGiplSeeds, dicomSeeds, fieldSeeds, itkTransformSeeds, matrixSeeds, landmarkSeeds,
    indexSeeds, trackSeeds, meshSeeds, vtpSeeds, vtkSurfaceSeeds, matlabTransformSeeds,
    hdf5TransformSeeds, elastixTransformSeeds, matrixMarketSeeds, pngSeeds;

using Beside = void(const std::string& folder);
Beside voxelsOfPair, restOfSeries;

} // namespace systole::fuzz
