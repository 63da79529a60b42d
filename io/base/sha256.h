// The hash SHA-256 (FIPS 180-4), by OpenSSL.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

struct evp_md_ctx_st;

namespace systole {

class Sha256 {
public:
    Sha256(); ///< Throws std::bad_alloc.
    /// May be called again and again; what was given is hashed as if it were one piece.
    void add(std::span<const std::byte> bytes);
    /// 64 hexadecimal digits, lower case, of all that was added. Called once, last.
    std::string hex();

private:
    struct Free {
        void operator()(evp_md_ctx_st* context) const;
    };
    std::unique_ptr<evp_md_ctx_st, Free> context_;
};

} // namespace systole
