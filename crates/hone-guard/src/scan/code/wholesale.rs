//! Code that deletes all there is of a kind: what a service lists is deleted in a loop, and nobody is asked.
//!
//! A server that offers to list and to delete things has both words in it, as names of functions and of routes;
//! so a call in a loop is looked for, or one in a function that a loop calls.

/// How all things of a kind are listed.
#[rustfmt::skip]
const LISTS: [&str; 28] = [
    "buckets.all()", "list_buckets", "list_tables", "describe_db_", "list_namespace", "listbuckets", "list_blobs", "list_datasets", "search_projects", "list_projects",
    "describe_instances", "instances.all()", "resource_groups.list", "list_collection_names", "list_database_names", "list_clusters", "list_functions", "list_secrets", "list_repos",
    "get_repos()", "list_users", "storage_accounts.list", "list_topics", "list_images", "describe_snapshots", "listnamespace", "show databases", "show tables",
];

/// How one is deleted.
#[rustfmt::skip]
const DELETES: [&str; 25] = [
    "delete_bucket", "delete_table", "delete_db", ".delete()", "delete_namespace", "deletebucket", "delete_objects", "delete_snapshot", ".delete(force", "delete_blobs", "delete_dataset",
    "delete_project", "terminate_instances", ".terminate()", "begin_delete", "drop_collection", "drop_database", "delete_cluster", "delete_function", "delete_secret", "delete_repo",
    "delete_user", "deletenamespace", "drop database", "drop table",
];

/// Ways to ask first, or only to try.
const ASKS: [&str; 4] = ["input(", "dry_run", "dry-run", "confirm"];
/// Lines above a call among which the loop around it is looked for.
const MAX_ABOVE: usize = 60;
/// Calls of one text whose function is looked for in loops, and calls of that function.
const MAX_CALLS: usize = 64;

/// Where everything of a kind is deleted.
pub(super) fn deletes_everything(lower: &str) -> Option<usize> {
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    if !has(&LISTS) || !has(&DELETES) || has(&ASKS) {
        return None;
    }
    let mut start = 0;
    let lines: Vec<(usize, &str)> = lower
        .split_inclusive('\n')
        .map(|line| {
            start += line.len();
            (start - line.len(), line)
        })
        .collect();
    let lists = |line: &str| LISTS.iter().any(|word| line.contains(word)) && !declares(line);
    if !lines.iter().any(|(_, line)| lists(line)) {
        return None;
    }
    let deletes = lines
        .iter()
        .enumerate()
        .filter(|(_, (_, line))| !declares(line) && DELETES.iter().any(|word| line.contains(word)));
    for (number, (at, (from, line))) in deletes.enumerate() {
        // for x in list_all(): x.delete(), [x.delete() for x in …], list.forEach(x => …)
        let in_loop = loops(line) || is_in_loop(&lines, at);
        let by_name = || {
            let name = declared_above(&lines, at)?;
            let call = format!("{name}(");
            let calls = lines.iter().enumerate().filter(|(_, (_, line))| {
                !declares(line) && (line.contains(&call) || line.contains(&format!("({name}")))
            });
            calls.take(MAX_CALLS).find(|(at, (_, line))| loops(line) || is_in_loop(&lines, *at))
        };
        if in_loop || number < MAX_CALLS && by_name().is_some() {
            return Some(from + line.len() - line.trim_start().len());
        }
    }
    None
}

/// Whether a line only says what something is called: a function, a route, a comment.
fn declares(line: &str) -> bool {
    const STARTS: [&str; 12] = [
        "def ",
        "async def ",
        "@",
        "function ",
        "async function ",
        "export ",
        "#",
        "//",
        "*",
        "func ",
        "class ",
        "\"\"\"",
    ];
    let line = line.trim_start();
    STARTS.iter().any(|start| line.starts_with(start)) && !line.contains("; ")
}

fn loops(line: &str) -> bool {
    [
        "for ",
        "while ",
        "foreach",
        ".each",
        ".map(",
        "map(",
        "for(",
        "xargs",
        "foreach-object",
        " | %",
    ]
    .iter()
    .any(|word| line.contains(word))
}

/// The lines around one, the nearest first: those that are less indented than all between.
fn around<'l>(lines: &'l [(usize, &'l str)], at: usize) -> impl Iterator<Item = (usize, &'l str)> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut least = indent(lines[at].1);
    (at.saturating_sub(MAX_ABOVE)..at).rev().filter_map(move |above| {
        let line = lines[above].1;
        let outer = !line.trim().is_empty() && indent(line) < least;
        outer.then(|| {
            least = indent(line);
            (above, line)
        })
    })
}

fn is_in_loop(lines: &[(usize, &str)], at: usize) -> bool {
    around(lines, at).take_while(|(_, line)| !declares(line)).any(|(_, line)| loops(line))
}

/// The function that a line stands in.
fn declared_above<'l>(lines: &'l [(usize, &'l str)], at: usize) -> Option<&'l str> {
    let (_, line) = around(lines, at).find(|(_, line)| declares(line))?;
    let rest = ["def ", "function ", "func "].iter().find_map(|word| line.split_once(word))?.1;
    let name = rest.split(|c: char| !(c.is_alphanumeric() || c == '_')).next()?;
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_in_a_loop_deletes_everything_and_a_route_does_not() {
        for code in [
            "for b in s3.buckets.all():\n    b.delete()\n",
            "[b.delete() for b in s3.buckets.all()]\n",
            "def drop(b):\n    b.delete()\nfor b in s3.buckets.all():\n    drop(b)\n",
        ] {
            assert!(deletes_everything(code).is_some(), "{code}");
        }
        for code in [
            "def list_users():\n    return [u for u in db]\n@app.delete('/users')\ndef delete_user(name):\n    db.pop(name)\n",
            "def list_users(c):\n    return c.list_users()\nfor x in 'ab':\n    print(x)\nc.delete_user('a')\n",
        ] {
            assert_eq!(deletes_everything(code), None, "{code}");
        }
    }

    #[test]
    fn a_loop_stands_so_far_above() {
        let code = |between: usize| {
            let lines = "    print(b)\n".repeat(between - 1);
            format!("for b in s3.buckets.all():\n{lines}    b.delete()\n")
        };
        assert!(deletes_everything(&code(MAX_ABOVE)).is_some());
        assert_eq!(deletes_everything(&code(MAX_ABOVE + 1)), None);
    }

    #[test]
    fn the_functions_of_as_many_calls_are_followed() {
        let code = |before: usize| {
            let lines = "b.delete()\n".repeat(before);
            format!(
                "{lines}def drop(b):\n    b.delete()\nfor b in s3.buckets.all():\n    drop(b)\n"
            )
        };
        assert!(deletes_everything(&code(MAX_CALLS - 1)).is_some());
        assert_eq!(deletes_everything(&code(MAX_CALLS)), None);
    }
}
