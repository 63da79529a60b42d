// The option --coordinates: what the numbers of point files are that don't say it.
#pragma once

#include "app/cli/option_checks.h"
#include "io/landmarks/landmark_file.h"

#include <CLI/App.hpp>

#include <map>
#include <string>
#include <vector>

namespace systole {

class CoordinatesOption {
public:
    void addTo(CLI::App& app) {
        app.add_option("--coordinates", name_,
                       "Unit of coordinates in point files that don't state it: mm, or voxels of "
                       "--grid counted from 0 or 1. auto: columns without commas are voxels from "
                       "1, as DIR-Lab's; CSV is LPS mm, or voxels from 0 under a header i,j,k")
            ->check(oneOf(words()))
            ->capture_default_str();
    }
    LandmarkCoordinates value() const { return names().at(name_); }

private:
    static std::vector<std::string> words() {
        std::vector<std::string> words;
        for (const auto& [word, coordinates] : names())
            words.push_back(word);
        return words;
    }
    static const std::map<std::string, LandmarkCoordinates>& names() {
        static const std::map<std::string, LandmarkCoordinates> names{
            {"auto", LandmarkCoordinates::Auto},
            {"mm", LandmarkCoordinates::Millimeters},
            {"index0", LandmarkCoordinates::IndexFromZero},
            {"index1", LandmarkCoordinates::IndexFromOne}};
        return names;
    }

    std::string name_ = "auto";
};

} // namespace systole
