// Sound files of transforms as other programs write them.
#include "tests/fuzz/seeds.h"
#include "tests/io/io_support.h"

#include <cstdint>
#include <string>
#include <vector>

namespace systole::fuzz {

using test::writeBytes;

namespace {

template <typename Number>
std::string bytesOf(Number number) {
    return std::string(reinterpret_cast<const char*>(&number), sizeof number);
}

/// A file of HDF5 in the making: structures behind each other.
class Hdf5 {
public:
    /// Appends a header with messages, each a type and data; returns its address.
    std::uint64_t header(const std::vector<std::pair<char, std::string>>& messages) {
        std::string block;
        for (const auto& [type, data] : messages)
            block += type + bytesOf(static_cast<std::uint16_t>(data.size())) + '\0' + data;
        return put("OHDR\2\2" + bytesOf(static_cast<std::uint32_t>(block.size())) + block +
                   std::string(4, '\0'));
    }
    std::uint64_t group(const std::vector<std::pair<std::string, std::uint64_t>>& members) {
        std::vector<std::pair<char, std::string>> links;
        for (const auto& [name, address] : members)
            links.emplace_back('\6', std::string("\1\0", 2) + static_cast<char>(name.size()) +
                                         name + bytesOf(address));
        return header(links);
    }
    std::uint64_t array(const std::string& type, std::uint64_t count, const std::string& values) {
        const std::uint64_t at = put(values);
        return header({{'\1', std::string("\2\1\0\1", 4) + bytesOf(count)},
                       {'\3', type},
                       {'\x8', "\3\1" + bytesOf(at) + bytesOf(std::uint64_t{values.size()})}});
    }
    std::string file(std::uint64_t root) const {
        return std::string("\x89HDF\r\n\x1a\n\2\x8\x8\0", 12) + bytesOf(std::uint64_t{0}) +
               std::string(8, '\xff') + bytesOf(begin_ + bytes_.size()) + bytesOf(root) +
               std::string(4, '\0') + bytes_;
    }

private:
    std::uint64_t put(const std::string& block) {
        bytes_ += block;
        return begin_ + bytes_.size() - block.size();
    }

    static constexpr std::uint64_t begin_ = 48;
    std::string bytes_;
};

} // namespace

void hdf5TransformSeeds(const NextPath& next) {
    Hdf5 file;
    const std::string real =
        std::string("\x11\x20\x3f\0\x8\0\0\0\0\0\x40\0\x34\xb\0\x34\xff\x3\0\0", 20);
    const std::string name = "AffineTransform_double_3_3";
    std::string values;
    for (const double value : {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 2.0, -1.0, 0.5})
        values += bytesOf(value);
    const std::uint64_t type = file.array(
        std::string("\x13\0\0\0", 4) + bytesOf(static_cast<std::uint32_t>(name.size())), 1, name);
    const std::uint64_t parameters = file.array(real, 12, values),
                        fixed = file.array(real, 3, values.substr(0, 24));
    const std::uint64_t one = file.group({{"TransformType", type},
                                          {"TransformParameters", parameters},
                                          {"TransformFixedParameters", fixed}});
    const std::uint64_t all = file.group({{"0", one}});
    writeBytes(next(), file.file(file.group({{"TransformGroup", all}})));
}

void matlabTransformSeeds(const NextPath& next) {
    const auto array = [](const std::string& name, const std::vector<double>& numbers) {
        const std::int32_t header[] = {0, static_cast<std::int32_t>(numbers.size()), 1, 0,
                                       static_cast<std::int32_t>(name.size() + 1)};
        std::string bytes(reinterpret_cast<const char*>(header), sizeof header);
        bytes += name + std::string(1, '\0');
        bytes.append(reinterpret_cast<const char*>(numbers.data()), 8 * numbers.size());
        return bytes;
    };
    writeBytes(next(),
               array("AffineTransform_double_3_3", {1, 0, 0, 0, 1, 0, 0, 0, 1, 2, -1, 0.5}) +
                   array("fixed", {1, 2, 3}));
}

void elastixTransformSeeds(const NextPath& next) {
    const std::string end =
        "(InitialTransformParametersFileName \"NoInitialTransform\")\n(HowToCombineTransforms "
        "\"Compose\")\n(FixedImageDimension 3)\n(Size 20 17 12)\n(Spacing 1 1 2)\n(Origin 0 0 0)\n"
        "(Direction 1 0 0 0 1 0 0 0 1)\n";
    writeBytes(next(), "(Transform \"EulerTransform\")\n(TransformParameters 0.1 0.2 0.3 1 2 3)\n"
                       "(CenterOfRotationPoint 4 5 6)\n" +
                           end);
    std::string spline = "(Transform \"BSplineTransform\")\n(TransformParameters";
    for (int i = 0; i < 3 * 64; ++i)
        spline += " 0.5";
    writeBytes(next(), spline +
                           ")\n(GridSize 4 4 4)\n(GridIndex 0 0 0)\n(GridSpacing 20 20 20)\n"
                           "(GridOrigin -20 -20 -20)\n" +
                           end);
}

} // namespace systole::fuzz
