#include "compute/cardiac/aha.h"

#include <cmath>

namespace systole::cardiac {
namespace {

/// The sector of `count` equal ones in which an angle lies, counted counter-clockwise from 0, the
/// first of which is centered on the middle of the anterior sixth, 30 degrees before the insertion.
int sectorOf(double angleDegrees, int count) {
    const double width = 360.0 / count, from = angleDegrees + 30 + width / 2;
    return static_cast<int>(std::floor(from / width)) % count;
}

std::vector<std::string> namesOf(AhaModel model) {
    const char* const six[] = {"anterior", "anteroseptal",  "inferoseptal",
                               "inferior", "inferolateral", "anterolateral"};
    const char* const four[] = {"anterior", "septal", "inferior", "lateral"};
    std::vector<std::string> names;
    const auto add = [&names](const std::string& level, const auto& sectors) {
        for (const char* const sector : sectors)
            names.push_back(level + " " + sector);
    };
    add("basal", six);
    add("mid", six);
    if (model == AhaModel::Eighteen)
        add("apical", six);
    else
        add("apical", four);
    if (model == AhaModel::Seventeen)
        names.emplace_back("apex");
    return names;
}

} // namespace

Level levelOf(double share) {
    return share >= basalFrom ? Level::Basal
           : share >= midFrom ? Level::Mid
           : share >= 0       ? Level::Apical
                              : Level::Cap;
}

int ahaSegment(double share, double angleDegrees, AhaModel model) {
    switch (levelOf(share)) {
    case Level::Basal:
        return 1 + sectorOf(angleDegrees, 6);
    case Level::Mid:
        return 7 + sectorOf(angleDegrees, 6);
    case Level::Cap:
        if (model == AhaModel::Seventeen)
            return 17;
        [[fallthrough]];
    case Level::Apical:
        break;
    }
    return 13 + sectorOf(angleDegrees, model == AhaModel::Eighteen ? 6 : 4);
}

int ahaSegments(AhaModel model) {
    return model == AhaModel::Sixteen ? 16 : model == AhaModel::Seventeen ? 17 : 18;
}

const std::vector<std::string>& ahaNames(AhaModel model) {
    static const std::vector<std::string> all[] = {
        namesOf(AhaModel::Sixteen), namesOf(AhaModel::Seventeen), namesOf(AhaModel::Eighteen)};
    return all[static_cast<std::size_t>(model)];
}

Level levelOfSegment(int segment, AhaModel model) {
    return segment <= 6                                    ? Level::Basal
           : segment <= 12                                 ? Level::Mid
           : segment == 17 && model == AhaModel::Seventeen ? Level::Cap
                                                           : Level::Apical;
}

} // namespace systole::cardiac
