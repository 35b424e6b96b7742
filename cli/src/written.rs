//! SSTables that are written: into a folder of their own first, from where they move to their places when all is there.
//!
//! A run that fails or is ended leaves nothing behind: beside it runs a second process, which hears what is to be removed,
//! and removes it when the first one is gone without having said that it is done. So even a killed run is tidied up after.

use crate::failure::Failure;
use std::cell::RefCell;
use std::fs::{self, File};
use std::io::{self, BufRead as _, BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::rc::Rc;
use triescope_core::data::PartSink;
use triescope_core::table::{Generation, Part, Version};
use triescope_core::write::Sink;

/// The hidden command that the second process runs.
pub const TIDY: &str = "tidy-up-after";
/// What the first process says when nothing is to be removed any more.
const DONE: &str = "done";
/// Bytes gathered before a file is written to.
const GATHERED: usize = 1 << 18;

/// An SSTable in the making.
#[derive(Debug)]
pub struct Written {
    /// Where its files go.
    out: PathBuf,
    /// Where they are until all are there.
    folder: PathBuf,
    /// What their names begin with: `nb-1-big`.
    stem: String,
    files: Vec<(Part, Rc<RefCell<Output>>)>,
    /// A component that came without a file to go to.
    unexpected: Option<Part>,
    watch: Watch,
}

/// A file, and the first thing that went wrong with it.
#[derive(Debug)]
struct Output {
    path: PathBuf,
    file: BufWriter<File>,
    problem: Option<io::Error>,
}

/// One file as a sink.
#[derive(Debug)]
pub struct FileSink(Rc<RefCell<Output>>);

/// What is to be removed should this run end early, and the process that sees to it.
#[derive(Debug)]
struct Watch {
    child: Option<Child>,
    paths: Vec<PathBuf>,
    is_done: bool,
}

impl Written {
    /// Makes the folder for a set of these parts. Nothing that is there is written over.
    pub fn new(
        out: &Path,
        version: Version,
        generation: Generation,
        parts: &[Part],
    ) -> Result<Self, Failure> {
        let stem = format!("{version}-{generation}-{}", version.format_word());
        for part in parts {
            let path = out.join(format!("{stem}-{}", part.file_name()));
            // A link that leads nowhere is there, too.
            if fs::symlink_metadata(&path).is_ok() {
                let path = path.display();
                return Err(Failure::new(format!(
                    "{path}: it exists, and nothing is written over it"
                )));
            }
        }
        let mut watch = Watch::start();
        // Folders that are made are removed again, the innermost first.
        let missing = out.ancestors().take_while(|folder| !folder.as_os_str().is_empty());
        let missing: Vec<&Path> = missing.take_while(|folder| !folder.exists()).collect();
        for folder in missing.iter().rev() {
            watch.add(folder);
        }
        fs::create_dir_all(out).map_err(|error| failed(out, &error))?;
        let folder = out.join(format!(".{stem}.unfinished-{}", std::process::id()));
        fs::create_dir(&folder).map_err(|error| failed(&folder, &error))?;
        watch.add(&folder);
        Ok(Self { out: out.to_owned(), folder, stem, files: Vec::new(), unexpected: None, watch })
    }

    /// The folder with what is written so far.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// A new file of the set.
    pub fn create(&mut self, part: Part) -> Result<FileSink, Failure> {
        let path = self.folder.join(format!("{}-{}", self.stem, part.file_name()));
        let file = File::create_new(&path).map_err(|error| failed(&path, &error))?;
        let file = BufWriter::with_capacity(GATHERED, file);
        let output = Rc::new(RefCell::new(Output { path, file, problem: None }));
        self.files.push((part, Rc::clone(&output)));
        Ok(FileSink(output))
    }

    /// Whether all that was written so far has reached its files.
    pub fn flush(&self) -> Result<(), Failure> {
        if let Some(part) = self.unexpected {
            return Err(Failure::new(format!("{part} was written, and was not expected to be")));
        }
        for (_, output) in &self.files {
            let mut output = output.borrow_mut();
            let flushed = output.file.flush();
            if let Some(error) = output.problem.take().or(flushed.err()) {
                return Err(failed(&output.path, &error));
            }
        }
        Ok(())
    }

    /// Moves the files to their places, TOC.txt last: without it a set is not complete. Their names and sizes.
    pub fn finish(mut self) -> Result<Vec<(String, u64)>, Failure> {
        self.flush()?;
        let mut moved = Vec::new();
        self.files.sort_by_key(|(part, _)| *part == Part::Toc);
        for (_, output) in &self.files {
            let output = output.borrow();
            let bytes = output.file.get_ref().metadata().map_err(|it| failed(&output.path, &it))?;
            let name = output.path.file_name().unwrap_or_default().to_owned();
            let to = self.out.join(&name);
            if fs::symlink_metadata(&to).is_ok() {
                let to = to.display();
                return Err(Failure::new(format!(
                    "{to}: it exists now, and nothing is written over it"
                )));
            }
            self.watch.add(&to);
            fs::rename(&output.path, &to).map_err(|error| failed(&to, &error))?;
            moved.push((name.to_string_lossy().into_owned(), bytes.len()));
        }
        fs::remove_dir(&self.folder).map_err(|error| failed(&self.folder, &error))?;
        self.watch.done();
        Ok(moved)
    }
}

impl PartSink for Written {
    fn put(&mut self, part: Part, bytes: &[u8]) {
        let found = self.files.iter().find(|(other, _)| *other == part);
        match found {
            Some((_, output)) => FileSink(Rc::clone(output)).put(bytes),
            None => self.unexpected = Some(part),
        }
    }
}

impl Sink for FileSink {
    fn put(&mut self, bytes: &[u8]) {
        let mut output = self.0.borrow_mut();
        if output.problem.is_none() {
            output.problem = output.file.write_all(bytes).err();
        }
    }
}

impl Watch {
    /// Starts the second process. Where that cannot be, only this one tidies up.
    fn start() -> Self {
        let child = std::env::current_exe().and_then(|program| {
            let mut command = Command::new(program);
            command.arg(TIDY).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
            // Keys that end this process do not end that one.
            #[cfg(unix)]
            std::os::unix::process::CommandExt::process_group(&mut command, 0);
            command.spawn()
        });
        Self { child: child.ok(), paths: Vec::new(), is_done: false }
    }

    fn add(&mut self, path: &Path) {
        // The other process has another working folder once this one is gone.
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        self.say(&path.to_string_lossy());
        self.paths.push(path);
    }

    fn done(&mut self) {
        self.is_done = true;
        self.say(DONE);
    }

    fn say(&mut self, line: &str) {
        if let Some(stdin) = self.child.as_mut().and_then(|child| child.stdin.as_mut()) {
            _ = writeln!(stdin, "{line}");
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if !self.is_done {
            remove(&self.paths);
            self.say(DONE);
        }
        if let Some(child) = &mut self.child {
            drop(child.stdin.take());
            _ = child.wait();
        }
    }
}

/// What the second process does: hears paths, and removes them when its input ends without a word that all is done.
pub fn tidy_up_after() {
    let mut paths = Vec::new();
    for line in io::stdin().lock().lines() {
        match line {
            Ok(line) if line == DONE => return,
            Ok(line) => paths.push(PathBuf::from(line)),
            Err(_) => break,
        }
    }
    remove(&paths);
}

/// Removes files and folders of a run, the last ones first. Folders are removed with what this run put into them, and only
/// those that it made.
fn remove(paths: &[PathBuf]) {
    for path in paths.iter().rev() {
        let is_own = path.file_name().is_some_and(|name| {
            let name = name.to_string_lossy();
            name.starts_with('.') && name.contains(".unfinished-")
        });
        // What cannot be removed is not there, or not ours.
        _ = match fs::symlink_metadata(path) {
            Ok(meta) if meta.is_dir() && is_own => fs::remove_dir_all(path),
            Ok(meta) if meta.is_dir() => fs::remove_dir(path),
            Ok(_) => fs::remove_file(path),
            Err(_) => Ok(()),
        };
    }
}

fn failed(path: &Path, error: &io::Error) -> Failure {
    Failure::new(format!("{}: {error}", path.display()))
}
