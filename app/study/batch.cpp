#include "app/study/batch.h"

#include "app/base/child.h"
#include "app/base/error.h"
#include "app/base/json_file.h"
#include "app/study/cohort_folder.h"
#include "app/study/step_record.h"
#include "compute/core/machine.h"
#include "io/base/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <functional>
#include <latch>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace systole {
namespace {

constexpr std::size_t longestRequest = 4096;
constexpr char isDone = '1', isNotDone = '0';

std::string pathOf(const std::string& output) {
    return fmt::format("{}/{}/batches.json", output, workFolder);
}

/// The others have processes of their own: the report of strain, as PDF, differs in what Qt has
/// numbered in the process before.
bool consistsOf(const CohortStep& step, std::string_view command) {
    return !step.commands.empty() &&
           std::ranges::all_of(step.commands, [&](const std::vector<std::string>& words) {
               return words.front() == command;
           });
}

class Connection {
public:
    explicit Connection(int file) : file_(file) {}
    ~Connection() { close(); }
    Connection(Connection&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
    Connection& operator=(Connection&&) = delete;

    int file() const { return file_; }
    void close() {
        if (file_ >= 0)
            ::close(std::exchange(file_, -1));
    }
    /// False if nobody is at the other end.
    bool send(std::string_view text) const {
        return ::send(file_, text.data(), text.size(), MSG_NOSIGNAL) ==
               static_cast<ssize_t>(text.size());
    }
    /// Closes the connection: neither end gets further messages.
    void end() const { ::shutdown(file_, SHUT_RDWR); }
    /// Waits for a message; nothing: there will be none.
    std::optional<std::string> receive() const {
        std::string text(longestRequest, '\0');
        ssize_t size = 0;
        do
            size = ::recv(file_, text.data(), text.size(), 0);
        while (size < 0 && errno == EINTR);
        if (size <= 0)
            return std::nullopt;
        text.resize(static_cast<std::size_t>(size));
        return text;
    }

private:
    int file_;
};

/// A process that serves, and connections to it.
class Server {
public:
    Server(const CohortPlan& plan, const std::string& output, std::size_t number, int connections) {
        std::vector<Connection> theirs;
        std::vector<int> files;
        theirs.reserve(static_cast<std::size_t>(connections));
        files.reserve(static_cast<std::size_t>(connections));
        for (int i = 0; i < connections; ++i) {
            std::array<int, 2> ends{};
            if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
                throw fileError(output, std::string("no connection between two processes: ") +
                                            std::strerror(errno));
            ours_.emplace_back(ends[0]);
            theirs.emplace_back(ends[1]);
            files.push_back(ends[1]);
        }
        const std::string log = fmt::format("{}/{}/batch-{}.log", output, workFolder, number);
        process_.emplace(ChildCommand{{plan.program.file, "cohort", plan.input, output, "--serve",
                                       fmt::format("{}", fmt::join(files, ","))},
                                      output,
                                      log,
                                      {},
                                      files});
    }
    /// It ends by itself, and what it kept with it.
    ~Server() {
        ours_.clear();
        process_->wait();
    }
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    /// True if the process has done the step; nothing: it has died.
    std::optional<bool> ask(int connection, const std::string& request) const {
        const Connection& through = ours_[static_cast<std::size_t>(connection)];
        const std::optional<std::string> answer =
            through.send(request) ? through.receive() : std::nullopt;
        return answer ? std::optional(answer->front() == isDone) : std::nullopt;
    }

private:
    std::vector<Connection> ours_;
    std::optional<Child> process_;
};

/// A server, and after its death another one: what it died of, others needn't do without it.
class LastingServer {
public:
    using Start = std::function<std::shared_ptr<const Server>()>;
    explicit LastingServer(Start start) : start_(std::move(start)), server_(start_()) {}

