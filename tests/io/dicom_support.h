// DICOM files that the tests write themselves, with GDCM.
#pragma once

#include "tests/io/io_support.h"

#include <gdcmDataElement.h>
#include <gdcmImageChangeTransferSyntax.h>
#include <gdcmImageReader.h>
#include <gdcmImageWriter.h>
#include <gdcmItem.h>
#include <gdcmSequenceOfItems.h>
#include <gdcmUIDGenerator.h>
#include <gdcmWriter.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace systole::test {

/// The sentence with which a file or folder is refused.
inline std::string refusalOf(const std::string& path) {
    try {
        openSequence({path});
    } catch (const FileError& error) {
        return error.what();
    }
    ADD_FAILURE() << "was read without complaint";
    return {};
}

inline void setText(gdcm::DataSet& set, std::uint16_t group, std::uint16_t element,
                    const gdcm::VR& representation, std::string text) {
    if (text.size() % 2 != 0)
        text += representation == gdcm::VR::UI ? '\0' : ' ';
    gdcm::DataElement item(gdcm::Tag(group, element));
    item.SetVR(representation);
    item.SetByteValue(text.data(), static_cast<std::uint32_t>(text.size()));
    set.Replace(item);
}

template <typename T>
void setBinary(gdcm::DataSet& set, std::uint16_t group, std::uint16_t element,
               const gdcm::VR& representation, const std::vector<T>& values) {
    gdcm::DataElement item(gdcm::Tag(group, element));
    item.SetVR(representation);
    item.SetByteValue(reinterpret_cast<const char*>(values.data()),
                      static_cast<std::uint32_t>(values.size() * sizeof(T)));
    set.Replace(item);
}

inline void setItems(gdcm::DataSet& set, std::uint16_t group, std::uint16_t element,
                     const std::vector<gdcm::DataSet>& sets) {
    auto items = gdcm::SequenceOfItems::New();
    items->SetLengthToUndefined();
    for (const gdcm::DataSet& nested : sets) {
        gdcm::Item item;
        item.SetNestedDataSet(nested);
        item.SetVLToUndefined();
        items->AddItem(item);
    }
    gdcm::DataElement sequence(gdcm::Tag(group, element));
    sequence.SetVR(gdcm::VR::SQ);
    sequence.SetValue(*items);
    sequence.SetVLToUndefined();
    set.Insert(sequence);
}

inline std::string numberList(const std::vector<double>& values) {
    std::string text;
    for (const double value : values) {
        std::array<char, 32> digits{};
        std::snprintf(digits.data(), digits.size(), "%.9g", value);
        if (!text.empty())
            text += '\\';
        text += digits.data();
    }
    return text;
}

/// One slice; what is empty or absent isn't written.
struct Slice {
    int columns = 4, rows = 3;
    Vec3 position;
    Matrix3 direction = identity3;
    double columnSpacing = 1.25, rowSpacing = 1.5;
    std::vector<std::int16_t> pixels;
    std::string series = "1.2.3.4";
    std::string modality = "MR";
    std::optional<double> triggerTime, cycle, slope, intercept;
    std::map<std::uint32_t, std::string> texts; ///< other elements: 0xGGGGEEEE → value, as LO
    std::map<std::uint32_t, std::vector<gdcm::DataSet>> sequences; ///< other elements
    bool positioned = true;
    std::string instance; ///< SOP instance UID; empty: a new one
    std::string imageType;
    std::string sopClass = "1.2.840.10008.5.1.4.1.1.4"; ///< MR image
};

inline void setImage(gdcm::DataSet& set, int columns, int rows, const std::string& sopClass,
                     const std::string& instance = {}) {
    setText(set, 0x0008, 0x0016, gdcm::VR::UI, sopClass);
    setText(set, 0x0008, 0x0018, gdcm::VR::UI,
            instance.empty() ? gdcm::UIDGenerator().Generate() : instance);
    setBinary<std::uint16_t>(set, 0x0028, 0x0002, gdcm::VR::US, {1});
    setText(set, 0x0028, 0x0004, gdcm::VR::CS, "MONOCHROME2");
    setBinary<std::uint16_t>(set, 0x0028, 0x0010, gdcm::VR::US, {static_cast<std::uint16_t>(rows)});
    setBinary<std::uint16_t>(set, 0x0028, 0x0011, gdcm::VR::US,
                             {static_cast<std::uint16_t>(columns)});
    setBinary<std::uint16_t>(set, 0x0028, 0x0100, gdcm::VR::US, {16});
    setBinary<std::uint16_t>(set, 0x0028, 0x0101, gdcm::VR::US, {16});
    setBinary<std::uint16_t>(set, 0x0028, 0x0102, gdcm::VR::US, {15});
    setBinary<std::uint16_t>(set, 0x0028, 0x0103, gdcm::VR::US, {1});
}

inline void writeDataSet(const std::string& path, gdcm::Writer& writer,
                         const gdcm::TransferSyntax& syntax) {
    writer.GetFile().GetHeader().SetDataSetTransferSyntax(syntax);
    writer.SetFileName(path.c_str());
    ASSERT_TRUE(writer.Write());
}

