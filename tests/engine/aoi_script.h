#pragma once

#include "engine/aoi.h"
#include "tests/engine/script_bytes.h"
#include "tests/engine/visibility_oracle.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace marchland::engine::testing {

/// What a script has seen: for tests that ask whether there was anything to see.
struct ScriptTally {
    std::size_t events = 0;
    std::size_t jumps = 0;
    std::size_t states = 0;
    std::size_t refusals = 0;
    std::size_t found = 0;
};

/// Plays any bytes as a history of an Aoi beside brute force (VisibilityOracle, and a look at every
/// entity for each query) and compares events, answers and refusals. The bytes come from a random
/// generator or from a fuzzer; every sequence of bytes is a history, so it shrinks freely.
///
///    index, ground | change, change, ..., tick, ...
///
/// Mistakes are part of it: ids that are not here, or twice, positions over the edge, views that
/// are none, changes from callbacks.
class AoiScript {
public:
    explicit AoiScript(std::span<const std::uint8_t> bytes);

    /// Plays all of it. The first disagreement, as a text; nothing if there is none.
    std::optional<std::string> play();
    [[nodiscard]] const ScriptTally& tally() const { return tally_; }

private:
    void play_one();
    void add();
    void load();
    void remove();
    void move();
    void teleport();
    void set_view();
    void set_facing();
    void set_notify();
    void set_layers();
    void set_state();
    void tick();
    void query_circle();
    void query_rect();
    void query_look();
    void nearest();

    void try_changes_inside_a_callback(EntityId id);
    [[nodiscard]] std::vector<AoiEvent> expected_events();
    [[nodiscard]] AoiError expected_error(const AoiEntity& entity) const;
    [[nodiscard]] AoiError expected_error(EntityId id, Position to) const;
    [[nodiscard]] AoiError if_alive(EntityId id, AoiError error) const;
    void admit(const AoiEntity& entity);
    void put(EntityId id, Position to);
    template <typename IsInside>
    [[nodiscard]] std::vector<EntityId> all_where(LayerMask layers, IsInside&& is_inside) const;

    /// True when it was not refused, and rightly so.
    bool agree(const AoiStatus& status, AoiError expected, const char* what);
    void expect(bool is_so, const char* what);

    ScriptBytes bytes_;
    const AoiOptions options_;
    const std::unique_ptr<Aoi> aoi_;
    VisibilityOracle oracle_;
    std::map<EntityId, AoiEntity> alive_;
    std::set<EntityId> jumped_;  ///< in this tick
    std::optional<std::string> disagreement_;
    ScriptTally tally_;
};

}  // namespace marchland::engine::testing
