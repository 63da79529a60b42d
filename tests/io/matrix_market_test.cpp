// Matrix Market files: every kind that is read, round trips to the bit, and what is refused.
#include "io/matrices/matrix_market.h"
#include "tests/io/io_support.h"
#include "tests/io/refusal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>

namespace systole {
namespace {

using sparse::CsrMatrix;
using test::TemporaryFolder;
using test::writeBytes;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string general = "%%MatrixMarket matrix coordinate real general\n";

class MatrixMarket : public ::testing::Test {
protected:
    StoredMatrix read(const std::string& content) {
        writeBytes(folder / "a.mtx", content);
        return readMatrixMarket(folder / "a.mtx");
    }
    /// The sentence with which a file is refused, one line that begins with its name.
    std::string refusal(const std::string& content) {
        const std::string path = folder / "bad.mtx";
        writeBytes(path, content);
        return test::refusalSentence(path, readMatrixMarket);
    }

    TemporaryFolder folder;
};

TEST_F(MatrixMarket, EntriesInAnyOrderBecomeSortedRows) {
    const StoredMatrix stored = read(general + "% a comment\n\n"
                                               "3 4 4\n"
                                               "3 4 -2.5e-3\n"
                                               "% another\n"
                                               "1 2 7\r\n"
                                               "  3\t1   +4  \n"
                                               "1 1 .5");
    EXPECT_EQ(stored.matrix.rows, 3);
    EXPECT_EQ(stored.matrix.columns, 4);
    EXPECT_THAT(stored.matrix.rowStart, ElementsAre(0, 2, 2, 4));
    EXPECT_THAT(stored.matrix.columnOf, ElementsAre(0, 1, 0, 3));
    EXPECT_THAT(stored.matrix.values, ElementsAre(0.5, 7, 4, -2.5e-3));
    EXPECT_EQ(stored.storedEntries, 4);
    EXPECT_EQ(stored.duplicates, 0);
}

TEST_F(MatrixMarket, SymmetricFilesHaveBothHalves) {
    const StoredMatrix symmetric =
        read("%%MatrixMarket matrix coordinate integer symmetric\n3 3 3\n1 1 5\n3 1 -7\n3 2 2\n");
    EXPECT_THAT(symmetric.matrix.rowStart, ElementsAre(0, 2, 3, 5));
    EXPECT_THAT(symmetric.matrix.columnOf, ElementsAre(0, 2, 2, 0, 1));
    EXPECT_THAT(symmetric.matrix.values, ElementsAre(5, -7, 2, -7, 2));
    const StoredMatrix skew =
        read("%%matrixmarket MATRIX Coordinate Real Skew-Symmetric\n2 2 1\n2 1 3\n");
    EXPECT_THAT(skew.matrix.columnOf, ElementsAre(1, 0));
    EXPECT_THAT(skew.matrix.values, ElementsAre(-3, 3));
}

TEST_F(MatrixMarket, EntriesOfAPatternAreOne) {
    const StoredMatrix stored =
        read("%%MatrixMarket matrix coordinate pattern general\n2 3 2\n2 3\n1 1\n");
    EXPECT_THAT(stored.matrix.rowStart, ElementsAre(0, 1, 2));
    EXPECT_THAT(stored.matrix.columnOf, ElementsAre(0, 2));
    EXPECT_THAT(stored.matrix.values, ElementsAre(1, 1));
}

TEST_F(MatrixMarket, EntriesOfOnePlaceAreAdded) {
    const StoredMatrix stored = read(general + "2 2 4\n2 1 1\n1 2 10\n2 1 2\n2 1 4\n");
    EXPECT_THAT(stored.matrix.rowStart, ElementsAre(0, 1, 2));
    EXPECT_THAT(stored.matrix.values, ElementsAre(10, 7));
    EXPECT_EQ(stored.duplicates, 2);
}

TEST_F(MatrixMarket, MatricesWithoutRowsColumnsOrEntries) {
    EXPECT_THAT(read(general + "0 0 0\n").matrix.rowStart, ElementsAre(0));
    EXPECT_EQ(read(general + "0 5 0\n").matrix.columns, 5);
    EXPECT_THAT(read(general + "3 0 0").matrix.rowStart, ElementsAre(0, 0, 0, 0));
}

TEST_F(MatrixMarket, ComesBackToTheBit) {
    const double least = std::numeric_limits<double>::denorm_min();
    const CsrMatrix<double> matrix{
        4, 5, {0, 2, 2, 3, 5}, {0, 4, 2, 1, 3}, {1.0 / 3, -0.0, least, 1e308, 0.1}};
    for (const char* name : {"b.mtx", "b.mtx.gz"}) {
        writeMatrixMarket(folder / name, matrix);
        const CsrMatrix<double> back = readMatrixMarket(folder / name).matrix;
        EXPECT_EQ(back.rows, matrix.rows);
        EXPECT_EQ(back.columns, matrix.columns);
        EXPECT_EQ(back.rowStart, matrix.rowStart);
        EXPECT_EQ(back.columnOf, matrix.columnOf);
        EXPECT_EQ(back.values, matrix.values) << name;
    }
    const CsrMatrix<float> single{1, 2, {0, 2}, {0, 1}, {0.1f, 1.0f / 3}};
    writeMatrixMarket(folder / "f.mtx", single);
    const std::vector<double> back32 = readMatrixMarket(folder / "f.mtx").matrix.values;
    ASSERT_EQ(back32.size(), 2u);
    EXPECT_EQ(static_cast<float>(back32[0]), 0.1f);
    EXPECT_EQ(static_cast<float>(back32[1]), 1.0f / 3);
}

TEST_F(MatrixMarket, LongFilesAreReadInBlocks) {
    // Lines of changing length cross the borders of the blocks.
    CsrMatrix<double> matrix{30000, 30000, {0}, {}, {}};
    for (std::int32_t row = 0; row < 30000; ++row) {
        matrix.columnOf.push_back(row * 7919LL % 30000 < 15000 ? row / 2 : row);
        matrix.values.push_back(1.0 / (row + 1));
        matrix.rowStart.push_back(row + 1);
    }
    writeMatrixMarket(folder / "long.mtx.gz", matrix);
    const CsrMatrix<double> back = readMatrixMarket(folder / "long.mtx.gz").matrix;
    EXPECT_EQ(back.columnOf, matrix.columnOf);
    EXPECT_EQ(back.values, matrix.values);
}

TEST_F(MatrixMarket, OtherHeadersAreRefused) {
    EXPECT_THAT(refusal(""), HasSubstr("empty"));
    EXPECT_THAT(refusal("1 1 1\n1 1 1\n"), HasSubstr("%%MatrixMarket"));
    EXPECT_THAT(refusal("%%MatrixMarket matrix array real general\n1 1\n1\n"),
                HasSubstr("only sparse ones"));
    EXPECT_THAT(refusal("%%MatrixMarket matrix coordinate complex general\n1 1 0\n"),
                HasSubstr("'complex'"));
    EXPECT_THAT(refusal("%%MatrixMarket matrix coordinate real hermitian\n1 1 0\n"),
                HasSubstr("'hermitian'"));
    EXPECT_THAT(refusal("%%MatrixMarket matrix coordinate pattern skew-symmetric\n1 1 0\n"),
                HasSubstr("no signs"));
    EXPECT_THAT(refusal(general), HasSubstr("ends before"));
    EXPECT_THAT(refusal(general + "% nothing else\n"), HasSubstr("ends before"));
    EXPECT_THAT(refusal(std::string(100, '\x01')), HasSubstr("line 1"));
    EXPECT_THAT(refusal(general + std::string(1 << 20, '%')), HasSubstr("longer"));
}

TEST_F(MatrixMarket, HostileSizesAreRefusedBeforeMemoryIsTaken) {
    EXPECT_THAT(refusal(general + "9223372036854775807 1 0\n"), HasSubstr("too many"));
    EXPECT_THAT(refusal(general + "1 2147483648 0\n"), HasSubstr("too many"));
    EXPECT_THAT(refusal(general + "99999999999999999999 1 0\n"), HasSubstr("isn't a size"));
    EXPECT_THAT(refusal(general + "-1 1 0\n"), HasSubstr("isn't a size"));
    EXPECT_THAT(refusal(general + "2 2\n"), HasSubstr("isn't a size"));
    EXPECT_THAT(refusal(general + "2 2 1 1\n"), HasSubstr("isn't a size"));
    EXPECT_THAT(refusal(general + "2 2 9000000000000000000\n1 1 1\n"),
                HasSubstr("ends after 1 of 9000000000000000000"));
    EXPECT_THAT(refusal(general + "268435456 268435456 1\n1 1 1\n"),
                HasSubstr("268435456 rows and 268435456 columns are too many for 1 entries"));
    EXPECT_THAT(refusal(general + "1 8388624 1\n1 1 1\n"), HasSubstr("too many for 1 entries"));
    EXPECT_EQ(read(general + "1 8388608 1\n1 1 1\n").matrix.columns, 8388608);
    EXPECT_THAT(refusal("%%MatrixMarket matrix coordinate real symmetric\n2 3 0\n"),
                HasSubstr("symmetric matrix can't have 2 rows and 3"));
}

TEST_F(MatrixMarket, EntriesThatAreNoneAreRefusedWithTheirLine) {
    EXPECT_THAT(refusal(general + "2 2 1\n1 1\n"), HasSubstr("line 3: '1 1' isn't an entry"));
    EXPECT_THAT(refusal(general + "2 2 1\n1 1 1,5\n"), HasSubstr("isn't an entry"));
    EXPECT_THAT(refusal(general + "2 2 1\n1 1 1 1\n"), HasSubstr("isn't an entry"));
    EXPECT_THAT(refusal(general + "2 2 1\n1.5 1 1\n"), HasSubstr("isn't an entry"));
    EXPECT_THAT(refusal(general + "2 2 1\n1 1 nan\n"), HasSubstr("finite"));
    EXPECT_THAT(refusal(general + "2 2 1\n1 1 1e999\n"), HasSubstr("isn't an entry"));
    EXPECT_THAT(refusal(general + "2 2 1\n0 1 1\n"), HasSubstr("outside"));
    EXPECT_THAT(refusal(general + "2 2 1\n1 3 1\n"), HasSubstr("outside"));
    EXPECT_THAT(refusal(general + "2 2 2\n1 1 1\n"), HasSubstr("ends after 1 of 2"));
    EXPECT_THAT(refusal(general + "2 2 1\n1 1 1\n2 2 1\n"), HasSubstr("follows the 1 announced"));
    EXPECT_THAT(refusal(general + "1 1 2\n1 1 1e308\n1 1 1e308\n"), HasSubstr("sum"));
    EXPECT_THAT(refusal("%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 1\n"),
                HasSubstr("above the diagonal"));
    EXPECT_THAT(refusal("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 1\n"),
                HasSubstr("on or above the diagonal"));
}

TEST_F(MatrixMarket, CutAndDamagedGzipIsRefused) {
    const CsrMatrix<double> matrix{1, 1, {0, 1}, {0}, {2}};
    writeMatrixMarket(folder / "c.mtx.gz", matrix);
    test::Bytes cut = test::readBytes(folder / "c.mtx.gz");
    cut.resize(cut.size() / 2);
    writeBytes(folder / "c.mtx.gz", cut);
    EXPECT_THROW(readMatrixMarket(folder / "c.mtx.gz"), FileError);
    EXPECT_THROW(readMatrixMarket(folder / "missing.mtx"), FileError);
    EXPECT_THROW(readMatrixMarket(folder.path().string()), FileError);
}

TEST_F(MatrixMarket, TheSampleMatricesHaveTheirPublishedSizes) {
    const char* const data = std::getenv("SYSTOLE_DATA_DIR");
    if (!data)
        GTEST_SKIP() << "SYSTOLE_DATA_DIR names no folder of sample data";
    const StoredMatrix stiffness = readMatrixMarket(std::string(data) + "/sparse/bcsstk16.mtx.gz");
    EXPECT_EQ(stiffness.matrix.rows, 4884);
    EXPECT_EQ(stiffness.matrix.entries(), 290378);
    const StoredMatrix graph = readMatrixMarket(std::string(data) + "/sparse/wiki-Vote.mtx.gz");
    EXPECT_EQ(graph.matrix.rows, 8297);
    EXPECT_EQ(graph.matrix.entries(), 103689);
}

} // namespace
} // namespace systole
