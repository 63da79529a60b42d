#include "io/base/sha256.h"

#include <fmt/format.h>

#include <array>
#include <new>
#include <openssl/evp.h>

namespace systole {

void Sha256::Free::operator()(evp_md_ctx_st* context) const { EVP_MD_CTX_free(context); }

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
    if (!context_ || EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) != 1)
        throw std::bad_alloc();
}

void Sha256::add(std::span<const std::byte> bytes) {
    EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size());
}

std::string Sha256::hex() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int count = 0;
    EVP_DigestFinal_ex(context_.get(), digest.data(), &count);
    std::string text;
    for (unsigned int i = 0; i < count; ++i)
        text += fmt::format("{:02x}", digest[i]);
    return text;
}

} // namespace systole
