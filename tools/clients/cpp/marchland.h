#pragma once

/* Players and services of a Marchland zone server in C, and in whatever calls C:
 * libmarchland_client.so. docs/clients.md has examples; docs/wire_format.md says what the fields
 * mean.
 *
 * A session is a player's or a service's. Join, then serve again and again, taking the events of
 * each:
 *
 *     marchland_options options = marchland_defaults();
 *     marchland_session* session = marchland_join_player("127.0.0.1", "7777", &options);
 *     while (marchland_serve(session, 50) == 0) {
 *         marchland_event event;
 *         while (marchland_next_event(session, &event)) { ... }
 *     }
 *     puts(marchland_problem(session));
 *     marchland_free(session);
 *
 * Threads  A session is one thread's at a time, and nothing happens but in calls.
 * Memory   What an event points to is good until the next marchland_next_event() of its session.
 *          Texts that are given in are copied.
 * Bounds   While 65,536 events were not taken nothing more is read, and the server takes the client
 *          for a slow one.
 * Errors   A function that cannot do what it is asked because the session is of the other kind, or
 *          over, does nothing. */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define MARCHLAND_API __attribute__((visibility("default")))
#else
#define MARCHLAND_API
#endif

typedef struct marchland_session marchland_session;

/* Millimetres. */
typedef struct marchland_position {
    int32_t x, y, z;
} marchland_position;

typedef struct marchland_view {
    uint32_t shape; /* 0 none, 1 circle, 2 rectangle, 3 sector, 4 cylinder */
    int32_t radius_mm, leave_radius_mm, half_y_mm, leave_half_y_mm, half_z_mm, leave_half_z_mm;
    uint32_t half_opening, leave_half_opening;
} marchland_view;

/* With what a player's session is resumed, also by another process. Who has it has the session. */
typedef struct marchland_resumption {
    const uint8_t* resume_token; /* of the newest Welcome */
    size_t resume_token_count;
    /* Where the game sent the player, as it said it, and with which token, if any; 0 or "": where
     * it joined, with its own. */
    const char *address, *token;
} marchland_resumption;

typedef struct marchland_options {
    uint32_t has_spawn, has_view; /* 0: the server chooses */
    marchland_position spawn;
    marchland_view view;
    uint32_t kind, facing;
    const char* name; /* a service's */
    /* Who this is, where the server asks for it: the text, or what the function says, which is
     * asked before each connection. */
    const char* token;
    const char* (*token_function)(void* context);
    void* context;
    uint32_t is_tls, is_web_socket;
    const char* server_name; /* for TLS and WebSocket, in all zones; 0: each zone's host */
    const char* ca_file;     /* whose signature TLS accepts, PEM; 0: whom this machine trusts */
    uint32_t no_resume;      /* a lost connection is the end */
    uint32_t admits;         /* of a service: it is asked before a player comes in */
    /* Of a player, where it has a resume token: that session is resumed, or joined anew where the
     * zone refuses it. */
    marchland_resumption resumption;
} marchland_options;

enum marchland_event_type {
    /* Each entity that is seen has one ENTER and then one LEAVE, also over a resume, a keyframe or
     * a transfer, and where the watcher goes: what is destroyed at LEAVE is there once. */
    MARCHLAND_ENTER = 1, /* entity, kind, position */
    /* entity, position, also of who goes on with the velocity that was sent; kind where a keyframe
     * has it */
    MARCHLAND_MOVE = 2,
    /* entity, code: the reason; 0: not in a keyframe, of another zone, or its watcher goes */
    MARCHLAND_LEAVE = 3,
    /* to a player: kind, bytes, entity: where it is to who sees that one, else 0; to a service:
     * also tick and position, all of who said it */
    MARCHLAND_MESSAGE = 4,
    MARCHLAND_CORRECTION = 5, /* position: the own entity is there */
    MARCHLAND_FRAME = 6,      /* after all else of a frame: tick, code 1: it was a keyframe */
    MARCHLAND_LOST = 7,       /* the connection is, and is resumed */
    MARCHLAND_RESUMED = 8,
    MARCHLAND_MESSAGES_LOST = 9, /* some did not come */
    MARCHLAND_NOTICE = 10,       /* bytes: a text; code: the server stops in so many ms */
    /* To a service. Of its watchers' frames `watcher` has the ref, 0 to a player. */
    MARCHLAND_PLAYER_JOINED = 11, /* entity, kind, position, request; bytes: its token's subject */
    MARCHLAND_PLAYER_AWAY = 12,   /* entity, code: ms that it is waited for */
    MARCHLAND_PLAYER_BACK = 13,   /* entity */
    /* entity, code: the reason; 255: while the service's connection was lost */
    MARCHLAND_PLAYER_LEFT = 14,
    /* entity; kind: the command's type number; code: the reason; watcher: of a spawn its ref */
    MARCHLAND_REFUSED = 15,
    /* To a player: it is in another zone, and all that is known is that one's. */
    MARCHLAND_TRANSFERRED = 16,
    /* To a service, right behind PLAYER_JOINED: entity; bytes: what its client carries from another
     * zone, as it says. */
    MARCHLAND_PLAYER_CARRIES = 17,
    /* To a service: a player waits for marchland_admit. request; kind; position: where it asks to
     * come in, if it does; code: for so many ms; bytes: the subject of its token. */
    MARCHLAND_PLAYER_ASKS = 18,
    /* To a service: marchland_players has where players are at the end of `tick`. code: so many
     * ticks before it were not read in time; kind 1: a part of the server was late, some may be
     * missing. */
    MARCHLAND_PLAYERS = 19,
    /* To a service: a player whose entity services move asks to be at `position`. entity, tick;
     * code: for `answer` of a marchland_change; kind: the facing that it asks for, 65,536: none. */
    MARCHLAND_PLAYER_MOVE = 20,
    /* entity, one that is seen or the own one: marchland_state has its slots, some of which have
     * changed. */
    MARCHLAND_STATE = 21,
    /* To a service, right behind PLAYER_JOINED and PLAYER_BACK, with their entity, and PLAYER_ASKS,
     * with its request; bytes: the claims of the token that was shown, of those that the zone's
     * configuration names, as a JSON object; none: it has none. Of a player who is known it comes
     * alone where the claims are others after a resume, and without bytes where there are none any
     * more. */
    MARCHLAND_PLAYER_CLAIMS = 22
};

