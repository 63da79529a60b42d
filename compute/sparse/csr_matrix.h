// A sparse matrix by compressed rows, on the host.
#pragma once

#include <cstdint>
#include <vector>

namespace systole::sparse {

/// The entries of row r stand at positions rowStart[r] to rowStart[r + 1] - 1 of columnOf and
/// values, columns ascending, none twice; entries may be zero. rowStart has rows + 1 elements and
/// is {0} for a matrix without rows. Rows and columns are counted from 0.
template <typename Value>
struct CsrMatrix {
    std::int64_t rows = 0;
    std::int64_t columns = 0; ///< number of columns, less than 2^31
    std::vector<std::int64_t> rowStart = {0};
    std::vector<std::int32_t> columnOf;
    std::vector<Value> values;

    std::int64_t entries() const { return rowStart.back(); }
};

} // namespace systole::sparse
