#pragma once

#include "net/service_messages.h"

#include <flatbuffers/flatbuffer_builder.h>

#include <cstddef>
#include <span>

namespace marchland::net {

/// What a service sends, for encode(ClientMessage): the builder comes in empty.
std::span<const std::byte> finish_service_message(flatbuffers::FlatBufferBuilder& builder,
                                                  const ServiceHello& hello);
std::span<const std::byte> finish_service_message(flatbuffers::FlatBufferBuilder& builder,
                                                  const Spawn& spawn);
std::span<const std::byte> finish_service_message(flatbuffers::FlatBufferBuilder& builder,
                                                  const Despawn& despawn);
std::span<const std::byte> finish_service_message(flatbuffers::FlatBufferBuilder& builder,
                                                  const MoveMany& move_many);
std::span<const std::byte> finish_service_message(flatbuffers::FlatBufferBuilder& builder,
                                                  const Change& change);
std::span<const std::byte> finish_service_message(flatbuffers::FlatBufferBuilder& builder,
                                                  const TransferPlayer& transfer);
std::span<const std::byte> finish_service_message(flatbuffers::FlatBufferBuilder& builder,
                                                  const AdmitPlayer& admit);
std::span<const std::byte> finish_service_message(flatbuffers::FlatBufferBuilder& builder,
                                                  const Subscribe& subscribe);
std::span<const std::byte> finish_service_message(flatbuffers::FlatBufferBuilder& builder,
                                                  const SendMessages& send_messages);

}  // namespace marchland::net
