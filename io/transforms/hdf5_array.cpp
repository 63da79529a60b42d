// Arrays of an HDF5 file: their type, where their bytes lie, and how they are packed.
#include "io/base/voxel_type.h"
#include "io/transforms/hdf5_cursor.h"
#include "io/transforms/hdf5_file.h"

#include <algorithm>
#include <set>
#include <utility>
#include <zlib.h>

namespace systole::transforms {
namespace {

constexpr unsigned deflate = 1, shuffle = 2; ///< filters

std::string inflated(const std::string& path, std::string_view stored, std::uint64_t bytes) {
    std::string out(bytes, '\0');
    uLongf got = static_cast<uLongf>(bytes);
    if (uncompress(reinterpret_cast<Bytef*>(out.data()), &got,
                   reinterpret_cast<const Bytef*>(stored.data()),
                   static_cast<uLong>(stored.size())) != Z_OK ||
        got != bytes)
        throw fileError(path, "a compressed block of an array is damaged");
    return out;
}

/// Undoes the filter that sorts the bytes of numbers by their place in the number.
std::string unshuffled(std::string_view bytes, std::size_t size) {
    const std::size_t count = bytes.size() / size;
    std::string out(bytes);
    for (std::size_t i = 0; i < count; ++i)
        for (std::size_t k = 0; k < size; ++k)
            out[i * size + k] = bytes[k * count + i];
    return out;
}

} // namespace

struct Hdf5File::Array {
    enum class Kind { Real, FixedText, HeapText };
    Kind kind = Kind::Real;
    std::uint64_t count = 1, size = 0; ///< elements, and the bytes of each
    bool bigEndian = false;
    enum class Layout { Compact, Contiguous, Chunks, OneChunk };
    Layout layout = Layout::Contiguous;
    std::string_view compact;
    std::uint64_t address = undefinedAddress;
    std::uint64_t chunkElements = 0;
    /// Size and filter mask of the only chunk.
    std::uint64_t storedBytes = undefinedAddress, mask = 0;
    std::vector<unsigned> filters; ///< filters in the order in which they were applied

    std::uint64_t bytes() const { return count * size; }
};

void Hdf5File::readType(Hdf5Cursor& rest, Array& array) const {
    const std::uint64_t kind = rest.number(1) & 15, bits = rest.number(1);
    rest.skip(2);
    array.size = rest.number(4);
    constexpr std::uint64_t real = 1, text = 3, variable = 9;
    const bool isSound = kind == real   ? array.size == 4 || array.size == 8
                         : kind == text ? array.size > 0
                                        : kind == variable && array.size == 16;
    if (!isSound)
        throw unknownHdf5(path_, "numbers or names");
    array.kind = kind == real   ? Array::Kind::Real
                 : kind == text ? Array::Kind::FixedText
                                : Array::Kind::HeapText;
    array.bigEndian = kind == real && (bits & 1) != 0;
}

void Hdf5File::readLayout(Hdf5Cursor& rest, Array& array) const {
    const std::uint64_t version = rest.number(1), kind = rest.number(1);
    if ((version != 3 && version != 4) || kind > 2)
        throw unknownHdf5(path_, "an array");
    array.layout = kind == 0      ? Array::Layout::Compact
                   : kind == 1    ? Array::Layout::Contiguous
                   : version == 3 ? Array::Layout::Chunks
                                  : Array::Layout::OneChunk;
    if (kind == 0)
        array.compact = rest.take(rest.number(2));
    if (kind == 1)
        array.address = rest.number(8);
    if (kind < 2)
        return;
    const std::uint64_t flags = version == 4 ? rest.number(1) : 0;
    if (rest.number(1) != 2) // the elements, and the bytes of one
        throw unknownHdf5(path_, "an array");
    if (version == 3) {
        array.address = rest.number(8);
        array.chunkElements = rest.number(4);
        return;
    }
    const std::size_t width = rest.number(1);
    if (width < 1 || width > 8)
        throw unknownHdf5(path_, "an array");
    array.chunkElements = rest.number(width);
    rest.skip(width);
    if (rest.number(1) != 1)
        throw unknownHdf5(path_, "an array");
    if ((flags & 2) != 0) {
        array.storedBytes = rest.number(8);
        array.mask = rest.number(4);
    }
    array.address = rest.number(8);
}

void Hdf5File::readFilters(Hdf5Cursor& rest, Array& array) const {
    const std::uint64_t version = rest.number(1), count = rest.number(1);
    rest.skip(version == 1 ? 6 : 0);
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t id = rest.number(2);
        const std::uint64_t nameBytes = version == 1 || id >= 256 ? rest.number(2) : 0;
        rest.skip(2);
        const std::uint64_t values = rest.number(2);
        rest.skip(version == 1 ? (nameBytes + 7) / 8 * 8 : nameBytes);
        rest.skip(4 * (version == 1 ? (values + 1) / 2 * 2 : values));
        if (id != deflate && id != shuffle)
            throw unknownHdf5(path_, "packed numbers");
        array.filters.push_back(static_cast<unsigned>(id));
    }
}

