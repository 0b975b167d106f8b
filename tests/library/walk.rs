// As the C program of docs/clients.md, in Rust: as much of marchland.h as it needs, then the walk.
use std::ffi::{CStr, CString};
use std::os::raw::{c_char, c_int, c_void};

#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Position {
    x: i32,
    y: i32,
    z: i32,
}

#[repr(C)]
struct View {
    shape: u32,
    lengths: [i32; 6],
    angles: [u32; 2],
}

#[repr(C)]
struct Options {
    has_spawn: u32,
    has_view: u32,
    spawn: Position,
    view: View,
    kind: u32,
    facing: u32,
    name: *const c_char,
    token: *const c_char,
    token_function: Option<extern "C" fn(*mut c_void) -> *const c_char>,
    context: *mut c_void,
    is_tls: u32,
    is_web_socket: u32,
    server_name: *const c_char,
    ca_file: *const c_char,
    no_resume: u32,
    admits: u32,
    resume_token: *const c_void,
    resume_token_count: usize,
    resume_address: *const c_char,
    resume_with_token: *const c_char,
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Seen {
    entity: u64,
    moved_tick: u64,
    position: Position,
    kind: u32,
}

extern "C" {
    fn marchland_defaults() -> Options;
    fn marchland_join_player(host: *const c_char, port: *const c_char, options: *const Options) -> *mut c_void;
    fn marchland_free(session: *mut c_void);
    fn marchland_serve(session: *mut c_void, wait_ms: u32) -> c_int;
    fn marchland_problem(session: *const c_void) -> *const c_char;
    fn marchland_own_position(session: *const c_void) -> Position;
    fn marchland_move(session: *mut c_void, position: Position);
    fn marchland_world(session: *const c_void, watcher: u32, seen: *mut Seen, count_max: usize) -> usize;
    fn marchland_leave(session: *mut c_void);
}

fn main() {
    let host = CString::new("127.0.0.1").unwrap();
    let port = CString::new(std::env::args().nth(1).expect("usage: walk PORT")).unwrap();
    unsafe {
        let mut options = marchland_defaults();
        options.kind = 1;
        let session = marchland_join_player(host.as_ptr(), port.as_ptr(), &options);
        for _ in 0..20 {
            let mut place = marchland_own_position(session);
            place.x += 250;
            marchland_move(session, place);
            if marchland_serve(session, 50) != 0 {
                eprintln!("{}", CStr::from_ptr(marchland_problem(session)).to_string_lossy());
                std::process::exit(1);
            }
        }
        let mut seen = [Seen::default(); 100];
        let count = marchland_world(session, 0, seen.as_mut_ptr(), seen.len());
        for one in &seen[..count.min(seen.len())] {
            println!("{}, of kind {}, is at {}, {}", one.entity, one.kind, one.position.x, one.position.y);
        }
        println!("I see {count} others");
        marchland_leave(session);
        marchland_free(session);
    }
}
