"""Clients, services and tools of Marchland zone servers: docs/clients.md, "Python"."""

from marchland.codec import Position, ProtocolError, decode, encode, enum, table
from marchland.own_way import OwnWay
from marchland.service import WHILE_AWAY, Owned, Player, Service
from marchland.session import Client, ConnectionLost, Resumption, ServerError, Session
from marchland.world import Changes, Seen, World

__all__ = ["Changes", "Client", "ConnectionLost", "OwnWay", "Owned", "Player", "Position", "ProtocolError", "Resumption",
           "Seen", "ServerError", "Service", "Session", "WHILE_AWAY", "World", "decode", "encode", "enum", "table"]
