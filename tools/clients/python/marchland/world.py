"""Frames in, and who is seen out."""

from marchland.codec import STILL, Position, ProtocolError, Slots, unpack_moves, unpack_states


class Seen:
    """Somebody who is seen. The same object from its enter to its leave; `state` has a value for each slot's name.
    `position` is that at the end of the newest frame's tick; from there it goes on with `velocity`, in millimetres a
    tick."""

    __slots__ = ("entity", "kind", "position", "velocity", "state", "moved_tick")

    def __init__(self, entered, state, tick):
        self.entity = entered.entity
        self.kind = entered.kind
        self.position = entered.position
        self.velocity = entered.velocity or STILL
        self.state = state
        self.moved_tick = tick

    def __repr__(self):
        return f"<{self.entity}, of kind {self.kind}, at {tuple(self.position)}>"


class Changes:
    """What one frame changed: `left` is [(Seen, reason)]. Of a keyframe, too: how what it shows differs from what was
    known; of those whom it does not show again the reason is 0."""

    def __init__(self):
        self.left, self.entered, self.moved, self.changed = [], [], [], []
        self.is_own_changed = False


class World:
    """Who is seen, by id: `for seen in world`, `world[entity]`, `entity in world`. A frame that does not fit what is
    known is a ProtocolError, never a wrong world."""

    def __init__(self, quantum_mm=1, slots=None, own=0):
        self.tick = 0
        self.slots = slots or Slots()
        self.own = own
        self.own_state = self.slots.first()
        self._quantum_mm = quantum_mm
        self._seen = {}
        self._ids = None  # of those, ascending; None: not since somebody came or went

    def fits(self, welcome):
        """Is that still its zone's quantum, and its slots? A restart of the zone may change both."""
        return (welcome.quantum_mm, welcome.slots) == (self._quantum_mm, self.slots.declared)

    def __iter__(self):
        return iter(self._seen.values())

    def __len__(self):
        return len(self._seen)

    def __contains__(self, entity):
        return entity in self._seen

    def __getitem__(self, entity):
        return self._seen[entity]

    def get(self, entity):
        return self._seen.get(entity)

    def apply(self, frame):
        if frame.tick <= self.tick:
            raise ProtocolError(f"a frame of tick {frame.tick} after that of {self.tick}")
        changes = Changes()
        before, own_before = {}, self.own_state
        went_on = self._go_on(frame.tick - self.tick)
        if frame.is_keyframe or frame.leaves or frame.enters:
            self._ids = None
        if frame.is_keyframe:
            before, self._seen = self._seen, {}
            self.own_state = self.slots.first()
        for left in frame.leaves:
            changes.left.append((self._known(left.entity, "leaves"), left.reason))
            del self._seen[left.entity]
        for entered in frame.enters:
            if entered.entity in self._seen:
                raise ProtocolError(f"entity {entered.entity} enters, and is seen already")
            state = self.slots.first() | self.slots.unpacked(entered.state)
            seen = before.pop(entered.entity, None)
            if seen is None:
                seen = Seen(entered, state, frame.tick)
                changes.entered.append(seen)
            else:
                self._renew(seen, entered, state, frame.tick, went_on, changes)
            self._seen[entered.entity] = seen
        changes.left += [(gone, 0) for gone in before.values()]
        self._move(frame, went_on)
        changes.moved = [seen for seen in went_on.values() if self._seen.get(seen.entity) is seen]
        for entity, slots in unpack_states(frame.states):
            if entity == self.own:
                self.own_state.update(self.slots.named(slots))
                changes.is_own_changed = True
                continue
            seen = self._known(entity, "changes")
            seen.state.update(self.slots.named(slots))
            changes.changed.append(seen)
        if frame.is_keyframe:
            changes.is_own_changed = self.own_state != own_before
        self.tick = frame.tick
        return changes

    @staticmethod
    def _renew(seen, entered, state, tick, went_on, changes):
        """Somebody who is known is in a keyframe."""
        velocity = entered.velocity or STILL
        if (seen.position, seen.velocity) != (entered.position, velocity):
            seen.position, seen.velocity = entered.position, velocity
            went_on[seen.entity] = seen
        if seen.state != state:
            seen.state = state
            changes.changed.append(seen)
        seen.kind, seen.moved_tick = entered.kind, tick

    def _go_on(self, ticks):
        went_on = {seen.entity: seen for seen in self if seen.velocity != STILL}
        for seen in went_on.values():
            seen.position = Position(*(max(-2**31, min(2**31 - 1, at + each * ticks))
                                       for at, each in zip(seen.position, seen.velocity)))
        return went_on

    def _move(self, frame, moved):
        quantum = self._quantum_mm
        for entity, is_relative, x, y, z, *velocity in unpack_moves(frame.moves, self._known_ids):
            seen = self._known(entity, "moves")
            base = seen.position if is_relative else STILL
            seen.position = Position(base.x + x * quantum, base.y + y * quantum, base.z + z * quantum)
            if not all(-2**31 <= at < 2**31 for at in seen.position):
                raise ProtocolError(f"entity {entity} moves out of any world")
            seen.velocity = Position(*(each * quantum for each in velocity))
            seen.moved_tick = frame.tick
            moved[entity] = seen

    def _known_ids(self):
        self._ids = self._ids or sorted(self._seen)
        return self._ids

    def _known(self, entity, does):
        try:
            return self._seen[entity]
        except KeyError:
            raise ProtocolError(f"entity {entity} {does}, and is not seen") from None
