// Batches of systole cohort from outside: their bytes, a case that fails, and how they end.
#include "app/study/batch.h"
#include "app/study/cohort_folder.h"
#include "app/study/step_record.h"
#include "tests/app/study/cohort_study.h"
#include "tests/support/becomes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <map>
#include <pthread.h>
#include <string>
#include <sys/resource.h>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

namespace systole {
namespace {

namespace fs = std::filesystem;
using systole::testing::executable;
using systole::testing::filesBelow;
using systole::testing::Outcome;
using systole::testing::readText;
using systole::testing::run;
using systole::testing::writeText;
using ::testing::HasSubstr;

using CohortBatch = testing::CohortStudy;

/// Contents, by name, of the result files below a folder: those that hold no durations.
std::map<std::string, std::string> resultsBelow(const fs::path& folder) {
    std::map<std::string, std::string> files;
    for (const std::string& file : filesBelow(folder, folder / "work"))
        if (file.ends_with(".mha") || file.ends_with(".csv"))
            files[fs::path(file).lexically_relative(folder)] = readText(file);
    return files;
}

TEST_F(CohortBatch, GivesTheBytesOfStepsAndAFailingCaseStopsNoOther) {
    // The labels of the third case are its image, which the strain finds: their header is right.
    writeText(*study_ / "mixed.csv", "file,id,labels\n"
                                     "h1/sequence.nii.gz,1,h1/labels.nii.gz\n"
                                     "h2/sequence.nii.gz,2,h2/labels.nii.gz\n"
                                     "h3/sequence.nii.gz,3,h3/sequence.nii.gz\n");
    const auto mixed = [&](const std::string& folder, std::vector<std::string> more) {
        more.insert(more.begin(), {"cohort", *study_ / "mixed.csv", folder_ / folder, "--backend",
                                   "cpu", "--set", "levels=1"});
        return run(more);
    };
    setEngine("exit 0");
    EXPECT_EQ(mixed("steps", {"participant", "--no-pictures"}).errors, "");
    std::string sentence;
    for (const char* step : {"1/motion", "1/strain", "1/quality", "2/motion", "2/strain",
                             "2/quality", "3/motion", "3/strain"})
        sentence = mixed("steps", {"--step", "sub-" + std::string(step)}).errors;
    EXPECT_THAT(sentence, ::testing::StartsWith("sub-3, strain: "));

    const std::string batch = executable() + " cohort " + *study_ / "mixed.csv" + " " +
                              (folder_ / "batches") + " --batch-number ";
    setEngine(batch + "0; " + batch + "1");
    const Outcome outcome =
        mixed("batches", {"--no-pictures", "--batch", "2", "--batch-cores", "2"});
    EXPECT_EQ(outcome.exitCode, 1);
    EXPECT_THAT(outcome.output, HasSubstr(sentence));
    EXPECT_THAT(outcome.output, HasSubstr("2 of 3 cases done"));
    EXPECT_EQ(resultsBelow(folder_.path() / "batches"), resultsBelow(folder_.path() / "steps"));
    EXPECT_EQ(mixed("batches", {"--batch-number", "2"}).exitCode, 2);
    EXPECT_THAT(mixed("batches", {"--serve", "99"}).errors, HasSubstr("99 is no connection"));
}

/// Commands, by the number of their process, that have this folder among their words.
std::map<std::string, std::string> commandsIn(const std::string& folder) {
    std::map<std::string, std::string> found;
    for (const fs::directory_entry& entry : fs::directory_iterator("/proc"))
        if (std::string command = readText(entry.path() / "cmdline");
            command.find(folder) != std::string::npos)
            found[entry.path().filename()] = std::move(command);
    return found;
}

TEST_F(CohortBatch, EndsWithTheEngineThatStartedIt) {
    const std::string batch =
        executable() + " cohort " + *study_ / "cases.csv" + " '" + out("") + "' --batch-number 0";
    setEngine("exit 1"); // the plan and its batches are there
    EXPECT_EQ(cohort({"--no-pictures", "--batch", "4", "--batch-cores", "1"}).exitCode, 1);
    const std::string lock = lockPath(out(""), "sub-1", "motion");
    fs::create_directories(fs::path(lock).parent_path());
    const FileLock held(lock); // so that the batch can't end by itself
    EXPECT_NE(std::system((batch + " & until [ -e '" + out("work/batch-0.log") +
                           "' ]; do sleep 0.02; done; kill -KILL $$")
                              .c_str()),
              0);
    EXPECT_TRUE(test::becomes([&] { return commandsIn(out("")).empty(); }));
    EXPECT_FALSE(fs::exists(recordPath(out(""), "sub-1", "motion")));
}

/// Holds a step by this process alone, so that a batch waits until it is let go. The file is the
/// caller's.
int holdStep(const std::string& output, const std::string& id, const std::string& step) {
    const std::string lock = lockPath(output, id, step);
    fs::create_directories(fs::path(lock).parent_path());
    const int held = ::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    struct flock whole {};
    whole.l_type = F_WRLCK;
    EXPECT_EQ(::fcntl(held, F_OFD_SETLKW, &whole), 0);
    return held;
}

TEST_F(CohortBatch, MoreCasesThanCoresAreAtWorkOnceAMotionWasOnAGpu) {
    setEngine("exit 1"); // the plan and its batches are there
    EXPECT_EQ(cohort({"--no-pictures", "--batch", "4", "--batch-cores", "1", "--set", "levels=1"})
                  .exitCode,
              1);
    if (readPlan(out("")).find("sub-1").steps.front().deviceBytes == 0)
        GTEST_SKIP() << "built without CUDA";
    const std::string cases = *study_ / "cases.csv";
    ASSERT_EQ(run({"cohort", cases, out(""), "--step", "sub-1/motion"}).exitCode, 0);
    std::string record = readText(recordPath(out(""), "sub-1", "motion"));
    const std::string onCpu = R"("device": "cpu")";
    if (const auto at = record.find(onCpu); at != std::string::npos)
        writeText(recordPath(out(""), "sub-1", "motion"),
                  record.replace(at, onCpu.size(), R"("device": "a GPU")"));
    const int held = holdStep(out(""), "sub-2", "motion"); // all that one case at a time would do
    testing::Program batch({"cohort", cases, out(""), "--batch-number", "0"});
    EXPECT_TRUE(test::becomes([&] { return fs::exists(recordPath(out(""), "sub-3", "quality")); }));
    EXPECT_FALSE(fs::exists(recordPath(out(""), "sub-2", "motion")));
    ::close(held);
    EXPECT_EQ(batch.wait().exitCode, 0);
    EXPECT_TRUE(fs::exists(recordPath(out(""), "sub-2", "quality")));
}

TEST_F(CohortBatch, AServerThatDiedIsReplaced) {
    setEngine("exit 1"); // the plan and its batches are there
    EXPECT_EQ(cohort({"--no-pictures", "--batch", "4", "--batch-cores", "1"}).exitCode, 1);
    const int held = holdStep(out(""), "sub-1", "motion");
    testing::Program batch({"cohort", *study_ / "cases.csv", out(""), "--batch-number", "0"});
    const auto server = [&] {
        for (const auto& [process, command] : commandsIn(out("")))
            if (command.find("--serve") != std::string::npos)
                return process;
        return std::string();
    };
    std::string first;
    ASSERT_TRUE(test::becomes([&] { return !(first = server()).empty(); }));
    ASSERT_EQ(::kill(std::stoi(first), SIGKILL), 0);
    EXPECT_TRUE(test::becomes([&] { return !server().empty() && server() != first; }));
    ::close(held);
    EXPECT_EQ(batch.wait().exitCode, 0);
    for (const char* id : {"sub-1", "sub-2", "sub-3"})
        EXPECT_TRUE(fs::exists(recordPath(out(""), id, "quality"))) << id;
}

TEST_F(CohortBatch, MayBeToldItsFolderFromWhereItIsStarted) {
    setEngine("exit 1"); // the plan and its batches are there
    EXPECT_EQ(cohort({"--no-pictures", "--batch", "4", "--set", "levels=1"}).exitCode, 1);
    EXPECT_EQ(run({"cohort", *study_ / "cases.csv", fs::relative(out("")), "--batch-number", "0"})
                  .exitCode,
              0);
    EXPECT_TRUE(fs::exists(recordPath(out(""), "sub-1", "motion")));
    // A process of its own would have one: what serves has found the folder, too.
    EXPECT_FALSE(fs::exists(logPath(out(""), "sub-1", "motion")));
}

/// Threads that are started now get stacks of this size.
class StacksOf {
public:
    explicit StacksOf(std::size_t bytes) {
        ::pthread_getattr_default_np(&before_);
        pthread_attr_t attributes = before_;
        ::pthread_attr_setstacksize(&attributes, bytes);
        EXPECT_EQ(::pthread_setattr_default_np(&attributes), 0);
    }
    ~StacksOf() { ::pthread_setattr_default_np(&before_); }
    StacksOf(const StacksOf&) = delete;
    StacksOf& operator=(const StacksOf&) = delete;

private:
    pthread_attr_t before_{};
};

TEST_F(CohortBatch, WithoutRoomForMoreThreadsOneDoesAll) {
    setEngine("exit 1"); // the plan and its batches are there
    EXPECT_EQ(cohort({"--no-pictures", "--batch", "4", "--batch-cores", "3", "--set", "levels=1"})
                  .exitCode,
              1);
    const StacksOf tooLarge(std::size_t{1} << 60);
    EXPECT_TRUE(runBatch(readPlan(out("")), out(""), 0));
}

TEST(BatchLanes, AreTwiceAsManyWithAGpuWhereTheyHaveRoom) {
    CohortPlan plan;
    CohortBatches batches{1, {{"sub-1", "sub-2", "sub-3", "sub-4", "sub-5"}}, 1};
    for (const std::string& id : batches.ids.front()) {
        PlannedCase planned;
        planned.entry.id = id;
        planned.steps.resize(2);
        planned.steps[0].bytes = id == "sub-3" ? 1'000'000'000 : 500'000'000;
        plan.cases.push_back(planned);
    }
    const auto lanes = [&](int atATime, std::uint64_t gigabytes) {
        batches.atATime = atATime;
        const BatchLanes found = lanesOf(plan, batches, 0, gigabytes * 1'000'000'000);
        return std::pair(found.first, found.total);
    };
    EXPECT_EQ(lanes(2, 100), std::pair(2, 2)); // no step uses a GPU
    plan.cases[1].steps[0].deviceBytes = 1;
    EXPECT_EQ(lanes(2, 100), std::pair(2, 4));
    EXPECT_EQ(lanes(2, 3), std::pair(2, 3)); // a case takes a gigabyte
    EXPECT_EQ(lanes(2, 1), std::pair(2, 2));
    EXPECT_EQ(lanes(3, 100), std::pair(3, 5)); // there are no more cases
    EXPECT_EQ(lanes(9, 100), std::pair(5, 5));
    batches.batchesAtATime = 3; // each has a third of the memory
    EXPECT_EQ(lanes(2, 9), std::pair(2, 3));
    EXPECT_EQ(lanes(2, 6), std::pair(2, 2));
}

TEST(BatchMemory, IsThatOfTheMachineOrLessByWhatSlurmSays) {
    constexpr std::uint64_t gigabyte = 1'000'000'000, all = 64 * gigabyte;
    EXPECT_EQ(memoryOfJob(all, nullptr, nullptr, nullptr), all);
    EXPECT_EQ(memoryOfJob(all, "8000", nullptr, nullptr), 8 * gigabyte);
    EXPECT_EQ(memoryOfJob(all, nullptr, "2000", "3"), 6 * gigabyte);
    EXPECT_EQ(memoryOfJob(all, "4000", "2000", "3"), 4 * gigabyte);
    EXPECT_EQ(memoryOfJob(all, "100000", "2000", "64"), all);
    for (const char* odd :
         {"", "64G", "abc", "0", "-5", "9223372036854775807", "99999999999999999999999", " "}) {
        EXPECT_EQ(memoryOfJob(all, odd, nullptr, nullptr), all) << odd;
        EXPECT_EQ(memoryOfJob(all, nullptr, odd, "16"), all) << odd;
        EXPECT_EQ(memoryOfJob(all, nullptr, "2000", odd), all) << odd;
    }
    EXPECT_EQ(memoryOfJob(all, nullptr, "2000", nullptr), all);
}

TEST_F(CohortBatch, SaysHowManyMayBeAtWorkTogether) {
    const auto batchesAtATime = [&](std::vector<std::string> more) {
        setEngine("exit 1"); // the plan and its batches are there
        more.insert(more.begin(), {"--no-pictures", "--batch", "1"});
        EXPECT_EQ(cohort(more).exitCode, 1);
        return readBatches(out("")).batchesAtATime;
    };
    EXPECT_EQ(batchesAtATime({"--jobs", "8"}), 1);
    EXPECT_EQ(batchesAtATime({"--jobs", "8", "--batch-cores", "2"}), 4);
    EXPECT_EQ(batchesAtATime({"--jobs", "8", "--batch-cores", "4", "--threads", "2"}), 2);
}

TEST(Serving, EndsWhereNotAllCanBeServed) {
    int ends[2][2];
    for (auto& each : ends)
        ASSERT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET, 0, each), 0);
    constexpr std::size_t stack = std::size_t{1} << 30;
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    rlimit before{};
    ::getrlimit(RLIMIT_AS, &before);
    const rlimit roomForOne{pages * static_cast<std::size_t>(::getpagesize()) + stack * 3 / 2,
                            before.rlim_max};
    ::setrlimit(RLIMIT_AS, &roomForOne);
    {
        const StacksOf large(stack);
        EXPECT_THROW(
            serveSteps({}, "", std::to_string(ends[0][1]) + "," + std::to_string(ends[1][1]), {}),
            std::system_error);
    }
    ::setrlimit(RLIMIT_AS, &before);
    for (auto& each : ends) {
        char answer = 0;
        EXPECT_EQ(::recv(each[0], &answer, 1, 0), 0); // nobody is there
        ::close(each[0]);
    }
}

} // namespace
} // namespace systole
