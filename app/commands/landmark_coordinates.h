// The option --coordinates: what the numbers of point files are that don't say it.
#pragma once

#include "io/landmarks/landmark_file.h"

#include <string>

namespace CLI {
class App;
} // namespace CLI

namespace systole {

class CoordinatesOption {
public:
    void addTo(CLI::App& app);
    LandmarkCoordinates value() const;

private:
    std::string name_ = "auto";
};

} // namespace systole
