//! Calls on files: written, opened, loaded, deleted.

use super::calls::{Call, Given};
use super::expression::Value;
use super::running::SENDER;
use super::{INTERPRETER, Out, Unit};
use crate::scan::code::World;
use crate::scan::finding::Severity;
use crate::scan::findings::Match;
use crate::scan::flow::Taint;
use crate::scan::kind::{Language, of_interpreter};
use crate::scan::places::{Spot, classify, normalise};
use crate::scan::rules;

impl Unit<'_> {
    /// A file is written or copied.
    pub(super) fn write_file(
        &mut self,
        call: Call<'_>,
        given: Given,
        world: &mut World,
        out: &mut Out<'_, '_, '_>,
    ) -> Value {
        let Call { callee, ranges, receiver, at, .. } = call;
        let Given { arguments, .. } = given;
        let result = Value::default();
        let copies = callee.to_ascii_lowercase().contains("copy")
            || matches!(callee, "Compress-Archive" | "FileUtils.cp");
        let named = |unit: &Self, option: &str| {
            arguments
                .iter()
                .zip(ranges)
                .find(|(_, range)| {
                    unit.name_at(range.start).is_some_and(|n| n.eq_ignore_ascii_case(option))
                })
                .map(|(value, _)| value.clone())
        };
        let (path, content) = if self.passage.language == Language::PowerShell && !copies {
            let path = named(self, "Path")
                .or_else(|| named(self, "FilePath"))
                .or_else(|| named(self, "LiteralPath"))
                .or_else(|| arguments.first().cloned())
                .unwrap_or_default();
            let mut content =
                named(self, "Value").or_else(|| arguments.get(1).cloned()).unwrap_or_default();
            content.add(receiver);
            (path, content)
        } else if callee == "io.Copy" {
            // The target comes first here.
            (
                arguments.first().cloned().unwrap_or_default(),
                arguments.get(1).cloned().unwrap_or_default(),
            )
        } else if callee.ends_with("dump") {
            // json.dump(settings, open(path, "w")): what is written comes first.
            (
                arguments.get(1).cloned().unwrap_or_default(),
                arguments.first().cloned().unwrap_or_default(),
            )
        } else if copies {
            // Both ends of a copy: what a target was opened from gains it too.
            let origins: Vec<String> =
                arguments.get(1).map(|a| self.possible(&a.names)).unwrap_or_default();
            let taint = arguments.first().map(|a| a.taint.clone()).unwrap_or_default();
            for origin in origins {
                self.gain(&origin, &taint, world);
            }
            (
                arguments.get(1).cloned().unwrap_or_default(),
                arguments.first().cloned().unwrap_or_default(),
            )
        } else {
            (
                arguments.first().cloned().unwrap_or_default(),
                arguments.get(1).cloned().unwrap_or_default(),
            )
        };
        // fmt.Fprintf(connection, format, text)
        let mut content = content;
        if callee.starts_with("fmt.Fprint") {
            for argument in arguments.iter().skip(2) {
                content.add(argument);
            }
        }
        // fwrite(popen('sh', 'w'), text)
        self.fed_to_program(&path, &content, at, out);
        // fmt.Fprintln(connection, text)
        if let Some(connection) = path.taint.connection.clone() {
            self.to_network(&content.taint, &connection, &format!("`{callee}`"), at, out);
        }
        let mut paths = vec![path.path()];
        paths.extend(self.possible(&path.names));
        let known = paths.iter().find(|path| classify(path).is_some()).unwrap_or(&paths[0]).clone();
        if matches!(classify(&known), Some(Spot::PackageConfig | Spot::AgentSettings)) {
            content.texts.push(world.all_settings());
        }
        self.to_file(&known, &content, at, out);
        for name in path.names.iter().chain(&path.texts) {
            self.gain(name, &content.taint, world);
            // A writer passes on to what it was made around.
            for origin in self.origins.get(name).cloned().unwrap_or_default() {
                self.gain(&origin, &content.taint, world);
            }
        }
        result
    }

    /// Something is written to a program that runs: an interpreter, or one that sends what it reads.
    pub(super) fn fed_to_program(
        &mut self,
        program: &Value,
        content: &Value,
        at: usize,
        out: &mut Out<'_, '_, '_>,
    ) {
        if let Some(name) = program.texts.iter().find_map(|t| t.strip_prefix(INTERPRETER)) {
            self.to_interpreter(&content.taint, name, at, out);
            let name = name.rsplit('/').next().unwrap_or(name);
            self.read_by(of_interpreter(name), content, at, out);
        }
        if let Some(to) = program.texts.iter().find_map(|t| t.strip_prefix(SENDER)) {
            self.to_network(&content.taint.carried(), to, "a program's input", at, out);
        }
    }

    /// Something is written to what the method is called on: a file, a connection, a program.
    pub(super) fn write_here(
        &mut self,
        call: Call<'_>,
        given: Given,
        world: &mut World,
        out: &mut Out<'_, '_, '_>,
    ) -> Value {
        let Call { shown, receiver, at, .. } = call;
        let Given { all, .. } = given;
        let mut result = Value::default();
        if receiver.texts.iter().any(|t| t.starts_with(INTERPRETER) || t.starts_with(SENDER)) {
            self.fed_to_program(receiver, &all, at, out);
        } else if let Some(connection) = receiver.taint.connection.clone() {
            self.to_network(&all.taint, &connection, &format!("`{shown}`"), at, out);
        } else {
            let names: Vec<String> = receiver.names.clone();
            let mut paths: Vec<String> = receiver.texts.clone();
            // Path('/tmp/x').write_text(…)
            if !all.taint.is_clean() {
                for text in receiver.texts.iter().filter(|text| text.contains(['/', '.'])) {
                    self.gain(text, &all.taint, world);
                }
            }
            for name in &names {
                for origin in self.origins.get(name).cloned().unwrap_or_default() {
                    self.gain(&origin, &all.taint, world);
                    if origin.contains(['/', '.', '~']) {
                        paths.push(origin.clone());
                    }
                    paths.extend(self.texts.get(&origin).map(|texts| texts.join("/")));
                }
                self.gain(name, &all.taint, world);
                if !all.taint.is_clean() {
                    for text in self.texts.get(name).cloned().unwrap_or_default() {
                        self.gain(&text, &all.taint, world);
                    }
                }
            }
            paths.extend(self.possible(&names));
            let path = paths
                .iter()
                .find(|path| crate::scan::places::classify(path).is_some())
                .cloned()
                .unwrap_or_else(|| paths.join("/"));
            if !path.is_empty() {
                self.to_file(&path, &all, at, out);
            }
        }
        result.taint.add(&all.taint);
        result
    }

    /// A file is opened.
    pub(super) fn open(
        &mut self,
        call: Call<'_>,
        given: Given,
        world: &mut World,
        out: &mut Out<'_, '_, '_>,
    ) -> Value {
        let Call { callee, receiver, at, shown, .. } = call;
        let Given { arguments, all, address } = given;
        if self.passage.language == Language::Perl && arguments.len() > 1 {
            return self.open_handle(&arguments, at, world, out);
        }
        let mut result = Value::default();
        // fopen($to, 'r', false, $context): what the context carries goes out.
        if callee == "fopen" && arguments.len() > 3 {
            let to = address.clone().unwrap_or_default();
            self.to_network(&all.taint, &to, &format!("`{shown}`"), at, out);
        }
        let mode = arguments.iter().skip(1).map(Value::text).collect::<String>();
        let reads = !mode.starts_with(['w', 'a', 'x']) && !callee.contains("createWriteStream");
        if let Some(address) = address {
            result.taint = Taint::remote(address);
        } else if let Some(first) = arguments.first() {
            if reads {
                result.taint.add(&first.taint);
            }
            // What was saved there before.
            for text in &first.texts {
                let saved = [self.variables.get(text.as_str()), world.saved.get(text.as_str())];
                for saved in saved.into_iter().flatten() {
                    result.taint.add(saved);
                }
            }
            if let (true, Some((skill, _))) = (reads, out.as_ref()) {
                let data = first.texts.iter().find(|text| {
                    let name = text.rsplit('/').next().unwrap_or(text);
                    name.len() > 4 && skill.members.iter().any(|m| m.path.rsplit('/').next() == Some(name) && !matches!(m.kind, crate::scan::kind::Kind::Text(language) if language.runs()))
                });
                result.taint.bundled = data.cloned();
            }
            result.texts.clone_from(&first.texts);
            result.names.clone_from(&first.names);
            if first.text().starts_with('|') {
                self.run(
                    &[Value { texts: vec![first.text()[1..].to_owned()], ..first.clone() }],
                    at,
                    out,
                );
            }
        }
        result.taint.add(&receiver.taint);
        result
    }

    /// `open(my $handle, '>', path)`: the handle stands for the path.
    fn open_handle(
        &mut self,
        arguments: &[Value],
        at: usize,
        world: &mut World,
        out: &mut Out<'_, '_, '_>,
    ) -> Value {
        let Some(handle) = arguments[0].names.last().cloned() else { return Value::default() };
        let mode = arguments[1].text();
        let mut path = arguments[if arguments.len() > 2 { 2 } else { 1 }].clone();
        for text in &mut path.texts {
            *text = text.trim_start_matches(['<', '>', '+', ' ']).to_owned();
        }
        if mode.contains('>') {
            path.taint = Taint::default();
        } else {
            let mut saved = Taint::default();
            self.add_saved(&path, world, &mut saved);
            path.taint.add(&saved);
        }
        // open(my $in, '-|', $command)
        if mode.starts_with('-') {
            let taint = self.run(std::slice::from_ref(&path), at, out);
            path.taint.add(&taint);
        }
        // open(my $out, '|-', 'sh'): what is printed there is what the program reads.
        if mode.starts_with('|') {
            let program = path.text().trim_start_matches(['|', '-', ' ']).to_owned();
            let base = program.rsplit('/').next().unwrap_or_default();
            let base = base.split_whitespace().next().unwrap_or_default();
            if of_interpreter(base).is_some() {
                path.texts = vec![format!("{INTERPRETER}{program}")];
            } else if matches!(
                program.split_whitespace().next(),
                Some("curl" | "wget" | "nc" | "ncat" | "mail" | "sendmail" | "ssh")
            ) {
                let all: Vec<&str> =
                    arguments.iter().skip(1).flat_map(|a| &a.texts).map(String::as_str).collect();
                let words = all.join(" ");
                let to = words.split_whitespace().find(|word| word.contains("://"));
                path.texts = vec![format!("{SENDER}{}", to.unwrap_or_default())];
            }
        }
        self.assign(&handle, &path, world);
        path
    }

    /// Serialised objects are loaded.
    pub(super) fn load(
        &mut self,
        call: Call<'_>,
        given: Given,
        _world: &mut World,
        out: &mut Out<'_, '_, '_>,
    ) -> Value {
        let Call { callee, shown, at, .. } = call;
        let Given { all, .. } = given;
        let mut result = Value::default();
        // Only some of its loaders make objects.
        if callee == "yaml.load"
            && !all
                .names
                .iter()
                .any(|n| n.ends_with("UnsafeLoader") || n == "yaml.Loader" || n == "Loader")
        {
            result.taint.add(&all.taint);
            return result;
        }
        let bundled = all.texts.iter().any(|text| {
            let name = text.rsplit('/').next().unwrap_or(text);
            name.len() > 3
                && (text.starts_with("assets/")
                    || text.contains("/assets/")
                    || out.as_ref().is_some_and(|(skill, _)| {
                        skill.members.iter().any(|m| m.path.rsplit('/').next() == Some(name))
                    }))
        });
        let found = bundled.then(|| {
            Match::new(
                &rules::UNSAFE_LOAD,
                Severity::Warn,
                "serialised objects that the skill ships are loaded, which runs code in them",
            )
        });
        self.report(at, found, out);
        self.to_interpreter(&all.taint, shown, at, out);
        result.taint.add(&all.taint);
        result
    }

    /// A tree of files is deleted.
    pub(super) fn delete(
        &mut self,
        call: Call<'_>,
        given: Given,
        _world: &mut World,
        out: &mut Out<'_, '_, '_>,
    ) -> Value {
        let Call { receiver, at, .. } = call;
        let Given { all, .. } = given;
        let result = Value::default();
        let mut paths = self.possible(&all.names);
        paths.push(all.path());
        paths.extend(all.texts.iter().filter(|text| text.contains('/')).cloned());
        paths.extend(receiver.texts.iter().cloned());
        let path = paths.into_iter().map(|path| normalise(&path).into_owned()).find(|path| {
            matches!(
                path.trim_end_matches('/'),
                "~/*"
                    | "~/~"
                    | "c:/*"
                    | "~"
                    | "/*"
                    | "c:"
                    | "~/documents"
                    | "~/desktop"
                    | "/home"
                    | "/users"
                    | "/etc"
                    | "/usr"
                    | "/var"
            ) || path == "/"
        });
        let found = path.map(|path| {
            Match::new(
                &rules::DESTRUCTIVE,
                Severity::Critical,
                format!("`{path}` is deleted with everything in it"),
            )
        });
        self.report(at, found, out);
        result
    }
}
