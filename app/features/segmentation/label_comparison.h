// Labels against those of a file, frame by frame: overlap, and volumes.
#pragma once

#include "app/anatomy/label_history.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace systole {

/// One label in both maps.
struct LabelAgreement {
    double dice = 0;                    ///< 2 |A ∩ B| / (|A| + |B|); NaN: in neither map
    double milliliters = 0, inFile = 0; ///< volumes of the label in both maps, counted by voxels
    double difference() const { return milliliters - inFile; }
    bool occurs() const { return milliliters > 0 || inFile > 0; }
};
/// Both maps of the same size, `voxelMilliliters` a voxel.
LabelAgreement agreementOf(const LabelMap& labels, const LabelMap& file, std::uint8_t label,
                           double voxelMilliliters);

struct FrameAgreement {
    int frame = 0;
    LabelAgreement chamber, wall;
};

/// A quantity over the frames; without frames all are NaN.
struct AgreementOverFrames {
    int frames = 0;
    double dice = 0, minDice = 0; ///< mean, and the worst frame's
    int worstFrame = 0;
    double difference = 0, deviation = 0; ///< difference of the volumes, ml: mean, SD (NaN of one)
};

class LabelComparison {
public:
    /// Labels of a frame in the file, with the numbers of this program; null: none.
    void setFile(int frame, std::shared_ptr<const LabelMap> labels, std::string name);
    void clear() { *this = {}; }
    bool hasFile() const;
    std::string fileOf(int frame) const; ///< its name; empty: none

    /// Compares those frames again whose labels have changed since.
    void follow(const LabelHistory& labels);
    /// Agreement in the frames that both have, ascending.
    std::vector<FrameAgreement> frames() const;
    /// Agreement over those of frames() in which either map has the label.
    AgreementOverFrames chamber() const { return over(&FrameAgreement::chamber); }
    AgreementOverFrames wall() const { return over(&FrameAgreement::wall); }

private:
    struct Frame {
        std::shared_ptr<const LabelMap> file{};
        std::string name{};
        std::uint64_t revision = 0; ///< revision of the labels that were compared; 0: none
        bool compared = false;
        FrameAgreement agreement{};
    };
    AgreementOverFrames over(LabelAgreement FrameAgreement::*label) const;
    std::vector<Frame> frames_;
};

/// Summary of at least two compared frames, a sentence each: Dice and volumes of chamber and wall,
/// and the ejection fraction between the largest and the smallest chamber.
std::vector<std::string> comparisonLines(const LabelComparison& comparison);

/// "frame\tDice of the chamber\t..." with a row per frame and one over all; empty: no frame is
/// compared.
std::string comparisonText(const LabelComparison& comparison);

} // namespace systole
