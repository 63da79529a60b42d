#include "compute/cardiac/label_roles.h"

#include "compute/core/error.h"
#include "compute/core/neighbors.h"
#include "compute/core/volume.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <string>
#include <vector>

namespace systole::cardiac {
namespace {

constexpr std::size_t maxLabels = 256; ///< 0 among them

/// Numbers of faces between voxels of each two different labels.
class Contacts {
public:
    Contacts(std::span<const std::uint16_t> labels, Size3 size) {
        for (const std::uint16_t label : labels)
            if (place_.try_emplace(label, place_.size()).second && place_.size() > maxLabels)
                throw ComputeError(fmt::format("has more than {} labels; a heart is expected to "
                                               "have a few",
                                               maxLabels - 1));
        faces_.resize(place_.size() * place_.size());
        const VolumeView<const std::uint16_t> view(labels.data(), size);
        for (int z = 0; z < size.z; ++z)
            for (int y = 0; y < size.y; ++y)
                for (int x = 0; x < size.x; ++x) {
                    const std::uint16_t own = view(x, y, z);
                    overFaces(size, x, y, z, [&](int a, int b, int c) {
                        if (const std::uint16_t other = view(a, b, c); other != own)
                            ++faces_[place_.at(own) * place_.size() + place_.at(other)];
                    });
                }
        for (const auto& [label, place] : place_)
            if (label > 0)
                all_.push_back(label);
    }

    const std::vector<int>& labels() const { return all_; } ///< but 0, ascending
    bool occurs(int label) const { return place_.contains(label); }
    double between(int one, int other) const {
        return static_cast<double>(faces_[place_.at(one) * place_.size() + place_.at(other)]);
    }
    /// The part of the surface of `one` that `other` covers.
    double covered(int one, int other) const {
        double all = 0;
        for (const auto& [label, place] : place_)
            all += between(one, label);
        return all > 0 ? between(one, other) / all : 0;
    }
    std::string list() const {
        return all_.empty() ? "no label at all"
                            : fmt::format("the labels {}", fmt::join(all_, ", "));
    }

private:
    std::map<int, std::size_t> place_; ///< row and column of each label in `faces_`
    std::vector<std::size_t> faces_;
    std::vector<int> all_;
};

void requireThat(const Contacts& contacts, int label, const char* what) {
    if (label != 0 && !contacts.occurs(label))
        throw ComputeError(fmt::format("label {}, the {}, doesn't occur in the map, which has {}",
                                       label, what, contacts.list()));
}

} // namespace

LabelRoles rolesOf(std::span<const std::uint16_t> labels, Size3 size, const LabelRoles& given) {
    const Contacts contacts(labels, size);
    requireThat(contacts, given.cavity, "cavity");
    requireThat(contacts, given.wall, "wall");
    requireThat(contacts, given.rightVentricle, "right ventricle");
    if (given.cavity != 0 && given.cavity == given.wall)
        throw ComputeError(fmt::format("cavity and wall are expected to have different labels; "
                                       "both are {}",
                                       given.cavity));
    LabelRoles roles = given;
    double best = given.cavity != 0 && given.wall != 0 ? 0 : 0.5;
    for (const int cavity : contacts.labels())
        for (const int wall : contacts.labels()) {
            const bool fits = cavity != wall && cavity != given.rightVentricle &&
                              wall != given.rightVentricle &&
                              (given.cavity == 0 || given.cavity == cavity) &&
                              (given.wall == 0 || given.wall == wall);
            if (const double part = fits ? contacts.covered(cavity, wall) : 0; part > best) {
                best = part;
                roles.cavity = cavity;
                roles.wall = wall;
            }
        }
    if (roles.cavity == 0 || roles.wall == 0)
        throw ComputeError(fmt::format("which labels are the cavity and the wall around it can't "
                                       "be told; the map has {}",
                                       contacts.list()));
    double touched = 0;
    for (const int label : contacts.labels())
        if (given.rightVentricle == 0 && label != roles.cavity && label != roles.wall &&
            contacts.between(roles.wall, label) > touched) {
            touched = contacts.between(roles.wall, label);
            roles.rightVentricle = label;
        }
    return roles;
}

TissueMap tissueOf(std::span<const std::uint16_t> labels, const Geometry& grid,
                   const LabelRoles& roles) {
    TissueMap map{grid, {}};
    map.at.reserve(labels.size());
    for (const int label : labels)
        map.at.push_back(label == roles.cavity                         ? Tissue::Cavity
                         : label == roles.wall                         ? Tissue::Wall
                         : label != 0 && label == roles.rightVentricle ? Tissue::RightVentricle
                                                                       : Tissue::Other);
    return map;
}

LabelRoles rolesOf(std::span<const std::uint8_t> labels, Size3 size, const LabelRoles& given) {
    return rolesOf(std::vector<std::uint16_t>(labels.begin(), labels.end()), size, given);
}

TissueMap tissueOf(std::span<const std::uint8_t> labels, const Geometry& grid,
                   const LabelRoles& roles) {
    return tissueOf(std::vector<std::uint16_t>(labels.begin(), labels.end()), grid, roles);
}

} // namespace systole::cardiac