typedef struct marchland_event {
    uint32_t type;
    uint32_t kind;
    uint64_t entity;
    uint64_t tick;
    marchland_position position;
    uint32_t code;
    uint32_t watcher;
    const uint8_t* bytes;
    size_t bytes_count;
    /* Of PLAYER_ASKS; of PLAYER_JOINED that whose answer let it in, 0: there was none. */
    uint64_t request;
} marchland_event;

typedef struct marchland_seen {
    uint64_t entity;
    uint64_t moved_tick;
    marchland_position position;
    uint32_t kind;
} marchland_seen;

/* A slot's value, by the slot's number in the zone's configuration, from 0 on; of the three the one
 * of its type. */
typedef struct marchland_slot {
    uint32_t number;
    uint32_t type; /* 0 integer, 1 float, 2 bytes */
    int64_t integer;
    float real;
    const uint8_t* bytes;
    size_t bytes_count;
} marchland_slot;

MARCHLAND_API marchland_options marchland_defaults(void);

/* Connects and waits for the Welcome, for some seconds at most. Never 0: where it did not work, the
 * session is over. */
MARCHLAND_API marchland_session* marchland_join_player(const char* host, const char* port,
                                                       const marchland_options* options);
MARCHLAND_API marchland_session* marchland_join_service(const char* host, const char* port,
                                                        const marchland_options* options);
MARCHLAND_API void marchland_free(marchland_session* session);

/* Sends what waits, and takes what comes, waiting for it for so long at most. 0; 1: the session is
 * over. */
MARCHLAND_API int marchland_serve(marchland_session* session, uint32_t wait_ms);
/* Serves until what was asked for before would survive a crash of the server: a game waits for that
 * before it says "traded". 0: not in time, the connection was lost meanwhile (the next
 * marchland_serve says why, if for good), or the zone keeps no state. It waits for the disk, about
 * a second; the events of that time wait, however many. */
MARCHLAND_API int marchland_wait_until_safe(marchland_session* session, uint32_t wait_ms);
MARCHLAND_API int marchland_next_event(marchland_session* session, marchland_event* event);
/* Why it is over: a text, and the server's code, 0 where it said none. "" while it is not. */
MARCHLAND_API const char* marchland_problem(const marchland_session* session);
MARCHLAND_API uint32_t marchland_error_code(const marchland_session* session);
MARCHLAND_API uint32_t marchland_tick_rate_hz(const marchland_session* session);
MARCHLAND_API uint32_t marchland_dimensions(const marchland_session* session);
/* Whether the newest Welcome continued a session; else it began one. */
MARCHLAND_API int marchland_was_resumed(const marchland_session* session);
/* For poll(); -1 while the connection is lost. */
MARCHLAND_API int marchland_fd(const marchland_session* session);
/* Drops the connection as a broken line does. */
MARCHLAND_API void marchland_cut(marchland_session* session);
MARCHLAND_API void marchland_leave(marchland_session* session);

/* Who is seen, by a player or by an own entity that watches (its ref; a player's is 0), in
 * ascending id: how many, of which up to `count_max` are written. */
