// As the C program of docs/clients.md, in C#: as much of marchland.h as it needs, then the walk.
using System;
using System.Runtime.InteropServices;

static class Walk {
    [StructLayout(LayoutKind.Sequential)]
    struct Position { public int x, y, z; }

    [StructLayout(LayoutKind.Sequential)]
    struct View {
        public uint shape;
        public int radius, leaveRadius, halfY, leaveHalfY, halfZ, leaveHalfZ;
        public uint halfOpening, leaveHalfOpening;
    }

    [StructLayout(LayoutKind.Sequential)]
    struct Options {
        public uint hasSpawn, hasView;
        public Position spawn;
        public View view;
        public uint kind, facing;
        public IntPtr name, token, tokenFunction, context;
        public uint isTls, isWebSocket;
        public IntPtr serverName, caFile;
        public uint noResume, admits;
        public IntPtr resumeToken;
        public UIntPtr resumeTokenCount;
        public IntPtr resumeAddress, resumeWithToken;
    }

    [StructLayout(LayoutKind.Sequential)]
    struct Seen {
        public ulong entity, movedTick;
        public Position position;
        public uint kind;
    }

    const string library = "marchland_client";
    [DllImport(library)] static extern IntPtr marchland_join_player(string host, string port, ref Options options);
    [DllImport(library)] static extern void marchland_free(IntPtr session);
    [DllImport(library)] static extern int marchland_serve(IntPtr session, uint waitMs);
    [DllImport(library)] static extern IntPtr marchland_problem(IntPtr session);
    [DllImport(library)] static extern Position marchland_own_position(IntPtr session);
    [DllImport(library)] static extern void marchland_move(IntPtr session, Position position);
    [DllImport(library)] static extern UIntPtr marchland_world(IntPtr session, uint watcher, [Out] Seen[] seen, UIntPtr max);
    [DllImport(library)] static extern void marchland_leave(IntPtr session);

    static int Main(string[] arguments) {
        var options = new Options { kind = 1 };
        IntPtr session = marchland_join_player("127.0.0.1", arguments[0], ref options);
        for (int step = 0; step < 20; ++step) {
            Position place = marchland_own_position(session);
            place.x += 250;
            marchland_move(session, place);
            if (marchland_serve(session, 50) != 0) {
                Console.Error.WriteLine(Marshal.PtrToStringAnsi(marchland_problem(session)));
                return 1;
            }
        }
        var seen = new Seen[100];
        ulong count = (ulong)marchland_world(session, 0, seen, (UIntPtr)seen.Length);
        for (ulong i = 0; i < Math.Min(count, 100); ++i) {
            Console.WriteLine("{0}, of kind {1}, is at {2}, {3}", seen[i].entity, seen[i].kind, seen[i].position.x,
                              seen[i].position.y);
        }
        Console.WriteLine("I see {0} others", count);
        marchland_leave(session);
        marchland_free(session);
        return 0;
    }
}
