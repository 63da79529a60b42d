// Releases OpenGL objects before their context, however the block ends.
#pragma once

namespace systole {

/// `Owner` has release(), which also does where there is nothing to release.
template <typename Owner>
class Released {
public:
    explicit Released(Owner& owner) : owner_(owner) {}
    ~Released() { owner_.release(); }
    Released(const Released&) = delete;
    Released& operator=(const Released&) = delete;

private:
    Owner& owner_;
};

} // namespace systole