MARCHLAND_API size_t marchland_world(const marchland_session* session, uint32_t watcher,
                                     marchland_seen* seen, size_t count_max);

/* The zone's slots, by number from 0 on; 0: there are no more. */
MARCHLAND_API const char* marchland_slot_name(const marchland_session* session, uint32_t number);
/* The slots of an entity that is seen, as above, or of the one whose view it is: those that have
 * another value than 0 or no bytes, by number. How many, of which up to `count_max` are written;
 * bytes are good until the next marchland_serve. */
MARCHLAND_API size_t marchland_state(const marchland_session* session, uint32_t watcher,
                                     uint64_t entity, marchland_slot* slots, size_t count_max);
/* A player: slots of the own entity whose writer is the player (`entity` does not matter). A
 * service: of its own entity or a player's, with the next marchland_serve. 0: nothing is sent: a
 * player's connection is lost, the session is over, or these are no slots: numbers ascend and are
 * below 16, bytes are 1,024 at most. An integer is of 53 bits, either sign; the server refuses
 * others, and other types than the zone's. */
MARCHLAND_API int marchland_set_state(marchland_session* session, uint64_t entity,
                                      const marchland_slot* slots, size_t count);

/* ---- a player's */

MARCHLAND_API uint64_t marchland_entity(const marchland_session* session);
/* For the options of a later marchland_join_player: to be kept after it, MARCHLAND_RESUMED and
 * MARCHLAND_TRANSFERRED, with the address that it joined, and to be kept secret. Good until
 * something is served (marchland_serve, marchland_wait_until_safe) or freed; without a resume
 * token: the zone resumes none. */
MARCHLAND_API marchland_resumption marchland_get_resumption(const marchland_session* session);
/* The server's time by now, as near as frames let it be known; it goes on smoothly. 0 before the
 * first frame. */
MARCHLAND_API uint64_t marchland_server_time_us(const marchland_session* session);
/* Where to draw who is seen, in millimetres (x, y, z): at any moment, say 60 times a second, and
 * smoothly; two frames old. 0: it is not seen. */
MARCHLAND_API int marchland_drawn(const marchland_session* session, uint64_t entity,
                                  double place[3]);
MARCHLAND_API marchland_position marchland_own_position(const marchland_session* session);
/* The own entity faces there, in 65,536ths of a turn, from its next marchland_move or
 * marchland_step on. */
MARCHLAND_API void marchland_turn(marchland_session* session, uint16_t facing);
MARCHLAND_API void marchland_move(marchland_session* session, marchland_position position);
/* The same with fewer moves, where the server goes on by itself: call it once in every tick, also
 * while the entity stands. 0: no move was needed. */
MARCHLAND_API int marchland_step(marchland_session* session, marchland_position position);
/* Also while the connection is lost: view and frame rate are said when it is back. */
MARCHLAND_API void marchland_set_view(marchland_session* session, const marchland_view* view);
/* So many frames a second at most; 0: as many as the server gives. */
MARCHLAND_API void marchland_set_frame_rate(marchland_session* session, uint16_t frames_hz);
MARCHLAND_API void marchland_request_keyframe(marchland_session* session);
/* To services; 0: it is longer than 1,024 bytes or the zone allows, or as many as a second allows
 * went just now, or are on their way. */
MARCHLAND_API int marchland_say(marchland_session* session, uint16_t kind, const uint8_t* bytes,
                                size_t bytes_count);

/* ---- a service's */

/* Begin with {0}: what is not said is 0, none. */
typedef struct marchland_spawn {
    marchland_position position;
    uint32_t kind, facing;
    uint32_t layers, layers_seen;
    uint32_t watches;
    marchland_view view;
    int32_t notify_radius_mm, notify_leave_radius_mm; /* seen from as far, whatever others' views */
    uint32_t importance;                              /* where a frame is full, 1 to 255; 0: 1 */
    const marchland_slot* slots; /* its first state, as in marchland_set_state */
    size_t slots_count;
} marchland_spawn;

/* Its ref, by which the service calls it. 0: nothing was sent: its slots are none, or the session
 * is no service's. */
MARCHLAND_API uint32_t marchland_spawn_entity(marchland_session* session,
                                              const marchland_spawn* spawn);
/* Its id; 0: the zone has given none yet, or it is gone. */
MARCHLAND_API uint64_t marchland_entity_of(const marchland_session* session, uint32_t ref);
MARCHLAND_API void marchland_move_entity(marchland_session* session, uint32_t ref,
                                         marchland_position position);
MARCHLAND_API void marchland_despawn(marchland_session* session, uint32_t ref);

enum marchland_authority {
    MARCHLAND_ZONE_DECIDES = 1, /* as its configuration says */
    MARCHLAND_CLIENT_MOVES = 2,
    MARCHLAND_SERVICE_MOVES = 3
};

