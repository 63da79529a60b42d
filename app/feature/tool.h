// A tool: what a user works with in the window beside playback. It owns its state, its panel, its
// actions, and its part of the scene, of undo and of a picture's record. The list is
// app/features/list.cpp.
#pragma once

#include "app/feature/followed.h"
#include "app/feature/tool_host.h"
#include "app/feature/tool_needs.h"
#include "app/feature/tool_setting.h"
#include "app/session/session.h"
#include "app/task/course_inputs.h"
#include "compute/core/voxel_box.h"
#include "render/scene_mark.h"
#include "render/scene_strain.h"
#include "render/scene_surface.h"
#include "render/scene_tracks.h"
#include "render/value_map.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace systole {

class Panel;
class Tools;

struct ToolName {
    const char* id;    ///< name in files
    const char* title; ///< name in menus and messages
};

/// The pointer over a slice, while a tool has the left button.
struct SlicePointer {
    enum class Event { Move, Press, Drag, Release, Leave };
    Event event = Event::Move;
    Vec3 position{}; ///< LPS mm, in the shown plane; nowhere after Release and Leave
    int axis = 2;    ///< LPS axis across the slice
};

/// An action of the user, chosen by an entry of a menu or by keys.
struct Action {
    std::string text;   ///< & before the letter that chooses it
    std::string keys{}; ///< "Ctrl+R"; several are separated by "; "
    std::function<void()> act{};
    std::function<std::string()> whyNot{};  ///< why it can do nothing now; empty: it can
    std::function<bool()> on{};             ///< state of an entry that can be checked
    std::function<std::string()> textNow{}; ///< instead of `text`, if it changes
};

/// The part of the live view that Tool::follow() may use.
class ToolContext : public CourseInputs {
public:
    /// The CUDA device that the views draw from, an index in cudaStatus().devices; none: the host
    /// uploads pictures.
    virtual std::optional<int> interopDevice() const = 0;
    /// The voxels that the views show; empty: all.
    virtual std::vector<VoxelBox> shownVoxels() const = 0;

protected:
    ~ToolContext() = default;
};

/// Objects that the tools show over the sequence, or a picture in place of it.
struct SceneContribution {
    struct Picture {
        std::string name; ///< "registration of ..."
        std::string note; ///< the part of the volume that the views show, for their caption
        std::shared_ptr<const Volume> volume, onDevice; ///< both null: none yet
        std::vector<VoxelBox> boxes;                    ///< boxes of voxels, see Scene::setFrame()
        int frame = 0; ///< frame of the sequence that it stands for
        std::shared_ptr<const FrameResult> motion;
        std::optional<double> motionRange; ///< mm; none: the sequence's
        ValueMap values;                   ///< values that color its slices
    };
    std::vector<SceneMark> marks;
    std::shared_ptr<const SceneSurface> surface;
    /// Says that the surface is another frame's; empty: it is the shown frame's.
    std::string surfaceNote;
    std::shared_ptr<const SceneStrain> strain;
    std::shared_ptr<const SceneTracks> tracks;
    /// Motion of the frames, by frame, in place of the estimated one; empty: none.
    std::vector<std::shared_ptr<const FrameResult>> motions;
    bool givesMotion() const { return !motions.empty(); }
    std::shared_ptr<const FrameResult> motionOf(int frame) const {
        return frame >= 0 && frame < static_cast<int>(motions.size())
                   ? motions[static_cast<std::size_t>(frame)]
                   : nullptr;
    }
    std::optional<Picture> picture; ///< shown in place of the sequence, and of everything else
};

/// One sentence that the user should read once.
struct ToolMessage {
    std::string from; ///< "Segmentation: "
    std::string text; ///< empty: none now
    bool failure = true;
};

/// Work as the window keeps it on the disk, in case the program dies.
struct KeptWork {
    std::string name{};               ///< UnsavedWork::name
    std::string state;                ///< another text whenever `write` writes something else
    std::vector<std::string> files{}; ///< names of all files that are written
    /// Writes the work, as it was when this was made, to the first of the files, whose path it
    /// gets; on any thread.
    std::function<void(const std::string& path)> write{};
};

