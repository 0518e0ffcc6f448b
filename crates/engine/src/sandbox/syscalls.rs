//! System calls that a program without namespaces around it may not make (Linux).
//!
//! A list of what is forbidden, not of what is allowed: agents are whole runtimes, and nobody knows what those need.
//! Landlock already forbids mounting and looking into processes outside; this is about the rest of what root can do to
//! a machine, about the network beyond TCP, and about modes.

use std::collections::BTreeMap;
use std::io;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
};

/// What changes the machine, or leads around Landlock.
const MACHINE: [libc::c_long; 22] = [
    libc::SYS_acct,
    libc::SYS_adjtimex,
    libc::SYS_bpf,
    libc::SYS_chroot,
    libc::SYS_clock_adjtime,
    libc::SYS_clock_settime,
    libc::SYS_delete_module,
    libc::SYS_finit_module,
    libc::SYS_init_module,
    libc::SYS_io_uring_setup, // can open sockets without `socket`
    libc::SYS_kexec_file_load,
    libc::SYS_kexec_load,
    libc::SYS_open_by_handle_at,
    libc::SYS_perf_event_open,
    libc::SYS_quotactl,
    libc::SYS_reboot,
    libc::SYS_setdomainname,
    libc::SYS_sethostname,
    libc::SYS_setns,
    libc::SYS_settimeofday,
    libc::SYS_swapoff,
    libc::SYS_swapon,
];
/// What changes a file without writing to it.
const MODES: [libc::c_long; 11] = [
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fchmodat2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_fremovexattr,
    libc::SYS_fsetxattr,
    libc::SYS_lremovexattr,
    libc::SYS_lsetxattr,
    libc::SYS_removexattr,
    libc::SYS_setxattr,
];
/// The same by the names that only this architecture still has.
#[cfg(target_arch = "x86_64")]
const OLD_MODES: [libc::c_long; 3] = [libc::SYS_chmod, libc::SYS_chown, libc::SYS_lchown];
#[cfg(not(target_arch = "x86_64"))]
const OLD_MODES: [libc::c_long; 0] = [];
/// A second set of numbers for most of the same calls, which some kernels have.
#[cfg(target_arch = "x86_64")]
const X32: libc::c_long = 0x4000_0000;

/// Whether there is a filter for this architecture.
pub(super) const AVAILABLE: bool = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));

/// Forbids them for the calling thread, and whatever it executes, for good. Landlock comes first: it gives up the right
/// to gain privileges, which the kernel asks for.
pub(super) fn forbid(offline: bool, modes: bool) -> io::Result<()> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
    let mut forbidden = MACHINE.to_vec();
    if modes {
        forbidden.extend(MODES.iter().chain(&OLD_MODES));
    }
    for call in forbidden {
        add(&mut rules, call, &[]);
    }
    if offline {
        let family = libc::AF_UNIX.unsigned_abs().into();
        let foreign = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, family);
        let foreign = SeccompRule::new(vec![foreign.map_err(io::Error::other)?]).map_err(io::Error::other)?;
        add(&mut rules, libc::SYS_socket, &[foreign]);
    }
    let refusal = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let arch = std::env::consts::ARCH.try_into().map_err(io::Error::other)?;
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refusal, arch).map_err(io::Error::other)?;
    let program: BpfProgram = filter.try_into().map_err(io::Error::other)?;
    seccompiler::apply_filter(&program).map_err(io::Error::other)
}

/// No rules: whatever the arguments.
fn add(rules: &mut BTreeMap<i64, Vec<SeccompRule>>, call: libc::c_long, when: &[SeccompRule]) {
    rules.insert(call, when.to_vec());
    #[cfg(target_arch = "x86_64")]
    rules.insert(call | X32, when.to_vec());
}
