// systole spgemm from outside: the product on disk, its figures, and what is refused.
#include "io/matrices/matrix_market.h"
#include "tests/support/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace systole {
namespace {

using systole::testing::Outcome;
using systole::testing::readText;
using systole::testing::run;
using systole::testing::TemporaryFolder;
using systole::testing::writeText;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Json = nlohmann::json;

class Spgemm : public ::testing::Test {
protected:
    std::string file(const std::string& name, const std::string& entries) {
        writeText(folder / name, "%%MatrixMarket matrix coordinate real general\n" + entries);
        return folder / name;
    }
    void expectRefusal(std::vector<std::string> arguments, int code, const std::string& says) {
        arguments.insert(arguments.begin(), "spgemm");
        testing::expectRefused(run(arguments), says, code);
    }

    TemporaryFolder folder;
};

// (1 2 0; 0 0 3) times (0 4; 5 0; 6 -1) is (10 4; 18 -3).
TEST_F(Spgemm, WritesTheProductAndItsFigures) {
    const std::string a = file("a.mtx", "2 3 3\n1 1 1\n1 2 2\n2 3 3\n"),
                      b = file("b.mtx", "3 2 4\n1 2 4\n2 1 5\n3 1 6\n3 2 -1\n");
    const Outcome outcome =
        run({"spgemm", a, b, "-o", folder / "c.mtx.gz", "--json", folder / "c.json"});
    ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
    const sparse::CsrMatrix<double> c = readMatrixMarket(folder / "c.mtx.gz").matrix;
    EXPECT_THAT(c.rowStart, ElementsAre(0, 2, 4));
    EXPECT_THAT(c.columnOf, ElementsAre(0, 1, 0, 1));
    EXPECT_THAT(c.values, ElementsAre(10, 4, 18, -3));
    const Json record = Json::parse(readText(folder / "c.json"));
    EXPECT_EQ(record["floating_point_operations"], 8);
    EXPECT_EQ(record["compression_ratio"], 1.0);
    EXPECT_EQ(record["c"]["entries"], 4);
    EXPECT_EQ(record["a"]["tiles"], 1);
    EXPECT_THAT(outcome.output, HasSubstr("2 × 2, 4 entries"));
}

TEST_F(Spgemm, WithoutASecondMatrixItIsTheSquareOrTheGramMatrix) {
    const std::string a = file("a.mtx", "2 2 2\n1 2 3\n2 2 1\n");
    ASSERT_EQ(run({"spgemm", a, "-o", folder / "square.mtx"}).exitCode, 0);
    EXPECT_THAT(readMatrixMarket(folder / "square.mtx").matrix.values, ElementsAre(3, 1));
    const std::string wide = file("wide.mtx", "2 3 2\n1 1 2\n1 3 5\n");
    ASSERT_EQ(run({"spgemm", wide, "--transpose-b", "-o", folder / "gram.mtx"}).exitCode, 0);
    const sparse::CsrMatrix<double> gram = readMatrixMarket(folder / "gram.mtx").matrix;
    EXPECT_EQ(gram.columns, 2);
    EXPECT_THAT(gram.values, ElementsAre(29));
    ASSERT_EQ(run({"spgemm", wide, "--transpose-a", wide, "-o", folder / "other.mtx"}).exitCode, 0);
    EXPECT_THAT(readMatrixMarket(folder / "other.mtx").matrix.values, ElementsAre(4, 10, 10, 25));
}

TEST_F(Spgemm, SaysWhereTheProductWasMade) {
    const std::string a = file("a.mtx", "2 2 2\n1 2 3\n2 2 1\n");
    const Outcome outcome =
        run({"spgemm", a, "--backend", "cpu", "-o", folder / "c.mtx", "--json", folder / "c.json"});
    ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
    EXPECT_THAT(outcome.output, HasSubstr("cpu (requested)"));
    const Json record = Json::parse(readText(folder / "c.json"));
    EXPECT_EQ(record["backend"], "cpu");
    EXPECT_GE(record["seconds"]["numeric"], 0);
    expectRefusal({a, "--backend", "cpu", "--variant", "row-hash", "-o", folder / "d.mtx"}, 2,
                  "chooses CUDA kernels");
    expectRefusal({a, "--variant", "nothing", "-o", folder / "d.mtx"}, 2, "row-hash");
}

TEST_F(Spgemm, RefusesWhatCantBeMultipliedOrWritten) {
    const std::string wide = file("wide.mtx", "2 3 0\n");
    expectRefusal({wide, "-o", folder / "c.mtx"}, 2, "has 3 columns and the right one 2 rows");
    expectRefusal({wide, "-o", folder / "c.txt"}, 2, "must end with .mtx");
    expectRefusal({folder / "missing.mtx", "-o", folder / "c.mtx"}, 1, "missing.mtx");
    expectRefusal({wide, "--transpose-b", "-o", wide, "--overwrite"}, 1, "wide.mtx");
    writeText(folder / "c.mtx", "mine");
    expectRefusal({wide, "--transpose-b", "-o", folder / "c.mtx"}, 1, "c.mtx");
    EXPECT_EQ(readText(folder / "c.mtx"), "mine");
}

} // namespace
} // namespace systole