/// Work that would be lost with the sequence.
struct UnsavedWork {
    std::string name; ///< "labels of 3 frames"
    /// Asks for the file, writes it, then calls `then` on the window's thread; never, where the
    /// user chose no file or it can't be written. Empty: the work can't be saved.
    std::function<void(std::function<void()> then)> save{};
    std::function<KeptWork()> kept{}; ///< empty: it isn't kept on the disk
};
/// Computing that takes so long isn't lost unasked.
inline constexpr double longWorkSeconds = 60;

/// State of a tool, besides its settings, that undo restores: a value.
class ToolState {
public:
    using Change = NamedChange;
    virtual ~ToolState() = default;
    /// Differences between this state and `after`, a later one of the same tool.
    virtual std::vector<Change> changesTo(const ToolState& after) const = 0;
};

class Tool {
public:
    static constexpr double never = neverDue;

    explicit Tool(Tools& tools) : tools_(tools) {}
    virtual ~Tool();
    Tool(const Tool&) = delete;
    Tool& operator=(const Tool&) = delete;

    virtual ToolName name() const = 0;
    virtual std::unique_ptr<Panel> panel();
    virtual std::vector<Action> actions() { return {}; }

    /// Forgets what belonged to the sequence before this one, which is still session().opened (null
    /// before the first). What the user chose stays.
    virtual void opened(const OpenedSequence&) {}
    /// False: it is followed also while no sequence is open.
    virtual bool needsSequence() const { return true; }
    /// Once a tick: takes finished work, and starts what is due.
    virtual void follow(ToolContext&) {}
    /// Time until the next follow() is due, as things are now: that of its followed parts, among
    /// them its courses.
    double due() const;
    /// Needs of its followed parts.
    virtual ToolNeeds needs() const;
    virtual void show(SceneContribution&) const {}

    /// It is in the user's hand: the left button on the slices is its own.
    virtual bool holdsPointer() const { return false; }
    virtual void pointer(const SlicePointer&) {}
    virtual void dropPointer() {} ///< out of the hand

    /// Starts what options of the command line have chosen, once the sequence is open and the panel
    /// of the tool is open, if it is asked for. Throws UsageError where it can't.
    virtual void startChosen(bool /*panelOpen*/) {}
    /// The sequence shouldn't play at first: what was chosen belongs to the frame shown.
    virtual bool holdsPlayback() const { return false; }

    /// Work is under way or waiting for what it needs: a followed part is unfinished.
    virtual bool unfinished() const;
    virtual void tell(std::vector<ToolMessage>&) const {}
    /// Made by hand, or by long computing, and not saved.
    virtual std::vector<UnsavedWork> unsaved() { return {}; }
    /// Takes back what a session that died has kept (UnsavedWork::kept). `found`: the path of a
    /// kept file by its name; empty: it isn't there.
    virtual void recover(const std::function<std::string(const char* name)>&) {}
    /// True if the picture of a frame is complete; `panels`: with that of the tool's panel.
    virtual bool completeFor(int /*frame*/, bool /*panels*/) const { return true; }
    /// A sentence on what was asked for and isn't seen in a frame; empty: nothing.
    virtual std::string notShown(int /*frame*/) const { return {}; }
    /// A sentence on what options can't say of it, as labels that were edited; empty: nothing.
    virtual std::string notInOptions() const { return {}; }
    /// Description of the shown objects, for the record and the caption of a picture; empty:
    /// nothing is shown.
    virtual std::string caption() const { return {}; }

    /// The user's choices, which undo restores.
    virtual std::vector<ToolSetting> settings() { return {}; }
    /// Null: beside its settings it has nothing that can be undone.
    virtual std::shared_ptr<const ToolState> state() const { return nullptr; }
    virtual void restore(const ToolState&) {}
    /// Sets the user's choices back to the initial ones.
    virtual void reset() {}

protected:
    Session& session() const;
    ToolHost& host() const;
    const std::function<void()>& notify() const;
    void takePointer(); ///< no other tool has it
    Tools& tools() const { return tools_; }

private:
    friend class Followed;

    Tools& tools_;
    std::vector<const Followed*> followed_; ///< members of the tool
};

} // namespace systole
