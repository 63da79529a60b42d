#include "io/transforms/hdf5_file.h"

#include "io/base/byte_source.h"
#include "io/transforms/hdf5_cursor.h"

namespace systole::transforms {
namespace {

constexpr std::uint64_t maxBytes = std::uint64_t{4} << 30;
constexpr std::size_t maxMessages = 1000, maxMembers = 1000;
constexpr int maxVisits = 1000;

} // namespace

Hdf5File::Hdf5File(const std::string& path) : path_(path) {
    const InputFile file(path);
    if (file.size() > maxBytes)
        throw fileError(path, "transforms of at most 4 GiB are read");
    content_ = file.text(0, file.size());
    constexpr std::size_t signatureBytes = 8;
    Hdf5Cursor block(path_, from(signatureBytes));
    const std::uint64_t version = block.number(1);
    if (version > 3)
        throw unknownHdf5(path, "its beginning");
    if (version < 2)
        block.skip(4);
    const std::uint64_t offsetBytes = block.number(1), lengthBytes = block.number(1);
    if (offsetBytes != 8 || lengthBytes != 8)
        throw unknownHdf5(path, "its addresses");
    block.skip(version < 2 ? 9 : 1);
    if (version == 1)
        block.skip(4);
    if (block.number(8) != 0)
        throw unknownHdf5(path, "its addresses");
    block.skip(version < 2 ? 32 : 16); // addresses of free space, end and driver; the root's name
    root_ = block.number(8);
}

std::string_view Hdf5File::at(std::uint64_t address, std::uint64_t bytes) const {
    if (address > content_.size() || bytes > content_.size() - address)
        throw fileError(path_, "an HDF5 address of it lies outside the file");
    return std::string_view(content_).substr(address, bytes);
}

std::string_view Hdf5File::from(std::uint64_t address) const {
    at(address, 0);
    return std::string_view(content_).substr(address);
}

void Hdf5File::addMessages(std::string_view block, bool isNew, bool counted,
                           std::vector<Message>& messages) const {
    Hdf5Cursor rest(path_, block);
    const std::size_t headBytes = isNew ? (counted ? 6 : 4) : 8;
    while (rest.left() >= headBytes) {
        if (messages.size() == maxMessages)
            throw fileError(path_, "an HDF5 header of it has too many messages");
        Message message;
        message.type = static_cast<unsigned>(rest.number(isNew ? 1 : 2));
        const std::uint64_t bytes = rest.number(2), flags = rest.number(1);
        rest.skip(isNew ? (counted ? 2 : 0) : 3);
        message.data = rest.take(bytes);
        constexpr unsigned shared = 2;
        if ((flags & shared) != 0 && message.type != 0)
            throw unknownHdf5(path_, "parts of its headers");
        messages.push_back(message);
    }
}

std::vector<Hdf5File::Message> Hdf5File::messages(std::uint64_t header) const {
    std::vector<Message> found;
    Hdf5Cursor block(path_, from(header));
    const bool isNew = from(header).starts_with("OHDR");
    std::uint64_t flags = 0;
    if (isNew) {
        block.skip(5);
        flags = block.number(1);
        block.skip(((flags & 0x20) != 0 ? 16u : 0u) + ((flags & 0x10) != 0 ? 4u : 0u));
        addMessages(block.take(block.number(std::size_t{1} << (flags & 3))), true, (flags & 4) != 0,
                    found);
    } else {
        if (block.number(1) != 1)
            throw unknownHdf5(path_, "its headers");
        block.skip(7);
        const std::uint64_t bytes = block.number(4);
        block.skip(4);
        addMessages(block.take(bytes), false, false, found);
    }
    constexpr unsigned continuation = 0x10;
    constexpr std::size_t signatureBytes = 4, checksumBytes = 4;
    for (std::size_t i = 0; i < found.size(); ++i)
        if (found[i].type == continuation) {
            Hdf5Cursor where(path_, found[i].data);
            const std::uint64_t address = where.number(8), bytes = where.number(8);
            std::string_view more = at(address, bytes);
            if (isNew) {
                if (!more.starts_with("OCHK") || more.size() < signatureBytes + checksumBytes)
                    throw fileError(path_, "an HDF5 header of it is damaged");
                more = more.substr(signatureBytes, more.size() - signatureBytes - checksumBytes);
            }
            addMessages(more, isNew, (flags & 4) != 0, found);
        }
    return found;
}

void Hdf5File::addLinks(std::string_view message,
                        std::map<std::string, std::uint64_t>& found) const {
    Hdf5Cursor rest(path_, message);
    rest.skip(1);
    const std::uint64_t flags = rest.number(1);
    const bool isHard = (flags & 8) == 0 || rest.number(1) == 0;
    rest.skip(((flags & 4) != 0 ? 8u : 0u) + ((flags & 16) != 0 ? 1u : 0u));
    const std::string name(rest.take(rest.number(std::size_t{1} << (flags & 3))));
    if (isHard && found.size() < maxMembers)
        found[name] = rest.number(8);
}

/// A node of the tree of a group's members, of which leaves lead to tables of symbols.
void Hdf5File::addSymbols(std::uint64_t node, std::uint64_t heap, int& visits,
                          std::map<std::string, std::uint64_t>& found) const {
    Hdf5Cursor block(path_, from(node));
    const std::string_view signature = block.take(4);
    if (--visits < 0) // a damaged tree may lead back to itself
        throw fileError(path_, "an HDF5 group of it is damaged");
    if (signature == "TREE") {
        block.skip(2);
        const std::uint64_t entries = block.number(2);
        block.skip(16);
        for (std::uint64_t i = 0; i < entries && found.size() < maxMembers; ++i) {
            block.skip(8);
            addSymbols(block.number(8), heap, visits, found);
        }
        return;
    }
    if (signature != "SNOD")
        throw fileError(path_, "an HDF5 group of it is damaged");
    block.skip(2);
    const std::uint64_t count = block.number(2);
    Hdf5Cursor names(path_, from(heap));
    if (names.take(4) != "HEAP")
        throw fileError(path_, "an HDF5 group of it is damaged");
    names.skip(4);
    const std::uint64_t nameBytes = names.number(8);
    names.skip(8);
    const std::string_view text = at(names.number(8), nameBytes);
    for (std::uint64_t i = 0; i < count && found.size() < maxMembers; ++i) {
        const std::uint64_t name = block.number(8), header = block.number(8);
        block.skip(24);
        if (name >= text.size())
            throw fileError(path_, "an HDF5 group of it is damaged");
        const std::string_view rest = text.substr(name);
        found[std::string(rest.substr(0, rest.find('\0')))] = header;
    }
}

std::map<std::string, std::uint64_t> Hdf5File::members(std::uint64_t group) const {
    constexpr unsigned linkInfo = 2, link = 6, symbolTable = 0x11;
    std::map<std::string, std::uint64_t> found;
    for (const Message& message : messages(group == 0 ? root_ : group)) {
        Hdf5Cursor rest(path_, message.data);
        if (message.type == link) {
            addLinks(message.data, found);
        } else if (message.type == symbolTable) {
            const std::uint64_t tree = rest.number(8), heap = rest.number(8);
            int visits = maxVisits;
            addSymbols(tree, heap, visits, found);
        } else if (message.type == linkInfo) {
            rest.skip(1);
            rest.skip((rest.number(1) & 1) != 0 ? 8 : 0);
            if (rest.number(8) != undefinedAddress)
                throw unknownHdf5(path_, "its many transforms");
        }
    }
    return found;
}

} // namespace systole::transforms