    /// True if it has done the step.
    bool ask(int connection, const std::string& request) {
        const std::shared_ptr<const Server> asked = [&] {
            const std::lock_guard lock(mutex_);
            return server_;
        }();
        const std::optional<bool> done = asked->ask(connection, request);
        if (!done) {
            const std::lock_guard lock(mutex_);
            if (server_ == asked)
                server_ = start_();
        }
        return done.value_or(false);
    }

private:
    const Start start_;
    std::mutex mutex_;
    std::shared_ptr<const Server> server_;
};

/// The processes that serve a batch: one that estimates, and one that draws for every two lanes of
/// BatchLanes::first, since OpenGL's libraries aren't made for several threads. More drawing
/// processes would not help: a GPU serves one process at a time, so they would wait for each other
/// and delay the estimations.
class Servers {
public:
    Servers(const CohortPlan& plan, const std::string& output, std::size_t number,
            const BatchLanes& lanes)
        : estimating_(starting(plan, output, number, lanes.total)) {
        for (int lane = 0; lane < lanes.first && plan.settings.pictures; lane += 2)
            drawing_.push_back(std::make_unique<Drawing>(starting(plan, output, number, 1)));
    }

    /// True if a server has done the step.
    bool ask(int lane, const CohortStep& step, const std::string& request) {
        if (consistsOf(step, "motion"))
            return estimating_.ask(lane, request);
        if (!consistsOf(step, "snapshot") || drawing_.empty())
            return false;
        Drawing& drawing = *drawing_[static_cast<std::size_t>(lane) % drawing_.size()];
        const std::lock_guard lock(drawing.busy);
        return drawing.server.ask(0, request);
    }

private:
    static LastingServer::Start starting(const CohortPlan& plan, const std::string& output,
                                         std::size_t number, int connections) {
        return [&plan, &output, number, connections] {
            return std::make_shared<const Server>(plan, output, number, connections);
        };
    }

