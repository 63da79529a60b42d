// The part of HDF5 that ITK writes transforms with: groups of few members, and arrays of numbers or
// a text. Read by ourselves, since HDF5's library (1.10) crashes and hangs on damaged files.
// The format: "HDF5 File Format Specification", version 3.0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace systole::transforms {

class Hdf5Cursor;

class Hdf5File {
public:
    /// Reads the whole file. Throws FileError, as all do.
    explicit Hdf5File(const std::string& path);

    /// Members of a group by name, with the addresses of their headers; of address 0 those of the
    /// root group.
    std::map<std::string, std::uint64_t> members(std::uint64_t group) const;
    /// The only text of an array.
    std::string text(std::uint64_t array) const;
    /// The numbers of an array, float32 or float64.
    std::vector<double> numbers(std::uint64_t array) const;

private:
    struct Message {
        unsigned type = 0;
        std::string_view data;
    };
    std::vector<Message> messages(std::uint64_t header) const;
    void addMessages(std::string_view block, bool isNew, bool counted,
                     std::vector<Message>& messages) const;
    void addLinks(std::string_view message, std::map<std::string, std::uint64_t>& found) const;
    void addSymbols(std::uint64_t node, std::uint64_t heap, int& visits,
                    std::map<std::string, std::uint64_t>& found) const;

    struct Array;
    Array arrayOf(std::uint64_t header) const;
    std::string bytesOf(const Array& array) const;
    void readType(Hdf5Cursor& rest, Array& array) const;
    void readLayout(Hdf5Cursor& rest, Array& array) const;
    void readFilters(Hdf5Cursor& rest, Array& array) const;
    struct ChunkWalk;
    std::uint64_t chunkTreeLevel(std::uint64_t root) const;
    void addChunks(const Array& array, std::uint64_t node, std::uint64_t level,
                   ChunkWalk& walk) const;
    void placeChunk(const Array& array, std::string_view stored, std::uint64_t mask,
                    std::uint64_t first, std::string& bytes) const;

    std::string_view at(std::uint64_t address, std::uint64_t bytes) const;
    std::string_view from(std::uint64_t address) const;

    std::string path_;
    std::string content_;
    std::uint64_t root_ = 0;
};

} // namespace systole::transforms
