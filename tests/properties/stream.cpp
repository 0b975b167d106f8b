#include "tests/properties/stream.h"

#include "tests/properties/client_view.h"

#include <algorithm>
#include <sstream>

namespace marchland::tests {

namespace {

using FrameIterator = std::vector<SentFrame>::const_iterator;

std::string text_of(FrameIterator frame, FrameIterator end) {
    std::ostringstream text;
    if (frame == end) {
        text << "nothing more";
    } else {
        text << *frame;
    }
    return text.str();
}

std::optional<std::string> difference_of(const Stream& expected, const Stream& actual) {
    const auto [left, right] = std::ranges::mismatch(expected.frames, actual.frames);
    const std::string who = "client of entity " + std::to_string(to_number(expected.id)) +
                            " (joined in tick " + std::to_string(expected.joined) + ")";
    if (left != expected.frames.end() || right != actual.frames.end()) {
        return who + "\n  expected: " + text_of(left, expected.frames.end()) +
               "\n  was sent: " + text_of(right, actual.frames.end());
    }
    if (expected.was_removed != actual.was_removed) {
        return who + (actual.was_removed ? " was removed" : " was not removed");
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::string> first_difference(const Recording& expected, const Recording& actual) {
    if (expected.size() != actual.size()) {
        return std::to_string(expected.size()) + " streams were expected, not " +
               std::to_string(actual.size());
    }
    for (std::size_t i = 0; i < expected.size(); ++i) {
        if (auto difference = difference_of(expected[i], actual[i])) {
            return difference;
        }
    }
    return std::nullopt;
}

std::optional<std::string> byte_difference(const Recording& expected, const Recording& actual) {
    const auto [left, right] =
        std::ranges::mismatch(expected, actual, {}, &Stream::wire, &Stream::wire);
    if (left == expected.end() && right == actual.end()) {
        return std::nullopt;
    }
    return "the bytes of life " + std::to_string(left - expected.begin()) + " differ";
}

Recording before_tick(Recording recording, engine::Tick tick) {
    for (Stream& stream : recording) {
        const auto end = std::ranges::lower_bound(stream.frames, tick, {}, &SentFrame::tick);
        stream.frames.erase(end, stream.frames.end());
        stream.wire.resize(stream.frames.size());
    }
    return recording;
}

std::optional<std::string> find_flaw(const Stream& stream) {
    ClientView view(stream.id);
    for (const SentFrame& frame : stream.frames) {
        if (const auto flaw = view.apply(frame)) {
            std::ostringstream text;
            text << "client of entity " << to_number(stream.id) << ": " << *flaw << "\n  in "
                 << frame;
            return text.str();
        }
    }
    return std::nullopt;
}

}  // namespace marchland::tests
