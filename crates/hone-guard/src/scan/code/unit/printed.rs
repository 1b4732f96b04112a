//! What a program prints, and what it leaves in files: the value of running it, for whoever does.

use super::Unit;
use crate::scan::code::World;
use crate::scan::code::lexer::Token;
use crate::scan::flow::Taint;

/// Whether a name prints what it is given.
fn prints(name: &str) -> bool {
    #[rustfmt::skip]
    const NAMES: [&str; 30] = [
        "print", "pprint", "pp", "p", "puts", "printf", "say", "echo", "print_r", "var_dump", "Write-Output",
        "Write-Host", "console.log", "console.info", "console.dir", "console.table", "fmt.Print", "fmt.Println",
        "fmt.Printf", "io.write", "pprint.pprint", "rich.print", "click.echo", "typer.echo", "println", "print!",
        "println!", "Deno.stdout.write", "Deno.stdout.writeSync", "Bun.write",
    ];
    let stdout = ["stdout.", "STDOUT.", "Stdout.", "$stdout.", "STDOUT->"];
    NAMES.contains(&name) || stdout.iter().any(|part| name.contains(part))
}

/// Names of the output that something may be written to.
const OUTPUTS: [&str; 7] = [
    "sys.stdout",
    "sys.stdout.buffer",
    "process.stdout",
    "os.Stdout",
    "$stdout",
    "STDOUT",
    "io.stdout",
];

impl Unit<'_> {
    /// What the program prints when it is run.
    pub(in crate::scan::code) fn printed(&mut self, world: &mut World) -> Taint {
        let mut printed = Taint::default();
        for name in OUTPUTS {
            if let Some(written) = self.variables.get(name) {
                printed.add(written);
            }
        }
        let mut at = 0;
        while at < self.tokens.len() {
            let Token::Name(name) = &self.tokens[at].token else {
                at += 1;
                continue;
            };
            if !prints(name) && !prints(&self.resolve(name)) {
                at += 1;
                continue;
            }
            let (from, to) = if self.is_op(at + 1, '(') {
                (at + 2, self.close[at + 1])
            } else {
                let next = self.statements.partition_point(|one| one.tokens().end <= at);
                let end = self.statements.get(next).map(|one| one.tokens().end);
                (at + 1, end.unwrap_or(self.tokens.len()))
            };
            // print(x, file=sys.stderr) is for the person's eyes.
            let aside = (from..to).any(|i| {
                self.name_at(i).is_some_and(|name| matches!(name, "sys.stderr" | "STDERR"))
            });
            if !aside && from < to {
                printed.add(&self.value(from..to, world, &mut None, 1).taint);
            }
            at = to.max(at + 1);
        }
        printed.connection = None;
        printed.input = false;
        printed.bundled = None;
        printed
    }

    /// What the program leaves at paths that is secret.
    pub(in crate::scan::code) fn left(&self) -> Vec<(String, Taint)> {
        let is_path = |name: &str| name.contains('/') && !name.contains("://");
        let kept = self.variables.iter().filter(|(name, taint)| {
            is_path(name) && (!taint.secrets.is_empty() || taint.environment)
        });
        kept.map(|(path, taint)| (path.clone(), taint.carried())).collect()
    }
}

impl World {
    /// What a script of the skill prints that a command names.
    pub(super) fn printed_by(&self, words: &[String]) -> Taint {
        const WORDS: usize = 32;
        let mut taint = Taint::default();
        if self.printed.is_empty() {
            return taint;
        }
        for word in words.iter().flat_map(|text| text.split_whitespace()).take(WORDS) {
            let name = word.trim_matches(['"', '\'', ';']).rsplit(['/', '\\']).next();
            if let Some(printed) = name.and_then(|name| self.printed.get(name)) {
                taint.add(printed);
            }
        }
        taint
    }
}
