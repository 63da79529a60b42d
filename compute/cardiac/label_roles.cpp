#include "compute/cardiac/label_roles.h"

#include "compute/core/error.h"
#include "compute/core/neighbors.h"
#include "compute/core/volume.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

namespace systole::cardiac {
namespace {

constexpr int most = 256;

/// Numbers of faces between voxels of each two different labels.
class Contacts {
public:
    Contacts(std::span<const std::uint8_t> labels, Size3 size) : faces_(std::size_t{most} * most) {
        const VolumeView<const std::uint8_t> view(labels.data(), size);
        for (int z = 0; z < size.z; ++z)
            for (int y = 0; y < size.y; ++y)
                for (int x = 0; x < size.x; ++x) {
                    const std::uint8_t own = view(x, y, z);
                    occurs_[own] = true;
                    overFaces(size, x, y, z, [&](int a, int b, int c) {
                        if (view(a, b, c) != own)
                            ++faces_[std::size_t{own} * most + view(a, b, c)];
                    });
                }
    }

    bool occurs(int label) const { return occurs_.at(static_cast<std::size_t>(label)); }
    double between(int one, int other) const {
        return static_cast<double>(faces_[static_cast<std::size_t>(one * most + other)]);
    }
    /// The part of the surface of `one` that `other` covers.
    double covered(int one, int other) const {
        double all = 0;
        for (int label = 0; label < most; ++label)
            all += between(one, label);
        return all > 0 ? between(one, other) / all : 0;
    }
    std::string list() const {
        std::string text;
        for (int label = 1; label < most; ++label)
            if (occurs(label))
                text += fmt::format("{}{}", text.empty() ? "" : ", ", label);
        return text.empty() ? "no label at all" : "the labels " + text;
    }

private:
    std::vector<std::size_t> faces_;
    std::array<bool, most> occurs_{};
};

void requireThat(const Contacts& contacts, int label, const char* what) {
    if (label != 0 && (label < 0 || label >= most || !contacts.occurs(label)))
        throw ComputeError(fmt::format("label {}, the {}, doesn't occur in the map, which has {}",
                                       label, what, contacts.list()));
}

} // namespace

LabelRoles rolesOf(std::span<const std::uint8_t> labels, Size3 size, const LabelRoles& given) {
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
    for (int cavity = 1; cavity < most; ++cavity)
        for (int wall = 1; wall < most; ++wall) {
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
    for (int label = 1; label < most && given.rightVentricle == 0; ++label)
        if (label != roles.cavity && label != roles.wall &&
            contacts.between(roles.wall, label) > touched) {
            touched = contacts.between(roles.wall, label);
            roles.rightVentricle = label;
        }
    return roles;
}

TissueMap tissueOf(std::span<const std::uint8_t> labels, const Geometry& grid,
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

} // namespace systole::cardiac
