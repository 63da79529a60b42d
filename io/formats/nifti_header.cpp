#include "io/formats/nifti_header.h"

#include "io/base/voxel_type.h"

#include <bit>

namespace systole {
namespace {

constexpr std::int32_t headerBytes1 = 348;
constexpr std::int32_t headerBytes2 = 540;

class Fields {
public:
    Fields(std::string_view bytes, bool swap) : bytes_(bytes), swap_(swap) {}

    template <typename T>
    T at(std::size_t offset) const {
        return loadNumber<T>(bytes_.data() + offset, swap_);
    }
    template <typename T, typename To, std::size_t N>
    void list(std::size_t offset, std::array<To, N>& to) const {
        for (std::size_t i = 0; i < N; ++i)
            to[i] = static_cast<To>(at<T>(offset + i * sizeof(T)));
    }
    std::string text(std::size_t offset, std::size_t maxBytes) const {
        return {bytes_.data() + offset, strnlen(bytes_.data() + offset, maxBytes)};
    }

private:
    std::string_view bytes_;
    bool swap_;
};

NiftiHeader version1(const Fields& f) {
    NiftiHeader h;
    f.list<std::int16_t>(40, h.dim);
    h.intentParameter = f.at<float>(56);
    h.intentCode = f.at<std::int16_t>(68);
    h.datatype = f.at<std::int16_t>(70);
    h.bitsPerVoxel = f.at<std::int16_t>(72);
    f.list<float>(76, h.pixdim);
    h.voxelOffset = f.at<float>(108);
    h.slope = f.at<float>(112);
    h.intercept = f.at<float>(116);
    h.sliceCode = f.at<std::int8_t>(122);
    h.units = f.at<std::uint8_t>(123);
    h.sliceDuration = f.at<float>(132);
    h.timeOffset = f.at<float>(136);
    h.description = f.text(148, 80);
    h.qformCode = f.at<std::int16_t>(252);
    h.sformCode = f.at<std::int16_t>(254);
    f.list<float>(256, h.quaternion);
    f.list<float>(268, h.qoffset);
    for (std::size_t row = 0; row < 3; ++row)
        f.list<float>(280 + 16 * row, h.srow[row]);
    h.intentName = f.text(328, 16);
    return h;
}

NiftiHeader version2(const Fields& f) {
    NiftiHeader h;
    h.version = 2;
    h.datatype = f.at<std::int16_t>(12);
    h.bitsPerVoxel = f.at<std::int16_t>(14);
    f.list<std::int64_t>(16, h.dim);
    h.intentParameter = f.at<double>(80);
    f.list<double>(104, h.pixdim);
    h.voxelOffset = static_cast<double>(f.at<std::int64_t>(168));
    h.slope = f.at<double>(176);
    h.intercept = f.at<double>(184);
    h.timeOffset = f.at<double>(216);
    h.description = f.text(240, 80);
    h.qformCode = f.at<std::int32_t>(344);
    h.sformCode = f.at<std::int32_t>(348);
    f.list<double>(352, h.quaternion);
    f.list<double>(376, h.qoffset);
    for (std::size_t row = 0; row < 3; ++row)
        f.list<double>(400 + 32 * row, h.srow[row]);
    h.sliceCode = f.at<std::int32_t>(496);
    h.sliceDuration = f.at<double>(208);
    h.units = f.at<std::int32_t>(500);
    h.intentCode = f.at<std::int32_t>(504);
    h.intentName = f.text(508, 16);
    return h;
}

} // namespace

std::optional<NiftiHeader> parseNiftiHeader(std::string_view bytes) {
    if (bytes.size() < static_cast<std::size_t>(headerBytes1))
        return std::nullopt;
    for (const bool swap : {false, true}) {
        const Fields fields(bytes, swap);
        const auto declared = fields.at<std::int32_t>(0);
        const bool second = declared == headerBytes2;
        if (declared != headerBytes1 && !second)
            continue;
        if (second && bytes.size() < static_cast<std::size_t>(headerBytes2))
            return std::nullopt;
        const std::string magic = fields.text(second ? 4 : 344, 4);
        const char digit = second ? '2' : '1';
        if (magic.size() < 3 || magic[0] != 'n' || (magic[1] != '+' && magic[1] != 'i') ||
            magic[2] != digit)
            return std::nullopt;
        NiftiHeader header = second ? version2(fields) : version1(fields);
        header.bigEndian = swap == (std::endian::native == std::endian::little);
        header.voxelsInOtherFile = magic[1] == 'i';
        return header;
    }
    return std::nullopt;
}

bool isAnalyzeHeader(std::string_view bytes) {
    if (bytes.size() < static_cast<std::size_t>(headerBytes1))
        return false;
    const bool sized = Fields(bytes, false).at<std::int32_t>(0) == headerBytes1 ||
                       Fields(bytes, true).at<std::int32_t>(0) == headerBytes1;
    return sized && Fields(bytes, false).text(344, 4).empty();
}

} // namespace systole
