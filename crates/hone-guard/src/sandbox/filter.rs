//! System calls that a confined command has no use for, refused by seccomp.

use std::collections::BTreeMap;

use rustix::process::Pid;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter,
};

/// The bit of system calls of the x32 interface, which reach the same code by other numbers.
#[cfg(target_arch = "x86_64")]
const X32: Option<i64> = Some(0x4000_0000);
#[cfg(not(target_arch = "x86_64"))]
const X32: Option<i64> = None;

/// Ways to the kernel, to other processes, and out of the confinement.
const REFUSED: &[i64] = &[
    libc::SYS_acct,
    libc::SYS_add_key,
    libc::SYS_bpf,
    libc::SYS_delete_module,
    libc::SYS_finit_module,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fsopen,
    libc::SYS_fspick,
    libc::SYS_init_module,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_io_uring_setup,
    libc::SYS_kcmp,
    libc::SYS_kexec_load,
    libc::SYS_keyctl,
    libc::SYS_migrate_pages,
    libc::SYS_mount,
    libc::SYS_mount_setattr,
    libc::SYS_move_pages,
    libc::SYS_move_mount,
    libc::SYS_open_by_handle_at,
    libc::SYS_open_tree,
    OPEN_TREE_ATTR,
    libc::SYS_perf_event_open,
    libc::SYS_pidfd_getfd,
    libc::SYS_pivot_root,
    libc::SYS_process_madvise,
    libc::SYS_process_mrelease,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_ptrace,
    libc::SYS_quotactl,
    libc::SYS_reboot,
    libc::SYS_request_key,
    libc::SYS_setns,
    libc::SYS_settimeofday,
    libc::SYS_swapoff,
    libc::SYS_swapon,
    libc::SYS_syslog,
    libc::SYS_umount2,
    libc::SYS_unshare,
    libc::SYS_userfaultfd,
];

/// Calls that are too new for the headers here; new ones have the same number everywhere.
const OPEN_TREE_ATTR: i64 = 467;
const SETXATTRAT: i64 = 463;
const REMOVEXATTRAT: i64 = 466;
const FILE_SETATTR: i64 = 469;

/// Memory and queues that no process holds, so that nothing counts them and nothing ends them. To a
/// program they are not there, which it knows from other systems.
const ABSENT: &[i64] = &[
    libc::SYS_clone3,
    libc::SYS_memfd_create,
    libc::SYS_memfd_secret,
    libc::SYS_mq_open,
    libc::SYS_msgget,
    libc::SYS_semget,
    libc::SYS_shmget,
    libc::SYS_vmsplice,
];

/// Calls that signal the process, thread or group that they name first, or get hold of it.
const SIGNALLING: [i64; 6] = [
    libc::SYS_kill,
    libc::SYS_tkill,
    libc::SYS_tgkill,
    libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_tgsigqueueinfo,
    libc::SYS_pidfd_open,
];

/// Families of sockets that are the network's. No sockets of the system's own services, which would do
/// what the command may not; and of the kernel's only the one that resolvers ask for addresses.
const NETWORK: [i32; 3] = [libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];

/// What a filter has to leave open.
#[derive(Debug, Clone, Copy)]
pub(super) struct Open<'a> {
    /// The network may be used.
    pub(super) network: bool,
    /// Something else keeps owners, modes and times of other files as they are.
    pub(super) holds_files: bool,
    /// Something else counts memory that no process holds.
    pub(super) counts_memory: bool,
    /// The processes above, which must live.
    pub(super) above: &'a [Pid],
}

/// Calls about a process, which they name by this argument: only the calling one, by zero.
const OF_A_PROCESS: [(i64, u8); 8] = [
    (libc::SYS_prlimit64, 0),
    (libc::SYS_setpriority, 0),
    (libc::SYS_setpriority, 1),
    (libc::SYS_ioprio_set, 1),
    (libc::SYS_sched_setaffinity, 0),
    (libc::SYS_sched_setattr, 0),
    (libc::SYS_sched_setparam, 0),
    (libc::SYS_sched_setscheduler, 0),
];

/// Calls that change whose a file is, what may be done with it, its times and its attributes. Landlock
/// does not look at them.
const OF_A_FILE: &[i64] = &[
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chmod,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_futimesat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lchown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utime,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utimes,
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
    libc::SYS_utimensat,
    FILE_SETATTR,
    REMOVEXATTRAT,
    SETXATTRAT,
];

/// Controls of a file that do the same: its flags and its extended flags.
const FILE_FLAGS: [u64; 2] = [0x4008_6602, 0x401c_5820];

/// What of the kind of a socket is no flag.
const KIND_OF_SOCKET: u64 = 0xf;

/// Terminal controls that type in another's name.
const TYPING: [u64; 2] = [0x5412, 0x541c];

/// Installs the filters for this process and what it becomes.
pub(super) fn install(open: &Open<'_>) -> Result<String, String> {
    let filters = filters(open).map_err(|error| error.to_string())?;
    for filter in &filters {
        apply_filter(filter).map_err(|error| error.to_string())?;
    }
    let sockets = if open.network { "" } else { "no sockets, " };
    let files =
        if open.holds_files { "" } else { ", no change of owners, modes and times of files" };
    let memory = if open.counts_memory { "" } else { ", no shared memory without a file" };
    Ok(format!("{sockets}no kernel interfaces{files}{memory}"))
}