Hdf5File::Array Hdf5File::arrayOf(std::uint64_t header) const {
    constexpr unsigned dataspace = 1, datatype = 3, layout = 8, pipeline = 0xb;
    Array array;
    bool isPlaced = false;
    for (const Message& message : messages(header)) {
        Hdf5Cursor rest(path_, message.data);
        if (message.type == dataspace) {
            const std::uint64_t version = rest.number(1), rank = rest.number(1);
            rest.skip(version == 1 ? 6 : 2);
            if (rank > 1)
                throw unknownHdf5(path_, "an array");
            array.count = rank == 1 ? rest.number(8) : 1;
        } else if (message.type == datatype) {
            readType(rest, array);
        } else if (message.type == layout) {
            readLayout(rest, array);
            isPlaced = true;
        } else if (message.type == pipeline) {
            readFilters(rest, array);
        }
    }
    // Zeros deflate 1000 to 1, the displacements of a transform hardly 20 to 1.
    constexpr std::uint64_t highestRatio = 100, alwaysRead = std::uint64_t{64} << 20;
    const std::uint64_t maxBytes = std::max(alwaysRead, highestRatio * content_.size());
    if (!isPlaced || array.size == 0 || array.count > maxBytes / array.size)
        throw fileError(path_, "an array of {} numbers doesn't fit into the file", array.count);
    return array;
}

void Hdf5File::placeChunk(const Array& array, std::string_view stored, std::uint64_t mask,
                          std::uint64_t first, std::string& bytes) const {
    const std::uint64_t chunkBytes = array.chunkElements * array.size;
    std::string unpacked(stored);
    for (std::size_t i = array.filters.size(); i-- > 0;) {
        if ((mask >> i & 1) != 0)
            continue;
        unpacked = array.filters[i] == deflate ? inflated(path_, unpacked, chunkBytes)
                                               : unshuffled(unpacked, array.size);
    }
    if (unpacked.size() != chunkBytes || first > array.count)
        throw fileError(path_, "a block of an array has another size than stated");
    const std::uint64_t begin = first * array.size;
    const std::uint64_t count = std::min<std::uint64_t>(chunkBytes, bytes.size() - begin);
    bytes.replace(begin, count, unpacked, 0, count);
}

/// State of a walk over the tree of an array's chunks: a damaged tree may lead back to itself or
/// give the same chunk again and again.
struct Hdf5File::ChunkWalk {
    std::uint64_t nodes = 0;           ///< number of nodes that may still be read
    std::set<std::uint64_t> positions; ///< positions of the chunks that were placed
    std::string bytes;                 ///< content of the array
};

std::uint64_t Hdf5File::chunkTreeLevel(std::uint64_t root) const {
    constexpr std::uint64_t highest = 16; // max level: 2 entries per node make 65536 leaves
    Hdf5Cursor block(path_, from(root));
    block.skip(5);
    const std::uint64_t level = block.number(1);
    if (level > highest)
        throw fileError(path_, "the blocks of an array are damaged");
    return level;
}

