// The arrays of VTK's XML files: numbers in text, base64 or raw bytes, perhaps deflated in blocks.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace systole::meshes {

/// How the file says that its binary arrays are stored.
struct VtpCoding {
    bool wideHeader = false; ///< UInt64 instead of UInt32
    bool deflated = false;
    bool base64 = true; ///< false: raw bytes
};

/// Bytes taken in order from base64 or raw content. Throws FileError at the end of the content.
class VtpBytes {
public:
    VtpBytes(const std::string& path, std::string_view content, bool base64)
        : path_(path), rest_(content), base64_(base64) {}
    void take(std::size_t count, std::vector<char>& out);

private:
    void takeGroup();

    const std::string& path_;
    std::string_view rest_;
    bool base64_;
    std::vector<char> decoded_; ///< up to three bytes of base64 that wait
    std::size_t given_ = 0;
};

/// The `bytes` bytes of an array: header, then data. Throws FileError if it has another size,
/// or one that no surface packed into so few bytes has.
std::vector<char> readVtpArray(const std::string& path, std::string_view content,
                               const VtpCoding& coding, std::size_t bytes);

/// The bytes of a short array, such as one of strings, whose size only its header gives. Throws
/// FileError as above, and for more than `maxBytes` bytes.
std::vector<char> readVtpText(const std::string& path, std::string_view content,
                              const VtpCoding& coding, std::size_t maxBytes);

} // namespace systole::meshes
