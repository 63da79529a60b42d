// ITK's transforms in HDF5 (.h5, .hdf5, and what ANTs' antsRegistration calls a composite): a group
// TransformGroup with a member 0, 1, ... for each, of its type and its parameters.
#include "io/base/byte_source.h"
#include "io/base/messages.h"
#include "io/transforms/hdf5_file.h"
#include "io/transforms/transform_steps.h"

#include <utility>

namespace systole::transforms {
namespace {

constexpr std::string_view signature("\x89HDF\r\n\x1a\n", 8);

using Members = std::map<std::string, std::uint64_t>;

/// Numbers of a data set, under either of two spellings that ITK has used.
std::vector<double> numbersOf(const Hdf5File& file, const Members& members, const char* name,
                              const char* oldName) {
    const auto found = members.contains(name) ? members.find(name) : members.find(oldName);
    return found == members.end() ? std::vector<double>() : file.numbers(found->second);
}

} // namespace

bool isHdf5(const std::string& path) { return readBeginning(path, signature.size()) == signature; }

std::vector<TransformStep> readHdf5Transform(const std::string& path) {
    const Hdf5File file(path);
    const Members root = file.members(0);
    const auto group = root.find("TransformGroup");
    if (group == root.end())
        throw fileError(path, "is HDF5 without a group \"TransformGroup\", so none of ITK's "
                              "transforms");
    const Members listed = file.members(group->second);
    bool composite = false;
    std::vector<TransformStep> steps;
    for (std::size_t i = 0; i < listed.size(); ++i) {
        const auto at = listed.find(fmt::format("{}", i));
        if (at == listed.end())
            throw fileError(path, "has no transform {} among {}", i, listed.size());
        const Members parts = file.members(at->second);
        const auto type = parts.find("TransformType");
        if (type == parts.end())
            throw fileError(path, "transform {} in it has no type", i);
        const std::string name = file.text(type->second);
        if (isComposite(name)) {
            if (i > 0)
                throw fileError(path, "holds a composite that isn't its first transform");
            composite = true;
            continue;
        }
        steps.push_back(
            itkStep(path, name, numbersOf(file, parts, "TransformParameters", "TranformParameters"),
                    numbersOf(file, parts, "TransformFixedParameters", "TranformFixedParameters")));
    }
    return inOrder(path, composite, std::move(steps));
}

} // namespace systole::transforms