/* What an entity is given, all of it in one tick. Begin with {0}: what is not said stays as it is.
 * */
typedef struct marchland_change {
    uint32_t has_position, has_facing, has_layers, has_view, has_notify, has_speed, has_frames,
        has_answer;
    marchland_position position;
    uint32_t facing; /* in 65,536ths of a turn */
    uint32_t layers, layers_seen;
    marchland_view view;
    int32_t notify_radius_mm, notify_leave_radius_mm;
    const marchland_slot* slots; /* as in marchland_set_state */
    size_t slots_count;
    /* Of players. */
    uint32_t authority; /* who says where the entity is: a marchland_authority; 0: as it was */
    /* of the zone's limit, how fast its client may move it. 0: it stands; 65,535: unchecked */
    uint32_t speed_percent;
    uint32_t frames_hz; /* 0: as if nobody had changed it */
    uint32_t answer;    /* `position` is the answer to that MARCHLAND_PLAYER_MOVE */
} marchland_change;

/* Of an own entity, or a player's, with the next marchland_serve. 0: nothing is sent: the session
 * is no service's, or over, the slots are none, or a number is too large for what it is. */
MARCHLAND_API int marchland_change_entity(marchland_session* session, uint64_t entity,
                                          const marchland_change* change);
MARCHLAND_API void marchland_remove_player(marchland_session* session, uint64_t entity);
MARCHLAND_API void marchland_subscribe(marchland_session* session, const uint16_t* kinds,
                                       size_t count);
/* To players; to everybody where `to` is 0. These three say 0 where nothing is sent: the session is
 * no service's, it is to nobody, or to more than 1,024 players, or has more than 1,024 bytes. */
MARCHLAND_API int marchland_tell(marchland_session* session, uint16_t kind, const uint8_t* bytes,
                                 size_t bytes_count, const uint64_t* to, size_t count);
/* To whoever sees that entity, one of its own or a player's. */
MARCHLAND_API int marchland_tell_viewers(marchland_session* session, uint16_t kind,
                                         const uint8_t* bytes, size_t bytes_count, uint64_t entity);

typedef struct marchland_circle {
    marchland_position centre;
    int32_t radius_mm; /* inclusive */
} marchland_circle;

/* To players whose entity is there, if `within` is not 0, and who see one of `layers`, if that is
 * not 0. */
MARCHLAND_API int marchland_tell_those(marchland_session* session, uint16_t kind,
                                       const uint8_t* bytes, size_t bytes_count,
                                       const marchland_circle* within, uint32_t layers);
/* Where players are comes in each tick, from here on: of all, or of those who are in a circle, if
 * `within` is not 0. */
MARCHLAND_API void marchland_subscribe_positions(marchland_session* session,
                                                 const marchland_circle* within);
MARCHLAND_API void marchland_unsubscribe_positions(marchland_session* session);

typedef struct marchland_placed {
    uint64_t entity;
    marchland_position position;
} marchland_placed;

/* Where they are in the newest tick that came, in ascending id: how many, of which up to
 * `count_max` are written. */
MARCHLAND_API size_t marchland_players(const marchland_session* session, marchland_placed* placed,
                                       size_t count_max);

/* MARCHLAND_PLAYER_MOVE comes, from here on. */
MARCHLAND_API void marchland_subscribe_moves(marchland_session* session);
/* What is asked for while the connection is lost waits, up to 1 MiB, but for answers to
 * MARCHLAND_PLAYER_ASKS. So many messages, changes, transfers and removals beyond that, the oldest,
 * were dropped. */
MARCHLAND_API uint64_t marchland_dropped(const marchland_session* session);

/* Why a player does not come in, or what it is given; what is not said: as it asked to. */
typedef struct marchland_admission {
    const char* refusal;    /* not 0: it does not come in, and is sent that text */
    marchland_change given; /* nothing of players yet */
} marchland_admission;

/* The answer to MARCHLAND_PLAYER_ASKS; admission is not 0. 0: nothing was sent, as in
 * marchland_change_entity, or the refusal has more than 256 bytes. */
MARCHLAND_API int marchland_admit(marchland_session* session, uint64_t request,
                                  const marchland_admission* admission);
/* The player's client goes on at the first of these addresses that it can speak to
 * ("tcp://HOST:PORT wss://HOST:PORT", up to 256 bytes), with that token (0: its own) and what it is
 * to carry there, up to 1,024 bytes. 0: nothing is sent: it is longer, or the session is no
 * service's. */
MARCHLAND_API int marchland_send_to_zone(marchland_session* session, uint64_t entity,
                                         const char* address, const char* token,
                                         const uint8_t* carried, size_t carried_count);

#ifdef __cplusplus
}
#endif
