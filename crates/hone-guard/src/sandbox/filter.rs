//! System calls that a confined command has no use for, refused by seccomp.

use std::collections::BTreeMap;

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
    libc::SYS_fsopen,
    libc::SYS_init_module,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_io_uring_setup,
    libc::SYS_kexec_load,
    libc::SYS_keyctl,
    libc::SYS_mount,
    libc::SYS_move_mount,
    libc::SYS_open_by_handle_at,
    libc::SYS_open_tree,
    libc::SYS_perf_event_open,
    libc::SYS_pidfd_getfd,
    libc::SYS_pivot_root,
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

/// Terminal controls that type in another's name.
const TYPING: [u64; 2] = [0x5412, 0x541c];

/// Installs the filters for this process and what it becomes.
pub(super) fn install(network: bool) -> Result<String, String> {
    let filters = filters(network).map_err(|error| error.to_string())?;
    for filter in &filters {
        apply_filter(filter).map_err(|error| error.to_string())?;
    }
    let what = if network { "no kernel interfaces" } else { "no sockets, no kernel interfaces" };
    Ok(what.to_owned())
}

fn filters(network: bool) -> Result<[BpfProgram; 2], seccompiler::BackendError> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
        REFUSED.iter().map(|call| (*call, Vec::new())).collect();
    if !network {
        // No socket of any family; pairs of connected ones are made by another call.
        rules.insert(libc::SYS_socket, Vec::new());
    }
    let equals = |argument: u8, value: u64| {
        SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value)
            .and_then(|condition| SeccompRule::new(vec![condition]))
    };
    rules.insert(
        libc::SYS_ioctl,
        TYPING.into_iter().map(|c| equals(1, c)).collect::<Result<_, _>>()?,
    );
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
    // Its flags cannot be looked at; a program that is told it is not there uses the other one.
    let newer = BTreeMap::from([(libc::SYS_clone3, Vec::new())]);
    Ok([program(rules, libc::EPERM)?, program(newer, libc::ENOSYS)?])
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
