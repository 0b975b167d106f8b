#include "tools/process/tcp_queues.h"

#include <gtest/gtest.h>

namespace marchland::process {
namespace {

// As proc(5) has them; port 7777 is 1E61. A listener, two ends of a server, and a client's end.
constexpr const char* kTable =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid\n"
    "   0: 0100007F:1E61 00000000:0000 0A 00000000:00000400 00:00000000 00000000     0\n"
    "   1: 0100007F:1E61 0100007F:C350 01 00001000:00000000 00:00000000 00000000     0\n"
    "   2: 0000000000000000FFFF00000100007F:1E61 0100007F:C351 01 00000010:00000000 00:0 0  0\n"
    "   3: 0100007F:C350 0100007F:1E61 01 00FF0000:00000000 00:00000000 00000000     0\n";

TEST(TcpQueues, AreThoseOfTheServersEnds) {
    TcpQueues queues;
    add_tcp_queues(kTable, 7777, queues);
    EXPECT_EQ(queues.connections, 2U);
    EXPECT_EQ(queues.unsent_bytes_max, 0x1000U);
    EXPECT_EQ(queues.unsent_bytes, 0x1010U);
}

TEST(TcpQueues, PassOverWhatIsNoRow) {
    TcpQueues queues;
    add_tcp_queues("", 7777, queues);
    add_tcp_queues("\n\n  ::: : 01\n1: :1E61 x 01 zz:0\n1: a:1E61", 7777, queues);
    EXPECT_EQ(queues.connections, 0U);
}

}  // namespace
}  // namespace marchland::process
