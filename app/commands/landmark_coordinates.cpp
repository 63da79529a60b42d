#include "app/commands/landmark_coordinates.h"

#include <CLI/App.hpp>

#include <map>
#include <vector>

namespace systole {
namespace {

const std::map<std::string, LandmarkCoordinates>& coordinateNames() {
    static const std::map<std::string, LandmarkCoordinates> names{
        {"auto", LandmarkCoordinates::Auto},
        {"mm", LandmarkCoordinates::Millimeters},
        {"index0", LandmarkCoordinates::IndexFromZero},
        {"index1", LandmarkCoordinates::IndexFromOne}};
    return names;
}

} // namespace

void CoordinatesOption::addTo(CLI::App& app) {
    std::vector<std::string> names;
    for (const auto& [name, coordinates] : coordinateNames())
        names.push_back(name);
    app.add_option("--coordinates", name_,
                   "What the numbers of points are in files that don't say it: mm, or voxels of "
                   "--grid counted from 0 or 1. auto: columns without commas are voxels from 1, as "
                   "DIR-Lab's; CSV is LPS mm, or voxels from 0 under a header i,j,k")
        ->check(CLI::IsMember(names))
        ->capture_default_str();
}

LandmarkCoordinates CoordinatesOption::value() const { return coordinateNames().at(name_); }

} // namespace systole