fn filters(open: &Open<'_>) -> Result<[BpfProgram; 3], seccompiler::BackendError> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
        REFUSED.iter().map(|call| (*call, Vec::new())).collect();
    let is = |argument: u8, operator: SeccompCmpOp, value: i32| {
        // As the kernel compares it, bit by bit.
        let value = u64::from(value.cast_unsigned());
        SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value)
    };
    let equal = SeccompCmpOp::Eq;
    let other = SeccompCmpOp::Ne;
    // Without network no socket of any family; pairs of connected ones are made by another call.
    let mut sockets = Vec::new();
    if open.network {
        let families = NETWORK.iter().map(|family| is(0, other.clone(), *family));
        sockets.push(SeccompRule::new(families.collect::<Result<_, _>>()?)?);
        sockets.push(SeccompRule::new(vec![
            is(0, equal.clone(), libc::AF_NETLINK)?,
            is(2, other.clone(), libc::NETLINK_ROUTE)?,
        ])?);
    }
    rules.insert(libc::SYS_socket, sockets);
    // One of a pair that takes datagrams could be led to any socket of the system by its name.
    let mut pairs = vec![SeccompRule::new(vec![is(0, other, libc::AF_UNIX)?])?];
    for kind in [libc::SOCK_DGRAM, libc::SOCK_RAW] {
        let masked = SeccompCmpOp::MaskedEq(KIND_OF_SOCKET);
        pairs.push(SeccompRule::new(vec![is(1, masked, kind)?])?);
    }
    rules.insert(libc::SYS_socketpair, pairs);
    for call in SIGNALLING {
        let own = open.above.iter().map(|pid| pid.as_raw_nonzero().get());
        // A negative number is a group, and minus one is everybody.
        for target in own.flat_map(|pid| [pid, -pid]).chain([-1]) {
            let rule = SeccompRule::new(vec![is(0, equal.clone(), target)?])?;
            rules.entry(call).or_default().push(rule);
        }
    }
    let mut shared = BTreeMap::new();
    if !open.counts_memory {
        let unnamed = libc::MAP_SHARED | libc::MAP_ANONYMOUS;
        let masked = SeccompCmpOp::MaskedEq(u64::from(unnamed.cast_unsigned()));
        shared.insert(libc::SYS_mmap, vec![SeccompRule::new(vec![is(3, masked, unnamed)?])?]);
        let larger = |option: i32| {
            let conditions =
                vec![is(1, SeccompCmpOp::Eq, libc::SOL_SOCKET)?, is(2, SeccompCmpOp::Eq, option)?];
            SeccompRule::new(conditions)
        };
        let larger = vec![larger(libc::SO_SNDBUF)?, larger(libc::SO_SNDBUFFORCE)?];
        rules.insert(libc::SYS_setsockopt, larger);
    }
    let when = |argument: u8, operator: SeccompCmpOp, value: u64| {
        SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value)
            .and_then(|condition| SeccompRule::new(vec![condition]))
    };
    let mut controls = TYPING.to_vec();
    if !open.holds_files {
        rules.extend(OF_A_FILE.iter().map(|call| (*call, Vec::new())));
        controls.extend(FILE_FLAGS);
    }
    let controls = controls.into_iter().map(|control| when(1, SeccompCmpOp::Eq, control));
    rules.insert(libc::SYS_ioctl, controls.collect::<Result<_, _>>()?);
    for (call, argument) in OF_A_PROCESS {
        rules.entry(call).or_default().push(when(argument, SeccompCmpOp::Ne, 0)?);
    }
    let spaces = libc::CLONE_NEWUSER | libc::CLONE_NEWNS | libc::CLONE_NEWNET | libc::CLONE_NEWPID;
    let spaces: Vec<SeccompRule> = (0..32)
        .map(|bit| 1_u64 << bit)
        .filter(|flag| u64::from(spaces.unsigned_abs()) & flag != 0)
        .map(|flag| {
            let set = SeccompCmpOp::MaskedEq(flag);
            SeccompCondition::new(0, SeccompCmpArgLen::Dword, set, flag)
                .and_then(|condition| SeccompRule::new(vec![condition]))
        })
        .collect::<Result<_, _>>()?;
    rules.insert(libc::SYS_clone, spaces);
    // The flags of `clone3` cannot be looked at; a program that is told it is not there uses the other.
    let absent = ABSENT.iter().map(|call| (*call, Vec::new())).collect();
    let [refused, absent] = [program(rules, libc::EPERM)?, program(absent, libc::ENOSYS)?];
    Ok([refused, absent, program(shared, libc::ENOMEM)?])
}

fn program(
    mut rules: BTreeMap<i64, Vec<SeccompRule>>,
    error: i32,
) -> Result<BpfProgram, seccompiler::BackendError> {
    if let Some(bit) = X32 {
        let same: Vec<_> = rules.iter().map(|(call, rule)| (call | bit, rule.clone())).collect();
        rules.extend(same);
    }
    let arch = TargetArch::try_from(std::env::consts::ARCH)?;
    let refuse = SeccompAction::Errno(error.unsigned_abs());
    SeccompFilter::new(rules, SeccompAction::Allow, refuse, arch)?.try_into()
}
