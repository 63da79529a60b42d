// A library that is loaded when it is first needed, so that programs start where it isn't
// installed.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>

namespace systole {

class SharedLibrary {
public:
    /// The first of these files that loads. Throws ComputeError that says which library isn't
    /// installed; `title` names it in all errors.
    SharedLibrary(std::string title, std::initializer_list<const char*> files);

    /// The address of a function, for a pointer to a function of the type that the caller knows.
    struct Address {
        void* value;
        template <typename Function>
        operator Function*() const {
            return reinterpret_cast<Function*>(value);
        }
    };
    /// Throws ComputeError if the library has no function of this name.
    Address operator[](const char* name) const { return {address(name)}; }
    /// Throws ComputeError unless a call's status is 0; `what` failed.
    void check(int status, const char* what) const;

private:
    void* address(const char* name) const;

    std::string title_;
    std::unique_ptr<void, int (*)(void*)> library_;
};

} // namespace systole
