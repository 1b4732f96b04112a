//! The transcript of a task as one hash, and the proof that a step belongs to it.
//!
//! The tree is that of RFC 6962: a leaf is `SHA-256(0x00 ‖ step)`, an inner node
//! `SHA-256(0x01 ‖ left ‖ right)`, and the left side of a tree of `n` leaves holds the largest power of
//! two below `n`. A step goes in as canonical JSON.

use sha2::{Digest as _, Sha256};

use super::digest::Digest;

/// The hash of one step.
pub fn leaf(step: &[u8]) -> Digest {
    Digest(Sha256::new().chain_update([0]).chain_update(step).finalize().into())
}

fn node(left: Digest, right: Digest) -> Digest {
    Digest(
        Sha256::new()
            .chain_update([1])
            .chain_update(left.0)
            .chain_update(right.0)
            .finalize()
            .into(),
    )
}

/// The root over leaves; that of no leaves is the hash of nothing.
pub fn root(leaves: &[Digest]) -> Digest {
    match leaves {
        [] => Digest::of(b""),
        [leaf] => *leaf,
        _ => {
            let (left, right) = leaves.split_at(split(leaves.len()));
            node(root(left), root(right))
        }
    }
}

/// The neighbours that lead from a leaf to the root, nearest first; none when there is no such leaf.
pub fn proof(leaves: &[Digest], index: usize) -> Option<Vec<Digest>> {
    if index >= leaves.len() {
        return None;
    }
    let mut path = Vec::new();
    let (mut leaves, mut index) = (leaves, index);
    while leaves.len() > 1 {
        let at = split(leaves.len());
        let (left, right) = leaves.split_at(at);
        if index < at {
            path.push(root(right));
            leaves = left;
        } else {
            path.push(root(left));
            leaves = right;
            index -= at;
        }
    }
    path.reverse();
    Some(path)
}

/// The root that a leaf at `index` of `count` and its neighbours lead to; none when they cannot be the
/// proof of such a tree.
pub fn lead(leaf: Digest, index: u64, count: u64, path: &[Digest]) -> Option<Digest> {
    if index >= count {
        return None;
    }
    // RFC 9162, 2.1.3.2: walk up, and know at each level whether the neighbour is left or right.
    let (mut at, mut last, mut hash) = (index, count - 1, leaf);
    for neighbour in path {
        if last == 0 {
            return None;
        }
        if at & 1 == 1 || at == last {
            hash = node(*neighbour, hash);
            while at & 1 == 0 && at != 0 {
                at >>= 1;
                last >>= 1;
            }
        } else {
            hash = node(hash, *neighbour);
        }
        at >>= 1;
        last >>= 1;
    }
    (last == 0).then_some(hash)
}

/// The largest power of two below `count`, which is at least two.
fn split(count: usize) -> usize {
    count.next_power_of_two() / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaves(count: usize) -> Vec<Digest> {
        (0..count).map(|n| leaf(n.to_string().as_bytes())).collect()
    }

    #[test]
    fn every_leaf_of_every_small_tree_has_a_proof_that_holds_for_it_alone() {
        for count in 1..=33 {
            let leaves = leaves(count);
            let root = root(&leaves);
            for index in 0..count {
                let path = proof(&leaves, index).unwrap();
                let lead = |leaf, index: usize, path: &[Digest]| {
                    lead(leaf, index as u64, count as u64, path)
                };
                assert_eq!(lead(leaves[index], index, &path), Some(root), "{index} of {count}");
                assert_ne!(lead(leaf(b"other"), index, &path), Some(root));
                for other in (0..count).filter(|other| *other != index) {
                    assert_ne!(lead(leaves[index], other, &path), Some(root));
                }
                if let Some((_, shorter)) = path.split_first() {
                    assert_ne!(lead(leaves[index], index, shorter), Some(root));
                }
                let longer: Vec<Digest> = path.iter().copied().chain([root]).collect();
                assert_ne!(lead(leaves[index], index, &longer), Some(root));
            }
            assert_eq!(proof(&leaves, count), None);
        }
    }

    #[test]
    fn a_tree_of_nothing_and_of_one() {
        assert_eq!(root(&[]), Digest::of(b""));
        assert_eq!(root(&leaves(1)), leaf(b"0"));
        assert_eq!(lead(leaf(b"0"), 0, 0, &[]), None);
    }

    #[test]
    fn a_leaf_cannot_pass_for_a_node() {
        let leaves = leaves(2);
        let joined: Vec<u8> = leaves.iter().flat_map(|leaf| leaf.0).collect();
        assert_ne!(leaf(&joined), root(&leaves));
    }
}