    struct Drawing {
        explicit Drawing(LastingServer::Start start) : server(std::move(start)) {}
        LastingServer server;
        std::mutex busy;
    };
    LastingServer estimating_;
    std::vector<std::unique_ptr<Drawing>> drawing_;
};

/// Lanes that begin later than the others.
class LaterLanes {
public:
    void release() {
        released_ = true;
        released_.notify_all();
    }
    void wait() const { released_.wait(false); }
    bool areReleased() const { return released_; }

private:
    std::atomic<bool> released_ = false;
};

/// 0 for what isn't a positive number.
std::uint64_t positiveIn(const char* text) {
    const std::optional<long long> number = parseInteger(text ? text : "");
    return static_cast<std::uint64_t>(std::max(0LL, number.value_or(0)));
}

/// All steps of a case, as far as those before them are done.
bool runCase(const CohortPlan& plan, const std::string& output, const std::string& id,
             Servers& servers, int lane, LaterLanes& later) {
    std::set<std::string> done;
    const std::vector<CohortStep>& steps = plan.find(id).steps;
    for (const CohortStep& step : steps) {
        const auto isThere = [&](const std::string& needed) { return done.contains(needed); };
        if (std::ranges::all_of(step.needs, isThere) &&
            (servers.ask(lane, step, id + "/" + step.name) || runStep(plan, output, id, step.name)))
            done.insert(step.name);
        if (step.deviceBytes > 0 && !later.areReleased() && done.contains(step.name) &&
            costOf(output, id, step.name).device != "cpu")
            later.release();
    }
    return done.size() == steps.size();
}

} // namespace

void writeBatches(const CohortBatches& batches, const std::string& output) {
    writeOwn(pathOf(output), Json{{"cases_at_a_time", batches.atATime},
                                  {"batches_together", batches.batchesAtATime},
                                  {"cases", batches.ids}});
}

CohortBatches readBatches(const std::string& output) {
    return fromJson(pathOf(output), [](const Json& json) {
        return CohortBatches{json.at("cases_at_a_time"), json.at("cases"),
                             json.at("batches_together")};
    });
}

BatchLanes lanesOf(const CohortPlan& plan, const CohortBatches& batches, std::size_t number,
                   std::uint64_t memoryBytes) {
    const std::vector<std::string>& ids = batches.ids[number];
    std::uint64_t caseBytes = 0, deviceBytes = 0;
    for (const std::string& id : ids)
        for (const CohortStep& step : plan.find(id).steps) {
            caseBytes = std::max(caseBytes, step.bytes);
            deviceBytes = std::max(deviceBytes, step.deviceBytes);
        }
    const int cases = static_cast<int>(ids.size());
    BatchLanes lanes{std::clamp(batches.atATime, 1, cases), 0};
    const int maxLanes = deviceBytes > 0 ? std::min(2 * lanes.first, cases) : lanes.first;
    // Each of several batches finds all of the memory free when they begin at the same time.
    const auto room = memoryBytes / std::max<std::uint64_t>(1, caseBytes) /
                      static_cast<std::uint64_t>(std::max(1, batches.batchesAtATime));
    lanes.total = static_cast<int>(std::clamp<std::uint64_t>(
        room, static_cast<std::uint64_t>(lanes.first), static_cast<std::uint64_t>(maxLanes)));
    return lanes;
}

std::uint64_t memoryOfJob(std::uint64_t availableBytes, const char* perNode, const char* perCore,
                          const char* cores) {
    // Slurm's are MiB; as MB they leave a twentieth to what nobody counts.
    constexpr std::uint64_t megabyte = 1'000'000;
    std::uint64_t bytes = availableBytes;
    const auto limit = [&](std::uint64_t megabytes, std::uint64_t times) {
        if (megabytes > 0 && times > 0 && megabytes < bytes / megabyte / times)
            bytes = megabytes * times * megabyte;
    };
    limit(positiveIn(perNode), 1);
    limit(positiveIn(perCore), positiveIn(cores));
    return bytes;
}

std::uint64_t memoryOfThisJob() {
    return memoryOfJob(describeMachine().availableBytes, std::getenv("SLURM_MEM_PER_NODE"),
                       std::getenv("SLURM_MEM_PER_CPU"), std::getenv("SLURM_CPUS_ON_NODE"));
}

bool runBatch(const CohortPlan& plan, const std::string& output, std::size_t number) {
    endWithParent(); // many cases more, which nobody waits for after Snakemake was ended
    const CohortBatches batches = readBatches(output);
    if (number >= batches.ids.size())
        throw UsageError(fmt::format("there is no batch {}", number));
    const std::vector<std::string>& ids = batches.ids[number];
    const BatchLanes lanes = lanesOf(plan, batches, number, memoryOfThisJob());
    Servers servers(plan, output, number, lanes);
    LaterLanes later;
    std::atomic<std::size_t> next = 0, done = 0;
    std::atomic<bool> failed = false;
    std::exception_ptr failure;
    std::latch ended(lanes.total); // a server ends with the thread that has started it
    const auto work = [&](int lane) {
        try {
            if (lane >= lanes.first)
                later.wait();
            for (std::size_t i = next++; i < ids.size() && !failed; i = next++)
                done += runCase(plan, output, ids[i], servers, lane, later) ? 1 : 0;
        } catch (...) {
            if (!failed.exchange(true))
                failure = std::current_exception();
        }
        later.release(); // there is nothing left for them
        ended.arrive_and_wait();
    };
    std::vector<std::jthread> others;
    try {
        for (int lane = 1; lane < lanes.total; ++lane)
            others.emplace_back(work, lane);
    } catch (const std::exception&) { // there is no room for more: those that are there do all
        ended.count_down(lanes.total - 1 - std::ssize(others));
    }
    work(0);
    others.clear();
    if (failure)
        std::rethrow_exception(failure);
    return done == ids.size();
}

void serveSteps(const CohortPlan& plan, const std::string& output, const std::string& connections,
                const CommandRunner& runner) {
    std::vector<Connection> all;
    for (const std::string& word : words(connections, ",")) {
        int file = -1;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), file);
        if (error != std::errc() || end != word.data() + word.size() ||
            ::fcntl(file, F_SETFD, FD_CLOEXEC) != 0)
            throw UsageError(fmt::format("--serve: {} is no connection", word));
        all.emplace_back(file);
    }
    SharedProcess process{runner, {}};
    const auto serve = [&](const Connection& connection) {
        while (const std::optional<std::string> request = connection.receive()) {
            const std::size_t slash = request->find('/');
            bool done = false;
            try {
                done = runStep(plan, output, request->substr(0, slash), request->substr(slash + 1),
                               &process);
            } catch (const std::exception& error) { // the one who asked tries it, too
                fmt::print(stderr, "{}: {}\n", *request, error.what());
            }
            connection.send(std::string(1, done ? isDone : isNotDone));
        }
    };
    std::vector<std::jthread> threads;
    try {
        for (const Connection& connection : all)
            threads.emplace_back([&serve, &connection] { serve(connection); });
    } catch (const std::exception&) { // nobody waits for an answer that won't come
        for (const Connection& connection : all)
            connection.end();
        throw;
    }
}

} // namespace systole