/// A node of the tree of an array's chunks, which must be of the `level` that follows from its
/// parent's.
void Hdf5File::addChunks(const Array& array, std::uint64_t node, std::uint64_t level,
                         ChunkWalk& walk) const {
    Hdf5Cursor block(path_, from(node));
    if (walk.nodes-- == 0 || block.take(4) != "TREE" || block.number(1) != 1 ||
        block.number(1) != level)
        throw fileError(path_, "the blocks of an array are damaged");
    const std::uint64_t entries = block.number(2);
    block.skip(16);
    for (std::uint64_t i = 0; i < entries; ++i) {
        const std::uint64_t stored = block.number(4), mask = block.number(4);
        const std::uint64_t first = block.number(8);
        block.skip(8);
        const std::uint64_t child = block.number(8);
        if (level > 0) {
            addChunks(array, child, level - 1, walk);
            continue;
        }
        // Chunks begin at multiples of their size, so there are no more than fill the array.
        if (first >= array.count || first % array.chunkElements != 0 ||
            !walk.positions.insert(first).second)
            throw fileError(path_, "the blocks of an array are damaged");
        placeChunk(array, at(child, stored), mask, first, walk.bytes);
    }
}

std::string Hdf5File::bytesOf(const Array& array) const {
    if (array.layout == Array::Layout::Compact) {
        if (array.compact.size() < array.bytes())
            throw fileError(path_, "an array has another size than stated");
        return std::string(array.compact.substr(0, array.bytes()));
    }
    if (array.count == 0)
        return {};
    if (array.layout == Array::Layout::Contiguous)
        return std::string(at(array.address, array.bytes()));
    if (array.chunkElements == 0 || array.chunkElements > 2 * array.count + (1u << 20))
        throw fileError(path_, "the blocks of an array have a size of {} numbers",
                        array.chunkElements);
    if (array.layout == Array::Layout::Chunks) {
        constexpr std::uint64_t nodes = 1000; // allowance in addition to the nodes of the chunks
        ChunkWalk walk{
            nodes + array.count / array.chunkElements, {}, std::string(array.bytes(), '\0')};
        addChunks(array, array.address, chunkTreeLevel(array.address), walk);
        return std::move(walk.bytes);
    }
    std::string bytes(array.bytes(), '\0');
    const std::uint64_t stored = array.storedBytes == undefinedAddress
                                     ? array.chunkElements * array.size
                                     : array.storedBytes;
    placeChunk(array, at(array.address, stored), array.mask, 0, bytes);
    return bytes;
}

std::string Hdf5File::text(std::uint64_t header) const {
    const Array array = arrayOf(header);
    constexpr std::uint64_t maxLetters = 4096;
    if (array.kind == Array::Kind::Real || array.count != 1 || array.size > maxLetters)
        throw fileError(path_, "a name in it is no text");
    const std::string bytes = bytesOf(array);
    if (array.kind == Array::Kind::FixedText)
        return bytes.substr(0, bytes.find('\0'));
    Hdf5Cursor reference(path_, bytes);
    const std::uint64_t length = reference.number(4), heap = reference.number(8);
    const std::uint64_t index = reference.number(4);
    Hdf5Cursor block(path_, from(heap));
    if (block.take(4) != "GCOL")
        throw fileError(path_, "a name in it is damaged");
    block.skip(4);
    constexpr std::uint64_t headBytes = 16;
    const std::uint64_t heapBytes = std::max(block.number(8), headBytes) - headBytes;
    Hdf5Cursor objects(path_, block.take(std::min<std::uint64_t>(heapBytes, block.left())));
    while (objects.left() >= headBytes) {
        const std::uint64_t number = objects.number(2);
        objects.skip(6);
        const std::uint64_t size = objects.number(8);
        if (number == index && number != 0 && length <= size && length <= maxLetters) {
            const std::string_view name = objects.take(length);
            return std::string(name.substr(0, name.find('\0')));
        }
        if (number == 0)
            break;
        objects.skip(std::min<std::uint64_t>((size + 7) / 8 * 8, objects.left()));
    }
    throw fileError(path_, "a name in it is damaged");
}

std::vector<double> Hdf5File::numbers(std::uint64_t header) const {
    const Array array = arrayOf(header);
    if (array.kind != Array::Kind::Real)
        throw fileError(path_, "parameters in it are no numbers");
    const std::string bytes = bytesOf(array);
    std::vector<double> values(array.count);
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] =
            numberAt(bytes.data() + i * array.size,
                     array.size == 4 ? VoxelType::Float32 : VoxelType::Float64, array.bigEndian);
    return values;
}

} // namespace systole::transforms