inline void
writeSlice(const std::string& path, const Slice& slice,
           const gdcm::TransferSyntax& syntax = gdcm::TransferSyntax::ExplicitVRLittleEndian) {
    gdcm::Writer writer;
    gdcm::DataSet& set = writer.GetFile().GetDataSet();
    setImage(set, slice.columns, slice.rows, slice.sopClass, slice.instance);
    if (!slice.imageType.empty())
        setText(set, 0x0008, 0x0008, gdcm::VR::CS, slice.imageType);
    setText(set, 0x0008, 0x0060, gdcm::VR::CS, slice.modality);
    setText(set, 0x0020, 0x000d, gdcm::VR::UI, "1.2.3");
    setText(set, 0x0020, 0x000e, gdcm::VR::UI, slice.series);
    const Matrix3& d = slice.direction;
    if (slice.positioned) {
        setText(set, 0x0020, 0x0032, gdcm::VR::DS,
                numberList({slice.position.x, slice.position.y, slice.position.z}));
        setText(set, 0x0020, 0x0037, gdcm::VR::DS,
                numberList({d[0][0], d[1][0], d[2][0], d[0][1], d[1][1], d[2][1]}));
    }
    setText(set, 0x0028, 0x0030, gdcm::VR::DS, numberList({slice.rowSpacing, slice.columnSpacing}));
    if (slice.triggerTime)
        setText(set, 0x0018, 0x1060, gdcm::VR::DS, numberList({*slice.triggerTime}));
    if (slice.cycle)
        setText(set, 0x0018, 0x1062, gdcm::VR::IS, numberList({*slice.cycle}));
    if (slice.slope)
        setText(set, 0x0028, 0x1053, gdcm::VR::DS, numberList({*slice.slope}));
    if (slice.intercept)
        setText(set, 0x0028, 0x1052, gdcm::VR::DS, numberList({*slice.intercept}));
    for (const auto& [tag, text] : slice.texts)
        setText(set, static_cast<std::uint16_t>(tag >> 16),
                static_cast<std::uint16_t>(tag & 0xffff),
                tag == 0x00200013 ? gdcm::VR::IS : gdcm::VR::LO, text);
    for (const auto& [tag, items] : slice.sequences)
        setItems(set, static_cast<std::uint16_t>(tag >> 16),
                 static_cast<std::uint16_t>(tag & 0xffff), items);
    // A thickness that differs from the distance of slices, as with gaps or overlaps.
    setText(set, 0x0018, 0x0050, gdcm::VR::DS, "99");
    gdcm::DataElement pixels(gdcm::Tag(0x7fe0, 0x0010));
    pixels.SetVR(gdcm::VR::OW);
    pixels.SetByteValue(reinterpret_cast<const char*>(slice.pixels.data()),
                        static_cast<std::uint32_t>(slice.pixels.size() * sizeof(std::int16_t)));
    set.Insert(pixels);
    writeDataSet(path, writer, syntax);
}

/// Writes the image with its pixels compressed.
inline void compressSlice(const std::string& from, const std::string& to,
                          const gdcm::TransferSyntax& syntax) {
    gdcm::ImageReader reader;
    reader.SetFileName(from.c_str());
    ASSERT_TRUE(reader.Read());
    gdcm::ImageChangeTransferSyntax change;
    change.SetTransferSyntax(syntax);
    change.SetInput(reader.GetImage());
    ASSERT_TRUE(change.Change());
    gdcm::ImageWriter writer;
    writer.SetFile(reader.GetFile());
    writer.SetImage(change.GetOutput());
    writer.SetFileName(to.c_str());
    ASSERT_TRUE(writer.Write());
}

/// Slices ascend along the cross product of row and column, so this one is right-handed.
inline Matrix3 obliqueSliceDirection() {
    Matrix3 direction = obliquePermutedDirection();
    for (auto& row : direction)
        row[2] = -row[2];
    return direction;
}

/// A beating series: slices × phases files with trigger times, written in an order of its own.
struct Series {
    int slices = 4, phases = 3;
    Geometry grid{{4, 3, 4}, {1.25, 1.5, 8}, {-20, 30, 400}, obliqueSliceDirection()};
    std::vector<double> triggerTimes{0, 41.5, 90};

    std::size_t pixels() const { return grid.voxels() / static_cast<std::size_t>(grid.size().z); }
    Slice slice(int z, int t) const {
        Slice made;
        made.direction = grid.direction();
        made.position = grid.indexToPhysical({0, 0, static_cast<double>(z)});
        made.columns = grid.size().x;
        made.rows = grid.size().y;
        made.pixels = counting<std::int16_t>(pixels(), 1000 * t + 100 * z - 500);
        made.triggerTime = triggerTimes.at(static_cast<std::size_t>(t));
        made.texts[0x00200013] = std::to_string(1 + z * phases + t);
        return made;
    }
    /// Names that sort neither by place nor by time.
    static std::string nameOf(int z, int t) {
        return "IM" + std::to_string((7 * z + 5 * t) % 10) + std::to_string(z) + std::to_string(t) +
               ".dcm";
    }
    template <typename Change>
    void write(const TemporaryFolder& folder, Change change) const {
        for (int z = 0; z < slices; ++z)
            for (int t = 0; t < phases; ++t) {
                Slice made = slice(z, t);
                if (change(made, z, t))
                    writeSlice(folder / nameOf(z, t), made);
            }
    }
    void write(const TemporaryFolder& folder) const {
        write(folder, [](Slice&, int, int) { return true; });
    }
    std::vector<float> expectedFrame(int t) const {
        std::vector<float> voxels;
        for (int z = 0; z < slices; ++z)
            for (const float value : counting<float>(pixels(), 1000 * t + 100 * z - 500))
                voxels.push_back(value);
        return voxels;
    }
};

} // namespace systole::test
