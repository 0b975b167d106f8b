"""When does a player's entity need a Move, where the server goes on by itself?"""

import math

from marchland.codec import STEP_MAX_MM, STILL, Position


class OwnWay:
    """Where the server expects the client's own entity by now: on with the velocity of its last Move, for a while. A Move
    is needed when that is wrong by more than the zone's bound, and before the while is over. Others then see the entity
    within the sum of that bound and the server's own."""

    def __init__(self, welcome):
        self._error_mm = welcome.prediction_error_mm  # with 0 every Move is needed, and has no velocity
        self._ticks_max = welcome.prediction_ms_max * welcome.tick_rate_hz // 1000
        self._quantum = welcome.quantum_mm
        self._before = None
        self._said = None  # where the last Move was, its velocity, and how many ticks ago

    def step(self, position):
        """A tick later it is there. The velocity of the Move that is to say so; None: none is needed."""
        at = self._on_quantum(position)
        velocity = _way(self._before, at) if self._error_mm and self._before else STILL
        self._before = at
        if self._said is not None:
            said_at, said_velocity, ticks = self._said
            self._said = (said_at, said_velocity, ticks + 1)
        if self._error_mm and self._is_expected(at):
            return None
        self._said = (at, velocity, 0)
        return velocity

    def forget(self):
        """The Move was not sent."""
        self._said = None

    def put(self, position):
        """It is there, and did not walk there: no velocity leads there. None: somewhere else."""
        self.forget()
        self._before = position and self._on_quantum(position)

    def _on_quantum(self, position):
        return Position(*((mm + self._quantum // 2) // self._quantum * self._quantum for mm in position))

    def _is_expected(self, at):
        """One that stands needs no other Move; one that goes on needs it a tick before the server ends that."""
        if self._said is None:
            return False
        said_at, velocity, ticks = self._said
        shown = [mm + each * ticks for mm, each in zip(said_at, velocity)]
        is_over = velocity != STILL and ticks >= max(self._ticks_max, 2) - 1
        return not is_over and math.dist(shown, at) <= self._error_mm


def _way(before, at):
    """None where it is too far for a velocity."""
    way = Position(*(to - mm for to, mm in zip(at, before)))
    return way if max(map(abs, way)) <= STEP_MAX_MM else STILL
